// Decides whether a client fits the FAPI 2.0 profile that it is held to: a table of rules, one for each of F2-R1 to
// F2-R11.
#include "oauth/client_profile.h"

#include <algorithm>
#include <array>

#include "http/url.h"
#include "jose/client_keys.h"
#include "refusal/reason.h"
#include "util/visible.h"

namespace postern::oauth {
namespace {

using crypto::Algorithm;
using model::AuthMethod;
using model::Client;
using model::GrantType;

constexpr std::array kMethods = {AuthMethod::private_key_jwt, AuthMethod::tls_client_auth,
                                 AuthMethod::self_signed_tls_client_auth};

constexpr std::array kGrants = {GrantType::authorization_code, GrantType::refresh_token, GrantType::client_credentials};

/// Returns how many of the ways to bind tokens to their sender the client is registered for.
int sender_constraints(const Client& client) { return (client.dpop_bound ? 1 : 0) + (client.tls_bound ? 1 : 0); }

bool has_codes(const Client& client) { return client.has_grant(GrantType::authorization_code); }

bool has_other_types(const Client& client) {
    return std::ranges::any_of(model::response_types_of(client),
                               [](model::ResponseType type) { return type != model::ResponseType::code; });
}

bool is_of_profile(std::optional<Algorithm> algorithm) { return !algorithm || is_profile_algorithm(*algorithm); }

bool offers_profile_algorithm(const Settings& settings) {
    return std::ranges::any_of(settings.id_token_algorithms, is_profile_algorithm);
}

bool may_redirect_to(const Client& client, const std::string& uri) {
    const auto url = http::parse_url(uri);
    return url && (url->scheme == "https" || (client.native && http::is_loopback_http(*url)));
}

/// Returns the keys that the client has registered itself; none where they are at its `jwks_uri`.
jose::ClientKeys keys_of(const Client& client) {
    if (!client.keys || client.keys->jwks.empty()) return {};
    const auto keys = jose::parse_client_keys(client.keys->jwks);
    return keys ? *keys : jose::ClientKeys();
}

bool has_key(const Client& client, bool (*is_wanted)(const jose::ClientKey&)) {
    return std::ranges::any_of(keys_of(client), is_wanted);
}

struct ProfileRule {
    bool (*broken)(const Client&, const Settings&);
    const char* reason;
};

constexpr ProfileRule kRules[] = {
    // F2-R1.
    {[](const Client& c, const Settings&) { return c.type != model::ClientType::confidential; },
     "profile fapi2 is for clients that authenticate; use --auth-method private_key_jwt, or one with certificates"},
    // F2-R2.
    {[](const Client& c, const Settings&) { return !is_profile_method(c.auth_method); },
     "profile fapi2 takes no client secrets; use --auth-method private_key_jwt with --jwks FILE"},
    // F2-R3.
    {[](const Client& c, const Settings&) { return c.keys && c.keys->alg == "RS256"; },
     "profile fapi2 takes no signatures by RS256; use --token-endpoint-auth-signing-alg with ES256, PS256 or EdDSA"},
    {[](const Client& c, const Settings&) { return c.request_object_alg == "RS256"; },
     "profile fapi2 takes no signatures by RS256; use --request-object-signing-alg with ES256, PS256 or EdDSA"},
    {[](const Client& c, const Settings&) {
         return has_key(c, [](const jose::ClientKey& key) { return key.algorithm == Algorithm::RS256; });
     },
     "a key of the client is for RS256, which profile fapi2 does not take; give --jwks a set without it, with keys for "
     "ES256, PS256 or EdDSA"},
    {[](const Client& c, const Settings&) {
         return has_key(c, [](const jose::ClientKey& key) { return !key.kid || key.kid->empty(); });
     },
     "a key of the client has no \"kid\", which profile fapi2 wants; give each key one, and let the client send it"},
    // F2-R4.
    {[](const Client& c, const Settings&) { return sender_constraints(c) != 1; },
     "profile fapi2 has no tokens that a thief could use, and one way to bind them; add --dpop-bound-access-tokens or "
     "--tls-client-certificate-bound-access-tokens"},
    // F2-R5.
    {[](const Client& c, const Settings&) {
         return std::ranges::any_of(c.grants,
                                    [](GrantType grant) { return std::ranges::find(kGrants, grant) == kGrants.end(); });
     },
     "profile fapi2 has the grants authorization_code, refresh_token and client_credentials alone; name those that the "
     "client needs with --grant"},
    // F2-R6.
    {[](const Client& c, const Settings&) { return has_other_types(c); },
     "profile fapi2 has the response type code alone; use --response-type code"},
    // F2-R7.
    {[](const Client& c, const Settings&) { return c.pkce != model::Pkce::required; },
     "profile fapi2 wants PKCE in each request; use --pkce required"},
    // F2-R8.
    {[](const Client& c, const Settings&) {
         return std::ranges::any_of(c.redirect_uris, [&c](const std::string& uri) { return !may_redirect_to(c, uri); });
     },
     "profile fapi2 has redirect URIs of https alone, and with --native of http on loopback addresses"},
    // F2-R9.
    {[](const Client& c, const Settings&) {
         return !is_of_profile(c.id_token_algorithm) || !is_of_profile(c.response_algorithm);
     },
     "profile fapi2 has no signatures by RS256; use --id-token-signed-response-alg and "
     "--authorization-signed-response-alg with ES256, PS256 or EdDSA, or neither"},
    {[](const Client& c, const Settings& s) { return s.oidc && has_codes(c) && !offers_profile_algorithm(s); },
     "profile fapi2 has no signatures by RS256; add ES256, PS256 or EdDSA to \"idTokenAlgorithms\" in the configuration"},
    // F2-50. Of access tokens, and of refresh tokens that are JWTs.
    {[](const Client& c, const Settings& s) {
         return !is_profile_algorithm(s.token_algorithm(profile_of(s, c))) ||
                !is_profile_algorithm(s.token_algorithm(model::TokenProfile::interface));
     },
     "profile fapi2 has no tokens signed by RS256; set \"accessTokenAlgorithm\" to ES256, PS256 or EdDSA in the "
     "configuration"},
    // F2-R10.
    {[](const Client& c, const Settings& s) { return has_codes(c) && !s.paths.par; },
     "profile fapi2 has pushed requests alone; name \"paths.par\" in the configuration"},
    // F2-R11.
    {[](const Client& c, const Settings& s) { return signs_messages(s, c) && has_codes(c) && !s.request_objects; },
     "profile fapi2-message-signing has signed requests alone; set \"requestObjects\" to \"allowed\" in the "
     "configuration"},
    {[](const Client& c, const Settings& s) { return signs_messages(s, c) && has_codes(c) && !s.jarm; },
     "profile fapi2-message-signing has signed answers alone; set \"jarm\" in the configuration"},
    {[](const Client& c, const Settings& s) {
         return signs_messages(s, c) && !c.response_modes.empty() && c.response_modes != std::set<std::string>{"jwt"};
     },
     "profile fapi2-message-signing has the response mode jwt alone; use --response-mode jwt, or none"},
};

}  // namespace

std::vector<std::string> profile_problems(const Client& client, const Settings& settings) {
    std::vector<std::string> problems;
    if (!has_security_profile(settings, client)) return problems;
    for (const ProfileRule& rule : kRules)
        if (rule.broken(client, settings)) problems.emplace_back(rule.reason);
    return problems;
}

std::vector<std::string> profile_advice(const Client& client, const Settings& settings) {
    if (!has_security_profile(settings, client)) return {};
    std::set<std::optional<std::string>> kids;
    for (const jose::ClientKey& key : keys_of(client))
        if (!kids.insert(key.kid).second)
            return {
                "two keys of the client have the same \"kid\"; a key can be told by its kid alone when each has its own "
                "(FAPI 2.0 Security Profile section 5.4.3)"};
    return {};
}

bool is_profile_method(AuthMethod method) { return std::ranges::find(kMethods, method) != kMethods.end(); }

Outcome<void> check_profile_method(const Settings& settings, const Client& client) {
    if (!has_security_profile(settings, client) || is_profile_method(client.auth_method)) return {};
    return make_error(refusal::Reason::invalid_client_profile, "client authentication failed",
                      "the client is registered for " + std::string(to_string(client.auth_method)) +
                          ", and its profile is " + std::string(to_string(security_profile_of(settings, client))));
}

std::set<std::string> response_modes_of(const Settings& settings, const Client& client) {
    if (signs_messages(settings, client)) return {"jwt"};
    return client.response_modes;
}

bool is_told_sid(const Settings& settings, const Client& client) {
    const bool is_told_of_logouts = !client.logout.backchannel.empty() || !client.logout.frontchannel.empty();
    return is_told_of_logouts || !has_security_profile(settings, client);
}

}  // namespace postern::oauth
