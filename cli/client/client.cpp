// `postern client`: registers, shows and changes the programs that may ask for tokens.
#include <iostream>

#include "cli/audit.h"
#include "cli/batches.h"
#include "cli/client/options.h"
#include "cli/client/parts.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/audience.h"
#include "oauth/registration.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "store/resources.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Client;
using model::ClientType;

void require_sound(const Client& client, const oauth::Settings& settings) {
    const auto problems = oauth::registration_problems(client, settings);
    if (!problems.empty()) throw Refused(join(problems, "\n"));
    for (const std::string& advice : oauth::registration_advice(client, settings)) print_note(advice);
}

/// An alias in the client's list becomes the resource's own URI, which tokens have.
void resolve_aliases(db::Database& database, Client& client) {
    const auto resolve = [&](std::string& uri) {
        if (const auto resource = store::find_resource(database, uri)) uri = resource->uri;
    };
    for (std::string& uri : client.resources) resolve(uri);
    if (!client.default_resource.empty()) resolve(client.default_resource);
}

/// An API is that of a registered resource, under the URI that tokens have.
void require_resource(db::Database& database, const ClientOptions& options, Client& client) {
    if (!options.resource_server) return;
    const auto resource = store::find_resource(database, client.resource_server);
    if (!resource)
        throw Refused("there is no resource " + in_quotes(client.resource_server) +
                      " whose API the client could be; add it with `postern resource add`");
    client.resource_server = resource->uri;
}

/// An access token for the API would pass for an ID token at the client.
void refuse_resource(db::Database& database, const Client& client) {
    const auto resource =
        oauth::takes_id_tokens(client) ? store::find_resource(database, client.id.str()) : std::nullopt;
    if (resource)
        throw Refused("the client id " + in_quotes(client.id.str()) + " is the URI of the resource " +
                      in_quotes(resource->uri) +
                      ", and access tokens for that would pass for ID tokens of the client; choose another id, or give "
                      "the resource another URI");
}

/// Throws Refused for options about what the document says.
void refuse_described(const Client& client, const ClientOptions& options) {
    if (client.origin != model::Origin::document) return;
    ClientOptions decided;  // what no document says
    decided.access = options.access;
    decided.groups = options.groups;
    decided.id_token_claims = options.id_token_claims;
    decided.tokens = options.tokens;
    if (options == decided) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " is what the document at this URL says; you can change who may use it, what it is told of groups and "
        "claims, and its access tokens. To register it yourself, `postern client remove` it first, then "
        "`postern client add` it with --public");
}

/// Throws Refused for what no client that registered itself may be (docs/decisions/0136).
void refuse_registered(const Client& client, const ClientOptions& options) {
    if (client.origin != model::Origin::dynamic || !options.first_party.value_or(false)) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " registered itself, and users are asked before such a client gets anything; `postern client add` the "
        "application yourself to make it --first-party");
}

/// Throws Refused for options about what follows from the URL of a site, or from its being one.
void refuse_site(const Client& client, const ClientOptions& options) {
    if (!client.site) return;
    ClientOptions decided;  // what is the operator's choice for a site, too
    decided.name = options.name;
    decided.names = options.names;
    decided.scope = options.scope;
    decided.access = options.access;
    decided.groups = options.groups;
    decided.group_names = options.group_names;
    decided.acr = options.acr;
    if (options == decided) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " is a site, whose addresses, grants, type and PKCE follow from its URL; `postern site set` changes that");
}

/// Makes the row outlive the time in which no user signs in, because the next approval would make one without the
/// operator's decision, or because the operator wants it. No effect on clients of the operator.
void keep(Client& client) {
    if (client.origin != model::Origin::operator_) client.removable_at.reset();
}

/// Prints a note that a removed client can come back.
void note_removed(const Client& client) {
    if (client.origin != model::Origin::document) return;
    print_note(
        "a user who approves the application of this document brings the client back; `postern client disable` keeps "
        "it away, and clientDocuments.deny all of its host");
}

struct AddOptions {
    std::string id;
    ClientOptions client;
    bool secret_stdin = false;
};

void add(const Invocation& invocation, const AddOptions& options) {
    const config::Config config = invocation.load_config();
    Client client = default_client(options.id, config.settings);
    apply(options.client, client);
    const bool has_secret = model::has_secret(client);
    if (!has_secret && options.secret_stdin)
        throw UsageError("a client that is public, signs, or has a certificate has no secret; remove --secret-stdin");
    require_fetched(options.client.keys, client.id, config);
    db::Database database = open_database(config, Access::read_write);
    resolve_aliases(database, client);
    require_resource(database, options.client, client);
    require_sound(client, config.settings);
    const util::Secret secret = has_secret ? new_secret(options.secret_stdin) : util::Secret();
    if (has_secret) client.secrets.push_back({oauth::hash_of(secret.reveal()), std::nullopt});
    client.created_at = now();

    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        const bool names_users = options.client.access != AccessOptions{};
        if (names_users) store::lock_access(transaction);
        refuse_resource(database, client);
        if (!store::insert_client(transaction, client)) {
            throw Refused("the client id " + in_quotes(options.id) +
                          " is taken; change that client with `postern client set`, or choose another id");
        }
        if (client.keys) save_keys(transaction, client);
        if (names_users) change_access(transaction, options.client.access, client);
        commit(transaction);
    });
    note_done(invocation, {audit::client(client.id)});
    note_access(client, read_access(database, client));
    print_credentials(invocation, options.id, has_secret && !options.secret_stdin ? &secret : nullptr);
}

struct ListOptions {
    db::Limit limit;
    std::string origin;  ///< "": any
};

void list(const Invocation& invocation, const ListOptions& options) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto clients = store::list_clients(database, now(), options.limit, model::parse_origin(options.origin));
    if (!invocation.json) return print_clients(clients);
    json::Array array;
    for (const Client& client : clients)
        array.emplace_back(members_of(listing_of(client, read_details(database, client))));
    print_json(std::move(array));
}

void show(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    print_client(invocation, database, require_client(database, id));
}

struct SetOptions {
    std::string id;
    ClientOptions client;
};

/// A client that comes to need a secret gets a new one: an earlier secret must not work again.
void set(const Invocation& invocation, const SetOptions& options) {
    if (options.client == ClientOptions{})
        throw UsageError("nothing to change; `postern client set --help` lists the options");
    const config::Config config = invocation.load_config();
    const util::Secret secret = new_secret(false);
    require_fetched(options.client.keys, model::ClientId(options.id), config);
    db::Database database = open_database(config, Access::read_write);
    struct Done {
        bool with_secret = false;
        std::int64_t grants_ended = 0;
    };
    const Done done = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        const bool changes_access = options.client.access != AccessOptions{};
        if (changes_access) store::lock_access(transaction);
        Client client = require_client(transaction, options.id);
        const bool had_secret = model::has_secret(client);
        const bool had_keys = model::has_keys(client);
        if (had_keys) client.keys = store::find_client_keys(database, client.id);
        refuse_described(client, options.client);
        refuse_registered(client, options.client);
        refuse_site(client, options.client);
        apply(options.client, client);
        keep(client);
        resolve_aliases(database, client);
        require_resource(database, options.client, client);
        require_sound(client, config.settings);
        store::update_client(transaction, client);
        change_group_names(transaction, options.client.group_names, client.id);
        if (client.keys || had_keys) save_keys(transaction, client);
        if (had_secret && !model::has_secret(client)) store::remove_client_secrets(transaction, client.id);
        const bool gets_secret = !had_secret && model::has_secret(client);
        if (gets_secret)
            store::replace_client_secret(transaction, client.id, oauth::hash_of(secret.reveal()), std::nullopt, now());
        const std::int64_t ended = changes_access ? change_access(transaction, options.client.access, client) : 0;
        commit(transaction);
        return Done{gets_secret, ended};
    });
    note_done(invocation, {audit::client(model::ClientId(options.id)), grants_ended(done.grants_ended)});
    if (done.grants_ended > 0)
        print_note(counted(done.grants_ended, "grant") + " of users who may not use the client any more ended");
    if (done.with_secret) return print_credentials(invocation, options.id, &secret);
    print_client(invocation, database, require_client(database, options.id));
}

void set_enabled(const Invocation& invocation, const std::string& id, bool enabled) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client client = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Client changed = require_client(transaction, id);
        changed.enabled = enabled;
        keep(changed);
        store::update_client(transaction, changed);
        commit(transaction);
        return changed;
    });
    note_done(invocation, {audit::client(client.id)});
    if (invocation.json) return print_json(members_of(listing_of(client, read_details(database, client))));
    std::cout << "client " << in_quotes(id)
              << (enabled ? " is enabled\n" : " is disabled: its tokens are inactive until it is enabled again\n");
}

void enable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, true); }
void disable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, false); }

void remove_one(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client removed = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        store::lock_access(transaction);  // its list goes with it, and a sign-in may be reading that
        Client client = require_client(transaction, id);
        if (client.site) throw Refused("client " + in_quotes(id) + " is a site; use `postern site remove`");
        store::remove_client(transaction, client.id);
        commit(transaction);
        return client;
    });
    note_done(invocation, {audit::client(removed.id)});
    note_removed(removed);
    if (invocation.json) return print_json(json::Object{{"client_id", id}});
    std::cout << "client " << in_quotes(id) << " is removed, with its grants, tokens and consents\n";
}

/// Deletes the clients that registered themselves and were not used, in batches.
void remove_unused(const Invocation& invocation, util::Seconds unused_for) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const auto ids = store::find_unused_registrations(database, now(), unused_for);
    std::int64_t removed = 0;
    const auto write = [&](db::Transaction& transaction, const model::ClientId& id) {
        // A user may have signed in to it meanwhile.
        store::lock_client(transaction, id);
        const bool is_unused = store::is_unused_registration(transaction.database(), id, now(), unused_for);
        return is_unused && store::remove_client(transaction, id) ? id : model::ClientId();
    };
    write_in_batches(database, ids, write, [&](const std::vector<model::ClientId>& done) {
        for (const model::ClientId& id : done) {
            if (id.empty()) continue;
            ++removed;
            note_done(invocation, {audit::client(id)});
        }
    });
    if (invocation.json) return print_json(json::Object{{"removed", removed}});
    std::cout << counted(removed, "client") << " that registered and was not used " << (removed == 1 ? "is" : "are")
              << " removed\n";
}

struct RemoveOptions {
    std::optional<std::string> id;
    std::optional<std::int64_t> unused_for;
};

void remove(const Invocation& invocation, const RemoveOptions& options) {
    if (options.id.has_value() == options.unused_for.has_value())
        throw UsageError("give the ID of a client, or --unused-for SECONDS for clients that registered themselves");
    if (options.id) return remove_one(invocation, *options.id);
    remove_unused(invocation, util::Seconds(*options.unused_for));
}

void add_list(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<ListOptions>(group, invocation, "list", "List all clients",
                                 "postern client list --json\n  postern client list --origin dynamic", list);
    add_limit_option(command, options.limit);
    command
        .option("--origin", "SOURCE", options.origin,
                "operator, document or dynamic: clients that you, a document or they themselves have registered")
        .one_of({"operator", "document", "dynamic"});
}

void add_remove(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<RemoveOptions>(group, invocation, "remove", "Delete a client with its grants, tokens and consents",
                                   "postern client remove wiki\n  postern client remove --unused-for 2592000", remove);
    command.argument(kClientId.name, options.id, kClientId.help);
    command
        .option("--unused-for", "SECONDS", options.unused_for,
                "Instead of ID: all clients that registered themselves and were not used for so many seconds, 86400 or "
                "more: the last use is stored once a day. Clients that you have changed or that have a live grant stay")
        .between(store::kUseIsToldBy.count(), std::int64_t{10} * 365 * 24 * 60 * 60);
}

void add_add(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<AddOptions>(group, invocation, "add", "Register a client; print its id and, once, its secret",
                                "postern client add wiki --name Wiki --redirect-uri https://wiki.example.org/callback\n"
                                "  postern client add spa --public --redirect-uri https://app.example.org/\n"
                                "  postern client add backup --grant client_credentials --scope \"files:read\"",
                                add);
    command.explain(
        "Without options the client is confidential and uses the authorization code flow with refresh tokens; it "
        "needs a --redirect-uri. Responses go only to registered URIs, compared byte for byte; URIs that cannot be "
        "used safely are refused with the reason. The secret is printed once; only its hash is stored.");
    command.argument(kClientId, options.id);
    add_client_options(command, options.client);
    command.flag("--secret-stdin", options.secret_stdin,
                 "Read your own secret (at least 32 characters) as one line of standard input");
}

void add_set(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<SetOptions>(
        group, invocation, "set", "Change a client: each option given replaces the old value",
        "postern client set wiki --redirect-uri https://new.example.org/cb --no-first-party", set);
    command.explain(
        "Options that are left out change nothing: the defaults below are those of `postern client add`. An option "
        "that may be repeated replaces all of its former values; only --allow-... and --rename add to theirs. The "
        "change takes effect at once. Issued tokens stay valid, with the scopes that were approved, unless their user "
        "may no longer use the client.");
    command.argument(kClientId, options.id);
    add_client_options(command, options.client);
    add_client_set_options(command, options.client);
}

}  // namespace

void add_client_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("client", "Register and change clients, the applications that request tokens");
    add_add(group, invocation);
    add_list(group, invocation);
    add_command(group, invocation, "show", "Show one client", "postern client show wiki", kClientId, show);
    add_set(group, invocation);
    add_client_secret_command(group, invocation);
    add_client_claim_commands(group, invocation);
    add_command(group, invocation, "disable", "Disable a client; its tokens are inactive until it is enabled",
                "postern client disable wiki", kClientId, disable);
    add_command(group, invocation, "enable", "Enable a disabled client", "postern client enable wiki", kClientId,
                enable);
    add_remove(group, invocation);
}

}  // namespace postern::cli
