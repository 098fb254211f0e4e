// `postern client claim`: adds, lists and removes the claims that one client is told under names of its own.
#include "cli/client/parts.h"

#include <iostream>

#include "cli/audit.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "db/write.h"
#include "model/standard_claims.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Client;
using model::ClientClaim;

std::pair<std::string, std::string> split_assignment(const std::string& text, const char* wanted) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError(std::string(wanted) + ", not " + in_quotes(text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The scope that releases what the source tells; else the one that every sign-in has.
std::string usual_scope(const oauth::Settings& settings, const model::ClaimSource& source) {
    const auto behind = model::claim_behind(source);
    if (!behind) return "openid";
    if (const auto standard = model::scope_of_claim(*behind)) return std::string(*standard);
    for (const auto& [scope, claims] : settings.released_claims.added())
        if (claims.contains(*behind)) return scope;
    return "openid";
}

ClientClaim parse_claim(const oauth::Settings& settings, const std::string& text,
                        const std::optional<std::string>& scope) {
    const auto [name, source_text] = split_assignment(text, "a claim is CLAIM=SOURCE, like roles=groups");
    const auto source = model::parse_claim_source(source_text);
    if (!source)
        throw UsageError("the source is groups, group:NAME, claim:NAME or const:TEXT, not " + in_quotes(source_text));
    ClientClaim claim{name, *source, scope.value_or(usual_scope(settings, *source))};
    if (const auto problem = model::client_claim_problem(claim))
        throw Refused("claim " + in_quotes(name) + ": " + *problem);
    return claim;
}

std::string not_registered(const Client& client, const std::string& scope) {
    return "client " + in_quotes(client.id.str()) + " is not registered for the scope " + in_quotes(scope);
}

void require_scope(const Client& client, const std::string& scope) {
    if (client.scope.contains(scope)) return;
    const bool is_described = client.origin == model::Origin::document;
    throw Refused(not_registered(client, scope) + " (" + client.scope.to_string() +
                  "); name one of these with --scope, or " +
                  (is_described ? "add it to clientDocuments.scope, which the document of the client must name, too"
                                : "register it with `postern client set --scope`"));
}

json::Object to_json(const ClientClaim& claim) {
    return json::Object{{"claim", claim.name}, {"source", model::to_string(claim.source)}, {"scope", claim.scope}};
}

std::vector<audit::Member> members_of(const Client& client, const std::string& claim) {
    return {audit::client(client.id), {"claim", claim}};
}

struct AddOptions {
    std::string id;
    std::vector<std::string> claims;
    std::optional<std::string> scope;
};

void add(const Invocation& invocation, const AddOptions& options) {
    const config::Config config = invocation.load_config();
    std::vector<ClientClaim> claims;
    for (const std::string& text : options.claims) claims.push_back(parse_claim(config.settings, text, options.scope));
    db::Database database = open_database(config, Access::read_write);
    const Client client = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Client changed = require_client(transaction, options.id);
        for (const ClientClaim& claim : claims) {
            require_scope(changed, claim.scope);
            if (claim.source.kind == model::SourceKind::group) require_group(database, claim.source.text);
            store::put_client_claim(transaction, changed.id, claim);
        }
        commit(transaction);
        return changed;
    });
    for (const ClientClaim& claim : claims) note_done(invocation, members_of(client, claim.name));
    if (invocation.json) {
        json::Array array;
        for (const ClientClaim& claim : claims) array.emplace_back(to_json(claim));
        return print_json(std::move(array));
    }
    for (const ClientClaim& claim : claims)
        std::cout << "client " << in_quotes(options.id) << " is told " << in_quotes(claim.name) << " from "
                  << in_quotes(model::to_string(claim.source)) << " with the scope " << in_quotes(claim.scope) << '\n';
}

void list(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const Client client = require_client(database, id);
    const auto claims = store::find_client_claims(database, client.id);
    note_untold_claims(client, claims);
    if (invocation.json) return print_json_rows(claims, to_json);
    print_table_rows({"CLAIM", "SOURCE", "SCOPE"}, claims, [](const ClientClaim& claim) {
        return std::vector<std::string>{claim.name, model::to_string(claim.source), claim.scope};
    });
}

struct RemoveOptions {
    std::string id;
    std::vector<std::string> claims;
};

void remove(const Invocation& invocation, const RemoveOptions& options) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client client = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Client changed = require_client(transaction, options.id);
        for (const std::string& name : options.claims) {
            if (!store::remove_client_claim(transaction, changed.id, name))
                throw Refused("client " + in_quotes(options.id) + " has no claim " + in_quotes(name) +
                              " of its own; `postern client claim list` shows those that it has");
        }
        commit(transaction);
        return changed;
    });
    for (const std::string& name : options.claims) note_done(invocation, members_of(client, name));
    if (invocation.json)
        return print_json(json::Object{{"client_id", options.id}, {"removed", json::strings(options.claims)}});
    for (const std::string& name : options.claims)
        std::cout << "client " << in_quotes(options.id) << " has no claim " << in_quotes(name)
                  << " of its own any more\n";
}

void add_add(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<AddOptions>(group, invocation, "add", "Rename a claim for one client, or add one",
                                "postern client claim add grafana roles=groups\n"
                                "  postern client claim add minio policy=const:readwrite --scope openid",
                                add);
    command.explain(
        "The source is groups (the names of the user's groups), group:NAME (true if the user is in that group, else "
        "false), claim:NAME (a claim that is stored with the user, or preferred_username) or const:TEXT. UserInfo "
        "returns the claim in place of the user's own claim of that name; with `postern client set --id-token-claims` "
        "the ID token has it as well. It is left out for a user who does not have the claim NAME. A claim of the same "
        "name that the client already has is replaced.");
    command.argument(kClientId, options.id);
    command.argument("CLAIM", options.claims, "CLAIM=SOURCE: the name, and where the value comes from");
    command.option("--scope", "SCOPE", options.scope,
                   "Release the claim with this scope alone (default: the scope that releases the source, else "
                   "openid)");
}

}  // namespace

void add_client_claim_commands(const Command& group, Invocation& invocation) {
    const Command claim = group.add_group("claim", "Add, rename and remove the claims of one client");
    add_add(claim, invocation);

    add_command(claim, invocation, "list", "List a client's own claims", "postern client claim list grafana", kClientId,
                list);

    const auto [command, removed] =
        add_command<RemoveOptions>(claim, invocation, "remove", "Remove a client's own claims",
                                   "postern client claim remove grafana roles", remove);
    command.explain("The client then gets the user's own claim of that name again, if a scope releases it.");
    command.argument(kClientId, removed.id);
    command.argument("CLAIM", removed.claims, "The names of the claims");
}

void add_group_name_options(const Command& command, GroupNameOptions& options) {
    command.option("--rename", "GROUP=NAME", options.names,
                   "Give the client another name for a group, wherever it gets groups; repeatable");
    command.option("--no-rename", "GROUP", options.undone, "Give the client the group's own name again; repeatable");
}

void change_group_names(db::Transaction& transaction, const GroupNameOptions& options, const model::ClientId& client) {
    for (const std::string& group : options.undone) {
        if (!store::remove_group_name(transaction, client, group))
            throw Refused("client " + in_quotes(client.str()) + " is told no other name for the group " +
                          in_quotes(group));
    }
    for (const std::string& text : options.names) {
        const auto [group, name] = split_assignment(text, "--rename takes GROUP=NAME");
        if (!model::is_told_name(name))
            throw Refused("the name for " + in_quotes(group) +
                          " must be 1 to 256 bytes of UTF-8 without control and direction characters");
        store::put_group_name(transaction, client, require_group(transaction.database(), group).name, name);
    }
}

void note_untold_claims(const Client& client, const std::vector<ClientClaim>& claims) {
    for (const ClientClaim& claim : claims) {
        if (client.scope.contains(claim.scope)) continue;
        print_note("the claim " + in_quotes(claim.name) + " is not told: " + not_registered(client, claim.scope));
    }
}

ToldOfGroup find_told_of_group(db::Database& database, const std::string& group) {
    return {store::find_claims_of(database, {model::SourceKind::group, group}),
            store::clients_renaming(database, group)};
}

void note_lost(const ToldOfGroup& lost) {
    for (const auto& [client, claim] : lost.claims)
        print_note("client " + in_quotes(client.str()) + " has lost its claim " + in_quotes(claim.name) +
                   ", which was of this group");
    for (const model::ClientId& client : lost.renaming)
        print_note("client " + in_quotes(client.str()) + " was told another name for this group");
}

}  // namespace postern::cli
