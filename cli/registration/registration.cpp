// `postern registration token`: makes, lists and removes initial access tokens, with which clients register themselves.
#include <iostream>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "store/registration_tokens.h"
#include "util/secret.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::RegistrationToken;

constexpr std::int64_t kWeek = 604800;
constexpr std::int64_t kTenYears = std::int64_t{10} * 365 * 24 * 60 * 60;
constexpr std::int64_t kMostUses = 1000000;
constexpr std::size_t kLongestName = 256;

struct AddOptions {
    std::int64_t uses = 1;
    std::int64_t expires = kWeek;
    std::string name;
};

void note_mode(const oauth::Settings& settings) {
    if (settings.offers_registration()) return;
    print_note(
        "registration.mode is \"closed\", or paths.registration is null: no client can register with the token yet");
}

void add(const Invocation& invocation, const AddOptions& options) {
    if (options.name.size() > kLongestName || util::displayable(options.name) != options.name)
        throw UsageError("--name takes at most 256 bytes of text without control and direction characters");
    const config::Config config = invocation.load_config();
    crypto::SystemRandom random;
    const util::Secret value(crypto::random_token(random));
    RegistrationToken token;
    token.id = crypto::random_id(random);
    token.token_hash = oauth::hash_of(value.reveal());
    token.name = options.name;
    token.uses_left = options.uses;
    token.created_at = now();
    token.expires_at = token.created_at + util::Seconds(options.expires);
    db::Database database = open_database(config, Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        if (!store::insert_registration_token(transaction, token)) throw Refused("the random id is taken; try again");
        commit(transaction);
    });
    note_done(invocation, {audit::credential("token", token.token_hash)});
    note_mode(config.settings);
    if (invocation.json)
        return print_json(json::Object{{"id", token.id},
                                       {"initial_access_token", value.reveal()},
                                       {"uses_left", token.uses_left},
                                       {"expires_at", util::to_epoch(token.expires_at)}});
    print_fields({{"id", token.id},
                  {"initial access token", std::string(value.reveal())},
                  {"uses", std::to_string(token.uses_left)},
                  {"expires", to_text(token.expires_at)}});
    print_note("the token is shown only once");
}

Listing listing_of(const RegistrationToken& token) {
    return {{"id", "id", token.id},
            {"name", "name", token.name},
            {"token", "token", token.token_hash.str().substr(0, 16)},
            {"uses_left", "uses left", token.uses_left},
            time_field("created_at", "created", token.created_at),
            time_field("expires_at", "expires", token.expires_at)};
}

void list(const Invocation& invocation, const db::Limit& limit) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto tokens = store::list_registration_tokens(database, limit);
    if (invocation.json)
        return print_json_rows(tokens, [](const RegistrationToken& token) { return members_of(listing_of(token)); });
    print_table_rows({"ID", "NAME", "USES_LEFT", "EXPIRES"}, tokens, [](const RegistrationToken& token) {
        return std::vector{token.id, token.name, std::to_string(token.uses_left), to_text(token.expires_at)};
    });
}

void remove(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        if (!store::remove_registration_token(transaction, id))
            throw Refused("there is no initial access token " + in_quotes(id) +
                          "; `postern registration token list` lists the tokens");
        commit(transaction);
    });
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"id", id}});
    std::cout << "initial access token " << in_quotes(id) << " is removed; the clients that registered with it stay\n";
}

constexpr Argument kId = {"ID", "The id that `postern registration token list` shows"};

}  // namespace

void add_registration_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("registration", "Let clients register themselves");
    const Command token =
        group.add_group("token", "Manage initial access tokens, with which clients register (RFC 7591)");
    const auto [command, options] =
        add_command<AddOptions>(token, invocation, "add", "Make an initial access token; print it once",
                                "postern registration token add --name \"Test suite\" --uses 20", add);
    command.explain(
        "Who has the token can register as many clients as it has uses, while registration.mode is \"token\" or \"open\" in "
        "the configuration. Only its hash is stored.");
    command.option("--uses", "NUMBER", options.uses, "Registrations (default: 1)").between(1, kMostUses);
    command.option("--expires", "SECONDS", options.expires, "How long it counts (default: 604800, a week)")
        .between(60, kTenYears);
    command.option("--name", "TEXT", options.name, "Whom you give it to, for the list");
    add_list_command(token, invocation, "List the tokens", "postern registration token list --json", list);
    add_command(token, invocation, "remove", "Take a token away; its clients stay",
                "postern registration token remove ID", kId, remove);
}

}  // namespace postern::cli
