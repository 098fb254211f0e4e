// Checks the key sets at the jwks_uri of clients: that the server keeps a current one, and that it can fetch each now.
#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "fetch/document.h"
#include "jose/client_keys.h"
#include "store/client_keys.h"

namespace postern::cli {
namespace {

using store::KeyAddress;
using store::KeyAddresses;

constexpr const char* kCheck = "client keys";
constexpr const char* kRenew =
    "let a timer or cron run `postern purge --quick` each hour, which fetches it, or register the keys with `postern client "
    "set --jwks FILE`";
/// Each fetch takes up to 8 s.
constexpr std::size_t kMostAsked = 10;

bool fetches_sets(const oauth::Settings& settings) { return settings.assertions.enabled && settings.outbound.enabled; }

std::string the_set_of(const KeyAddress& address) {
    return "the key set of client " + in_quotes(address.client.str()) + " at " + in_quotes(address.jwks_uri);
}

/// "": the set can be used.
std::string fault_of(fetch::Fetcher& fetcher, const std::string& url) {
    const auto answer = fetcher.ask({fetch::Purpose::jwks, url});
    if (!answer) return answer.error();
    if (answer->status != 200) return "the answer has status " + std::to_string(answer->status);
    const auto keys = jose::parse_client_keys(answer->body);
    return keys ? "" : keys.error();
}

std::vector<KeyAddress> addresses_to_ask(const config::Config& config) {
    try {
        db::Database database(config.database, db::Access::query_only);
        auto addresses = store::list_key_addresses(database, KeyAddresses::all);
        if (addresses.size() > kMostAsked) addresses.resize(kMostAsked);
        return addresses;
    } catch (const db::StoreError&) {  // reported by check_database
        return {};
    }
}

}  // namespace

void check_key_sets(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (!fetches_sets(settings)) return;
    const util::Time now = util::SystemClock().now();
    for (const KeyAddress& address : store::list_key_addresses(database, KeyAddresses::upkept)) {
        const auto until = fetch::cached_until(database, fetch::Purpose::jwks, address.jwks_uri);
        if (!until || *until == util::Time{})
            findings.warning(kCheck,
                             the_set_of(address) + (until ? " could not be used when it was fetched last"
                                                          : " is not kept, and introspection fetches none"),
                             kRenew);
        else if (now >= *until + fetch::kLongestFreshness)
            findings.warning(kCheck, the_set_of(address) + " was not renewed for more than a day", kRenew);
    }
}

void check_key_addresses(Findings& findings, const config::Config& config) {
    if (!fetches_sets(config.settings)) return;
    const auto fetcher = fetch::start_child(config.settings.outbound);  // before the database is open
    for (const KeyAddress& address : addresses_to_ask(config)) {
        const std::string fault = fault_of(*fetcher, address.jwks_uri);
        if (fault.empty()) continue;
        findings.warning(
            kCheck, the_set_of(address) + " cannot be had: " + fault,
            "the client's operator has to repair the set, or to give you the keys for `postern client set --jwks FILE`");
    }
}

}  // namespace postern::cli
