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

OAuthError no_keys(const SignedUse& use, const std::string& url, const fetch::Failure& failure) {
    const bool is_busy = refusal::row_of(failure.why).error == Reason::client_document_busy;
    const std::string detail = "the keys at " + url + " cannot be had: " + failure.reason;
    if (is_busy) return make_error(Reason::temporarily_unavailable_client_keys, "try again later", detail);
    return make_error(use.reason, use.description, detail);
}

/// None was fetched yet, the last one that was fetched is no good set, or the sweep has deleted it unused.
std::string none_kept(const model::ClientId& client, const std::string& url) {
    return "no usable set is kept, and this endpoint fetches none; " +
           util::ShellCommand("postern client set").option("--jwks-uri=", url).value(client.str()).quoted() +
           " fetches it, or says what is wrong with it";
}

/// For an endpoint that fetches nothing: however stale.
Outcome<jose::ClientKeys> kept_keys(Context& context, const model::ClientId& client, const SignedUse& use,
                                    const std::string& url) {
    const auto kept = fetch::find_document(context.store, fetch::Purpose::jwks, url);
    auto keys = kept ? jose::parse_client_keys(kept->body) : none_kept(client, url);
    if (!keys) return no_keys(use, url, {Reason::client_document_refused, keys.error()});
    return std::move(*keys);
}

Outcome<jose::ClientKeys> keys_of_client(Context& context, const model::ClientId& client,
                                         const model::ClientKeys& registered, const SignedUse& use) {
    if (registered.jwks_uri.empty()) {
        auto keys = jose::parse_client_keys(registered.jwks);
        if (!keys) throw db::StoreError("the keys of client " + client.str() + " cannot be read: " + keys.error());
        return std::move(*keys);
    }
    if (context.fetcher == nullptr) return kept_keys(context, client, use, registered.jwks_uri);
    auto keys = fetch_keys(context.documents(), registered.jwks_uri, cause_of(client, fetch::Occasion::renewal));
    if (!keys) return no_keys(use, registered.jwks_uri, keys.error());
    return std::move(*keys);
}

/// For a JWT that no key of keys_of_client has signed; nullopt: there are no newer ones, or they cannot be fetched now.
std::optional<jose::ClientKeys> refetched_keys(Context& context, const model::ClientId& client,
                                               const model::ClientKeys& registered) {
    if (registered.jwks_uri.empty() || context.fetcher == nullptr) return std::nullopt;
    auto keys = fetch_keys(context.documents(), registered.jwks_uri, cause_of(client, fetch::Occasion::refetch));
    return keys ? std::optional(std::move(*keys)) : std::nullopt;
}

/// Returns what is wrong with the algorithm (CA-6, JAR-2, F2-8); nullopt: the client may have signed by it.
std::optional<std::string> algorithm_fault(const Settings& settings, const model::Client& client,
                                           const std::string& registered, crypto::Algorithm algorithm) {
    const std::string received = "its \"alg\" is " + std::string(crypto::to_string(algorithm));
    if (!registered.empty() && jose::parse_foreign_algorithm(registered) != algorithm)
        return received + ", and the client is registered for " + registered;
    if (has_security_profile(settings, client) && !is_profile_algorithm(algorithm))
        return received + ", and the client's profile takes ES256, PS256 and EdDSA";
    return std::nullopt;
}

}  // namespace

Outcome<jose::SignedClaims> verify_by_client(Context& context, const model::Client& client,
                                             const model::ClientKeys& registered, const std::string& alg,
                                             jose::UnverifiedJwt jwt, const SignedUse& use) {
    const auto failed = [&](const std::string& detail) {
        return make_error(use.reason, use.description, std::string(use.name) + ": " + detail);
    };
    if (const auto fault = algorithm_fault(context.settings, client, alg, jwt.algorithm)) {
        jose::verify_in_vain(jwt);
        return failed(*fault);
    }
    const auto keys = keys_of_client(context, client.id, registered, use);
    if (!keys) {
        jose::verify_in_vain(jwt);
        return keys.error();
    }
    auto claims = jose::verify_foreign_jwt(jwt, *keys);
    if (claims) return std::move(*claims);
    // The client may have changed its keys since they were fetched (FETCH-10).
    if (auto newer = refetched_keys(context, client.id, registered)) {
        claims = jose::verify_foreign_jwt(std::move(jwt), *newer);
        if (claims) return std::move(*claims);
    }
    return failed(claims.error());
}

std::optional<std::string> jwks_uri_problem(const fetch::Source& source, const std::string& url,
                                            const fetch::Cause& cause) {
    const auto keys = fetch_keys(source, url, cause);
    return keys ? std::nullopt : std::optional(keys.error().reason);
}

}  // namespace postern::oauth
