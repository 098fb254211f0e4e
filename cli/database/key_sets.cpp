// Renews the key sets that introspection and revocation alone read.
#include "cli/database/key_sets.h"

#include "cli/command.h"
#include "cli/output.h"
#include "oauth/client_key_set.h"
#include "store/client_keys.h"

namespace postern::cli {

std::unique_ptr<fetch::Fetcher> start_key_fetcher(const config::Config& config) {
    const oauth::Settings& settings = config.settings;
    if (!settings.assertions.enabled || !settings.outbound.enabled) return nullptr;
    return fetch::start_child(settings.outbound);
}

void renew_key_sets(db::Database& database, fetch::Fetcher& fetcher, const config::Config& config) {
    fetch::Outbound outbound = config.settings.outbound;
    outbound.slot_files.clear();  // slots are for endpoints, which would be refused while this one waits
    const fetch::Cause cause{fetch::Occasion::upkeep};
    for (const auto& [client, url] : store::list_key_addresses(database, store::KeyAddresses::upkept)) {
        const fetch::Source source{database, now(), &fetcher, outbound};
        if (const auto problem = oauth::jwks_uri_problem(source, url, cause))
            print_note("the keys of client " + in_quotes(client.str()) + " at " + in_quotes(url) +
                       " cannot be had: " + *problem);
    }
}

}  // namespace postern::cli
