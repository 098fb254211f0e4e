// Which keys of the configuration contradict each other, and which are allowed but not wise.
#include "config/keys.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "db/database.h"
#include "http/url.h"
#include "oauth/acr.h"
#include "oauth/target.h"

namespace postern::config {
namespace {

/// Two endpoints on one path would make one of them unreachable.
void check_paths_differ(const oauth::Paths& paths, Problems& problems) {
    const std::vector<std::pair<std::string, std::optional<std::string>>> all = {
#define POSTERN_PATH(name, ...) {oauth::endpoint::key_of_path(#name), paths.name},
        POSTERN_ENDPOINTS(POSTERN_PATH)
#undef POSTERN_PATH
    };
    for (auto later = all.begin(); later != all.end(); ++later) {
        const auto same = std::find_if(all.begin(), later,
                                       [&](const auto& path) { return path.second && path.second == later->second; });
        if (same != later) problems.push_back({later->first, "is the same path as " + same->first});
        if (paths.account && later->second && later->second->starts_with(*paths.account + "/"))
            problems.push_back({later->first, "is below paths.account, where the pages of the account are"});
        if (paths.recover && later->second && later->second->starts_with(*paths.recover + "/"))
            problems.push_back({later->first, "is below paths.recover, where the page of links is"});
        if (paths.gate && later->second && later->second->starts_with(*paths.gate + "/"))
            problems.push_back({later->first, "is below paths.gate, where the pages of sites are"});
    }
}

struct Contradiction {
    bool is_there;
    const char* key;
    const char* reason;
};

void add(std::initializer_list<Contradiction> rows, Problems& problems) {
    for (const Contradiction& row : rows)
        if (row.is_there) problems.push_back({row.key, row.reason});
}

/// Not warnings: who may sign in, whom an application is for and which factors are asked for must not depend on a key
/// that is not read.
void check_methods(const login::Settings& login, Problems& problems) {
    add({{login.groups_from_environment && login.method != login::Method::remote_user, "login.groupsFromEnvironment",
          "needs \"method\": \"remote_user\": with another method no variable names the groups"},
         {login.saslauthd && login.method != login::Method::saslauthd, "login.saslauthd",
          "needs \"method\": \"saslauthd\": with another method saslauthd is not asked"},
         {!login.has_levels() && login.second_factor == login::SecondFactor::required, "login.secondFactor",
          "\"required\" needs \"method\": \"password\" or \"saslauthd\", or login.remoteLevel: where the web server "
          "signs users in, and it is not known what that is worth, no second factor is asked for"},
         {login.has_page() && login.remote_level > 0, "login.remoteLevel",
          "needs \"method\": \"remote_user\": with another method the level is that of a password"}},
        problems);
}

bool may_register_for(const oauth::Settings& settings, model::GrantType grant) {
    return settings.registration.grants && settings.registration.grants->contains(grant);
}

/// Keys that need another part of the configuration.
void check_parts(const Config& config, Problems& problems) {
    const oauth::Settings& settings = config.settings;
    const auto& editable = settings.account.editable_claims;
    const std::filesystem::path beside = std::filesystem::path(config.database).parent_path();
    add({{!config.state.empty() && !db::is_uri(config.database) && config.state != beside, "state",
          "is for a database on a server: leave it out, because \"database\" is a file"},
         {settings.has_front_id_tokens() && !settings.oidc, "responseTypes",
          "may have types with id_token only with \"oidc\": ID tokens are of OpenID Connect"},
         {settings.jarm && !settings.oidc, "jarm", "needs \"oidc\": answers are signed with the keys of ID tokens"},
         {settings.require_par && !settings.paths.par, "requirePar",
          "needs paths.par: no client could push its request"},
         {settings.request_objects && !settings.paths.par, "requestObjects",
          "needs paths.par: signed requests are read where requests are pushed, and nowhere else"},
         {settings.require_signed_request_object && !settings.request_objects, "requireSignedRequestObject",
          "needs \"requestObjects\": \"allowed\": no client could send a signed request"},
         {settings.paths.device && !settings.paths.device_authorization, "paths.device",
          "needs paths.deviceAuthorization: no device could ask for a code that is typed there"},
         {settings.paths.device_authorization && !settings.paths.device, "paths.deviceAuthorization",
          "needs paths.device, the page on which users type the codes of devices"},
         {settings.backchannel_logout && !settings.outbound.enabled, "backchannelLogout",
          "needs \"outbound\": {\"enabled\": true}: applications are told over HTTPS"},
         {settings.backchannel_logout && !settings.oidc, "backchannelLogout",
          "needs \"oidc\": an application knows a session by its ID tokens"},
         {settings.frontchannel_logout && !settings.oidc, "frontchannelLogout",
          "needs \"oidc\": an application knows a session by its ID tokens"},
         {settings.frontchannel_logout && !settings.paths.logout, "frontchannelLogout",
          "needs paths.logout, whose page tells the applications"},
         {!settings.gate.proxies.empty() && !settings.paths.gate, "gate.proxies",
          "needs paths.gate: without it there is no gate that a proxy could ask"},
         {settings.client_documents.enabled && !settings.outbound.enabled, "clientDocuments.enabled",
          "needs \"outbound\": {\"enabled\": true}: the documents are fetched over HTTPS"},
         {settings.registration.mode != oauth::RegistrationMode::closed && !settings.paths.registration,
          "registration.mode", "needs paths.registration, at which clients register"},
         {settings.offers_registration() && settings.metadata.find("registration_endpoint") != nullptr,
          "metadata.registration_endpoint", "cannot be replaced while registration.mode is not \"closed\""},
         {may_register_for(settings, model::GrantType::implicit) && !settings.has_front_tokens(), "registration.grants",
          "may have implicit only with a type with token or id_token in \"responseTypes\""},
         {may_register_for(settings, model::GrantType::device_code) && !settings.paths.device, "registration.grants",
          "may have the device grant only with paths.deviceAuthorization and paths.device"},
         {std::ranges::find(editable, "email") != editable.end() && !settings.offers_recovery(),  // ACCOUNT-11
          "account.editableClaims",
          "may have \"email\" only with \"mail\", with paths.recover and with \"method\": \"password\": a new "
          "address counts once a link that was sent there was opened"}},
        problems);
}

/// NIST SP 800-63B-4 §3.1.1.2: shorter ones are for a password that does not open an account alone.
void check_password_length(const login::Settings& login, Problems& problems) {
    const std::size_t alone = login::Settings().password_min_length;
    if (login.password_min_length < alone && login.second_factor != login::SecondFactor::required)
        problems.push_back({"login.passwordMinLength",
                            "must be at least " + std::to_string(alone) + " without \"secondFactor\": \"required\""});
}

/// WEBAUTHN-1, WEBAUTHN-27. A name that is no suffix of the issuer's host is taken for the issuer's former host: a
/// browser asks that host.
void check_rp_id(oauth::Settings& settings, Problems& problems) {
    const auto issuer = http::parse_url(settings.issuer);
    if (!issuer) return;
    const std::string& host = issuer->host;
    std::string& rp_id = settings.login.rp_id;
    if (rp_id.empty()) {
        if (!is_address(host)) rp_id = host;
        return;
    }
    if (is_address(host)) {
        problems.push_back(
            {"login.rpId", "needs an issuer whose host is a name: browsers have no passkeys for " + host});
    } else if (rp_id != host && host.ends_with(rp_id) && !host.ends_with("." + rp_id)) {
        problems.push_back({"login.rpId", "must be " + host + ", a domain that it is in, or the issuer's former host"});
    }
}

/// RFC 9068 §2.2: each token has an audience, also that of a request which names none.
void check_default_resource(const oauth::Settings& settings, Problems& problems) {
    if (!settings.default_resource) {
        if (settings.access_token_profile == model::TokenProfile::rfc9068)
            problems.push_back({"defaultResource",
                                "is required with \"accessTokenProfile\": \"rfc9068\": the `aud` of "
                                "tokens whose request names no resource"});
        return;
    }
    if (const auto problem = oauth::resource_uri_problem(*settings.default_resource, settings.issuer))
        problems.push_back({"defaultResource", *problem});
}

/// A claim that a user has typed would be gone at the next login.
void check_editable_claims(const oauth::Settings& settings, Problems& problems) {
    for (const std::string& name : settings.account.editable_claims)
        if (settings.login.claims_from_environment.contains(name))
            problems.push_back({"account.editableClaims", "must not have \"" + name +
                                                              "\", which login.claimsFromEnvironment replaces at "
                                                              "each login"});
}

/// A request object, and client credentials beside it (KEY-1).
constexpr std::size_t kBodyOfRequestObjects = 40960;
/// MTLS-1, MTLS-11. A browser must not be asked for a certificate, so the host that asks is another one.
void check_mtls(const oauth::Settings& settings, Problems& problems) {
    if (!settings.mtls) return;
    if (settings.mtls->certificate == settings.mtls->verify)
        problems.push_back({"mtls.verify", "must be another variable than mtls.certificate"});
    const auto issuer = http::parse_url(settings.issuer);
    const auto alias = http::parse_url(settings.mtls->base_url);
    if (!issuer || !alias || alias_fault(settings.mtls->base_url)) return;  // each has its own problem
    if (alias->host == issuer->host && alias->port == issuer->port && alias->scheme == issuer->scheme)
        problems.push_back({"mtls.baseUrl",
                            "must have another host or port than the issuer: browsers would be asked for a "
                            "certificate"});
    if (!alias->path.empty() && alias->path != issuer->path)
        problems.push_back({"mtls.baseUrl", "must have the path of the issuer, or none"});
}

bool is_half_remote(const login::Settings& login) {
    const bool has_its_keys = !login.claims_from_environment.empty() || login.auth_time_variable ||
                              login.logout_redirect || (login.auto_create && login.keeps_passwords()) ||
                              login.remote_user_variable != login::Settings{}.remote_user_variable;
    return has_its_keys && login.method != login::Method::remote_user;
}

/// Has keys of the methods with our own page, and another method.
bool is_half_page(const login::Settings& login) {
    const login::Settings usual;
    const bool has_its_keys = !login.acr_names.empty() || login.enrolment != usual.enrolment ||
                              login.passkeys == login::Passkeys::second_factor;
    return has_its_keys && !login.has_levels();
}

}  // namespace

void check_contradictions(Config& config, Problems& problems) {
    oauth::Settings& settings = config.settings;
    check_paths_differ(settings.paths, problems);
    check_methods(settings.login, problems);
    check_parts(config, problems);
    check_password_length(settings.login, problems);
    check_rp_id(settings, problems);
    check_default_resource(settings, problems);
    check_profile(settings, problems);
    check_editable_claims(settings, problems);
    check_mtls(settings, problems);
    check_branding(settings.branding, problems);
    const bool asks_saslauthd = settings.login.method == login::Method::saslauthd;
    if (asks_saslauthd && !settings.login.saslauthd) settings.login.saslauthd.emplace();
}

std::vector<std::string> warnings_of(const Config& config) {
    const oauth::Settings& settings = config.settings;
    const std::pair<bool, const char*> rows[] = {
        {!settings.authenticate_introspect, "authenticateIntrospect is false: anyone can introspect tokens"},
        {!settings.authenticate_revoke, "authenticateRevoke is false: anyone who has a token can revoke it"},
        {!settings.introspection_requires_confidential_client,
         "introspectionRequiresConfidentialClient is false: public clients can introspect tokens"},
        {!settings.offers_id_tokens_by(crypto::Algorithm::RS256) &&
             settings.security_profile == model::SecurityProfile::none,
         "ID tokens are not signed with RS256, the only algorithm that every OpenID Connect client must support"},
        {is_half_remote(settings.login),
         "login has keys that only method \"remote_user\" uses, or autoCreate, and its method is another"},
        {is_half_page(settings.login),
         "login has enrolment, passkeys or acrNames, which method \"remote_user\" does not use without remoteLevel"},
        {settings.login.remember_device.count() > 0 && oauth::highest_level(settings) <= model::Level::password,
         "login.rememberDevice does nothing: no login here asks for a second factor"},
        {settings.login.password_min_strength == 0,
         "login.passwordMinStrength is 0: users can choose passwords that are easy to guess"},
        {settings.client_documents.enabled && settings.client_documents.allow.empty(),
         "clientDocuments.allow is empty: applications of every host can ask users for access"},
        {settings.registration.mode == oauth::RegistrationMode::open,
         "registration.mode is \"open\": anybody can register an application under any name, and ask users for access"},
        {settings.assertions.takes_endpoints,
         "clientAssertionAudience is \"issuer_or_endpoint\": an attacker who controls the token endpoint that a client uses can "
         "pass the client's assertion on to this server"},
        {settings.request_objects && config.limits.body < kBodyOfRequestObjects,
         "limits.body is below 40960: with requestObjects a client may push a signed request of 32768 bytes, and its "
         "credentials beside it"},
        {settings.paths.device && !settings.device_fresh_login,
         "device.freshLogin is false: a link in a message makes a signed-in user allow a device with two clicks"},
        {settings.paths.device && settings.device_fresh_login && !settings.login.has_page() &&
             !settings.login.auth_time_variable,
         "paths.device needs login.authTimeFromEnvironment, or device.freshLogin false: the web server does not tell "
         "when a user signed in, so that no device can be allowed"},
        {std::ranges::find(settings.account.editable_claims, "preferred_username") !=
             settings.account.editable_claims.end(),
         "account.editableClaims has preferred_username: a user can take the name of another one, which matters to "
         "applications that know users by it"},
        {config.sandbox == SandboxMode::off,
         "sandbox is \"off\": a compromised process can do everything that its user can"},
        {settings.issuer.starts_with("http://"), "issuer is an http URL: only for testing on one machine"},
    };
    std::vector<std::string> warnings;
    for (const auto& row : rows) {
        if (row.first) warnings.emplace_back(row.second);
    }
    return warnings;
}

}  // namespace postern::config
