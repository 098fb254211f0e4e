// Decides which keys of a client count now.
#include "oauth/client_key_set.h"

#include <utility>

#include "refusal/reason.h"
#include "util/shell_command.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// What is kept of a set is what can verify (FETCH-9).
std::optional<std::string> keep_usable(fetch::Document& document) {
    const auto keys = jose::parse_client_keys(document.body);
    if (!keys) return "the key set: " + keys.error();
    document.body = jose::write_client_keys(*keys);
    return std::nullopt;
}

fetch::Cause cause_of(const model::ClientId& client, fetch::Occasion occasion) {
    return {occasion, "client " + client.str()};
}

util::Result<jose::ClientKeys, fetch::Failure> fetch_keys(const fetch::Source& source, const std::string& url,
                                                          const fetch::Cause& cause) {
    ASSIGN_OR_RETURN(const auto document, fetch::read_document(source, fetch::Purpose::jwks, url, cause, keep_usable));
    auto keys = jose::parse_client_keys(document.body);
    if (!keys) return fetch::Failure{Reason::client_document_refused_invalid, keys.error()};
    return std::move(*keys);
}

OAuthError no_keys(const std::string& url, const fetch::Failure& failure) {
    const bool is_busy = refusal::row_of(failure.why).error == Reason::client_document_busy;
    const std::string detail = "the keys at " + url + " cannot be had: " + failure.reason;
    if (is_busy) return make_error(Reason::temporarily_unavailable_client_keys, "try again later", detail);
    return make_error(Reason::invalid_client_assertion, "client authentication failed", detail);
}

/// None was fetched yet, the last one that was fetched is no good set, or the sweep has deleted it unused.
std::string none_kept(const model::ClientId& client, const std::string& url) {
    return "no usable set is kept, and this endpoint fetches none; " +
           util::ShellCommand("postern client set").option("--jwks-uri=", url).value(client.str()).quoted() +
           " fetches it, or says what is wrong with it";
}

/// For an endpoint that fetches nothing: however stale.
Outcome<jose::ClientKeys> kept_keys(Context& context, const model::ClientId& client, const std::string& url) {
    const auto kept = fetch::find_document(context.store, fetch::Purpose::jwks, url);
    auto keys = kept ? jose::parse_client_keys(kept->body) : none_kept(client, url);
    if (!keys) return no_keys(url, {Reason::client_document_refused, keys.error()});
    return std::move(*keys);
}

}  // namespace

Outcome<jose::ClientKeys> keys_of_client(Context& context, const model::ClientId& client,
                                         const model::ClientKeys& registered) {
    if (registered.jwks_uri.empty()) {
        auto keys = jose::parse_client_keys(registered.jwks);
        if (!keys) throw db::StoreError("the keys of client " + client.str() + " cannot be read: " + keys.error());
        return std::move(*keys);
    }
    if (context.fetcher == nullptr) return kept_keys(context, client, registered.jwks_uri);
    auto keys = fetch_keys(context.documents(), registered.jwks_uri, cause_of(client, fetch::Occasion::renewal));
    if (!keys) return no_keys(registered.jwks_uri, keys.error());
    return std::move(*keys);
}

std::optional<jose::ClientKeys> refetched_keys(Context& context, const model::ClientId& client,
                                               const model::ClientKeys& registered) {
    if (registered.jwks_uri.empty() || context.fetcher == nullptr) return std::nullopt;
    auto keys = fetch_keys(context.documents(), registered.jwks_uri, cause_of(client, fetch::Occasion::refetch));
    return keys ? std::optional(std::move(*keys)) : std::nullopt;
}

std::optional<std::string> jwks_uri_problem(const fetch::Source& source, const std::string& url,
                                            const fetch::Cause& cause) {
    const auto keys = fetch_keys(source, url, cause);
    return keys ? std::nullopt : std::optional(keys.error().reason);
}

}  // namespace postern::oauth
