// Decides which recorded refusals match --client and --user.
#include "cli/why/match.h"

#include "cli/lookup.h"

namespace postern::cli {

Match match_of(const config::Config& config, const RefusalFilter& filter) {
    Match match{filter.client, std::nullopt};
    if (filter.user) {
        db::Database database = open_database(config, db::Access::query_only);
        match.user = require_user(database, *filter.user).subject;
    }
    return match;
}

}  // namespace postern::cli
