// Prints counts and sizes as Prometheus metrics.
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/key/key.h"
#include "cli/stats/report.h"

namespace postern::cli {
namespace {

struct Sample {
    std::vector<std::pair<std::string, std::string>> labels;
    std::int64_t value = 0;
};

/// A gauge: all values are states, and this program counts nothing itself.
struct Metric {
    std::string name;  ///< without the prefix "postern_"
    std::string help;
    std::vector<Sample> samples;
};

/// Escapes backslash and line feed, and in a label's value the quotation mark.
std::string escaped(std::string_view text, bool quoted) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (quoted && c == '"')) out += '\\';
        out += c;
    }
    return out;
}

std::string to_text(const Sample& sample) {
    std::string text;
    for (const auto& [name, value] : sample.labels) {
        text += (text.empty() ? "{" : ",") + name + "=\"" + escaped(value, true) + '"';
    }
    if (!text.empty()) text += '}';
    return text + " " + std::to_string(sample.value);
}

std::vector<Sample> by_state(const store::Statistics::ByState& count) {
    return {{{{"state", "enabled"}}, count.enabled}, {{{"state", "disabled"}}, count.disabled}};
}

std::vector<Sample> by_name(const char* label, const store::RowCounts& counts) {
    std::vector<Sample> samples;
    for (const auto& [name, rows] : counts) samples.push_back({{{label, name}}, rows});
    return samples;
}

std::vector<Sample> by_key(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings) {
    std::vector<Sample> samples;
    for (const keys::KeyInfo& key : keys) {
        if (key.signs_from == util::Time{}) continue;
        const auto object = to_json(key, settings);
        samples.push_back({{{"kid", key.kid},
                            {"alg", std::string(crypto::to_string(key.algorithm))},
                            {"state", *object.find("state")->if_string()}},
                           util::to_epoch(key.signs_from)});
    }
    return samples;
}

std::vector<Metric> metrics_of(const Report& report, const oauth::Settings& settings) {
    const store::Statistics& statistics = report.statistics;
    return {
        {"schema_version", "Version of the database schema.", {{{}, db::kSchemaVersion}}},
        {"clients", "Registered clients.", by_state(statistics.clients)},
        {"document_clients", "Registered clients that a document describes.", {{{}, statistics.document_clients}}},
        {"dynamic_clients",
         "Clients that registered themselves, with an initial access token of the operator and without.",
         {{{{"token", "yes"}}, statistics.dynamic_clients - statistics.strangers},
          {{{"token", "no"}}, statistics.strangers}}},
        {"sites", "Registered clients that are sites behind the gate.", by_state(statistics.sites)},
        {"restricted_clients",
         "Registered clients that only users of their lists may use.",
         {{{}, statistics.restricted_clients}}},
        {"users", "Users who can log in, and disabled users.", by_state(statistics.users)},
        {"second_factors",
         "Users with an app, with unused recovery codes, with a passkey, and users who must have a second factor and "
         "have none.",
         {{{{"state", "app"}}, report.factors.app},
          {{{"state", "recovery_codes"}}, report.factors.codes},
          {{{"state", "passkeys"}}, report.factors.passkeys},
          {{{"state", "missing"}}, report.factors.missing}}},
        {"remembered_devices",
         "Browsers in which a password is enough for users who have a second factor.",
         {{{}, statistics.remembered_devices}}},
        {"sessions", "Sessions of users who are logged in.", {{{}, statistics.sessions}}},
        {"consents", "Remembered consents.", {{{}, statistics.consents}}},
        {"grants", "Active grants that have a code or token which has not expired.", {{{}, statistics.grants}}},
        {"tokens",
         "Codes and tokens that are valid now.",
         {{{{"kind", "authorization_code"}}, statistics.authorization_codes},
          {{{"kind", "access_token"}}, statistics.access_tokens},
          {{{"kind", "refresh_token"}}, statistics.refresh_tokens}}},
        {"failed_logins", "Failed logins in the current throttling windows.", {{{}, report.logins.failures}}},
        {"throttled_logins",
         "User names, addresses and pairs of both that are throttled now.",
         {{{}, report.logins.throttled}}},
        {"mail",
         "Messages that wait to be sent, and messages that were given up of late.",
         {{{{"state", "waiting"}}, report.mail.waiting}, {{{"state", "failed"}}, report.mail.failed}}},
        {"logouts", "Logout tokens that wait to be sent.", {{{{"state", "waiting"}}, report.logouts.waiting}}},
        {"purgeable_rows", "Rows that have expired and are not yet deleted.", by_name("table", report.purgeable)},
        {"replays", "Marks of used assertions and proofs in the replay store.", by_name("kind", report.marks)},
        {"file_size_bytes",
         "Size of the database and of its write-ahead log.",
         {{{{"file", "database"}}, report.database_bytes}, {{{"file", "log"}}, report.log_bytes}}},
        {"key_signs_from_timestamp_seconds", "When a signing key began to sign, or will begin.",
         by_key(report.keys, settings)},
    };
}

}  // namespace

void print_metrics(const Report& report, const oauth::Settings& settings) {
    for (const Metric& metric : metrics_of(report, settings)) {
        const std::string name = "postern_" + metric.name;
        std::cout << "# HELP " << name << ' ' << escaped(metric.help, false) << '\n' << "# TYPE " << name << " gauge\n";
        for (const Sample& sample : metric.samples) std::cout << name << to_text(sample) << '\n';
    }
}

}  // namespace postern::cli
