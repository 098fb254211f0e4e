// Every key the configuration file may have, one row each: its name, what it accepts and where it goes.
#include "config/table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "config/checks.h"
#include "config/remote_user.h"
#include "db/database.h"
#include "gateway/address.h"
#include "gateway/variable_names.h"
#include "model/protocol_claims.h"
#include "model/scope.h"
#include "oauth/scope_policy.h"
#include "oidc/discovery.h"
#include "util/text.h"

namespace postern::config {
namespace {

using Problems = std::vector<ConfigProblem>;

constexpr std::int64_t kTenYears = std::int64_t{10} * 365 * 24 * 60 * 60;
constexpr std::int64_t kTenMinutes = 600;
constexpr std::size_t kLongestDescription = 256;
constexpr std::size_t kMostVariables = 8;
constexpr std::size_t kMostClaims = 64;
constexpr std::size_t kMostGroups = 256;

Problems wrong(std::string reason) { return {{"", std::move(reason)}}; }

template <class T>
T& part(Config& config, T Config::*member) {
    return config.*member;
}
template <class T>
T& part(Config& config, T Limits::*member) {
    return config.limits.*member;
}
template <class T>
T& part(Config& config, T oauth::Settings::*member) {
    return config.settings.*member;
}
template <class T>
T& part(Config& config, T oauth::Paths::*member) {
    return config.settings.paths.*member;
}
template <class T>
T& part(Config& config, T oauth::LoginSettings::*member) {
    return config.settings.login.*member;
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

Apply optional_path(std::optional<std::string> oauth::Paths::*member) {
    return [member, given_path = text(member, path_fault)](Config& config, const json::Value& value) {
        if (!value.is_null()) return given_path(config, value);
        part(config, member).reset();
        return Problems{};
    };
}

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

template <class T>
Apply algorithm(T oauth::Settings::*member) {
    using crypto::Algorithm;
    return word(member, {{"RS256", Algorithm::RS256}, {"ES256", Algorithm::ES256}, {"EdDSA", Algorithm::EdDSA}});
}

/// For what is looked at together with other keys.
Fault no_fault(std::string_view) { return std::nullopt; }

Fault log_target_fault(std::string_view target) {
    if (target == "stderr" || target == "syslog") return std::nullopt;
    if (target == "/dev/stdout" || target == "/dev/fd/1" || target == "/proc/self/fd/1")
        return "must not be standard output, which is a CGI program's answer";
    return file_fault(target) ? Fault("must be \"stderr\", \"syslog\" or an absolute file name") : std::nullopt;
}

Problems read_authorize_methods(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    bool get = false;
    bool post = false;
    for (const json::Value& item : *value.if_array()) {
        const std::string* name = item.if_string();
        bool* seen = name == nullptr ? nullptr : *name == "GET" ? &get : *name == "POST" ? &post : nullptr;
        if (seen == nullptr) return wrong("may hold only \"GET\" and \"POST\"");
        if (std::exchange(*seen, true)) return wrong("must not name a method twice");
    }
    if (!get) return wrong("must hold \"GET\": clients send users there with a redirect");
    config.settings.authorize_post = post;
    return {};
}

Problems read_trusted_proxies(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    Problems problems;
    for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        const std::string* given = (*value.if_array())[i].if_string();
        const auto address = given == nullptr ? std::nullopt : gateway::canonical_address(*given);
        if (address) {
            config.trusted_proxies.push_back(*address);
        } else {
            problems.push_back({"[" + std::to_string(i) + "]", "must be one IP address (no network, no name)"});
        }
    }
    return problems;
}

Problems read_authorization_variables(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr || value.if_array()->empty() || value.if_array()->size() > kMostVariables)
        return wrong("must be a list of 1 to 8 CGI variables");
    Problems problems;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        const std::string* given = (*value.if_array())[i].if_string();
        const Fault fault =
            given == nullptr ? Fault("must be a string") : gateway::authorization_variable_fault(*given);
        const bool twice = !fault && std::ranges::find(names, *given) != names.end();
        if (fault || twice) {
            problems.push_back({"[" + std::to_string(i) + "]", fault.value_or("must not be named twice")});
        } else {
            names.push_back(*given);
        }
    }
    config.authorization_variables = std::move(names);
    return problems;
}

Fault scope_fault(const std::string& scope) {
    const auto parsed = model::Scope::parse(scope);
    if (!parsed || parsed->tokens().size() != 1) return "is not the name of a scope (RFC 6749 appendix A.4)";
    return std::nullopt;
}

Fault description_fault(const std::string& scope, const json::Value& value) {
    if (Fault fault = scope_fault(scope)) return fault;
    const std::string* description = value.if_string();
    if (description == nullptr) return "must be a string";
    if (description->empty() || description->size() > kLongestDescription || util::has_control_bytes(*description)) {
        return "must be one line of 1 to 256 bytes";
    }
    return std::nullopt;
}

Problems read_scope_descriptions(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& member : value.if_object()->members()) {
        if (const Fault fault = description_fault(member.first, member.second)) {
            problems.push_back({"." + member.first, *fault});
        } else {
            config.settings.scope_descriptions[member.first] = *member.second.if_string();
        }
    }
    return problems;
}

/// What is wrong with the claims of one scope as a whole.
Fault scope_claims_fault(const std::string& scope, const json::Value& value) {
    if (Fault fault = scope_fault(scope)) return fault;
    if (oauth::openid_scopes().contains(scope))
        return "is a scope of OpenID Connect, and people know what it releases: name a scope of your own";
    const json::Array* claims = value.if_array();
    if (claims == nullptr || claims->empty() || claims->size() > kMostClaims)
        return "must be a list of 1 to 64 names of claims";
    return std::nullopt;
}

Fault released_claim_fault(const json::Value& value) {
    const std::string* name = value.if_string();
    if (name == nullptr || !model::is_claim_name(*name))
        return "must be the name of a claim: 1 to 64 printable ASCII characters without space, quotation mark and "
               "backslash";
    if (model::is_protocol_claim(*name)) return "is set by the server itself: a user has no such claim";
    return std::nullopt;
}

Problems read_scope_claims(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& [scope, claims] : value.if_object()->members()) {
        if (const Fault fault = scope_claims_fault(scope, claims)) {
            problems.push_back({"." + scope, *fault});
            continue;
        }
        for (std::size_t i = 0; i < claims.if_array()->size(); ++i) {
            const json::Value& name = (*claims.if_array())[i];
            if (const Fault fault = released_claim_fault(name))
                problems.push_back({"." + scope + "[" + std::to_string(i) + "]", *fault});
            else
                config.settings.released_claims.add(scope, *name.if_string());
        }
    }
    return problems;
}

Problems read_metadata(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& member : value.if_object()->members()) {
        if (oidc::is_computed_member(member.first)) {
            problems.push_back({"." + member.first, "cannot be replaced: the server computes it"});
        } else if (member.second.is_null()) {
            problems.push_back({"." + member.first, "must have a value: leave the member out instead"});
        }
    }
    if (problems.empty()) config.settings.metadata = *value.if_object();
    return problems;
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

/// The built-in source of claims is the only one that a file can name; programs on the library pass a callable.
Problems read_user_claims(Config&, const json::Value& value) {
    const std::string* given = value.if_string();
    return given != nullptr && *given == "database" ? Problems{} : wrong("must be \"database\"");
}

Fault environment_fault(const std::string& claim, const json::Value& variable) {
    if (const Fault fault = environment_claim_fault(claim)) return fault;
    const std::string* name = variable.if_string();
    return name == nullptr ? Fault("must be a string, the name of a CGI variable") : variable_fault(*name);
}

Problems read_claims_from_environment(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object: claims, and the CGI variables that hold them");
    Problems problems;
    for (const auto& [claim, variable] : value.if_object()->members()) {
        if (const Fault fault = environment_fault(claim, variable)) {
            problems.push_back({"." + claim, *fault});
        } else {
            config.settings.login.claims_from_environment[claim] = *variable.if_string();
        }
    }
    return problems;
}

void add(Problems& problems, const std::string& key, const Fault& fault) {
    if (fault) problems.push_back({key, *fault});
}

/// Of the members of `login.groupsFromEnvironment` that are text.
Fault read_member(const json::Object& object, const char* name, Fault (*check)(std::string_view), std::string& text) {
    const json::Value* value = object.find(name);
    if (value == nullptr) return "is required";
    if (value->if_string() == nullptr) return "must be a string";
    text = *value->if_string();
    return check(text);
}

Problems read_group_map(oauth::GroupsFromEnvironment& read, const json::Object& object) {
    const json::Value* map = object.find("groups");
    if (map == nullptr) return {{".groups", "is required"}};
    if (map->if_object() == nullptr || map->if_object()->members().empty() ||
        map->if_object()->members().size() > kMostGroups)
        return {{".groups", "must be an object of 1 to 256 members: values, and the groups that they stand for"}};
    Problems problems;
    for (const auto& [value, group] : map->if_object()->members()) {
        const std::string key = ".groups." + value;
        const Fault fault = environment_group_fault(value, read.separator, group.if_string());
        if (!fault) read.groups[value] = *group.if_string();
        add(problems, key, fault);
    }
    return problems;
}

Problems read_groups_from_environment(Config& config, const json::Value& value) {
    auto& target = config.settings.login.groups_from_environment;
    target.reset();
    if (value.is_null()) return {};
    if (value.if_object() == nullptr)
        return wrong("must be null, or an object with \"variable\", \"separator\" and \"groups\"");
    const json::Object& object = *value.if_object();
    oauth::GroupsFromEnvironment read;
    Problems problems;
    for (const auto& [name, ignored] : object.members()) {
        if (name != "variable" && name != "separator" && name != "groups")
            problems.push_back({"." + name, "is not a known key"});
    }
    add(problems, ".variable", read_member(object, "variable", variable_fault, read.variable));
    add(problems, ".separator", read_member(object, "separator", separator_fault, read.separator));
    for (ConfigProblem& problem : read_group_map(read, object)) problems.push_back(std::move(problem));
    if (problems.empty()) target = std::move(read);
    return problems;
}

}  // namespace

const std::vector<ConfigKey>& config_keys() {
    using oauth::LoginMethod;
    using oauth::LoginSettings;
    using oauth::Paths;
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
        {"implicit", flag(&Settings::implicit)},
        {"accessTokenTTL", ttl(&Settings::access_token_ttl)},
        {"idTokenTTL", ttl(&Settings::id_token_ttl)},
        {"refreshTokenTTL", ttl(&Settings::refresh_token_ttl)},
        {"authorizationCodeTTL", whole(&Settings::authorization_code_ttl, 1, kTenMinutes)},  // RFC 6749 §4.1.2
        {"authorizationRequestTTL", ttl(&Settings::authorization_request_ttl)},
        {"sessionTTL", ttl(&Settings::session_ttl)},
        {"sessionIdleTTL", ttl(&Settings::session_idle_ttl)},
        {"maxAgeLeeway", whole(&Settings::max_age_leeway, 0, 300)},
        {"refreshReuseGrace", whole(&Settings::refresh_reuse_grace, 0, 60)},
        {"accessTokenAlgorithm", algorithm(&Settings::access_token_algorithm)},
        {"accessTokenProfile", word(&Settings::access_token_profile, {{"interface", model::TokenProfile::interface},
                                                                      {"rfc9068", model::TokenProfile::rfc9068}})},
        {"defaultResource", text(&Settings::default_resource, no_fault)},
        {"idTokenAlgorithm", algorithm(&Settings::id_token_algorithm)},
        {"usernameInAccessToken", flag(&Settings::username_in_access_token)},
        {"authorizeMethods", read_authorize_methods},
        {"scopeDescriptions", read_scope_descriptions},
        {"scopeClaims", read_scope_claims},
        {"paths.authorize", text(&Paths::authorize, path_fault)},
        {"paths.token", text(&Paths::token, path_fault)},
        {"paths.introspect", optional_path(&Paths::introspect)},
        {"paths.revoke", optional_path(&Paths::revoke)},
        {"paths.userinfo", optional_path(&Paths::userinfo)},
        {"paths.jwks", text(&Paths::jwks, path_fault)},
        {"paths.login", text(&Paths::login, path_fault)},
        {"paths.scopes", text(&Paths::scopes, path_fault)},
        {"paths.logout", optional_path(&Paths::logout)},
        {"paths.discovery", text(&Paths::discovery, path_fault)},
        {"login.method", word(&LoginSettings::method,
                              {{"password", LoginMethod::password}, {"remote_user", LoginMethod::remote_user}})},
        {"login.maxFailures", whole(&LoginSettings::max_failures, 1, 10000)},
        {"login.window", whole(&LoginSettings::window, 1, 86400)},
        {"login.hashSlots", whole(&LoginSettings::hash_slots, 1, 64)},
        {"login.remoteUserVariable", text(&LoginSettings::remote_user_variable, variable_fault)},
        {"login.autoCreate", flag(&LoginSettings::auto_create)},
        {"login.claimsFromEnvironment", read_claims_from_environment},
        {"login.groupsFromEnvironment", read_groups_from_environment},
        {"login.authTimeFromEnvironment", text(&LoginSettings::auth_time_variable, variable_fault)},
        {"login.logoutRedirect", text(&LoginSettings::logout_redirect, logout_redirect_fault)},
        {"limits.body", whole(&Limits::body, 4096, 1 << 20)},
        {"limits.token", whole(&Limits::token, 1024, 8192)},  // jose::kMaxTokenBytes is the verifier's own bound
        {"limits.parameters", whole(&Limits::parameters, 16, 1024)},
        {"authorizationVariables", read_authorization_variables},
        {"trustedProxies", read_trusted_proxies},
        {"sandbox",
         word(&Config::sandbox,
              {{"auto", SandboxMode::automatic}, {"require", SandboxMode::require}, {"off", SandboxMode::off}})},
        {"log.target", text(&Config::log_target, log_target_fault)},
        {"log.level", word(&Config::log_level, {{"error", LogLevel::error},
                                                {"warn", LogLevel::warn},
                                                {"info", LogLevel::info},
                                                {"debug", LogLevel::debug}})},
        {"metadata", read_metadata},
    };
    return keys;
}

}  // namespace postern::config
