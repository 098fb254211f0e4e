// Decides what the options of `client add` and `client set` mean, before the rules of registration judge the outcome.
#include "cli/client/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using model::AuthMethod;
using model::Client;
using model::ClientType;
using model::GrantType;

void add_flag(CLI::App& command, const char* name, std::optional<bool>& value, bool meaning, const char* help) {
    command.add_flag_callback(
        name, [&value, meaning] { value = meaning; }, help);
}

/// Pasted white space goes (a blank inside stays, to be refused); a URI given twice is one.
std::vector<std::string> trimmed(const std::vector<std::string>& uris) {
    std::vector<std::string> result;
    for (const std::string& uri : uris) {
        std::string_view text = uri;
        while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos)
            text.remove_prefix(1);
        while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
            text.remove_suffix(1);
        if (std::ranges::find(result, text) == result.end()) result.emplace_back(text);
    }
    return result;
}

void replace_uris(std::vector<std::string>& uris, const std::vector<std::string>& given, bool none,
                  const char* option) {
    if (none && !given.empty())
        throw UsageError(std::string("--no-") + option + " and --" + option + " contradict each other");
    if (none || !given.empty()) uris = trimmed(given);
}

void apply_type(const ClientOptions& options, Client& client) {
    std::optional<AuthMethod> method;
    if (options.auth_method) method = model::parse_auth_method(*options.auth_method);
    if (method && options.is_public && *options.is_public != (*method == AuthMethod::none)) {
        throw UsageError(
            "a public client has no secret: --public goes with --auth-method none, --confidential with the others");
    }
    const bool was_public = client.type == ClientType::public_;
    const bool is_public = method ? *method == AuthMethod::none : options.is_public.value_or(was_public);
    client.type = is_public ? ClientType::public_ : ClientType::confidential;
    if (method)
        client.auth_method = *method;
    else if (is_public != was_public)
        client.auth_method = is_public ? AuthMethod::none : AuthMethod::client_secret;
    if (is_public && !was_public) client.pkce = model::Pkce::required;
}

model::Scope parse_scope(const std::string& text) {
    auto scope = model::Scope::parse(util::trim(text));
    if (!scope)
        throw Refused(
            "the scope must be words of printable ASCII characters with one blank between them, like --scope \"openid "
            "email\"");
    return *scope;
}

}  // namespace

void add_client_options(CLI::App& command, ClientOptions& options) {
    command.add_option("--name", options.name, "What users are shown")->option_text("TEXT");
    add_flag(command, "--public", options.is_public, true,
             "A client without a secret (browser, mobile, desktop); PKCE is then required");
    add_flag(command, "--native", options.native, true,
             "Any port on registered http://127.0.0.1 and http://[::1] redirect URIs; allows private-use schemes");
    add_repeated(command, "--redirect-uri", options.redirect_uris, "Where answers may go, compared exactly; repeatable")
        ->option_text("URI");
    add_repeated(command, "--post-logout-redirect-uri", options.post_logout_redirect_uris,
                 "Where logout may lead; repeatable")
        ->option_text("URI");
    add_repeated(
        command, "--grant", options.grants,
        "authorization_code, refresh_token, client_credentials or implicit; repeatable (default: the first two)")
        ->option_text("GRANT")
        ->check(CLI::IsMember({"authorization_code", "refresh_token", "client_credentials", "implicit"}));
    command
        .add_option("--scope", options.scope,
                    "Scopes it may ask for, in one argument (default: \"openid profile email\")")
        ->option_text("\"A B\"");
    command
        .add_option("--auth-method", options.auth_method,
                    "client_secret_basic, client_secret_post, client_secret (default: either of them) or none (same as "
                    "--public)")
        ->option_text("METHOD")
        ->check(CLI::IsMember({"client_secret", "client_secret_basic", "client_secret_post", "none"}));
    command.add_option("--pkce", options.pkce, "required or optional (default: optional for clients with a secret)")
        ->option_text("WHEN")
        ->check(CLI::IsMember({"required", "optional"}));
    add_flag(command, "--first-party", options.first_party, true, "It is yours: users are not asked for consent");
}

void add_client_set_options(CLI::App& command, ClientOptions& options) {
    add_flag(command, "--confidential", options.is_public, false,
             "A client with a secret; a new one is generated and printed once");
    add_flag(command, "--no-native", options.native, false, "Takes --native back");
    add_flag(command, "--no-first-party", options.first_party, false, "Takes --first-party back");
    command.add_flag("--no-redirect-uri", options.no_redirect_uri, "Removes all redirect URIs");
    command.add_flag("--no-post-logout-redirect-uri", options.no_post_logout_redirect_uri,
                     "Removes all post-logout redirect URIs");
}

Client default_client(const std::string& id, const oauth::Settings& settings) {
    Client client;
    client.id = model::ClientId(id);
    client.name = id;
    client.grants = {GrantType::authorization_code, GrantType::refresh_token};
    // Without OpenID Connect its scopes mean nothing, so none is registered unasked.
    if (settings.oidc) client.scope = parse_scope("openid profile email");
    return client;
}

void apply(const ClientOptions& options, Client& client) {
    if (options.name) client.name = *options.name;
    apply_type(options, client);
    if (options.native) client.native = *options.native;
    if (options.first_party) client.first_party = *options.first_party;
    replace_uris(client.redirect_uris, options.redirect_uris, options.no_redirect_uri, "redirect-uri");
    replace_uris(client.post_logout_redirect_uris, options.post_logout_redirect_uris,
                 options.no_post_logout_redirect_uri, "post-logout-redirect-uri");
    if (!options.grants.empty()) client.grants.clear();
    for (const std::string& grant : options.grants) client.grants.insert(*model::parse_grant_type(grant));
    if (options.scope) client.scope = parse_scope(*options.scope);
    if (options.pkce) client.pkce = *model::parse_pkce(*options.pkce);
}

}  // namespace postern::cli
