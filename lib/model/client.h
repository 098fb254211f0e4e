// A registered client (RFC 6749 §2).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/certificate_name.h"
#include "crypto/key_parts.h"
#include "model/authentication.h"
#include "model/claim_names.h"
#include "model/client_keys.h"
#include "model/ids.h"
#include "model/resource.h"
#include "model/response_mode.h"
#include "model/response_type.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::model {

enum class ClientType { confidential, public_ };
enum class GrantType { authorization_code, refresh_token, client_credentials, implicit, device_code };
/// The way in which a client may authenticate. `client_secret`: basic or post, whichever it uses.
enum class AuthMethod {
    client_secret,
    client_secret_basic,
    client_secret_post,
    private_key_jwt,
    tls_client_auth,              // RFC 8705 §2.1
    self_signed_tls_client_auth,  // RFC 8705 §2.2
    none
};
enum class Pkce { required, optional };
/// The groups of the user that a client is told. `own`: the groups that the client is for.
enum class ToldGroups { all, own };
/// The claims of access tokens: `interface` is the interface specification's, `rfc9068` that of RFC 9068 §2.2 as well.
enum class TokenProfile { interface, rfc9068 };
/// The FAPI 2.0 profile that a client is held to, the stricter one behind the other.
enum class SecurityProfile { none, fapi2, fapi2_message_signing };
/// The source of a client: the operator, who registered it; the document at the URL that is its id
/// (draft-ietf-oauth-client-id-metadata-document); or the client itself, which registered (RFC 7591).
enum class Origin { operator_, document, dynamic };
/// The kind of application (OpenID Connect Registration §2). It decides about redirect URIs when a client registers.
enum class ApplicationType { web, native };

/// The name by which an application behind the gate is told its user.
enum class UserHeader { name, subject, email };

std::string_view to_string(GrantType grant);
std::optional<GrantType> parse_grant_type(std::string_view name);
std::string_view to_string(AuthMethod method);
std::optional<AuthMethod> parse_auth_method(std::string_view name);
/// Returns the member of client metadata for names of that kind (RFC 8705 §2.1.2): "tls_client_auth_san_dns".
inline constexpr crypto::NameKind kNameKinds[] = {crypto::NameKind::subject_dn, crypto::NameKind::san_dns,
                                                  crypto::NameKind::san_uri, crypto::NameKind::san_ip,
                                                  crypto::NameKind::san_email};
std::string_view to_string(crypto::NameKind kind);
std::optional<crypto::NameKind> parse_name_kind(std::string_view name);
std::string_view to_string(Pkce pkce);
std::optional<Pkce> parse_pkce(std::string_view name);
std::string_view to_string(ToldGroups groups);
std::optional<ToldGroups> parse_told_groups(std::string_view name);
std::string_view to_string(TokenProfile profile);
std::optional<TokenProfile> parse_token_profile(std::string_view name);
std::string_view to_string(SecurityProfile profile);
std::optional<SecurityProfile> parse_security_profile(std::string_view name);
std::string_view to_string(Origin origin);
std::optional<Origin> parse_origin(std::string_view name);
std::string_view to_string(ApplicationType type);
std::optional<ApplicationType> parse_application_type(std::string_view name);
std::string_view to_string(UserHeader header);
std::optional<UserHeader> parse_user_header(std::string_view name);

/// A site: an application that knows no OpenID Connect, protected by the gate in the web server.
struct Site {
    std::string url;                           ///< in its one spelling (gate::parse_site_url)
    std::optional<util::Seconds> max_age;      ///< of the login; nullopt: any
    std::optional<util::Seconds> session_ttl;  ///< of its cookie; nullopt: as long as the session
    UserHeader user_header = UserHeader::name;
    bool bearer = false;  ///< access tokens for its URL pass, too

    bool operator==(const Site&) const = default;
};

struct ClientSecret {
    ValueHash hash;
    std::optional<util::Time> expires_at;  ///< set for an old secret that works for a while after rotation

    bool operator==(const ClientSecret&) const = default;
};

/// The addresses at which a client is told that a session has ended, and whether it needs `sid` there (OpenID Connect
/// Back-Channel Logout 1.0 §2.2, Front-Channel Logout 1.0 §2). An empty address: it is not told in that way.
struct LogoutUris {
    std::string backchannel = {};
    bool backchannel_session_required = false;
    std::string frontchannel = {};
    bool frontchannel_session_required = false;

    bool operator==(const LogoutUris&) const = default;
};

/// The words of a client that registered itself, of what is read with the client alone (RFC 7591 §2; OpenID Connect
/// Registration §2).
struct RegisteredMetadata {
    std::optional<ApplicationType> application_type = std::nullopt;  ///< nullopt: not registered so
    std::string initiate_login_uri = {};  ///< where a third party may begin a login, OpenID Connect Core §4; "": none
    std::string policy_uri = {};          ///< "": none
    std::string tos_uri = {};             ///< "": none

    bool operator==(const RegisteredMetadata&) const = default;
};

struct Client {
    ClientId id;
    std::string name;                          ///< shown to users; the id when none was given
    std::map<std::string, std::string> names;  ///< the same in other languages, by tag
    ClientType type = ClientType::confidential;
    bool native = false;       ///< any port on registered http loopback addresses (RFC 8252 §7.3)
    bool first_party = false;  ///< consent is not asked
    bool enabled = true;
    bool restricted = false;  ///< only for the users and groups that store/client_access keeps
    ToldGroups groups = ToldGroups::all;
    bool own_claims = false;          ///< store/client_claims has claims of it, and keeps this up to date
    bool id_token_claims = false;     ///< the claims of its scopes are in the ID token, too
    ClaimNames introspection_claims;  ///< of users, told to it about tokens whose scope releases them; names of ours
    std::optional<TokenProfile> access_token_profile;  ///< nullopt: `accessTokenProfile`
    bool groups_in_access_token = false;               ///< with the scope groups; profile rfc9068 only
    std::string default_resource;                      ///< "": as oauth::default_resource_of says; profile rfc9068 only
    ResourceUris resources;                            ///< what its tokens may be for; empty: no limit
    Level level = Level::unknown;  ///< the least that a login for it must be worth; unknown: any login
    std::set<GrantType> grants;
    std::set<ResponseType> response_types;  ///< that it may ask for; empty: those of its grants (may_ask_for)
    std::optional<crypto::Algorithm> id_token_algorithm = std::nullopt;  ///< nullopt: the first that is configured
    std::set<std::string> response_modes = {};  ///< that it may ask for, names of kNamedModes; empty: all
    std::optional<crypto::Algorithm> response_algorithm = std::nullopt;  ///< of signed answers; nullopt: the default
    Scope scope;
    AuthMethod auth_method = AuthMethod::client_secret;
    Pkce pkce = Pkce::optional;
    bool require_par = false;  ///< its authorization requests must be pushed (RFC 9126 §6)
    bool dpop_bound = false;   ///< its token requests must have a proof (RFC 9449 §5.2)
    SecurityProfile security_profile = SecurityProfile::none;  ///< its own; see oauth::security_profile_of
    std::string resource_server = {};  ///< the registered resource whose API it is; "": it is no API
    /// Authorization requests of the client must be signed and pushed (RFC 9101 §10.5).
    bool require_signed_request = false;
    /// The only algorithm of signed requests, as it was registered; "": any that fits a key.
    std::string request_object_alg = {};
    bool tls_bound = false;  ///< its token requests must have a certificate (RFC 8705 §3.4)
    /// The name of its certificates, with tls_client_auth, and with no other method (RFC 8705 §2.1.2).
    std::optional<crypto::CertificateName> certificate_name = std::nullopt;
    std::vector<std::string> redirect_uris;
    std::vector<std::string> post_logout_redirect_uris;
    LogoutUris logout = {};
    std::vector<ClientSecret> secrets;  ///< none for public clients, and for those that sign or have certificates
    /// The keys that it registers; store/client_keys keeps them, and `find_client` does not read them.
    std::optional<ClientKeys> keys = std::nullopt;
    std::optional<Site> site = std::nullopt;  ///< nullopt: an application that speaks OAuth itself
    util::Time created_at{};
    Origin origin = Origin::operator_;
    // Clients of documents, and those that registered themselves:
    std::optional<util::Time> last_used_at = std::nullopt;  ///< the latest sign-in, by the day; nullopt: none yet
    std::optional<util::Time> removable_at = std::nullopt;  ///< nullopt: the operator has decided about it, so it stays
    // Clients of documents, and those that registered without a token:
    Subject brought_by = {};  ///< the user who approved it first, perhaps removed since; empty: nobody, or not known
    // Clients that registered themselves:
    RegisteredMetadata metadata = {};
    std::string registered_by = {};            ///< digest of the initial access token; "": registered without one
    std::string registration_token_hash = {};  ///< of the token that reads and deletes the registration

    bool has_grant(GrantType grant) const { return grants.contains(grant); }
    bool operator==(const Client&) const = default;
};

/// Returns true for clients that may register keys: to sign with, or those of their certificates.
inline bool has_keys(const Client& client) {
    return client.auth_method == AuthMethod::private_key_jwt ||
           client.auth_method == AuthMethod::self_signed_tls_client_auth ||
           client.auth_method == AuthMethod::tls_client_auth;
}

/// Returns true for clients that authenticate by a secret.
inline bool has_secret(const Client& client) { return client.type == ClientType::confidential && !has_keys(client); }

/// Returns true for a client that registered itself without an initial access token, as anybody can while
/// `registration.mode` is `open`.
inline bool is_of_stranger(const Client& client) {
    return client.origin == Origin::dynamic && client.registered_by.empty();
}

/// The facts with which oauth::find_client_bar decides whether a client may be used.
struct ClientState {
    bool enabled = false;
    Origin origin = Origin::operator_;
    bool of_stranger = false;

    bool operator==(const ClientState&) const = default;
};
inline ClientState state_of(const Client& client) { return {client.enabled, client.origin, is_of_stranger(client)}; }

/// Returns the grant in `client` that a response type needs and that it lacks: authorization_code for a code, implicit
/// for what else is in the answer. nullopt: it has them.
std::optional<GrantType> missing_grant(const Client& client, ResponseType type);

/// Returns true if the client is registered for the response type, and for the grants that it needs. Unless it names
/// response types, they are `code` with the grant authorization_code and `token` with the grant implicit.
bool may_ask_for(const Client& client, ResponseType type);

/// Returns every response type that the client may ask for.
std::set<ResponseType> response_types_of(const Client& client);

}  // namespace postern::model
