// Secrets of clients: made, shown once, replaced.
#include "cli/client/parts.h"

#include "cli/audit.h"
#include "cli/input.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/registration.h"
#include "store/clients.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Client;
using model::ClientType;

constexpr std::int64_t kMaxKeepOld = 365LL * 24 * 3600;

struct SecretOptions {
    std::string id;
    std::int64_t keep_old = 0;
    bool secret_stdin = false;
};

void rotate_secret(const Invocation& invocation, const SecretOptions& options) {
    const config::Config config = invocation.load_config();
    const util::Secret secret = new_secret(options.secret_stdin);
    std::optional<util::Time> old_until;
    if (options.keep_old > 0) old_until = now() + util::Seconds(options.keep_old);

    db::Database database = open_database(config, Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        const Client client = require_client(transaction, options.id);
        if (client.type == ClientType::public_) {
            const bool is_described = client.origin == model::Origin::document;
            throw Refused("client " + in_quotes(options.id) +
                          (client.site ? " is a site, which has no secret"
                           : is_described
                               ? " is what the document at this URL says, so it has no secret"
                               : " is public and has no secret; `postern client set --confidential` gives it "
                                 "one"));
        }
        if (!model::has_secret(client))
            throw Refused("client " + in_quotes(options.id) +
                          (client.auth_method == model::AuthMethod::private_key_jwt ? " signs with its own key"
                                                                                    : " has a certificate") +
                          " and has no secret; `postern client set --auth-method client_secret` "
                          "gives it one");
        store::replace_client_secret(transaction, client.id, oauth::hash_of(secret.reveal()), old_until, now());
        commit(transaction);
    });
    note_done(invocation, {audit::client(model::ClientId(options.id))});
    print_credentials(invocation, options.id, options.secret_stdin ? nullptr : &secret);
    if (old_until) print_note("the old secret works until " + to_text(*old_until));
}

}  // namespace

util::Secret new_secret(bool from_stdin) {
    if (!from_stdin) {
        crypto::SystemRandom random;
        return util::Secret(crypto::random_token(random));
    }
    util::Secret secret = read_secret_line("secret");
    if (const auto problem = oauth::client_secret_problem(secret.reveal())) throw Refused(*problem);
    return secret;
}

void print_credentials(const Invocation& invocation, const std::string& id, const util::Secret* generated) {
    if (invocation.json) {
        json::Object object{{"client_id", id}};
        if (generated) object.set("client_secret", generated->reveal());
        return print_json(std::move(object));
    }
    print_fields({{"client_id", id}, {"client_secret", generated ? std::string(generated->reveal()) : ""}});
    if (generated) print_note("the secret is shown only once; only its hash is stored");
}

void add_client_secret_command(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<SecretOptions>(group, invocation, "secret", "Give a client a new secret; the old one stops working",
                                   "postern client secret wiki --keep-old 86400", rotate_secret);
    command.explain(
        "The new secret works at once and is printed only once. To change it without interruption, let both work "
        "(--keep-old) while the client is being configured. Issued tokens stay valid.");
    command.argument(kClientId, options.id);
    command
        .option("--keep-old", "SECONDS", options.keep_old,
                "Accept the old secret for this many seconds more, at most a year (default: 0, not at all)")
        .between(0, kMaxKeepOld);
    command.flag("--secret-stdin", options.secret_stdin,
                 "Read your own secret (at least 32 characters) as one line of standard input");
}

}  // namespace postern::cli
