// `postern site`: applications that know no OpenID Connect, which the gate protects in the web server.
#include <algorithm>
#include <iostream>

#include "cli/audit.h"
#include "cli/client/parts.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "db/write.h"
#include "gate/site.h"
#include "http/url.h"
#include "oauth/registration.h"
#include "store/clients.h"
#include "store/sites.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Client;

/// The options of `site add` and `site set`; an empty optional was not given.
struct Options {
    std::string id;
    std::optional<std::string> url;
    std::optional<std::string> name;
    std::optional<std::string> scope;
    std::optional<std::string> acr;
    std::optional<std::string> groups;
    std::optional<std::int64_t> max_age;      // seconds; 0: any
    std::optional<std::int64_t> session_ttl;  // seconds; 0: as the session
    std::optional<std::string> user_header;
    std::optional<bool> bearer;
    bool on_issuer_host = false;
    AccessOptions access;

    bool operator==(const Options&) const = default;
};

/// A shorter time would be over before a sign-in has come back.
constexpr std::int64_t kShortest = 60;
constexpr std::int64_t kYear = 31536000;

std::optional<util::Seconds> seconds_of(std::int64_t given, const char* option) {
    if (given == 0) return std::nullopt;
    if (given < kShortest)
        throw Refused(std::string(option) + " must be 60 seconds or more, because a sign-in takes a while; 0 is none");
    return util::Seconds{given};
}

gate::SiteUrl require_url(const Options& options, const std::string& issuer) {
    const auto url = gate::parse_site_url(util::trim(*options.url), issuer);
    if (!url) throw Refused("the URL " + in_quotes(*options.url) + " " + url.error());
    if (gate::is_on_issuer_host(*url, issuer) && !options.on_issuer_host)
        throw Refused(
            "the site " + in_quotes(url->str()) +
            " has the host of the issuer. The cookies of this server are sent to it, because cookies know neither ports nor "
            "paths, so the application, and every script in it, could act with the accounts of all who use it. Give it a "
            "name of its own; if the application is as trusted as this server, add --on-issuer-host");
    return *url;
}

model::Scope parse_scope(const std::string& text) {
    auto scope = model::Scope::parse(util::trim(text));
    if (!scope)
        throw Refused(
            "the scope must be words of printable ASCII characters separated by single spaces, like --scope "
            "\"openid email\"");
    return *scope;
}

model::Level level_of(std::string_view acr) {
    if (acr == "any") return model::Level::unknown;
    return acr == "phr" ? model::Level::phishing_resistant : model::Level::second_factor;
}

void apply(const Options& options, Client& client) {
    model::Site& site = *client.site;
    if (options.name) client.name = *options.name;
    if (options.scope) client.scope = parse_scope(*options.scope);
    if (options.acr) client.level = level_of(*options.acr);
    if (options.groups) client.groups = *model::parse_told_groups(*options.groups);
    if (options.max_age) site.max_age = seconds_of(*options.max_age, "--max-age");
    if (options.session_ttl) site.session_ttl = seconds_of(*options.session_ttl, "--session-ttl");
    if (options.user_header) site.user_header = *model::parse_user_header(*options.user_header);
    if (options.bearer) site.bearer = *options.bearer;
    apply(options.access, client);
}

void require_sound(const Client& client, const oauth::Settings& settings) {
    const auto problems = oauth::registration_problems(client, settings);
    if (!problems.empty()) throw Refused(join(problems, "\n"));
}

void refuse_taken(db::Database& database, const Client& client) {
    const auto owner = store::find_site(database, client.site->url);
    if (owner && *owner != client.id)
        throw Refused("the URL " + in_quotes(client.site->url) + " is that of the site " + in_quotes(owner->str()));
}

Client require_site(db::Database& database, const std::string& id) {
    Client client = require_client(database, id);
    if (!client.site) throw Refused("client " + in_quotes(id) + " is no site; see `postern client show`");
    return client;
}

Client require_site(db::Transaction& transaction, const std::string& id) {
    Client client = require_client(transaction, id);
    if (!client.site) throw Refused("client " + in_quotes(id) + " is no site; see `postern client set`");
    return client;
}

/// Returns the enabled site whose URL contains `url`, if there is one.
std::optional<std::string> find_site_around(db::Database& database, const gate::SiteUrl& url) {
    std::optional<Client> around;
    for (const Client& other : store::list_sites(database)) {
        const gate::SiteUrl theirs = gate::url_of(*other.site);
        const bool is_around = theirs.origin == url.origin && url.path.starts_with(theirs.path);
        if (is_around && (!around || theirs.path.size() > gate::url_of(*around->site).path.size())) around = other;
    }
    return around && around->enabled ? std::optional(around->id.str()) : std::nullopt;
}

/// Scripts of one site reach the others of the host, and its cookies can be planted there.
void note_neighbours(db::Database& database, const Client& client) {
    const auto own = http::parse_url(client.site->url);
    for (const Client& other : store::list_sites(database)) {
        const auto url = http::parse_url(other.site->url);
        if (other.id == client.id || !own || !url || own->host != url->host) continue;
        print_note(
            "the site " + in_quotes(other.id.str()) + " is on the same host. Sites on one host trust each other: " +
            "their scripts and cookies reach one another. Give applications that do not trust each other a host each");
        return;
    }
}

/// Notes which site covers a URL whose own site has gone.
void note_site_around(db::Database& database, const gate::SiteUrl& url) {
    if (const auto around = find_site_around(database, url))
        print_note("the site " + in_quotes(*around) + " covers " + url.str() + " now: its users can open it");
}

void add(const Invocation& invocation, const Options& options) {
    const config::Config config = invocation.load_config();
    Client client = gate::new_site(options.id, require_url(options, config.settings.issuer));
    if (!config.settings.oidc) client.scope = {};  // its scopes have no meaning
    apply(options, client);
    client.created_at = now();
    require_sound(client, config.settings);

    db::Database database = open_database(config, Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        const bool names_users = options.access != AccessOptions{};
        if (names_users) store::lock_access(transaction);
        refuse_taken(database, client);
        if (!store::insert_client(transaction, client))
            throw Refused("the client id " + in_quotes(options.id) + " is taken; choose another one for the site");
        if (names_users) change_access(transaction, options.access, client);
        commit(transaction);
    });
    note_done(invocation, {audit::client(client.id)});
    note_neighbours(database, client);
    print_client(invocation, database, require_site(database, options.id));
}

void set(const Invocation& invocation, const Options& options) {
    Options nothing;
    nothing.id = options.id;
    nothing.on_issuer_host = options.on_issuer_host;  // it is about --url
    if (options == nothing) throw UsageError("nothing to change; `postern site set --help` lists the options");
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    gate::SiteUrl former;
    const std::int64_t ended = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        const bool changes_access = options.access != AccessOptions{};
        if (changes_access) store::lock_access(transaction);
        Client client = require_site(transaction, options.id);
        former = gate::url_of(*client.site);
        if (options.url) gate::set_site_url(client, require_url(options, config.settings.issuer));
        apply(options, client);
        require_sound(client, config.settings);
        refuse_taken(database, client);
        store::update_client(transaction, client);
        const std::int64_t grants = changes_access ? change_access(transaction, options.access, client) : 0;
        commit(transaction);
        return grants;
    });
    note_done(invocation, {audit::client(model::ClientId(options.id)), grants_ended(ended)});
    const Client client = require_site(database, options.id);
    if (options.url) note_neighbours(database, client);
    if (former != gate::url_of(*client.site)) note_site_around(database, former);
    print_client(invocation, database, client);
}

void set_enabled(const Invocation& invocation, const std::string& id, bool enabled) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client client = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Client changed = require_site(transaction, id);
        changed.enabled = enabled;
        store::update_client(transaction, changed);
        commit(transaction);
        return changed;
    });
    note_done(invocation, {audit::client(client.id)});
    if (invocation.json) return print_json(members_of(listing_of(client, read_details(database, client))));
    std::cout << "site " << in_quotes(id)
              << (enabled ? " is enabled\n" : " is disabled: no request for it passes until it is enabled again\n");
}

void enable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, true); }
void disable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, false); }

void remove(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client removed = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        store::lock_access(transaction);
        Client site = require_site(transaction, id);
        store::remove_client(transaction, site.id);
        commit(transaction);
        return site;
    });
    note_done(invocation, {audit::client(removed.id)});
    note_site_around(database, gate::url_of(*removed.site));
    if (invocation.json) return print_json(json::Object{{"client_id", id}});
    std::cout << "site " << in_quotes(id) << " is removed\n";
}

void show(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    print_client(invocation, database, require_site(database, id));
}

void list(const Invocation& invocation, const db::Limit& limit) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto sites = store::list_sites(database, limit);
    if (!invocation.json) {
        return print_table_rows({"SITE", "NAME", "ENABLED", "URL"}, sites, [](const Client& site) {
            return std::vector<std::string>{site.id.str(), site.name, yes_no(site.enabled), site.site->url};
        });
    }
    print_json_rows(sites, [&](const Client& site) {
        return members_of(listing_of(require_site(database, site.id.str()), read_details(database, site)));
    });
}

void add_options(const Command& command, Options& options) {
    command.argument(kClientId, options.id);
    command.option("--name", "TEXT", options.name, "The name that users see (default: the id)");
    add_access_options(command, options.access);
    command
        .option("--acr", "LEVEL", options.acr,
                "The weakest sign-in that passes: any (default), mfa (with a second factor) or phr (with a passkey)")
        .one_of({"any", "mfa", "phr"});
    command
        .option("--groups", "WHICH", options.groups,
                "Of a user's groups, tell the application all (default) or its own, which are those of --allow-group")
        .one_of({"all", "own"});
    command.option("--scope", "\"A B\"", options.scope,
                   "What the application is told of its users (default: \"openid profile email groups\")");
    command
        .option("--max-age", "SECONDS", options.max_age,
                "Users have to sign in again after so long, at least 60 (default: 0, never)")
        .between(0, kYear);
    command
        .option("--session-ttl", "SECONDS", options.session_ttl,
                "The site's cookie is good for so long, at least 60 (default: 0, as long as the session)")
        .between(0, kYear);
    command
        .option("--user-header", "WHICH", options.user_header,
                "What Remote-User is: name (default), subject, which never changes, or email, if it is verified")
        .one_of({"name", "subject", "email"});
    command.flag("--bearer", options.bearer, true, "Let access tokens pass whose audience is the site's URL");
    command.flag("--on-issuer-host", options.on_issuer_host,
                 "The application is as trusted as this server, whose cookies it is sent");
}

}  // namespace

void add_site_commands(const Command& app, Invocation& invocation) {
    const Command group =
        app.add_group("site", "Applications that know no OpenID Connect, protected in the web server");

    const auto [add_one, added] = add_command<Options>(
        group, invocation, "add", "Protect an application",
        "postern site add wiki --url https://wiki.example.org/\n"
        "  postern site add admin --url https://wiki.example.org/admin/ --allow-group staff --acr mfa",
        add);
    add_one.explain(
        "The web server asks the program gate whether a request for this URL, and for what is below it, may pass. Users "
        "sign in here, and the application reads in headers or variables who they are. Of several sites the one with the "
        "longest path counts.");
    add_options(add_one, added);
    add_one.option("--url", "URL", added.url, "The URL below which the application is").required();

    add_list_command(group, invocation, "List all sites", "postern site list --json", list);
    add_command(group, invocation, "show", "Show one site", "postern site show wiki", kClientId, show);

    const auto [set_one, changed] =
        add_command<Options>(group, invocation, "set", "Change a site: each option given replaces the old value",
                             "postern site set wiki --acr mfa", set);
    set_one.explain("Options that are left out change nothing. The change takes effect with the next request.");
    add_options(set_one, changed);
    set_one.option("--url", "URL", changed.url, "The URL below which the application is");
    set_one.flag("--no-bearer", changed.bearer, false, "Undo --bearer");
    add_access_set_options(set_one, changed.access);

    add_command(group, invocation, "disable", "Let no request for a site pass, until it is enabled again",
                "postern site disable wiki", kClientId, disable);
    add_command(group, invocation, "enable", "Enable a disabled site", "postern site enable wiki", kClientId, enable);
    add_command(group, invocation, "remove", "Delete a site", "postern site remove wiki", kClientId, remove);
}

}  // namespace postern::cli
