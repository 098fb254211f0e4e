// Counts the marks of used assertions and proofs, wherever the replay store is.
#include "cli/stats/marks.h"

#include <string>

#include "cli/command.h"
#include "cli/output.h"
#include "db/replay_file.h"
#include "oauth/settings.h"

namespace postern::cli {
namespace {

bool are_made(const oauth::Settings& settings, store::ReplayKind kind) {
    return kind == store::ReplayKind::assertion ? settings.assertions.enabled : settings.dpop;
}

std::int64_t count_marks(db::Database& database, const config::Config& config, store::ReplayKind kind) {
    if (db::is_uri(config.database)) return store::count_marks(database, kind);
    if (!are_made(config.settings, kind)) return 0;
    auto file = db::find_replay_file(config.replay_file(kind));
    return file ? store::count_marks(*file, kind) : 0;
}

}  // namespace

store::RowCounts count_marks(db::Database& database, const config::Config& config) {
    store::RowCounts counts;
    try {
        for (const NamedKind& each : kKindsOfMarks) counts[each.name] = count_marks(database, config, each.kind);
    } catch (const db::StoreError& error) {
        print_note("used assertions and proofs are not counted: " + std::string(error.what()));
    }
    return counts;
}

}  // namespace postern::cli
