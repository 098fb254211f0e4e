// `postern token preview`: asks the rules that the endpoints ask, and neither issues nor stores anything.
#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/client_bar.h"
#include "oauth/introspection.h"
#include "oauth/scope_policy.h"
#include "oidc/id_token.h"
#include "oidc/introspected_user.h"
#include "oidc/userinfo.h"
#include "store/client_access.h"

namespace postern::cli {
namespace {

using model::Client;
using model::User;

/// Claims with another value in each token.
constexpr const char* kOfEachToken[] = {"iat", "exp", "jti", "auth_time", "at_hash", "c_hash", "nonce", "sid"};

struct PreviewOptions {
    std::string client;
    std::string user;
    std::optional<std::string> scope;
    std::optional<std::string> resource;
    std::optional<std::string> api;
};

/// One place where a client learns something: what it is told there, or why nothing.
struct Disclosure {
    const char* name;   ///< a member of the JSON output
    const char* title;  ///< a line of the text
    json::Object claims = {};
    std::string refusal = {};
};

/// Everything that the rules ask for, without private keys.
class RuleContext {
public:
    RuleContext(const config::Config& config, db::Database& database)
        : keys_(config.keys, keys::KeyUse::publish, false),
          log_(util::open_log_sink("stderr"), util::LogLevel::warn, "postern"),
          context_{config.settings, database, keys_, clock_, random_, log_, trail_} {}

    oauth::Context& context() { return context_; }

private:
    keys::Keys keys_;
    util::SystemClock clock_;
    crypto::SystemRandom random_;
    util::Log log_;
    audit::Trail trail_;
    oauth::Context context_;
};

std::string in_words(const oauth::OAuthError& error) {
    return error.description + (error.log_detail.empty() ? "" : " (" + error.log_detail + ")");
}

bool has_device_grant(const oauth::Settings& settings, const Client& client) {
    return settings.paths.device && client.has_grant(model::GrantType::device_code);
}

bool may_have(const oauth::Settings& settings, const Client& client, model::ResponseType type) {
    return settings.offers(type) && model::may_ask_for(client, type);
}

bool signs_users_in(const oauth::Settings& settings, const Client& client) {
    return has_device_grant(settings, client) ||
           std::ranges::any_of(model::kResponseTypes,
                               [&](model::ResponseType type) { return may_have(settings, client, type); });
}

/// The scope that is granted. Throws Refused with all that stands in the way of a sign-in.
oauth::AskedScope require_grant(oauth::Context& context, const Client& client, const User& user,
                                const std::optional<std::string>& asked) {
    const auto scope = oauth::judge_scope(context.settings, client, asked);
    const std::string whose = "client " + in_quotes(client.id.str());
    const auto bar = oauth::find_client_bar(context.settings, client);
    const std::pair<bool, std::string> reasons[] = {
        {bar == oauth::ClientBar::disabled, whose + " is disabled: `postern client enable`"},
        {bar && bar != oauth::ClientBar::disabled,
         bar ? whose + " has no rights: " + oauth::row_of(*bar).detail : std::string()},
        {!signs_users_in(context.settings, client), whose + " has no grant with which users sign in"},
        {!user.enabled, "user " + in_quotes(user.username) + " is disabled: `postern user enable`"},
        {!store::may_use(context.store, client.id, user.subject),
         "user " + in_quotes(user.username) + " may not use " + whose +
             ": `postern client set --allow-user`, or a group"},
        {!scope, scope ? "" : in_words(scope.error())},
    };
    std::vector<std::string> applying;
    for (const auto& [applies, reason] : reasons)
        if (applies) applying.push_back(reason);
    if (!applying.empty()) throw Refused(join(applying, "\n"));
    return *scope;
}

struct Granted {
    const Client& client;
    const User& user;
    model::Grant grant;
};

/// Returns the weakest login that this configuration accepts.
model::Authentication least_login(const oauth::Settings& settings) {
    if (settings.login.has_page()) return model::by_password();
    return {.level = static_cast<model::Level>(settings.login.remote_level), .amr = ""};
}

Granted grant_of(oauth::Context& context, const Client& client, const User& user, const model::Scope& scope) {
    Granted granted{client, user, {}};
    granted.grant.client_id = client.id;
    granted.grant.subject = user.subject;
    granted.grant.scope = scope;
    granted.grant.auth_time = context.now();
    const model::Authentication how = least_login(context.settings);
    granted.grant.acr = oauth::acr_of_login(context.settings, how.level, {});
    granted.grant.amr = how.amr;
    return granted;
}

/// The access token; what is wrong when there is none for the resource.
oauth::Outcome<oauth::AccessTokenDraft> draft(oauth::Context& context, const Granted& granted,
                                              const std::optional<std::string>& resource) {
    const auto& [client, user, grant] = granted;
    ASSIGN_OR_RETURN(const auto named, oauth::find_named_target(context, client, resource));
    ASSIGN_OR_RETURN(const auto target, oauth::choose_target(context, client, grant, named));
    ASSIGN_OR_RETURN(const auto scope, oauth::scope_for(target, grant.scope));
    return oauth::draft_access_token(context,
                                     oauth::as_wanted(context.settings, client, {grant, scope, target, user.username}));
}

/// Returns the token as storage would give it back.
store::StoredAccessToken stored(const Granted& granted, const oauth::AccessTokenDraft& token) {
    store::StoredAccessToken stored;
    stored.scope = token.record.scope;
    stored.client_id = granted.client.id;
    stored.own_claims = granted.client.own_claims;
    stored.subject = granted.user.subject;
    stored.auth_time = granted.grant.auth_time;
    stored.acr = granted.grant.acr;
    stored.registered = granted.client.scope;
    stored.expires_at = token.record.expires_at;
    return stored;
}

Disclosure preview_id_token(oauth::Context& context, const Granted& granted) {
    Disclosure told{"id_token", "ID token"};
    if (!oidc::has_id_token(context.settings, granted.grant.scope)) {
        told.refusal = "none without OpenID Connect and the scope openid";
        return told;
    }
    json::Object of_user = oidc::user_claims_for(context, granted.client, granted.grant, granted.grant.scope,
                                                 oidc::scope_claims_of(granted.client), oidc::database_claims(context));
    told.claims = oidc::id_token_claims(context, {granted.grant, std::nullopt, "", std::move(of_user)});
    return told;
}

/// Of the authorization endpoint, where the client may ask for one: with the claims of its scopes if it may ask for
/// nothing else.
std::optional<Disclosure> preview_front_id_token(oauth::Context& context, const Granted& granted) {
    using model::ResponseType;
    const auto& [client, user, grant] = granted;
    const bool has_any = std::ranges::any_of(model::kResponseTypes, [&](ResponseType type) {
        return model::yields_id_token(type) && may_have(context.settings, client, type);
    });
    if (!has_any || !oidc::has_id_token(context.settings, grant.scope)) return std::nullopt;
    const bool alone = may_have(context.settings, client, ResponseType::id_token);
    Disclosure told{"front_id_token", alone ? "ID token of response_type=id_token" : "ID token with the code or token"};
    json::Object of_user =
        oidc::user_claims_for(context, client, grant, grant.scope,
                              oidc::scope_claims_of(alone ? ResponseType::id_token : ResponseType::code_id_token),
                              oidc::database_claims(context));
    told.claims = oidc::id_token_claims(context, {grant, std::nullopt, "", std::move(of_user)});
    return told;
}

Disclosure preview_userinfo(oauth::Context& context, const store::StoredAccessToken& token) {
    Disclosure told{"userinfo", "UserInfo"};
    if (!context.settings.oidc || !context.settings.paths.userinfo) {
        told.refusal = "not offered";
        return told;
    }
    auto claims = oidc::userinfo(context, token, oidc::database_claims(context));
    if (claims)
        told.claims = std::move(*claims);
    else
        told.refusal = in_words(claims.error());
    return told;
}

Disclosure preview_introspection(oauth::Context& context, const std::optional<Client>& api,
                                 const store::StoredAccessToken& token, const json::Object& claims) {
    Disclosure told{"introspection", "introspection"};
    if (context.settings.paths.introspect)
        told.claims = oauth::describe_active(
            token, claims, oidc::claims_for_introspection(context, api, oidc::database_claims(context)));
    else
        told.refusal = "not offered";
    return told;
}

std::vector<Disclosure> preview_all(oauth::Context& context, const Granted& granted,
                                    const std::optional<std::string>& resource, const std::optional<Client>& api) {
    std::vector<Disclosure> all;
    if (granted.client.has_grant(model::GrantType::authorization_code) ||
        has_device_grant(context.settings, granted.client) ||
        !oidc::has_id_token(context.settings, granted.grant.scope))
        all.push_back(preview_id_token(context, granted));
    if (auto front = preview_front_id_token(context, granted)) all.push_back(std::move(*front));
    const auto token = draft(context, granted, resource);
    if (!token) {
        all.push_back({"access_token", "access token", {}, in_words(token.error())});
        return all;
    }
    const auto record = stored(granted, *token);
    all.push_back({"access_token", "access token", token->claims, {}});
    all.push_back(preview_userinfo(context, record));
    all.push_back(preview_introspection(context, api, record, token->claims));
    return all;
}

void print(const Invocation& invocation, const Granted& granted, const std::vector<Disclosure>& all) {
    json::Object object{{"client_id", granted.client.id.str()},
                        {"username", granted.user.username},
                        {"scope", granted.grant.scope.to_string()}};
    std::vector<std::pair<std::string, std::string>> fields = {{"client", granted.client.id.str()},
                                                               {"user", granted.user.username},
                                                               {"scope", granted.grant.scope.to_string()}};
    for (const Disclosure& told : all) {
        const bool is_refused = !told.refusal.empty();
        if (!is_refused) object.set(told.name, told.claims);
        fields.emplace_back(told.title, is_refused ? "refused: " + told.refusal : json::write(told.claims));
        if (is_refused && invocation.json) print_note(std::string(told.title) + ": " + told.refusal);
    }
    invocation.json ? print_json(std::move(object)) : print_fields(fields);
}

void preview(const Invocation& invocation, const PreviewOptions& options) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, db::Access::query_only);
    RuleContext world(config, database);
    oauth::Context& context = world.context();
    const Client client = require_client(database, options.client);
    const User user = require_user(database, options.user);
    std::optional<Client> api;
    if (options.api) api = require_client(database, *options.api);
    const oauth::AskedScope asked = require_grant(context, client, user, options.scope);
    const Granted granted = grant_of(context, client, user, asked.scope);
    std::vector<Disclosure> all = preview_all(context, granted, options.resource, api);
    for (Disclosure& told : all)
        for (const char* name : kOfEachToken) told.claims.erase(name);
    if (!asked.ignored.empty())
        print_note("ignored, because nothing here has such a scope: " + asked.ignored.to_string());
    print(invocation, granted, all);
}

}  // namespace

void add_token_preview_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<PreviewOptions>(
        group, invocation, "preview", "Show which claims a client would get about a user, and where",
        "postern token preview --client grafana --user ada --scope \"openid profile groups\"", preview);
    command.explain(
        "Applies the same rules as the endpoints. Nothing is issued or stored, and no private key is opened. Values "
        "that differ from token to token are left out: times, jti, at_hash, nonce and sid. UserInfo is shown as the "
        "shipped program answers it, even where you use your own. If the user cannot sign in, the reasons are printed "
        "instead, with the scopes that the client may not have.");
    command.option("--client", "ID", options.client, "The client_id").required();
    command.option("--user", "USER", options.user, "User name, or the `sub` that tokens show").required();
    command.option("--scope", "\"A B\"", options.scope,
                   "What the client asks for (default: nothing, which gives its own scopes without those of OpenID "
                   "Connect)");
    command.option("--resource", "URI", options.resource, "The API that the token request names (default: none)");
    command.option("--api", "ID", options.api,
                   "The client_id of the API that introspects (default: one without --introspection-claim)");
}

}  // namespace postern::cli
