// `postern stats`: counts and sizes, as text, JSON or Prometheus metrics.
#include <filesystem>
#include <iostream>
#include <string_view>

#include "cli/command.h"
#include "cli/key/key.h"
#include "cli/output.h"
#include "cli/second_factor.h"
#include "db/replay_file.h"
#include "login/password_check.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "store/login_attempts.h"
#include "store/logout_outbox.h"
#include "store/mail_requests.h"
#include "store/replays.h"
#include "store/second_factor.h"
#include "store/statistics.h"
#include "store/sweep.h"

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

/// Everything that is shown, in all formats.
struct Report {
    util::Time now{};
    store::Statistics statistics;
    store::FactorCounts factors;
    store::LoginPressure logins;
    store::MailCounts mail;
    store::NoticeCounts logouts;
    store::RowCounts purgeable;
    std::int64_t database_bytes = 0;
    std::int64_t log_bytes = 0;
    std::vector<keys::KeyInfo> keys;
    store::RowCounts marks;  ///< by the name of their kind
};

std::int64_t size_of(const std::string& path) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path, missing);
    return missing ? 0 : static_cast<std::int64_t>(bytes);
}

/// Returns the bytes of the tables with their indexes. The WAL is the server's, for all of its databases.
std::int64_t size_on_server(db::Database& database) {
    auto row = database.prepare(
        "SELECT CAST(sum(pg_total_relation_size(oid)) AS bigint) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)");
    std::int64_t bytes = 0;
    if (row.step()) row >> bytes;
    return bytes;
}

/// A user who can read the database may not be able to read the key directory.
std::vector<keys::KeyInfo> list_keys(const std::string& directory, util::Time now) {
    try {
        return keys::Keys::list(directory, now);
    } catch (const keys::KeyError& error) {
        print_note("the keys are not shown: " + std::string(error.what()));
        return {};
    }
}

struct NamedKind {
    const char* name;
    const char* words;
    store::ReplayKind kind;
};
constexpr NamedKind kKindsOfMarks[] = {
    {"assertions", "used assertions", store::ReplayKind::assertion},
    {"proofs", "used proofs", store::ReplayKind::proof},
    {"proofs_at_userinfo", "used proofs at UserInfo", store::ReplayKind::proof_at_userinfo},
};

bool are_made(const oauth::Settings& settings, store::ReplayKind kind) {
    return kind == store::ReplayKind::assertion ? settings.assertions.enabled : settings.dpop;
}

std::int64_t count_marks(db::Database& database, const config::Config& config, store::ReplayKind kind) {
    if (db::is_uri(config.database)) return store::count_marks(database, kind);
    if (!are_made(config.settings, kind)) return 0;
    auto file = db::find_replay_file(config.replay_file(kind));
    return file ? store::count_marks(*file, kind) : 0;
}

/// A user who can read the database may not be able to read the files of marks.
store::RowCounts count_marks(db::Database& database, const config::Config& config) {
    store::RowCounts counts;
    try {
        for (const NamedKind& each : kKindsOfMarks) counts[each.name] = count_marks(database, config, each.kind);
    } catch (const db::StoreError& error) {
        print_note("used assertions and proofs are not counted: " + std::string(error.what()));
    }
    return counts;
}

Report read_report(const config::Config& config) {
    db::Database database = open_database(config, db::Access::query_only);
    const oauth::Settings& settings = config.settings;
    Report report;
    report.now = now();
    report.statistics =
        store::read_statistics(database, oauth::session_life(settings, report.now), settings.login.remember_device);
    report.factors = store::count_factors(database, demand_of(settings), rp_id_of(settings));
    const std::int64_t limit = settings.login.max_failures;
    report.logins = store::measure_pressure(database, report.now, limit, limit * login::kAloneFactor);
    report.mail = store::count_mail(database, report.now);
    report.logouts = store::count_notices(database, report.now);
    report.purgeable = store::count_sweepable(database, report.now);
    report.database_bytes = db::is_uri(config.database) ? size_on_server(database) : size_of(config.database);
    report.log_bytes = size_of(config.database + "-wal");
    report.keys = list_keys(config.keys, report.now);
    report.marks = count_marks(database, config);
    return report;
}

json::Object states_json(const store::Statistics::ByState& count) {
    return json::Object{{"enabled", count.enabled}, {"disabled", count.disabled}};
}

json::Object report_json(const Report& report, const oauth::Settings& settings) {
    const store::Statistics& statistics = report.statistics;
    json::Object purgeable;
    for (const auto& [table, rows] : report.purgeable) purgeable.set(table, rows);
    json::Object marks;
    for (const auto& [kind, rows] : report.marks) marks.set(kind, rows);
    json::Array keys = json::array_of(report.keys, [&](const keys::KeyInfo& key) { return to_json(key, settings); });
    return json::Object{
        {"schema_version", db::kSchemaVersion},
        {"clients", states_json(statistics.clients)},
        {"document_clients", statistics.document_clients},
        {"dynamic_clients", statistics.dynamic_clients},
        {"dynamic_clients_without_token", statistics.strangers},
        {"sites", states_json(statistics.sites)},
        {"restricted_clients", statistics.restricted_clients},
        {"users", states_json(statistics.users)},
        {"second_factors", json::Object{{"app", report.factors.app},
                                        {"recovery_codes", report.factors.codes},
                                        {"passkeys", report.factors.passkeys},
                                        {"missing", report.factors.missing}}},
        {"remembered_devices", statistics.remembered_devices},
        {"sessions", statistics.sessions},
        {"consents", statistics.consents},
        {"grants", statistics.grants},
        {"tokens", json::Object{{"authorization_code", statistics.authorization_codes},
                                {"access_token", statistics.access_tokens},
                                {"refresh_token", statistics.refresh_tokens}}},
        {"device_codes", statistics.device_codes},
        {"mail", json::Object{{"waiting", report.mail.waiting}, {"failed", report.mail.failed}}},
        {"logouts", json::Object{{"waiting", report.logouts.waiting}}},
        {"logins", json::Object{{"failed", report.logins.failures}, {"throttled", report.logins.throttled}}},
        {"purgeable", std::move(purgeable)},
        {"replays", std::move(marks)},
        {"bytes", json::Object{{"database", report.database_bytes}, {"log", report.log_bytes}}},
        {"keys", std::move(keys)},
    };
}

std::string states_text(const store::Statistics::ByState& count) {
    return std::to_string(count.enabled) + " enabled, " + std::to_string(count.disabled) + " disabled";
}

std::string factors_text(const store::FactorCounts& count) {
    return std::to_string(count.app) + " with an app, " + std::to_string(count.codes) + " with recovery codes, " +
           std::to_string(count.passkeys) + " with a passkey, " + std::to_string(count.missing) +
           " required and missing";
}

std::int64_t sum_of(const store::RowCounts& counts) {
    std::int64_t sum = 0;
    for (const auto& [table, rows] : counts) sum += rows;
    return sum;
}

/// "4 days", "3 hours": whole units.
std::string duration_text(util::Seconds duration) {
    if (duration >= std::chrono::days(2)) return counted(duration / std::chrono::days(1), "day");
    if (duration >= std::chrono::hours(2)) return counted(duration / std::chrono::hours(1), "hour");
    if (duration < std::chrono::minutes(2)) return counted(duration.count(), "second");
    return counted(duration / std::chrono::minutes(1), "minute");
}

std::string age_of(const keys::KeyInfo& key, util::Time now) {
    switch (key.state) {
        case keys::KeyState::next:
            return "signs in " + duration_text(key.signs_from - now);
        case keys::KeyState::active:
            return "signs since " + duration_text(now - key.signs_from);
        case keys::KeyState::retired:
            break;
    }
    return "retired";
}

void print(const Report& report, const oauth::Settings& settings) {
    const store::Statistics& statistics = report.statistics;
    std::vector<std::pair<std::string, std::string>> fields = {
        {"clients", states_text(statistics.clients)},
        {"clients of documents", std::to_string(statistics.document_clients)},
        {"registered themselves", std::to_string(statistics.dynamic_clients) + ", of which " +
                                      std::to_string(statistics.strangers) + " without a token"},
        {"sites", states_text(statistics.sites)},
        {"restricted clients", std::to_string(statistics.restricted_clients)},
        {"users", states_text(statistics.users)},
        {"second factors", factors_text(report.factors)},
        {"remembered devices", std::to_string(statistics.remembered_devices)},
        {"sessions", std::to_string(statistics.sessions)},
        {"consents", std::to_string(statistics.consents)},
        {"grants", std::to_string(statistics.grants)},
        {"authorization codes", std::to_string(statistics.authorization_codes)},
        {"access tokens", std::to_string(statistics.access_tokens)},
        {"refresh tokens", std::to_string(statistics.refresh_tokens)},
        {"device codes", std::to_string(statistics.device_codes)},
        {"failed logins", std::to_string(report.logins.failures) + " in the last " +
                              std::to_string(settings.login.window.count()) + " seconds"},
        {"throttled", std::to_string(report.logins.throttled)},
        {"mail", std::to_string(report.mail.waiting) + " waiting, " + std::to_string(report.mail.failed) + " given up"},
        {"logout tokens", std::to_string(report.logouts.waiting) + " waiting"},
        {"rows to purge", std::to_string(sum_of(report.purgeable))},
        {"database",
         std::to_string(report.database_bytes) + " bytes, schema version " + std::to_string(db::kSchemaVersion)},
        {"write-ahead log", std::to_string(report.log_bytes) + " bytes"},
    };
    for (const NamedKind& each : kKindsOfMarks)
        if (const auto found = report.marks.find(each.name); found != report.marks.end())
            fields.emplace_back(each.words, std::to_string(found->second));
    for (const keys::KeyInfo& key : report.keys)
        fields.emplace_back("key " + std::string(crypto::to_string(key.algorithm)),
                            key.kid + ", " + age_of(key, report.now));
    print_fields(fields);
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

void print_metrics(const std::vector<Metric>& metrics) {
    for (const Metric& metric : metrics) {
        const std::string name = "postern_" + metric.name;
        std::cout << "# HELP " << name << ' ' << escaped(metric.help, false) << '\n' << "# TYPE " << name << " gauge\n";
        for (const Sample& sample : metric.samples) std::cout << name << to_text(sample) << '\n';
    }
}

void stats(const Invocation& invocation, const bool& prometheus) {
    if (prometheus && invocation.json) throw UsageError("--json and --prometheus exclude each other; choose one");
    const config::Config config = invocation.load_config();
    const Report report = read_report(config);
    if (prometheus) return print_metrics(metrics_of(report, config.settings));
    if (invocation.json) return print_json(report_json(report, config.settings));
    print(report, config.settings);
}

}  // namespace

void add_stats_command(const Command& app, Invocation& invocation) {
    const auto [command, prometheus] = add_command<bool>(
        app, invocation, "stats", "Show counts of clients, users, sessions and tokens, file sizes and keys",
        "postern stats\n"
        "  postern stats --prometheus > /var/lib/node_exporter/postern.prom.new &&\n"
        "    mv /var/lib/node_exporter/postern.prom.new /var/lib/node_exporter/postern.prom",
        stats);
    command.flag("--prometheus", prometheus,
                 "Print Prometheus' text format, for the textfile collector of its node exporter");
    command.explain("It only reads, and blocks no other process. Expired, revoked and idle entries are not counted.");
}

}  // namespace postern::cli
