// Reads the counts and sizes that `postern stats` shows.
#include "cli/stats/report.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/second_factor.h"
#include "cli/stats/marks.h"
#include "login/password_check.h"
#include "oauth/context.h"
#include "oauth/session_life.h"

namespace postern::cli {
namespace {

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

}  // namespace

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

}  // namespace postern::cli
