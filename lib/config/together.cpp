// Which keys of the configuration contradict each other, and which are allowed but not wise.
#include "config/together.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "config/branding.h"
#include "config/checks.h"
#include "db/database.h"
#include "http/url.h"
#include "oauth/acr.h"
#include "oauth/target.h"

namespace postern::config {
namespace {

using Problems = std::vector<ConfigProblem>;

/// Two endpoints on one path would make one of them unreachable.
void check_paths_differ(const oauth::Paths& paths, Problems& problems) {
    const std::vector<std::pair<const char*, std::optional<std::string>>> all = {
#define POSTERN_PATH(name, ...) {"paths." #name, paths.name},
        POSTERN_ENDPOINTS(POSTERN_PATH)
#undef POSTERN_PATH
    };
    for (auto later = all.begin(); later != all.end(); ++later) {
        const auto same = std::find_if(all.begin(), later,
                                       [&](const auto& path) { return path.second && path.second == later->second; });
        if (same != later) problems.push_back({later->first, std::string("is the same path as ") + same->first});
        if (paths.account && later->second && later->second->starts_with(*paths.account + "/"))
            problems.push_back({later->first, "is below paths.account, where the pages of the account are"});
        if (paths.recover && later->second && later->second->starts_with(*paths.recover + "/"))
            problems.push_back({later->first, "is below paths.recover, where the page of links is"});
    }
}

/// What belongs to a database file lies beside it.
void check_state(const Config& config, Problems& problems) {
    if (config.state.empty() || db::is_uri(config.database)) return;
    if (config.state != std::filesystem::path(config.database).parent_path())
        problems.push_back({"state", "is for a database on a server: leave it out, because \"database\" is a file"});
}

/// Not a warning, as for the other keys of method remote_user: whom an application is for must not depend on what is no
/// longer read.
void check_groups(const oauth::LoginSettings& login, Problems& problems) {
    if (login.groups_from_environment && login.method != oauth::LoginMethod::remote_user)
        problems.push_back({"login.groupsFromEnvironment",
                            "needs \"method\": \"remote_user\": with another method no variable names the groups"});
}

/// Not a warning: who may sign in must not depend on what is not read.
void check_saslauthd(oauth::LoginSettings& login, Problems& problems) {
    if (login.method == oauth::LoginMethod::saslauthd) {
        if (!login.saslauthd) login.saslauthd.emplace();
    } else if (login.saslauthd) {
        problems.push_back(
            {"login.saslauthd", "needs \"method\": \"saslauthd\": with another method saslauthd is not asked"});
    }
}

/// Not a warning: the operator relies on what could not be done.
void check_second_factor(const oauth::LoginSettings& login, Problems& problems) {
    if (!login.has_levels() && login.second_factor == oauth::SecondFactor::required)
        problems.push_back(
            {"login.secondFactor",
             "\"required\" needs \"method\": \"password\" or \"saslauthd\", or login.remoteLevel: where the web server "
             "signs users in, and it is not known what that is worth, no second factor is asked for"});
    if (login.has_page() && login.remote_level > 0)
        problems.push_back({"login.remoteLevel",
                            "needs \"method\": \"remote_user\": with another method the level is that of a password"});
}

/// NIST SP 800-63B-4 §3.1.1.2: shorter ones are for a password that does not open an account alone.
void check_password_length(const oauth::LoginSettings& login, Problems& problems) {
    const std::size_t alone = oauth::LoginSettings().password_min_length;
    if (login.password_min_length < alone && login.second_factor != oauth::SecondFactor::required)
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

/// A client would be told that its id is unknown, while discovery says that such ids are good.
void check_client_documents(const oauth::Settings& settings, Problems& problems) {
    if (settings.client_documents.enabled && !settings.outbound.enabled)
        problems.push_back({"clientDocuments.enabled",
                            "needs \"outbound\": {\"enabled\": true}: the documents are fetched over HTTPS"});
}

/// ACCOUNT-11: a new address counts once its link was opened.
void check_editable_email(const oauth::Settings& settings, Problems& problems) {
    const auto& names = settings.account.editable_claims;
    if (std::ranges::find(names, "email") == names.end() || settings.offers_recovery()) return;
    problems.push_back(
        {"account.editableClaims",
         "may have \"email\" only with \"mail\", with paths.recover and with \"method\": \"password\": a new "
         "address counts once a link that was sent there was opened"});
}

/// What a user has typed would be gone at the next login.
void check_editable_claims(const oauth::Settings& settings, Problems& problems) {
    for (const std::string& name : settings.account.editable_claims)
        if (settings.login.claims_from_environment.contains(name))
            problems.push_back({"account.editableClaims", "must not have \"" + name +
                                                              "\", which login.claimsFromEnvironment replaces at "
                                                              "each login"});
}

bool is_half_remote(const oauth::LoginSettings& login) {
    const bool has_its_keys = !login.claims_from_environment.empty() || login.auth_time_variable ||
                              login.logout_redirect || (login.auto_create && login.keeps_passwords()) ||
                              login.remote_user_variable != oauth::LoginSettings{}.remote_user_variable;
    return has_its_keys && login.method != oauth::LoginMethod::remote_user;
}

/// Has keys of the methods with our own page, and another method.
bool is_half_page(const oauth::LoginSettings& login) {
    const oauth::LoginSettings usual;
    const bool has_its_keys = !login.acr_names.empty() || login.enrolment != usual.enrolment ||
                              login.passkeys == oauth::Passkeys::second_factor;
    return has_its_keys && !login.has_levels();
}

}  // namespace

void check_together(Config& config, std::vector<ConfigProblem>& problems) {
    check_paths_differ(config.settings.paths, problems);
    check_state(config, problems);
    check_groups(config.settings.login, problems);
    check_saslauthd(config.settings.login, problems);
    check_second_factor(config.settings.login, problems);
    check_password_length(config.settings.login, problems);
    check_rp_id(config.settings, problems);
    check_default_resource(config.settings, problems);
    check_client_documents(config.settings, problems);
    check_editable_claims(config.settings, problems);
    check_editable_email(config.settings, problems);
    check_branding(config.settings.branding, problems);
}

std::vector<std::string> warnings_of(const Config& config) {
    const oauth::Settings& settings = config.settings;
    const std::pair<bool, const char*> rows[] = {
        {!settings.authenticate_introspect, "authenticateIntrospect is false: anyone can introspect tokens"},
        {!settings.authenticate_revoke, "authenticateRevoke is false: anyone who has a token can revoke it"},
        {!settings.introspection_requires_confidential_client,
         "introspectionRequiresConfidentialClient is false: public clients can introspect tokens"},
        {settings.id_token_algorithm != crypto::Algorithm::RS256,
         "idTokenAlgorithm is not RS256, the only one that every OpenID Connect client must support"},
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
