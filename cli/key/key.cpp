// `postern key list` and `key retire`: lists keys, and deletes one after everything that it signed has expired.
#include "cli/key/key.h"

#include <algorithm>
#include <iostream>

#include "cli/audit.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "keys/key_directory.h"

namespace postern::cli {
namespace {

const char* to_string(keys::KeyState state) {
    switch (state) {
        case keys::KeyState::next:
            return "next";
        case keys::KeyState::active:
            return "active";
        case keys::KeyState::retired:
            break;
    }
    return "retired";
}

using keys::KeyInfo;
using keys::KeyState;

struct RetireOptions {
    std::string kid;
    bool force = false;
};

KeyInfo require_key(const keys::KeyDirectory& directory, const std::string& kid, util::Time now) {
    const auto keys = directory.list(now);
    const auto found = std::ranges::find(keys, kid, &KeyInfo::kid);
    if (found == keys.end()) throw Refused("there is no key " + in_quotes(kid) + "; `postern key list` shows all");
    return *found;
}

void require_retired(const KeyInfo& key, const oauth::Settings& settings, bool force) {
    if (key.state == KeyState::retired) return;
    if (key.state == KeyState::next) {
        throw Refused("key " + key.kid + " waits to sign from " + to_text(key.signs_from) +
                      "; `postern key rotate --force` replaces it");
    }
    if (is_in_use(key.algorithm, settings))
        throw Refused("key " + key.kid + " signs now; `postern key rotate` gives it a successor");
    if (force) return;
    throw Refused(
        "the configuration does not sign with " + std::string(crypto::to_string(key.algorithm)) +
        " any more, but the time of that change is unknown: use --force when all tokens that it signed have expired");
}

void require_expired(const KeyInfo& key, const oauth::Settings& settings, util::Time now) {
    const util::Time last = last_token_expires(key, settings);
    if (now >= last) return;
    throw Refused("tokens that key " + key.kid + " signed may be valid until " + to_text(last) +
                  "; retire it then, or end them now with --force");
}

void retire(const Invocation& invocation, const RetireOptions& options) {
    const config::Config config = invocation.load_config();
    keys::KeyDirectory directory(config.keys);
    KeyInfo key;
    SharedKeys(config, directory).change([&] {
        const util::Time now = util::SystemClock().now();
        key = require_key(directory, options.kid, now);
        require_retired(key, config.settings, options.force);
        if (!options.force) require_expired(key, config.settings, now);
        directory.remove(key.kid);
        note_key(invocation, audit::Event::key_retired, key);
    });
    if (invocation.json) return print_json(name_and_algorithm(key));
    std::cout << "key " << key.kid << " is no longer published, and its private half is deleted\n";
}

void list(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    const auto keys = keys::Keys::list(config.keys, now());
    if (!invocation.json) return print_keys(keys, config.settings);
    print_json(json::array_of(keys, [&](const KeyInfo& key) { return to_json(key, config.settings); }));
}

}  // namespace

std::vector<crypto::Algorithm> algorithms_in_use(const oauth::Settings& settings) {
    std::vector<crypto::Algorithm> algorithms = {settings.token_algorithm(model::TokenProfile::interface)};
    if (!settings.oidc) return algorithms;
    for (const crypto::Algorithm algorithm : settings.id_token_algorithms)
        if (algorithm != algorithms[0]) algorithms.push_back(algorithm);
    return algorithms;
}

bool is_in_use(crypto::Algorithm algorithm, const oauth::Settings& settings) {
    const auto algorithms = algorithms_in_use(settings);
    return std::ranges::find(algorithms, algorithm) != algorithms.end();
}

util::Time last_token_expires(const keys::KeyInfo& retired, const oauth::Settings& settings) {
    util::Seconds longest = std::max(settings.access_token_ttl, settings.id_token_ttl);
    // An expired ID token names its user at a logout and at another login (id_token_hint), as long as the application
    // has a session or a grant of that user. An algorithm that nothing has today may have been that of ID tokens.
    if (settings.oidc && (settings.offers_id_tokens_by(retired.algorithm) || !is_in_use(retired.algorithm, settings)))
        longest = std::max({longest, settings.session_ttl, settings.refresh_token_ttl});
    // Refresh tokens are signed with the access token's algorithm, unless they are random values.
    if (!settings.use_opaque_refresh_tokens &&
        retired.algorithm == settings.token_algorithm(model::TokenProfile::interface))
        longest = std::max(longest, settings.refresh_token_ttl);
    return retired.signs_until.value_or(retired.signs_from) + longest;
}

json::Object name_and_algorithm(const keys::KeyInfo& key) {
    return {{"kid", key.kid}, {"alg", std::string(crypto::to_string(key.algorithm))}};
}

json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings) {
    json::Object object = name_and_algorithm(key);
    object.set("state", to_string(key.state));
    object.set("signs_from", util::to_epoch(key.signs_from));
    if (key.state == keys::KeyState::retired)
        object.set("needed_until", util::to_epoch(last_token_expires(key, settings)));
    return object;
}

void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings) {
    print_table_rows({"KID", "ALG", "STATE", "SIGNS_FROM", "NEEDED_UNTIL"}, keys, [&](const keys::KeyInfo& key) {
        const bool retired = key.state == keys::KeyState::retired;
        return std::vector<std::string>{key.kid, std::string(crypto::to_string(key.algorithm)), to_string(key.state),
                                        key.signs_from == util::Time{} ? "unknown" : to_text(key.signs_from),
                                        retired ? to_text(last_token_expires(key, settings)) : ""};
    });
}

void add_retire_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<RetireOptions>(
        group, invocation, "retire", "Delete a key that no longer signs, once its tokens have expired",
        "postern key retire vNncbHPrILj32SWpOvPStetr71eMB-r-gf1RSXoKJxs", retire);
    command.explain(
        "Removes the key from the published set and deletes its private half; running processes follow. Exits 1 while "
        "a token that it signed may be valid, or an ID token may come back as id_token_hint: the longest of "
        "accessTokenTTL, idTokenTTL, for a key that signs refresh tokens or ID tokens refreshTokenTTL, and for one "
        "that signs ID tokens sessionTTL, after its successor began to sign. A key that signs or waits to sign is "
        "never retired. ID tokens that it signed no longer work as id_token_hint. Where `postern publish` is used, "
        "run it again.");
    command.argument("KID", options.kid,
                     "The key's id, as `postern key list` shows it; after -- if it starts with a dash");
    command.flag("--force", options.force,
                 "Delete the key even if tokens that it signed are valid: they end at once, as they must when the key "
                 "was stolen");
}

void add_key_commands(const Command& app, Invocation& invocation) {
    const Command group =
        app.add_group("key", "List, rotate, retire, repair and share the signing keys; renew seal.key");
    const Command command = add_command(group, invocation, "list", "List the signing keys and their states",
                                        "postern key list --json", [&invocation] { list(invocation); });
    command.explain(
        "next: published, waits for its time to sign. active: signs. retired: no longer signs, but stays published so "
        "that its tokens verify; NEEDED_UNTIL is when the last of them expires and `postern key retire` may delete "
        "it.");
    add_rotate_command(group, invocation);
    add_retire_command(group, invocation);
    add_repair_command(group, invocation);
    add_share_command(group, invocation);
    add_sync_command(group, invocation);
    add_nodes_command(group, invocation);
}

}  // namespace postern::cli
