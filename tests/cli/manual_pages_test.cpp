// The manual pages say of the command, the configuration and the endpoints what these say of themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "config/config.h"
#include "config/keys.h"
#include "help_text.h"
#include "installation.h"
#include "oauth/settings.h"
#include "support/device.h"
#include "util/text.h"

using namespace postern::test;
namespace fs = std::filesystem;
namespace json = postern::json;
namespace config = postern::config;

namespace {

/// A page as it is read: without fonts, with its dashes and quotes as they are typed.
std::string page(const std::string& name) {
    std::string text = read_file(source_directory() / "docs" / "man" / name);
    REQUIRE_FALSE(text.empty());
    for (const auto& [from, to] : std::map<std::string, std::string>{
             {"\\fB", ""}, {"\\fI", ""}, {"\\fR", ""}, {"\\-", "-"}, {"\\(dq", "\""}, {"\\(aq", "'"}, {"\\&", ""}}) {
        for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    }
    return text;
}

/// Returns the text below ".TP" and the line `tag`, up to the next such line or heading.
std::string paragraph(const std::string& text, const std::string& tag, const std::string& next_tag) {
    const std::string heading = "\n.TP\n" + tag + "\n";
    const auto start = text.find(heading);
    if (start == text.npos) return "";
    CHECK(text.find(heading, start + 1) == text.npos);
    const auto from = start + heading.size();
    return text.substr(from, std::min(text.find("\n.TP\n" + next_tag, from), text.find("\n.S", from)) - from);
}

/// The tags of the paragraphs that begin so.
Words tags(const std::string& text, const std::string& beginning) {
    Words found;
    const auto lines = postern::util::split(text, '\n');
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i - 1] == ".TP" && lines[i].starts_with(beginning)) found.emplace_back(lines[i]);
    }
    return found;
}

/// "postern client add ID"
std::string synopsis(const Command& command, std::map<std::string, std::vector<HelpEntry>>& lists) {
    std::string text = text_of(command);
    for (const HelpEntry& argument : lists["Arguments"]) text += " " + argument.name;
    return text;
}

/// Why the configuration refuses what no key accepts; "" when it is not known.
std::string what_it_takes(const std::string& key) {
    config::Config read;
    const auto& keys = config::config_keys();
    const auto row = std::ranges::find(keys, key, &config::ConfigKey::name);
    if (row == keys.end()) return "";
    const auto problems = row->apply(read, json::Array{json::Array{}});
    REQUIRE_FALSE(problems.empty());
    return problems.front().reason;
}

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(postern::util::Seconds value) { return std::to_string(value.count()) + " seconds"; }
std::string text_of(postern::crypto::Algorithm value) { return std::string(postern::crypto::to_string(value)); }

/// Returns the default of each key, as the page says it.
std::map<std::string, std::string> defaults() {
    const auto config = config::parse_config(R"({"issuer": "https://id.example.org"})");
    REQUIRE(config);
    const auto& settings = config->settings;
    const auto& login = settings.login;
    const auto& documents = settings.client_documents;
    CHECK(settings.scope_descriptions.empty());
    CHECK(settings.released_claims.added().size() == 1);  // groups, which is built in
    CHECK(settings.metadata.members().empty());
    CHECK(config->trusted_proxies.empty());
    CHECK(config->authorization_variables == Words{"HTTP_AUTHORIZATION"});
    CHECK_FALSE(settings.oidc);
    CHECK(config->log_level == postern::util::LogLevel::info);
    return {
        {"database", config->database},
        {"state", config->state_directory()},
        {"node", config->node.empty() ? "none" : config->node},
        {"keys", config->keys},
        {"templates", "$(PREFIX)/share/postern/templates"},  // the Makefile's
        {"languages", "all"},
        {"language", settings.language},
        {"oidc.userClaims", "none"},
        {"mail", settings.mail ? "" : "none"},
        {"mtls", settings.mtls ? "" : "none"},
        {"authenticateIntrospect", text_of(settings.authenticate_introspect)},
        {"authenticateRevoke", text_of(settings.authenticate_revoke)},
        {"introspectionRequiresConfidentialClient", text_of(settings.introspection_requires_confidential_client)},
        {"useOpaqueRefreshTokens", text_of(settings.use_opaque_refresh_tokens)},
        {"implicit", text_of(settings.offers(postern::model::ResponseType::token))},
        {"responseTypes", R"(["code"])"},
        {"accessTokenTTL", text_of(settings.access_token_ttl)},
        {"idTokenTTL", text_of(settings.id_token_ttl)},
        {"refreshTokenTTL", text_of(settings.refresh_token_ttl)},
        {"authorizationCodeTTL", text_of(settings.authorization_code_ttl)},
        {"backchannelLogout", text_of(settings.backchannel_logout)},
        {"frontchannelLogout", text_of(settings.frontchannel_logout)},
        {"registration.mode", "\"closed\""},
        {"registration.grants", R"(["authorization_code", "refresh_token"])"},
        {"registration.scope", "\"" + settings.registration.scope.to_string() + "\""},
        {"registration.hosts", "[]"},
        {"registration.ttl", text_of(settings.registration.ttl)},
        {"registration.max", std::to_string(settings.registration.max)},
        {"clientAssertions", text_of(settings.assertions.enabled)},
        {"clientAssertionAudience", "\"issuer\""},
        {"clientAssertionMaxLifetime", text_of(settings.assertions.max_lifetime)},
        {"clockSkew", text_of(settings.clock_skew)},
        {"dpop", "\"off\""},
        {"dpopMaxAge", text_of(settings.dpop_max_age)},
        {"replays.maxSize", std::to_string(settings.replays_size)},
        {"parTTL", text_of(settings.par_ttl)},
        {"par.publicClients", text_of(settings.par_public_clients)},
        {"jarm", text_of(settings.jarm)},
        {"profile", "none"},
        {"requirePar", text_of(settings.require_par)},
        {"requestObjects", "\"off\""},
        {"requireSignedRequestObject", text_of(settings.require_signed_request_object)},
        {"deviceCodeTTL", text_of(settings.device_code_ttl)},
        {"device.max", std::to_string(settings.device_max)},
        {"device.freshLogin", text_of(settings.device_fresh_login)},
        {"authorizationRequestTTL", text_of(settings.authorization_request_ttl)},
        {"sessionTTL", text_of(settings.session_ttl)},
        {"sessionIdleTTL", text_of(settings.session_idle_ttl)},
        {"maxAgeLeeway", text_of(settings.max_age_leeway)},
        {"refreshReuseGrace", text_of(settings.refresh_reuse_grace)},
        {"accessTokenAlgorithm", text_of(settings.token_algorithm(postern::model::TokenProfile::interface))},
        {"accessTokenProfile", std::string(postern::model::to_string(settings.access_token_profile))},
        {"defaultResource", settings.default_resource.value_or("none")},
        {"idTokenAlgorithm", text_of(settings.id_token_algorithms.front())},
        {"idTokenAlgorithms", R"(["RS256"])"},
        {"usernameInAccessToken", text_of(settings.username_in_access_token)},
        {"authorizeMethods", settings.authorize_post ? R"(["GET", "POST"])" : R"(["GET"])"},
        {"branding.name", "none"},
        {"branding.color", "none"},
        {"branding.colorDark", "none"},
        {"branding.logo", "none"},
        {"branding.help", "none"},
        {"branding.links", "[]"},
        {"scopeDescriptions", "{}"},
        {"scopeClaims", "{}"},
        {"login.method", login.method == postern::login::Method::password ? "password" : "remote_user"},
        {"login.saslauthd", login.saslauthd ? "an object" : "none"},
        {"login.maxFailures", std::to_string(login.max_failures)},
        {"login.window", text_of(login.window)},
        {"login.hashSlots", std::to_string(login.hash_slots)},
        {"login.secondFactor", login.second_factor == postern::login::SecondFactor::offered ? "offered" : "other"},
        {"login.enrolment", login.enrolment == postern::login::Enrolment::login ? "login" : "link"},
        {"login.passkeys", login.passkeys == postern::login::Passkeys::login ? "login" : "other"},
        {"login.rpId", login.rp_id == "id.example.org" ? "null" : login.rp_id},
        {"login.passwordMinLength", std::to_string(login.password_min_length)},
        {"login.passwordMinStrength", std::to_string(login.password_min_strength)},
        {"login.passwordBlocklist", login.password_blocklist.value_or("null")},
        {"login.rememberDevice", std::to_string(login.remember_device.count())},
        {"login.remoteLevel", login.remote_level == 0 ? "null" : std::to_string(login.remote_level)},
        {"login.acrNames", login.acr_names.empty() ? "{}" : "not empty"},
        {"login.remoteUserVariable", login.remote_user_variable},
        {"login.autoCreate", text_of(login.auto_create)},
        {"login.claimsFromEnvironment", login.claims_from_environment.empty() ? "{}" : "not empty"},
        {"login.groupsFromEnvironment", login.groups_from_environment ? "an object" : "null"},
        {"login.authTimeFromEnvironment", login.auth_time_variable.value_or("none")},
        {"login.logoutRedirect", login.logout_redirect.value_or("none")},
        {"account.reauthentication", text_of(settings.account.reauthentication)},
        {"account.addresses", text_of(settings.account.addresses)},
        {"account.editableClaims", settings.account.editable_claims.empty() ? "[]" : "?"},
        {"clientDocuments.enabled", text_of(documents.enabled)},
        {"clientDocuments.allow", documents.allow.empty() ? "[]" : "?"},
        {"clientDocuments.deny", documents.deny.empty() ? "[]" : "?"},
        {"clientDocuments.scope", "\"" + documents.scope.to_string() + "\""},
        {"clientDocuments.ttl", text_of(documents.ttl)},
        {"clientDocuments.max", std::to_string(documents.max)},
        {"limits.body", std::to_string(config->limits.body) + " bytes"},
        {"limits.token", std::to_string(config->limits.token) + " bytes"},
        {"limits.parameters", std::to_string(config->limits.parameters)},
        {"authorizationVariables", R"(["HTTP_AUTHORIZATION"])"},
        {"trustedProxies", "[]"},
        {"sandbox", config->sandbox == config::SandboxMode::automatic ? "\"auto\"" : "another"},
        {"outbound.enabled", text_of(settings.outbound.enabled)},
        {"outbound.ports", "[443]"},
        {"outbound.allow", "[]"},
        {"gate.proxies", "[]"},
        {"outbound.ca", settings.outbound.ca.value_or("none")},
        {"outbound.proxy", settings.outbound.proxy.value_or("none")},
        {"outbound.staleIfError", text_of(settings.outbound.stale_if_error)},
        {"outbound.slots", std::to_string(settings.outbound.slots)},
        {"outbound.program", "$(PREFIX)/libexec/postern/fetch"},  // the Makefile's
        {"log.target", config->log_target},
        {"log.level", "info"},
        {"metadata", "{}"},
    };
}

}  // namespace

TEST_CASE("manual pages: postern(1) has every command with its arguments and options, and no other") {
    const Installation installation(Installation::Start::configured);
    const std::string text = page("postern.1");
    Words documented;
    for (const Command& command : all_commands(installation)) {
        auto lists = lists_in(help_of(installation, command));
        const std::string name = synopsis(command, lists);
        CAPTURE(name);
        const std::string entry = paragraph(text, name, "postern ");
        CHECK(entry.size() > 10);
        documented.push_back(name);
        for (const HelpEntry& option : lists["Options"]) {
            const std::string flag = option.name.substr(0, option.name.find_first_of(" ,"));
            CAPTURE(flag);
            const bool common = flag == "-h" || flag == "--config" || flag == "--json";
            const std::string& where = common ? text : entry;
            CHECK((has(where, "\n.B " + flag + "\n") || has(where, "\n.BI " + flag + " ") ||
                   has(where, "\n.BR " + flag + " ") || has(where, " " + flag + ",")));
        }
    }
    auto named = tags(text, "postern ");
    std::ranges::sort(named);
    std::ranges::sort(documented);
    CHECK(named == documented);
}

TEST_CASE("manual pages: postern.json(5) has every key with its default, its range and its words, and no other") {
    const std::string text = page("postern.json.5");
    const auto known = defaults();
    for (const config::ConfigKey& key : config::config_keys()) {
        const std::string name(key.name);
        CAPTURE(name);
        if (name.starts_with("paths.")) continue;  // in postern-endpoints(8)
        const std::string entry = paragraph(text, ".B " + name, "");
        if (name == "issuer") {
            CHECK(entry.starts_with("Required."));
            continue;
        }
        REQUIRE(known.count(name) == 1);
        const std::string beginning = "Default " + known.at(name);
        CAPTURE(beginning);
        CHECK(entry.starts_with(beginning));
        CHECK((entry.size() > beginning.size() && has(".,:; ", entry.substr(beginning.size(), 1))));
        const std::string takes = what_it_takes(name);
        CAPTURE(takes);
        if (const auto range = takes.find("from "); range != takes.npos)
            CHECK(has(entry, ", " + takes.substr(range) + "."));
        for (std::size_t word = 1; word < postern::util::split(takes, '"').size(); word += 2)
            CHECK(has(entry, "\"" + std::string(postern::util::split(takes, '"')[word]) + "\""));
    }
    for (const std::string& tag : tags(text, ".B ")) {
        CAPTURE(tag);
        CHECK_FALSE(what_it_takes(tag.substr(3)).empty());
    }
}

TEST_CASE("manual pages: postern-endpoints(8) has every executable with its path and its methods") {
    namespace endpoint = postern::oauth::endpoint;
    Deployment::Options options = with_devices({{"registration", postern::json::Object{{"mode", "token"}}}});
    options.config.set("paths",
                       postern::json::Object{
                           {"deviceAuthorization", "/device_authorization"}, {"device", "/device"}, {"par", "/par"}});
    const Deployment op(options);
    const std::string text = page("postern-endpoints.8");
    std::size_t found = 0;
    for (const auto& source : fs::directory_iterator(source_directory() / "cgi-bin")) {
        const std::string name = source.path().stem().string();
        CAPTURE(name);
        ++found;
        CHECK(has(text.substr(0, text.find(".SH SYNOPSIS")), name));
        const std::string entry = paragraph(text, ".B " + name, "");
        const auto declared = std::ranges::find(endpoint::kDeclared, name, &endpoint::Declaration::name);
        REQUIRE(declared != std::end(endpoint::kDeclared));
        const std::string path = "Path " + std::string(declared->path);
        CAPTURE(path);
        if (declared->may_be_null)
            CHECK(has(entry, path + "; may be null.\n"));
        else
            CHECK((has(entry, path + ".\n") || has(entry, path + ", ")));
        if (name == "gate") continue;  // it is asked about every method
        CgiRequest request;
        request.method = "PUT";
        const Answer answer = op.cgi(name, request);
        CHECK(answer.status == 405);
        const std::string methods = "\nMethods " + answer.header("Allow");
        CAPTURE(methods);
        CHECK((has(entry, methods + ".\n") || has(entry, methods + "; ")));
    }
    CHECK(found >= 10);
}

TEST_CASE("manual pages: the formatter has nothing to say against them") {
    for (const char* name : {"postern.1", "postern.json.5", "postern-endpoints.8"}) {
        CAPTURE(std::string(name));
        const auto groff = run({"/usr/bin/groff", "-man", "-ww", "-Tutf8", source_directory() / "docs" / "man" / name},
                               {{"PATH", "/usr/bin:/bin"}});
        CHECK(groff.exit_code == 0);
        CHECK(groff.err == "");
        CHECK(groff.out.size() > 2000);
    }
}
