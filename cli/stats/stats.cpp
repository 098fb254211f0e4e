// `postern stats`: counts and sizes, as text, JSON or Prometheus metrics.
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/key/key.h"
#include "cli/output.h"
#include "cli/stats/marks.h"
#include "cli/stats/report.h"

namespace postern::cli {
namespace {

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

void stats(const Invocation& invocation, const bool& prometheus) {
    if (prometheus && invocation.json) throw UsageError("--json and --prometheus exclude each other; choose one");
    const config::Config config = invocation.load_config();
    const Report report = read_report(config);
    if (prometheus) return print_metrics(report, config.settings);
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
