// The part of the configuration that endpoints read: the rules of OAuth and OpenID Connect, and each room's settings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "crypto/key.h"
#include "fetch/outbound.h"
#include "gate/settings.h"
#include "http/url.h"
#include "json/value.h"
#include "login/settings.h"
#include "mail/settings.h"
#include "model/client.h"
#include "model/standard_claims.h"
#include "oauth/endpoints.h"
#include "pages/settings.h"
#include "text/message.h"
#include "util/clock.h"
#include "web/account/settings.h"

namespace postern::oauth {

/// The most bytes of all known values together, with the name that a client's document gives it; unknown parameters and
/// id_token_hint do not count. They travel through the browser, sealed: Apache takes no header line of more than 8190
/// bytes from a program, and the URL of the next page has to fit.
inline constexpr std::size_t kMaxRequestBytes = 4864;

inline constexpr std::size_t kMaxStateBytes = 4096;
/// The limit of a URL that the browser is sent to. Apache takes no header line of more than 8190 bytes from a program.
inline constexpr std::size_t kMaxAnswerBytes = 8000;

/// Clients whose id is the URL of a document that describes them (`clientDocuments`);
/// docs/decisions/0067-client-documents.md.
struct ClientDocuments {
    bool enabled = false;
    std::vector<std::string> allow;  ///< hosts, or "*." and a suffix; empty: every host
    std::vector<std::string> deny;   ///< the same; counts before `allow`
    model::Scope scope = *model::Scope::parse("openid profile email offline_access");  ///< they get no more
    util::Seconds ttl{7776000};  ///< a client that no user has signed in to for so long is forgotten
    int max = 2000;              ///< clients that are kept
};

/// The parties that may register clients (RFC 7591). `token`: who has an initial access token; `open`: anybody, as a
/// client that can do less.
enum class RegistrationMode { closed, token, open };

/// Clients that register themselves (`registration`).
struct Registration {
    RegistrationMode mode = RegistrationMode::closed;
    std::optional<std::set<model::GrantType>> grants;  ///< that they may have; nullopt: as registrable_grants says
    model::Scope scope = *model::Scope::parse("openid profile email address phone offline_access");  ///< no more
    std::vector<std::string> hosts;  ///< of https redirect URIs without a token: hosts, or "*." and a suffix
    util::Seconds ttl{7776000};      ///< a client that no user has signed in to for so long is forgotten
    int max = 1000;                  ///< clients that registered without a token
};

/// Clients that authenticate by a JWT that they sign (RFC 7523 §2.2; `clientAssertions`).
struct ClientAssertions {
    bool enabled = false;
    bool takes_endpoints = false;  ///< as audience, beside the issuer
    util::Seconds max_lifetime{600};
};

/// Certificates of clients (RFC 8705; `mtls`). The variables are set by the web server's own modules.
struct MutualTls {
    std::string certificate = "SSL_CLIENT_CERT";  ///< the variable with the certificate
    std::string verify = "SSL_CLIENT_VERIFY";     ///< the variable with the web server's word about it
    std::string base_url;                         ///< of the host that asks for certificates, in place of the issuer
    std::string ca;                               ///< file with the authorities of clients; "": none
};

/// The configuration as endpoints see it.
struct Settings {
    std::string issuer;      ///< as configured, byte for byte; every URL is built from it
    std::string cookie_tag;  ///< in the names of cookies: the first 8 hex digits of SHA-256(issuer)
    bool oidc = false;       ///< OpenID Connect is on
    Paths paths;
    util::Seconds access_token_ttl{900};
    util::Seconds id_token_ttl{3600};
    util::Seconds refresh_token_ttl{2592000};
    util::Seconds authorization_code_ttl{60};
    util::Seconds authorization_request_ttl{600};
    util::Seconds par_ttl{90};       ///< of the address of a pushed request
    bool par_public_clients = true;  ///< clients without a secret may push, too
    bool require_par = false;        ///< every client pushes its requests
    /// Clients may sign the requests that they push (RFC 9101).
    bool request_objects = false;
    /// Every client signs its requests, and pushes them.
    bool require_signed_request_object = false;
    util::Seconds device_code_ttl{600};
    std::int64_t device_max = 1000;  ///< device codes that are open
    bool device_fresh_login = true;  ///< a device is approved behind a login that was made for it
    util::Seconds session_ttl{43200};
    util::Seconds session_idle_ttl{7200};
    bool backchannel_logout = false;   ///< clients are told of ended sessions over HTTPS
    bool frontchannel_logout = false;  ///< the logged-out page has frames of clients
    util::Seconds max_age_leeway{0};   ///< added to max_age at the token endpoint only
    util::Seconds refresh_reuse_grace{10};
    std::optional<crypto::Algorithm> access_token_algorithm;  ///< nullopt: as token_algorithm says
    model::TokenProfile access_token_profile = model::TokenProfile::interface;
    std::optional<std::string> default_resource;  ///< `aud` of tokens of profile rfc9068 whose request names none
    std::vector<crypto::Algorithm> id_token_algorithms = {crypto::Algorithm::RS256};  ///< the first is the default
    model::SecurityProfile security_profile = model::SecurityProfile::none;           ///< every client is held to it
    bool jarm = false;  ///< answers of the authorization endpoint may be signed
    bool username_in_access_token = true;
    bool authenticate_introspect = true;
    bool authenticate_revoke = true;
    bool introspection_requires_confidential_client = true;
    bool use_opaque_refresh_tokens = false;
    std::vector<model::ResponseType> response_types = {model::ResponseType::code};  ///< that are offered
    bool authorize_post = false;  ///< POST is among `authorizeMethods`
    std::map<std::string, text::Words> scope_descriptions;
    std::vector<std::string> languages;  ///< of the pages; empty: all that there are
    std::string language = "en";         ///< the one of last resort
    model::ReleasedClaims released_claims;
    login::Settings login;
    web::AccountSettings account;
    gate::Settings gate;
    ClientDocuments client_documents;
    Registration registration;
    ClientAssertions assertions;
    bool dpop = false;                     ///< tokens may be bound to keys of clients (RFC 9449)
    util::Seconds dpop_max_age{60};        ///< the age up to which a proof is good
    std::optional<MutualTls> mtls;         ///< nullopt: certificates of clients are not looked at
    util::Seconds clock_skew{30};          ///< how far ahead the clock of somebody who signs a JWT may be
    std::int64_t replays_size = 33554432;  ///< bytes of all kinds of marks (store/replays.h)
    pages::Branding branding;
    fetch::Outbound outbound;
    std::optional<mail::Settings> mail;  ///< nullopt: none is sent, and none is asked for
    json::Object metadata;               ///< extra discovery members

    /// Returns the name by which users know the service: `branding.name`, else the issuer's host.
    std::string service_name() const {
        if (!branding.name.empty()) return branding.name;
        const auto url = http::parse_url(issuer);
        return url ? url->host : issuer;
    }
    /// Returns issuer + path, an absolute URL.
    std::string url(const std::string& path) const { return issuer + path; }
    /// Returns the absolute URLs at which the path is reached: under the issuer, and on the host that asks for
    /// certificates (MTLS-13).
    std::vector<std::string> urls(const std::string& path) const {
        if (!mtls) return {url(path)};
        return {url(path), mtls->base_url + path};
    }
    /// Returns true if certificates of an authority can authenticate clients.
    bool offers_tls_client_auth() const { return mtls && !mtls->ca.empty(); }
    /// Returns the URL of the logout endpoint; nullopt: there is none, as without OpenID Connect.
    std::optional<std::string> logout_url() const {
        return oidc && paths.logout ? std::optional(url(*paths.logout)) : std::nullopt;
    }

    /// Returns true if clients can register themselves.
    bool offers_registration() const { return registration.mode != RegistrationMode::closed && paths.registration; }

    /// Returns true if users can ask for a link with which they choose another password.
    bool offers_recovery() const { return mail && paths.recover && login.keeps_passwords(); }

    /// Returns the algorithm of access tokens; JWT refresh tokens have that of `interface`. Verifiers of profile
    /// rfc9068 know from discovery only the algorithm of ID tokens, so it is the default for them.
    crypto::Algorithm token_algorithm(model::TokenProfile profile) const {
        if (access_token_algorithm) return *access_token_algorithm;
        return profile == model::TokenProfile::rfc9068 && oidc ? id_token_algorithms.front() : crypto::Algorithm::ES256;
    }

    bool offers_id_tokens_by(crypto::Algorithm algorithm) const {
        return std::ranges::find(id_token_algorithms, algorithm) != id_token_algorithms.end();
    }
    /// Returns the first algorithm that clients with a profile may use; the first of all if there is none.
    crypto::Algorithm first_profile_algorithm() const;
    /// Returns the algorithm of signed answers for clients that name none: RS256 where it is there (JARM §3).
    crypto::Algorithm default_response_algorithm() const {
        return offers_id_tokens_by(crypto::Algorithm::RS256) ? crypto::Algorithm::RS256 : id_token_algorithms.front();
    }
    bool offers(model::ResponseType type) const {
        return std::ranges::find(response_types, type) != response_types.end();
    }
    /// Returns true if the authorization endpoint signs access tokens, ID tokens, or either.
    bool has_front_access_tokens() const { return std::ranges::any_of(response_types, model::yields_token); }
    bool has_front_id_tokens() const { return std::ranges::any_of(response_types, model::yields_id_token); }
    bool has_front_tokens() const { return has_front_access_tokens() || has_front_id_tokens(); }
};

/// Returns the grants that clients may register for: those of `registration.grants` that are offered; by default
/// authorization_code and refresh_token, and implicit as soon as a response type needs it.
std::set<model::GrantType> registrable_grants(const Settings& settings);

/// Returns the algorithm that the client is registered for, or the default, whether it is offered or not.
crypto::Algorithm wanted_id_token_algorithm(const Settings& settings, const model::Client& client);
/// Returns the sentence for the operator about an algorithm that has left the configuration.
std::string not_offered(const model::Client& client, crypto::Algorithm algorithm);
/// Returns the algorithm of the client's ID tokens. Throws std::runtime_error when it has left the configuration.
crypto::Algorithm id_token_algorithm_of(const Settings& settings, const model::Client& client);

/// Returns the FAPI 2.0 profile that the client is held to: the stricter of its own and the configuration's.
inline model::SecurityProfile security_profile_of(const Settings& settings, const model::Client& client) {
    return std::max(settings.security_profile, client.security_profile);
}
inline bool has_security_profile(const Settings& settings, const model::Client& client) {
    return security_profile_of(settings, client) != model::SecurityProfile::none;
}
/// Returns whether the client signs its requests and takes signed answers alone (FAPI 2.0 Message Signing).
inline bool signs_messages(const Settings& settings, const model::Client& client) {
    return security_profile_of(settings, client) == model::SecurityProfile::fapi2_message_signing;
}
/// Returns whether every client is held to a profile, so that what it leaves out is offered to nobody (F2-S5).
inline bool is_held_to_profile(const Settings& settings) {
    return settings.security_profile != model::SecurityProfile::none;
}
/// Returns whether clients with a profile may use the algorithm (FAPI 2.0 Security Profile §5.4.1 item 1).
inline bool is_profile_algorithm(crypto::Algorithm algorithm) { return algorithm != crypto::Algorithm::RS256; }

/// Returns the profile of the access tokens of `client`.
inline model::TokenProfile profile_of(const Settings& settings, const model::Client& client) {
    return client.access_token_profile.value_or(settings.access_token_profile);
}

}  // namespace postern::oauth
