// The part of the configuration that the rules of OAuth and OpenID Connect read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crypto/key.h"
#include "fetch/outbound.h"
#include "json/value.h"
#include "model/client.h"
#include "model/released_claims.h"
#include "oauth/branding.h"
#include "oauth/endpoints.h"
#include "text/mail_address.h"
#include "text/words.h"
#include "util/clock.h"

namespace postern::oauth {

/// Who checks that people are who they say.
enum class LoginMethod {
    password,     ///< the login page, by user name and password
    remote_user,  ///< the web server, with its own modules; docs/decisions/0018-remote-user.md
    saslauthd,    ///< saslauthd, which the login page asks; docs/decisions/0078-saslauthd.md
};

/// How saslauthd is reached, and what it is told besides name and password.
struct Saslauthd {
    std::string socket = "/run/saslauthd/mux";
    std::string service = "postern";  ///< 1 to 64 characters; for PAM the file of that name in /etc/pam.d
    std::string realm = {};           ///< at most 255 bytes
};

/// Whether people are asked for a second factor after their password.
enum class SecondFactor {
    offered,   ///< users who have set one up
    required,  ///< all users
    off,       ///< no user
};

/// How users who must have a second factor and have none get one.
enum class Enrolment {
    login,  ///< they set it up after the password
    link,   ///< they need a link from the operator
};

/// What passkeys are good for.
enum class Passkeys {
    login,          ///< a login without a password, or the second factor behind one
    second_factor,  ///< the second factor alone
    off,            ///< nothing: none is offered, added or accepted
};

/// Memberships that follow a CGI variable; docs/decisions/0061-groups-from-the-environment.md.
struct GroupsFromEnvironment {
    std::string variable;
    std::string separator;                                   ///< between the values of the variable
    std::map<std::string, std::string, std::less<>> groups;  ///< value, compared byte by byte → name of a group
};

struct LoginSettings {
    LoginMethod method = LoginMethod::password;
    /// Whether users sign in on our own page.
    bool has_page() const { return method != LoginMethod::remote_user; }
    /// Whether it is known what a login is worth: then second factors and levels are ours too.
    bool has_levels() const { return has_page() || remote_level > 0; }
    /// Whether the passwords are ours: we store their hashes, compare them, and let users change them.
    bool keeps_passwords() const { return method == LoginMethod::password; }

    int max_failures = 10;  ///< per user name and address inside `window`; ten times as many for either alone
    util::Seconds window{900};
    int hash_slots = 2;           ///< password hashes at the same time on this machine
    std::string hash_slot_files;  ///< what the names of their lock files begin with; "": no files, and no limit
    // Of the methods with our own page, password and saslauthd:
    SecondFactor second_factor = SecondFactor::offered;
    Enrolment enrolment = Enrolment::login;
    Passkeys passkeys = Passkeys::login;
    std::string rp_id;  ///< for which passkeys are made, WebAuthn §4; "": none can be, as where the issuer's host is an
                        ///< IP address
    util::Seconds remember_device{0};  ///< so long a browser is not asked again for the second factor; 0: always asked
    std::map<std::string, int> acr_names;  ///< more names for the levels of `acr`: name → 1 to 3
    std::optional<Saslauthd> saslauthd;    ///< of method saslauthd, and there with no other
    bool auto_create = false;              ///< of methods remote_user and saslauthd: an unknown name becomes a new user
    std::size_t password_min_length = 15;  ///< code points of a new password
    int password_min_strength = 40;        ///< bits of a new password, as libzxcvbn estimates; 0: not looked at
    std::optional<std::string> password_blocklist;  ///< the file of factor::PasswordList; nullopt: no password is in it
    // Of method remote_user alone:
    int remote_level =
        0;  ///< what a login by the web server is worth, 1 or 2; 0: not known, and nothing is added to it
    std::string remote_user_variable = "REMOTE_USER";            ///< the CGI variable with the user's name
    std::map<std::string, std::string> claims_from_environment;  ///< claim → CGI variable
    std::optional<GroupsFromEnvironment> groups_from_environment;
    std::optional<std::string> auth_time_variable;  ///< CGI variable with the time of the login, in epoch seconds
    std::optional<std::string> logout_redirect;     ///< the web server's own logout; may hold kReturnMark once
};

/// The pages on which users manage their own account (`account`); docs/decisions/0070-account-pages.md.
struct AccountSettings {
    util::Seconds reauthentication{600};       ///< so long after a login changes need no new one
    bool addresses = true;                     ///< addresses of sessions and of activity are kept and shown
    std::vector<std::string> editable_claims;  ///< standard claims that users change themselves
};

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

/// Messages to users (`mail`); docs/decisions/0080-mail.md.
struct MailSettings {
    text::Mailbox from;  ///< of each message
    std::vector<std::string>
        command;         ///< program, an absolute path, and its arguments: it reads the message and sends it
    int per_hour = 200;  ///< messages in all
};

/// In `logoutRedirect` it is replaced by the percent-encoded URL to which the browser returns.
inline constexpr const char* kReturnMark = "{return}";

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
    util::Seconds session_ttl{43200};
    util::Seconds session_idle_ttl{7200};
    util::Seconds max_age_leeway{0};  ///< added to max_age at the token endpoint only
    util::Seconds refresh_reuse_grace{10};
    std::optional<crypto::Algorithm> access_token_algorithm;  ///< nullopt: as token_algorithm says
    model::TokenProfile access_token_profile = model::TokenProfile::interface;
    std::optional<std::string> default_resource;  ///< `aud` of tokens of profile rfc9068 whose request names none
    crypto::Algorithm id_token_algorithm = crypto::Algorithm::RS256;
    bool username_in_access_token = true;
    bool authenticate_introspect = true;
    bool authenticate_revoke = true;
    bool introspection_requires_confidential_client = true;
    bool use_opaque_refresh_tokens = false;
    bool implicit = false;
    bool authorize_post = false;  ///< POST is among `authorizeMethods`
    std::map<std::string, text::Words> scope_descriptions;
    std::vector<std::string> languages;  ///< of the pages; empty: all that there are
    std::string language = "en";         ///< the one of last resort
    model::ReleasedClaims released_claims;
    LoginSettings login;
    AccountSettings account;
    ClientDocuments client_documents;
    Branding branding;
    fetch::Outbound outbound;
    std::optional<MailSettings> mail;  ///< nullopt: none is sent, and none is asked for
    json::Object metadata;             ///< extra discovery members

    /// What users know the service by: `branding.name`, else the issuer's host.
    std::string service_name() const;
    /// issuer + path: an absolute URL.
    std::string url(const std::string& path) const { return issuer + path; }

    /// Whether users can ask for a link with which they choose another password.
    bool offers_recovery() const { return mail && paths.recover && login.keeps_passwords(); }

    /// Of access tokens; JWT refresh tokens have that of `interface`. Verifiers of profile rfc9068 know one algorithm
    /// from discovery, that of ID tokens, so that is theirs unless the configuration says otherwise.
    crypto::Algorithm token_algorithm(model::TokenProfile profile) const {
        if (access_token_algorithm) return *access_token_algorithm;
        return profile == model::TokenProfile::rfc9068 && oidc ? id_token_algorithm : crypto::Algorithm::ES256;
    }
};

/// What the access tokens of this client say.
inline model::TokenProfile profile_of(const Settings& settings, const model::Client& client) {
    return client.access_token_profile.value_or(settings.access_token_profile);
}

}  // namespace postern::oauth
