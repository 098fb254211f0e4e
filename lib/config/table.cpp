// Every key the configuration file may have, one row each: its name, what it accepts and where it goes.

#include <map>
#include <utility>

#include "config/keys.h"
#include "db/database.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::int64_t kTenYears = std::int64_t{10} * 365 * 24 * 60 * 60;
constexpr std::int64_t kTenMinutes = 600;
constexpr std::int64_t kThirtyDays = std::int64_t{30} * 24 * 60 * 60;

/// The parts of the configuration that have members with a key.
Config& owner(Config& config, Config*) { return config; }
Limits& owner(Config& config, Limits*) { return config.limits; }
oauth::Settings& owner(Config& config, oauth::Settings*) { return config.settings; }
oauth::Paths& owner(Config& config, oauth::Paths*) { return config.settings.paths; }
login::Settings& owner(Config& config, login::Settings*) { return config.settings.login; }
fetch::Outbound& owner(Config& config, fetch::Outbound*) { return config.settings.outbound; }
web::AccountSettings& owner(Config& config, web::AccountSettings*) { return config.settings.account; }
pages::Branding& owner(Config& config, pages::Branding*) { return config.settings.branding; }
oauth::ClientDocuments& owner(Config& config, oauth::ClientDocuments*) { return config.settings.client_documents; }
oauth::Registration& owner(Config& config, oauth::Registration*) { return config.settings.registration; }
oauth::ClientAssertions& owner(Config& config, oauth::ClientAssertions*) { return config.settings.assertions; }

template <class T, class Owner>
T& part(Config& config, T Owner::*member) {
    return owner(config, static_cast<Owner*>(nullptr)).*member;
}

/// A JSON boolean and nothing else: "false" in quotes must not switch authentication off.
template <class Owner>
Apply flag(bool Owner::*member) {
    return [member](Config& config, const json::Value& value) {
        const bool* given = value.if_bool();
        if (given == nullptr) return wrong("must be true or false");
        part(config, member) = *given;
        return Problems{};
    };
}

template <class T, class Owner>
Apply whole(T Owner::*member, std::int64_t lowest, std::int64_t highest) {
    return [=](Config& config, const json::Value& value) {
        const std::int64_t* given = value.if_integer();
        if (given == nullptr || *given < lowest || *given > highest) {
            return wrong("must be a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest));
        }
        part(config, member) = T(*given);
        return Problems{};
    };
}

Apply ttl(util::Seconds oauth::Settings::*member) { return whole(member, 1, kTenYears); }

template <class T, class Owner>
Apply text(T Owner::*member, Fault (*check)(std::string_view)) {
    return [=](Config& config, const json::Value& value) {
        const std::string* given = value.if_string();
        if (given == nullptr) return wrong("must be a string");
        if (const Fault fault = check(*given)) return wrong(*fault);
        part(config, member) = *given;
        return Problems{};
    };
}

/// Takes null, too: as if the key were not there.
template <class T, class Owner>
Apply or_null(T Owner::*member, Apply read) {
    return [member, read = std::move(read)](Config& config, const json::Value& value) {
        if (!value.is_null()) return read(config, value);
        part(config, member) = T();
        return Problems{};
    };
}
template <class T, class Owner>
Apply optional_text(T Owner::*member, Fault (*check)(std::string_view)) {
    return or_null(member, text(member, check));
}

Apply path(oauth::RequiredPath oauth::Paths::*member) { return text(member, path_fault); }
Apply path(oauth::OptionalPath oauth::Paths::*member) { return optional_text(member, path_fault); }

/// One of a few words, each with its value.
template <class T, class Owner>
Apply word(T Owner::*member, std::map<std::string, T, std::less<>> words) {
    return [member, words = std::move(words)](Config& config, const json::Value& value) {
        const std::string* given = value.if_string();
        const auto found = given == nullptr ? words.end() : words.find(*given);
        if (found != words.end()) {
            part(config, member) = found->second;
            return Problems{};
        }
        std::string list;
        for (const auto& known : words) list += (list.empty() ? "\"" : ", \"") + known.first + "\"";
        return wrong((words.size() == 1 ? "must be " : "must be one of ") + list);
    };
}

template <class Owner>
Apply scope(model::Scope Owner::*member) {
    return [=](Config& config, const json::Value& value) {
        const std::string* given = value.if_string();
        auto parsed = given == nullptr ? std::nullopt : model::Scope::parse(*given);
        if (!parsed) return wrong("must be names of scopes in one string, separated by single spaces");
        part(config, member) = std::move(*parsed);
        return Problems{};
    };
}

/// The value is checked together with other keys.
Fault no_fault(std::string_view) { return std::nullopt; }

Fault log_target_fault(std::string_view target) {
    if (target == "stderr" || target == "syslog") return std::nullopt;
    if (target == "/dev/stdout" || target == "/dev/fd/1" || target == "/proc/self/fd/1")
        return "must not be standard output, which is a CGI program's answer";
    return file_fault(target) ? Fault("must be \"stderr\", \"syslog\" or an absolute file name") : std::nullopt;
}

/// The characters of a request id, which begins with it: people read one aloud.
Fault node_fault(std::string_view name) {
    constexpr std::string_view kCharacters = "0123456789abcdefghjkmnpqrstvwxyz";
    const bool is_name = name.size() <= 2 && name.find_first_not_of(kCharacters) == std::string_view::npos;
    return is_name ? std::nullopt : Fault("must be one or two digits or lower-case letters other than i, l, o and u");
}

Fault database_fault(std::string_view name) {
    if (!db::is_uri(name)) return file_fault(name);
    if (util::has_control_bytes(name)) return "must not contain control characters";
    return std::nullopt;
}

/// A file can name only the built-in source of claims; programs on the library pass a callable.
Problems read_user_claims(Config&, const json::Value& value) {
    const std::string* given = value.if_string();
    return given != nullptr && *given == "database" ? Problems{} : wrong("must be \"database\"");
}

}  // namespace

const std::vector<ConfigKey>& config_keys() {
    using fetch::Outbound;
    using oauth::ClientAssertions;
    using oauth::ClientDocuments;
    using oauth::Paths;
    using oauth::Registration;
    using oauth::Settings;
    using util::LogLevel;
    static const std::vector<ConfigKey> keys = {
        {"issuer", text(&Settings::issuer, issuer_fault)},
        {"database", text(&Config::database, database_fault)},
        {"state", text(&Config::state, file_fault)},
        {"node", text(&Config::node, node_fault)},
        {"keys", text(&Config::keys, file_fault)},
        {"templates", text(&Config::templates, file_fault)},
        {"oidc.userClaims", read_user_claims},
        {"authenticateIntrospect", flag(&Settings::authenticate_introspect)},
        {"authenticateRevoke", flag(&Settings::authenticate_revoke)},
        {"introspectionRequiresConfidentialClient", flag(&Settings::introspection_requires_confidential_client)},
        {"useOpaqueRefreshTokens", flag(&Settings::use_opaque_refresh_tokens)},
        {"implicit", read_implicit},
        {"responseTypes", read_response_types},
        {"accessTokenTTL", ttl(&Settings::access_token_ttl)},
        {"idTokenTTL", ttl(&Settings::id_token_ttl)},
        {"refreshTokenTTL", ttl(&Settings::refresh_token_ttl)},
        {"authorizationCodeTTL", whole(&Settings::authorization_code_ttl, 1, kTenMinutes)},  // RFC 6749 §4.1.2
        {"authorizationRequestTTL", ttl(&Settings::authorization_request_ttl)},
        {"parTTL", whole(&Settings::par_ttl, 10, 599)},  // FAPI 2.0 Security Profile §5.3.2.2: below 600
        {"par.publicClients", flag(&Settings::par_public_clients)},
        {"jarm", flag(&Settings::jarm)},
        {"profile",
         word(&Settings::security_profile, {{"fapi2", model::SecurityProfile::fapi2},
                                            {"fapi2-message-signing", model::SecurityProfile::fapi2_message_signing}})},
        {"requirePar", flag(&Settings::require_par)},
        {"requestObjects", word(&Settings::request_objects, {{"off", false}, {"allowed", true}})},
        {"requireSignedRequestObject", flag(&Settings::require_signed_request_object)},
        {"deviceCodeTTL", whole(&Settings::device_code_ttl, 60, 1800)},
        {"device.max", whole(&Settings::device_max, 1, 100000)},
        {"device.freshLogin", flag(&Settings::device_fresh_login)},
        {"sessionTTL", ttl(&Settings::session_ttl)},
        {"sessionIdleTTL", ttl(&Settings::session_idle_ttl)},
        {"backchannelLogout", flag(&Settings::backchannel_logout)},
        {"frontchannelLogout", flag(&Settings::frontchannel_logout)},
        {"maxAgeLeeway", whole(&Settings::max_age_leeway, 0, 300)},
        {"refreshReuseGrace", whole(&Settings::refresh_reuse_grace, 0, 60)},
        {"accessTokenAlgorithm", read_access_token_algorithm},
        {"accessTokenProfile", word(&Settings::access_token_profile, {{"interface", model::TokenProfile::interface},
                                                                      {"rfc9068", model::TokenProfile::rfc9068}})},
        {"defaultResource", text(&Settings::default_resource, no_fault)},
        {"idTokenAlgorithm", read_id_token_algorithm},
        {"idTokenAlgorithms", read_id_token_algorithms},
        {"usernameInAccessToken", flag(&Settings::username_in_access_token)},
        {"authorizeMethods", read_authorize_methods},
        {"languages", read_languages},
        {"language", text(&Settings::language, language_fault)},
        {"branding.name", text(&pages::Branding::name, brand_name_fault)},
        {"branding.color", text(&pages::Branding::color, color_fault)},
        {"branding.colorDark", text(&pages::Branding::color_dark, color_fault)},
        {"branding.logo", text(&pages::Branding::logo, file_fault)},
        {"branding.help", text(&pages::Branding::help, help_fault)},
        {"branding.links", read_brand_links},
        {"scopeDescriptions", read_scope_descriptions},
        {"scopeClaims", read_scope_claims},
        {"login.method", word(&login::Settings::method, {{"password", login::Method::password},
                                                         {"remote_user", login::Method::remote_user},
                                                         {"saslauthd", login::Method::saslauthd}})},
        {"login.saslauthd", read_saslauthd},
        {"login.maxFailures", whole(&login::Settings::max_failures, 1, 10000)},
        {"login.window", whole(&login::Settings::window, 1, 86400)},
        {"login.hashSlots", whole(&login::Settings::hash_slots, 1, 64)},
        {"login.secondFactor", word(&login::Settings::second_factor, {{"offered", login::SecondFactor::offered},
                                                                      {"required", login::SecondFactor::required},
                                                                      {"off", login::SecondFactor::off}})},
        {"login.enrolment",
         word(&login::Settings::enrolment, {{"login", login::Enrolment::login}, {"link", login::Enrolment::link}})},
        {"login.passkeys", word(&login::Settings::passkeys, {{"login", login::Passkeys::login},
                                                             {"secondFactor", login::Passkeys::second_factor},
                                                             {"off", login::Passkeys::off}})},
        {"login.rpId", optional_text(&login::Settings::rp_id, rp_id_fault)},
        {"login.rememberDevice", whole(&login::Settings::remember_device, 0, kThirtyDays)},
        {"login.acrNames", read_acr_names},
        {"login.passwordMinLength", whole(&login::Settings::password_min_length, 8, 64)},
        {"login.passwordMinStrength", whole(&login::Settings::password_min_strength, 0, 100)},
        {"login.passwordBlocklist", optional_text(&login::Settings::password_blocklist, file_fault)},
        {"login.remoteUserVariable", text(&login::Settings::remote_user_variable, variable_fault)},
        {"login.remoteLevel", or_null(&login::Settings::remote_level, whole(&login::Settings::remote_level, 1, 2))},
        {"login.autoCreate", flag(&login::Settings::auto_create)},
        {"login.claimsFromEnvironment", read_claims_from_environment},
        {"login.groupsFromEnvironment", read_groups_from_environment},
        {"login.authTimeFromEnvironment", text(&login::Settings::auth_time_variable, variable_fault)},
        {"login.logoutRedirect", text(&login::Settings::logout_redirect, logout_redirect_fault)},
        {"account.reauthentication", whole(&web::AccountSettings::reauthentication, 1, kTenYears)},
        {"account.addresses", flag(&web::AccountSettings::addresses)},
        {"account.editableClaims", read_editable_claims},
        {"clientDocuments.enabled", flag(&ClientDocuments::enabled)},
        {"clientDocuments.allow", read_hosts(&ClientDocuments::allow)},
        {"clientDocuments.deny", read_hosts(&ClientDocuments::deny)},
        {"clientDocuments.scope", scope(&ClientDocuments::scope)},
        {"clientDocuments.ttl", whole(&ClientDocuments::ttl, 86400, kTenYears)},
        {"clientDocuments.max", whole(&ClientDocuments::max, 1, 1000000)},
        {"registration.mode", word(&Registration::mode, {{"closed", oauth::RegistrationMode::closed},
                                                         {"token", oauth::RegistrationMode::token},
                                                         {"open", oauth::RegistrationMode::open}})},
        {"registration.grants", read_registration_grants},
        {"registration.scope", scope(&Registration::scope)},
        {"registration.hosts", read_registration_hosts},
        {"registration.ttl", whole(&Registration::ttl, 86400, kTenYears)},
        {"registration.max", whole(&Registration::max, 1, 1000000)},
        {"clientAssertions", flag(&ClientAssertions::enabled)},
        {"clientAssertionAudience",
         word(&ClientAssertions::takes_endpoints, {{"issuer", false}, {"issuer_or_endpoint", true}})},
        {"clientAssertionMaxLifetime", whole(&ClientAssertions::max_lifetime, 60, 3600)},
        {"clockSkew", whole(&Settings::clock_skew, 10, 50)},
        {"dpop", word(&Settings::dpop, {{"off", false}, {"allowed", true}})},
        {"dpopMaxAge", whole(&Settings::dpop_max_age, 20, 300)},
        {"replays.maxSize", whole(&Settings::replays_size, 65536, std::int64_t{1} << 40)},
        {"limits.body", whole(&Limits::body, 4096, 1 << 20)},
        {"limits.token", whole(&Limits::token, 1024, 8192)},
        {"limits.parameters", whole(&Limits::parameters, 16, 1024)},
        {"authorizationVariables", read_authorization_variables},
        {"trustedProxies", read_trusted_proxies},
        {"gate.proxies", read_gate_proxies},
        {"sandbox",
         word(&Config::sandbox,
              {{"auto", SandboxMode::automatic}, {"require", SandboxMode::require}, {"off", SandboxMode::off}})},
        {"outbound.enabled", flag(&Outbound::enabled)},
        {"outbound.ports", read_ports},
        {"outbound.allow", read_allowed_networks},
        {"outbound.ca", optional_text(&Outbound::ca, file_fault)},
        {"outbound.proxy", optional_text(&Outbound::proxy, proxy_fault)},
        {"outbound.staleIfError", whole(&Outbound::stale_if_error, 0, 604800)},
        {"outbound.slots", whole(&Outbound::slots, 1, 64)},
        {"outbound.program", text(&Outbound::program, file_fault)},
        {"mail", read_mail},
        {"mtls", read_mtls},
        {"log.target", text(&Config::log_target, log_target_fault)},
        {"log.level", word(&Config::log_level, {{"error", LogLevel::error},
                                                {"warn", LogLevel::warn},
                                                {"info", LogLevel::info},
                                                {"debug", LogLevel::debug}})},
        {"metadata", read_metadata},
#define POSTERN_PATH_KEY(name, ...) {oauth::endpoint::key_of_path(#name), path(&Paths::name)},
        POSTERN_ENDPOINTS(POSTERN_PATH_KEY)
#undef POSTERN_PATH_KEY
    };
    return keys;
}

}  // namespace postern::config
