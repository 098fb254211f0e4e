// `postern client add` and `postern client set`: what the operator typed becomes a stored client.
#include "cli/audit.h"
#include "cli/client/changes.h"
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
    if (!options.protection.resource_server) return;
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
        require_changeable(client, options.client);
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

}  // namespace

void add_client_add_command(const Command& group, Invocation& invocation) {
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

void add_client_set_command(const Command& group, Invocation& invocation) {
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

}  // namespace postern::cli
