// `postern resource`: the APIs for which access tokens are made.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "db/write.h"
#include "http/url.h"
#include "oauth/audience.h"
#include "oauth/target.h"
#include "store/clients.h"
#include "store/resources.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Resource;

constexpr std::size_t kMaxName = 256;  // bytes
constexpr std::size_t kMaxAliases = 16;

audit::Member of_resource(const std::string& uri) { return {"resource", uri}; }

Refused no_resource(const std::string& uri) {
    return Refused("there is no resource " + in_quotes(uri) +
                   "; `postern resource list` shows all, `postern resource add` adds one");
}

std::string require_uri(const std::string& typed, const oauth::Settings& settings) {
    std::string uri(util::trim(typed));
    if (const auto problem = oauth::resource_uri_problem(uri, settings.issuer))
        throw Refused("the resource " + in_quotes(uri) + " " + *problem);
    return uri;
}

void require_name(const std::string& name) {
    if (util::trim(name).empty() || name.size() > kMaxName || !util::is_utf8(name) || util::displayable(name) != name)
        throw Refused("the name must be 1 to 256 bytes of UTF-8 text without control and direction characters");
}

model::Scope parse_scope(const std::string& text) {
    auto scope = model::Scope::parse(util::trim(text));
    if (!scope)
        throw Refused("the scope must be words of printable ASCII characters, like --scope \"notes:read notes:write\"");
    return *scope;
}

/// The options of `resource add` and `resource set`; an empty optional was not given.
struct Options {
    std::string uri;
    std::optional<std::string> name;
    std::optional<std::string> scope;
    std::optional<std::int64_t> access_token_ttl;  // seconds; 0: as configured
    std::vector<std::string> aliases;
    bool no_alias = false;

    bool is_empty() const { return !name && !scope && !access_token_ttl && aliases.empty() && !no_alias; }
};

void apply_lifetime(std::int64_t seconds, const oauth::Settings& settings, Resource& resource) {
    if (seconds > settings.access_token_ttl.count())
        throw Refused("tokens for a resource live no longer than others: at most " +
                      std::to_string(settings.access_token_ttl.count()) + " seconds, which is accessTokenTTL");
    resource.access_token_ttl.reset();
    if (seconds > 0) resource.access_token_ttl = util::Seconds{seconds};
}

void apply_aliases(const Options& options, const oauth::Settings& settings, Resource& resource) {
    refuse_undone(!options.aliases.empty(), options.no_alias, "alias");
    if (options.aliases.size() > kMaxAliases) throw Refused("a resource has at most 16 aliases");
    if (options.no_alias || !options.aliases.empty()) resource.aliases.clear();
    const std::string own = *http::normalize_url(resource.uri);
    for (const std::string& typed : options.aliases) {
        const std::string alias = *http::normalize_url(require_uri(typed, settings));
        const bool is_known = alias == own || std::ranges::find(resource.aliases, alias) != resource.aliases.end();
        if (!is_known) resource.aliases.push_back(alias);
    }
}

void apply(const Options& options, const oauth::Settings& settings, Resource& resource) {
    if (options.name) {
        require_name(*options.name);
        resource.name = *options.name;
    }
    if (options.scope) resource.scope = parse_scope(*options.scope);
    if (options.access_token_ttl) apply_lifetime(*options.access_token_ttl, settings, resource);
    apply_aliases(options, settings, resource);
}

void note_scope(const Resource& resource) {
    if (resource.scope.empty())
        return print_note(
            "tokens for it have every scope that was granted, openid among them: it can read the user's "
            "claims with them; --scope names its own scopes");
    if (resource.scope.contains("openid"))
        print_note("with the scope openid it can read the user's claims with the tokens that it is shown");
}

Listing listing_of(const Resource& resource) {
    using Text = std::optional<std::string>;
    const auto& ttl = resource.access_token_ttl;
    return {
        {"resource", "resource", resource.uri},
        {"name", "name", resource.name},
        {"scope", "scope", resource.scope.to_string(), resource.scope.empty() ? Text("what was granted") : Text()},
        {"access_token_ttl", "tokens live", ttl ? json::Value(std::int64_t{ttl->count()}) : json::Value(),
         ttl ? std::to_string(ttl->count()) + " s" : ""},
        {"enabled", "enabled", resource.enabled},
        {"", "aliases", json::strings(resource.aliases)},
        time_field("created_at", "created", resource.created_at),
    };
}

void print(const Invocation& invocation, const Resource& resource) {
    Listing fields = listing_of(resource);
    if (!invocation.json) return print_lines(fields);
    fields.push_back({"aliases", "", json::strings(resource.aliases)});
    print_json(members_of(fields));
}

void refuse_if_taken(const std::optional<std::string>& taken) {
    if (taken) throw Refused("the URI " + in_quotes(*taken) + " is that of a resource already, or one of its aliases");
}

/// RFC 9068 §5: an access token with such an `aud` would pass for an ID token at the client. So there are no tokens for
/// it, and where a document describes the client, no user could sign in to it (docs/decisions/0067).
void refuse_client_ids(db::Database& database, const Resource& resource) {
    std::vector<std::string> uris = resource.aliases;
    uris.insert(uris.begin(), resource.uri);
    for (const std::string& uri : uris) {
        const auto client = store::find_client_at(database, uri);
        if (client && oauth::takes_id_tokens(*client))
            throw Refused(
                "the URI " + in_quotes(uri) + " is the id of the client " + in_quotes(client->id.str()) +
                ": an access token for the API would pass for an ID token there; name the API by another URI");
    }
}

void add(const Invocation& invocation, const Options& options) {
    const config::Config config = invocation.load_config();
    Resource resource;
    resource.uri = require_uri(options.uri, config.settings);
    resource.name = resource.uri;
    resource.created_at = now();
    apply(options, config.settings, resource);
    db::Database database = open_database(config, Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        refuse_client_ids(database, resource);
        refuse_if_taken(store::insert_resource(transaction, resource));
        commit(transaction);
    });
    note_done(invocation, {of_resource(resource.uri)});
    note_scope(resource);
    print(invocation, resource);
}

/// Changes one resource by `change(resource)`, and returns it as it is then.
template <class Change>
Resource change_resource(const Invocation& invocation, db::Database& database, const std::string& uri, Change change) {
    const Resource resource = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        auto found = store::find_resource_to_change(transaction, uri);
        if (!found) throw no_resource(uri);
        change(*found);
        refuse_if_taken(store::update_resource(transaction, *found));
        commit(transaction);
        return *found;
    });
    note_done(invocation, {of_resource(resource.uri)});
    return resource;
}

void set(const Invocation& invocation, const Options& options) {
    if (options.is_empty()) throw UsageError("nothing to change; `postern resource set --help` lists the options");
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    const Resource resource = change_resource(invocation, database, options.uri, [&](Resource& found) {
        apply(options, config.settings, found);
        if (!options.aliases.empty()) refuse_client_ids(database, found);
    });
    if (options.scope) note_scope(resource);
    print(invocation, resource);
}

void set_enabled(const Invocation& invocation, const std::string& uri, bool enabled) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Resource resource =
        change_resource(invocation, database, uri, [&](Resource& found) { found.enabled = enabled; });
    if (invocation.json) return print_json(members_of(listing_of(resource)));
    std::cout << "resource " << in_quotes(resource.uri)
              << (enabled ? " is enabled\n"
                          : " is disabled: there are no new tokens for it; earlier ones stay valid\n");
}

void enable(const Invocation& invocation, const std::string& uri) { set_enabled(invocation, uri, true); }
void disable(const Invocation& invocation, const std::string& uri) { set_enabled(invocation, uri, false); }

void list(const Invocation& invocation, const db::Limit& limit) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    auto resources = store::list_resources(database, limit);
    if (!invocation.json) {
        return print_table_rows(
            {"RESOURCE", "NAME", "ENABLED", "ALIASES", "SCOPE"}, resources, [](const store::ListedResource& each) {
                return std::vector<std::string>{each.resource.uri, each.resource.name, yes_no(each.resource.enabled),
                                                std::to_string(each.aliases), each.resource.scope.to_string()};
            });
    }
    print_json_rows(resources, [](const store::ListedResource& each) { return members_of(listing_of(each.resource)); });
}

Resource require_resource(db::Database& database, const std::string& uri) {
    auto resource = store::find_resource_with_aliases(database, uri);
    if (!resource) throw no_resource(uri);
    return *std::move(resource);
}

void show(const Invocation& invocation, const std::string& uri) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    print(invocation, require_resource(database, uri));
}

/// Returns the clients that are registered as the API.
std::vector<std::string> clients_of(db::Database& database, const Resource& resource) {
    auto row = database.query("SELECT id FROM clients WHERE details LIKE '%\"resource_server\"%' ORDER BY id");
    std::vector<model::ClientId> ids;
    while (row.step()) row >> ids.emplace_back();
    std::vector<std::string> found;
    for (const model::ClientId& id : ids) {
        const auto client = store::find_client(database, id);
        if (client && http::one_spelling(client->resource_server) == http::one_spelling(resource.uri))
            found.push_back(in_quotes(id.str()));
    }
    return found;
}

void note_clients(db::Database& database, const Resource& resource) {
    const auto clients = clients_of(database, resource);
    if (clients.empty()) return;
    print_note(
        join(clients, ", ") + (clients.size() == 1 ? " is" : " are") +
        " still registered as this API (--resource-server): introspection tells tokens for its URI, and those for "
        "its aliases no more; `postern client set ID --no-resource-server` ends that");
}

void remove(const Invocation& invocation, const std::string& uri) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Resource resource = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        auto found = store::find_resource_to_change(transaction, uri);
        if (!found) throw no_resource(uri);
        if (http::one_spelling(found->uri) != http::one_spelling(uri))
            throw Refused(in_quotes(uri) + " is an alias of the resource " + in_quotes(found->uri) + ": name that");
        store::remove_resource(transaction, found->uri);
        commit(transaction);
        return *found;
    });
    note_done(invocation, {of_resource(resource.uri)});
    note_clients(database, resource);
    if (invocation.json) return print_json(json::Object{{"resource", resource.uri}});
    std::cout
        << "resource " << in_quotes(resource.uri)
        << " is removed: clients that could name it still can, and its scopes and its shorter life no longer count\n";
}

/// RFC 9728 §3.1: between host and path.
std::string metadata_url(const std::string& uri) {
    const auto url = http::parse_url(uri);
    std::string path = url->path == "/" ? "" : url->path;
    if (url->query) path += "?" + *url->query;
    const std::size_t end_of_origin = uri.find_first_of("/?", url->scheme.size() + 3);
    return uri.substr(0, end_of_origin) + "/.well-known/oauth-protected-resource" + path;
}

void metadata(const Invocation& invocation, const std::string& uri) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::query_only);
    const Resource resource = require_resource(database, uri);
    json::Object document{{"resource", resource.uri},
                          {"authorization_servers", json::strings({config.settings.issuer})}};
    if (!resource.scope.empty()) document.set("scopes_supported", json::strings(resource.scope.tokens()));
    document.set("bearer_methods_supported", json::strings({"header"}));
    document.set("resource_name", resource.name);
    const auto url = http::parse_url(resource.uri);
    if (url && (url->scheme == "https" || url->scheme == "http"))
        print_note("the API answers with it at " + metadata_url(resource.uri));
    print_json(std::move(document));
}

constexpr Argument kUri = {"URI", "The URI of the API, as its tokens name it in aud"};

void add_options(const Command& command, Options& options) {
    command.argument(kUri, options.uri);
    command.option("--name", "TEXT", options.name, "The name that users see on the consent page (default: the URI)");
    command.option("--scope", "\"A B\"", options.scope,
                   "The only granted scopes that tokens for it have (default: all that were granted)");
    command
        .option("--access-token-ttl", "SECONDS", options.access_token_ttl,
                "How long its tokens live, at most accessTokenTTL (default: 0, as long as that)")
        .between(0, 315360000);
    command.option("--alias", "URI", options.aliases, "Another URI by which clients name it; repeatable, at most 16");
}

}  // namespace

void add_resource_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("resource", "APIs that access tokens are for (RFC 8707)");

    const auto [add_one, added] = add_command<Options>(
        group, invocation, "add", "Register an API",
        "postern resource add https://api.example.org/ --name Notes --scope \"notes:read notes:write\"", add);
    add_one.explain(
        "A client that names the API as resource gets tokens with its URI in aud, byte for byte as registered, "
        "whatever spelling of scheme, host and port the client uses. Clients may name APIs that are not registered, "
        "unless they have a list of their own (`postern client set --resource`).");
    add_options(add_one, added);

    add_list_command(group, invocation, "List all registered APIs", "postern resource list --json", list);
    add_command(group, invocation, "show", "Show one API with its aliases",
                "postern resource show https://api.example.org/", kUri, show);

    const auto [set_one, changed] =
        add_command<Options>(group, invocation, "set", "Change an API: each option given replaces the old value",
                             "postern resource set https://api.example.org/ --alias https://api.example.org/v1", set);
    add_options(set_one, changed);
    set_one.flag("--no-alias", changed.no_alias, "Remove all aliases");

    add_command(group, invocation, "metadata", "Print the metadata with which the API names this server (RFC 9728)",
                "postern resource metadata https://api.example.org/ > oauth-protected-resource", kUri, metadata)
        .explain(
            "The API publishes it under /.well-known/oauth-protected-resource of its own host, where MCP clients look "
            "for it.");
    add_command(group, invocation, "disable", "Issue no new tokens for an API",
                "postern resource disable https://api.example.org/", kUri, disable);
    add_command(group, invocation, "enable", "Issue tokens for an API again",
                "postern resource enable https://api.example.org/", kUri, enable);
    add_command(group, invocation, "remove", "Delete an API with its aliases",
                "postern resource remove https://api.example.org/", kUri, remove)
        .explain(
            "Clients that could name the API still can, but its scopes and its shorter token life no longer count. To "
            "refuse tokens for it, use `postern resource disable`. Give the URI itself, not an alias.");
}

}  // namespace postern::cli
