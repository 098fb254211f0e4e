// `postern key rotate`: creates the next keys, published before they sign (OpenID Connect Core §10.1.1).
#include <sys/stat.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "keys/key_directory.h"
#include "oidc/cacheable.h"

namespace postern::cli {
namespace {

using keys::KeyInfo;
using keys::KeyState;

constexpr std::int64_t kDefaultLead = oidc::kPublicMaxAge.count();
constexpr std::int64_t kMaxLead = 365LL * 24 * 3600;
constexpr std::chrono::milliseconds kLongestWait{1500};
constexpr std::int64_t kDefaultWait = 90;  // for other nodes; a `key sync` each minute takes less
constexpr std::int64_t kMaxWait = 3600;

struct RotateOptions {
    std::optional<std::string> algorithm;
    std::optional<std::int64_t> lead;
    bool seal = false;
    bool force = false;
    bool stolen = false;
    bool factors = false;
    bool end_codes = false;
    std::int64_t wait = kDefaultWait;
};

const KeyInfo* find(const std::vector<KeyInfo>& keys, crypto::Algorithm algorithm, KeyState state) {
    const auto found = std::ranges::find_if(
        keys, [&](const KeyInfo& key) { return key.algorithm == algorithm && key.state == state; });
    return found == keys.end() ? nullptr : &*found;
}

/// --seal alone renews seal.key only.
std::vector<crypto::Algorithm> algorithms_asked_for(const RotateOptions& options, const oauth::Settings& settings) {
    if (options.algorithm) return {*crypto::parse_algorithm(*options.algorithm)};
    if (options.seal && !options.lead) return {};
    return algorithms_in_use(settings);
}

/// Two waiting keys would shorten each other's time of publication.
void require_none_waiting(const std::vector<KeyInfo>& keys, crypto::Algorithm algorithm) {
    const KeyInfo* next = find(keys, algorithm, KeyState::next);
    if (!next) return;
    throw Refused("the " + std::string(crypto::to_string(algorithm)) + " key " + next->kid +
                  " is already waiting and signs from " + to_text(next->signs_from) +
                  "; nothing was changed: wait until then, or replace it with --force");
}

/// If no active key exists for a configured algorithm, signing is impossible now, so the new key becomes active
/// immediately.
keys::NewKey new_key(const std::vector<KeyInfo>& keys, crypto::Algorithm algorithm, const RotateOptions& options,
                     const oauth::Settings& settings) {
    if (is_in_use(algorithm, settings) && !find(keys, algorithm, KeyState::active)) {
        print_note("no " + std::string(crypto::to_string(algorithm)) +
                   " key signs now, so the new key becomes active at once");
        return {algorithm, util::Seconds{0}};
    }
    if (!is_in_use(algorithm, settings)) {
        print_note("the configuration does not sign with " + std::string(crypto::to_string(algorithm)) +
                   "; it can be changed when the new key is active");
    }
    return {algorithm, util::Seconds{options.lead.value_or(kDefaultLead)}};
}

/// One note for all keys. For the first key of an algorithm no client has a cached set that lacks it.
void note_short_lead(const std::vector<KeyInfo>& keys, const std::vector<keys::NewKey>& wanted) {
    const bool is_short = std::ranges::any_of(wanted, [&](const keys::NewKey& key) {
        return key.lead < oidc::kPublicMaxAge && find(keys, key.algorithm, KeyState::active);
    });
    if (!is_short) return;
    print_note("clients may cache the key set for " + std::to_string(oidc::kPublicMaxAge.count()) +
               " seconds: until then, a client that does not fetch it again for an unknown kid rejects what the new "
               "key signs");
}

/// "At once" is one second later if the active key was created in this second.
void wait_until(util::Time time) {
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    while (now() < time && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::vector<KeyInfo> rotate_keys(const Invocation& invocation, keys::KeyDirectory& directory,
                                 const std::vector<crypto::Algorithm>& algorithms, const RotateOptions& options,
                                 const oauth::Settings& settings) {
    const auto keys = directory.list(now());
    if (!options.force) {
        for (const crypto::Algorithm algorithm : algorithms) require_none_waiting(keys, algorithm);
    }
    std::vector<keys::NewKey> wanted;
    for (const crypto::Algorithm algorithm : algorithms) wanted.push_back(new_key(keys, algorithm, options, settings));
    note_short_lead(keys, wanted);
    auto added = directory.add(wanted, util::SystemClock());
    for (const KeyInfo& key : added) note_key(invocation, audit::Event::key_rotated, key);
    for (KeyInfo& key : added) {
        const bool at_once = key.signs_from <= now() + util::Seconds{1};
        if (at_once) wait_until(key.signs_from);
        key.state = key.signs_from <= now() ? KeyState::active : KeyState::next;
    }
    return added;
}

/// Clients that fetch the set again reject everything that a thief signs with the old keys.
void remove_all_but(const Invocation& invocation, const std::vector<KeyInfo>& added, keys::KeyDirectory& directory) {
    for (const KeyInfo& key : directory.list(now())) {
        if (std::ranges::find(added, key.kid, &KeyInfo::kid) != added.end()) continue;
        directory.remove(key.kid);
        note_key(invocation, audit::Event::key_retired, key);
    }
    print_note(
        "every older key was deleted, and every token that it signed has ended; applications that cache the key set "
        "accept the stolen keys until they fetch it again, so restart those that matter");
}

/// Each node signs with a new key when its time has come, also while another one does not know it yet.
void require_published_ahead(SharedKeys& shared, const RotateOptions& options) {
    const bool is_ahead = !options.lead || util::Seconds{*options.lead} >= kShortestSharedLead;
    if (is_ahead || options.force || shared.other_nodes().empty()) return;
    throw Refused("other nodes take new keys over once a minute, so a lead of less than " +
                  std::to_string(kShortestSharedLead.count()) +
                  " seconds would let a node sign with a key that another one does not know; nothing was changed: give "
                  "a longer --lead, or --force");
}

bool must_be_known_at_once(const std::vector<KeyInfo>& added) {
    return std::ranges::any_of(added, [](const KeyInfo& key) { return key.signs_from < now() + kShortestSharedLead; });
}

void renew_seal(const Invocation& invocation, keys::KeyDirectory& directory) {
    directory.renew_seal();
    note(invocation, audit::Event::seal_renewed, {});
    print_note(
        "seal.key is new: users whose login or consent is in progress must start again at the application; "
        "sessions stay");
}

void rotate(const Invocation& invocation, const RotateOptions& typed) {
    RotateOptions options = typed;
    if (options.factors) return rotate_factors(invocation, {options.end_codes, util::Seconds{options.wait}});
    if (options.stolen) {
        options.lead = 0;
        options.force = true;
        options.seal = true;
    }

    const config::Config config = invocation.load_config();
    const auto algorithms = algorithms_asked_for(options, config.settings);
    std::optional<keys::KeyDirectory> directory(config.keys);
    SharedKeys shared(config, *directory);
    require_published_ahead(shared, options);
    std::vector<KeyInfo> added;
    shared.change([&] {
        if (!algorithms.empty()) added = rotate_keys(invocation, *directory, algorithms, options, config.settings);
        if (options.stolen) remove_all_but(invocation, added, *directory);
        if (options.seal) renew_seal(invocation, *directory);
    });
    directory.reset();  // a `key sync` may run from here on
    if (must_be_known_at_once(added)) shared.wait_for_others(util::Seconds{options.wait});
    note_closed_files(config.keys);
    if (invocation.json)
        return print_json(json::array_of(added, [&](const KeyInfo& key) { return to_json(key, config.settings); }));
    if (!added.empty()) print_keys(added, config.settings);
    if (options.seal) std::cout << "seal.key is renewed\n";
}

}  // namespace

void note_closed_files(const std::string& directory) {
    const bool divided = key_groups(directory).has_value();
    for (const auto& file : private_files(directory)) {
        struct stat status {};
        if (lstat(file.c_str(), &status) != 0 || (status.st_mode & S_IRGRP) != 0) continue;
        if (!divided && status.st_uid != 0) continue;
        print_note("only its owner can read " + file.string() +
                   "; give it the group of the processes that need it (chgrp), then mode 0640");
    }
}

void add_rotate_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<RotateOptions>(
        group, invocation, "rotate", "Create new signing keys, published before they sign; print them",
        "postern key rotate\n"
        "  postern key rotate --alg ES256 --lead 86400\n"
        "  postern key rotate --stolen\n"
        "  postern key rotate --factors",
        rotate);
    command.explain(
        "Each algorithm in use gets a key that is published at once and signs when the lead time is over; the previous "
        "key signs until then, and stays published so that its tokens verify. No restart is needed. `postern key list` "
        "shows the states, `postern key retire` deletes a key that is no longer needed. Exits 1 and changes nothing "
        "while a key of an earlier rotation is waiting. Where `postern publish` is used, run it again at once.\n"
        "Where nodes share their keys, the others take the new ones over with their next `postern key sync`; for keys "
        "that sign at once, this command waits for them and names those that are late.");
    const Option alg = command.option("--alg", "ALG", options.algorithm,
                                      "RS256, ES256, PS256 or EdDSA (default: every algorithm in use)");
    alg.one_of({"RS256", "ES256", "PS256", "EdDSA"});
    const Option lead = command.option("--lead", "SECONDS", options.lead,
                                       "How long the new key is published before it signs, at most a year; 0 = signs "
                                       "at once (default: 3600, as long as clients may cache the key set)");
    lead.between(0, kMaxLead);
    const Option seal = command.flag(
        "--seal", options.seal,
        "Renew seal.key, and signing keys only if --alg or --lead is given too; ends logins and consents in "
        "progress, not sessions");
    const Option force = command.flag(
        "--force", options.force,
        "Replace a waiting key, which then never signs. Where nodes share their keys, also accept a lead of less than "
        "180 seconds");
    command
        .option("--wait", "SECONDS", options.wait,
                "Where nodes share their keys: how long to wait until the other ones have taken over keys that sign at "
                "once, or a new factor.key (default: 90)")
        .between(0, kMaxWait);
    const Option stolen =
        command.flag("--stolen", options.stolen,
                     "After a theft: new keys that sign at once, a new seal.key, and the end of every older key with "
                     "all tokens that it signed; factor.key is for --factors");
    stolen.excludes(alg);
    stolen.excludes(lead);
    const Option factors =
        command.flag("--factors", options.factors,
                     "A new factor.key instead, with which the secret of each authenticator app is sealed again; takes "
                     "some seconds, in which users log in as before. Run it again when it was interrupted");
    for (const Option& other : {alg, lead, seal, force, stolen}) factors.excludes(other);
    command
        .flag("--end-codes", options.end_codes,
              "With --factors: end all recovery codes, whose key cannot be replaced without them; users make new ones")
        .needs(factors);
}

}  // namespace postern::cli
