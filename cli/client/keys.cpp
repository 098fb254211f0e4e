// Reads, fetches and stores the keys of a client.
#include "cli/client/keys.h"

#include "cli/command.h"
#include "cli/output.h"
#include "config/config.h"
#include "fetch/fetcher.h"
#include "jose/client_keys.h"
#include "oauth/client_key_set.h"
#include "os/read_file.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using model::AuthMethod;

std::string read_set(const std::string& file) {
    const auto text = os::read_file(file, {.bytes = jose::kMaxClientKeySetBytes, .links = os::Links::followed});
    if (!text) throw Refused(in_quotes(file) + " " + text.error().meaning());
    const auto keys = jose::parse_client_keys(*text);
    if (!keys) throw Refused(in_quotes(file) + ": " + keys.error());
    return jose::write_client_keys(*keys);
}

/// A client with certificates signs no assertions, and its keys are registered themselves. What stayed behind could not
/// be taken away, because the options for it are refused.
void forget_assertions(model::Client& client) {
    if (!client.keys) return;
    client.keys->alg.clear();
    if (!client.keys->jwks_uri.empty())
        print_note("the client's keys at " + in_quotes(client.keys->jwks_uri) +
                   " are forgotten; if it signs requests, register them with --jwks FILE");
    client.keys->jwks_uri.clear();
    if (client.keys->jwks.empty()) client.keys.reset();
}

}  // namespace

void add_key_options(const Command& command, KeyOptions& options) {
    command.option(
        "--jwks", "FILE", options.jwks,
        "File with the client's public keys, a JWK set, for --auth-method private_key_jwt and those of certificates; "
        "replaces the stored keys");
    command.option("--jwks-uri", "URI", options.jwks_uri,
                   "In place of --jwks, where the client publishes its keys; needs \"outbound\" in the configuration");
    command
        .option("--token-endpoint-auth-signing-alg", "ALG", options.alg,
                "The only algorithm that it may sign with (default: any that fits one of its keys)")
        .one_of({"ES256", "PS256", "EdDSA", "Ed25519", "RS256"});
}

void add_key_set_options(const Command& command, KeyOptions& options) {
    command.flag("--no-token-endpoint-auth-signing-alg", options.no_alg, "Undo --token-endpoint-auth-signing-alg");
}

void apply(const KeyOptions& options, model::Client& client) {
    if (options.jwks && options.jwks_uri) throw UsageError("--jwks and --jwks-uri contradict each other");
    refuse_undone(options.alg.has_value(), options.no_alg, "token-endpoint-auth-signing-alg");
    if (!model::has_keys(client)) {
        if (options != KeyOptions{})
            throw UsageError(
                "keys go with --auth-method private_key_jwt, self_signed_tls_client_auth or tls_client_auth");
        client.keys.reset();
        return;
    }
    if (client.auth_method != AuthMethod::private_key_jwt && (options.jwks_uri || options.alg || options.no_alg))
        throw UsageError("the keys of a client with certificates are registered with --jwks, and sign no assertions");
    if (client.auth_method != AuthMethod::private_key_jwt) forget_assertions(client);
    if (options == KeyOptions{}) return;
    if (!client.keys) client.keys.emplace();
    if (options.jwks) client.keys->jwks = read_set(*options.jwks);
    if (options.jwks) client.keys->jwks_uri.clear();
    if (options.jwks_uri) client.keys->jwks_uri = util::trim(*options.jwks_uri);
    if (options.jwks_uri) client.keys->jwks.clear();
    if (options.alg) client.keys->alg = *options.alg;
    if (options.no_alg) client.keys->alg.clear();
}

void save_keys(db::Transaction& transaction, const model::Client& client) {
    store::remove_client_keys(transaction, client.id);
    if (!client.keys) return;
    store::insert_client_keys(transaction, client.id, *client.keys);
    store::remove_client_secrets(transaction, client.id);
}

void require_fetched(const KeyOptions& options, const model::ClientId& client, const config::Config& config) {
    const fetch::Outbound& outbound = config.settings.outbound;
    if (!options.jwks_uri || !outbound.enabled) return;
    const auto fetcher = fetch::start_child(outbound);  // before the database is open
    db::Database database = open_database(config, db::Access::read_write);
    const fetch::Source source{database, now(), fetcher.get(), outbound};
    if (const auto problem = oauth::jwks_uri_problem(source, std::string(util::trim(*options.jwks_uri)),
                                                     {fetch::Occasion::renewal, "client " + client.str()}))
        throw Refused("the keys at " + in_quotes(*options.jwks_uri) + " cannot be had: " + *problem);
}

}  // namespace postern::cli
