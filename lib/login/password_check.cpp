// Is this the password? Throttle, hash slot, throttle again, hash, settle.
#include "login/password_check.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>
#include <utility>

#include "crypto/digest.h"
#include "crypto/password.h"
#include "db/error.h"
#include "db/write.h"
#include "gateway/fcgi_accept.h"
#include "login/saslauthd.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::login {
namespace {

constexpr std::chrono::milliseconds kSlotWait{4000};
constexpr std::chrono::milliseconds kStrangersWait{250};  // for saslauthd
constexpr util::Seconds kPlaceIsKnown = std::chrono::hours(24 * 90);

std::string counter(std::string_view sort, const std::string& of) { return std::string(sort) + crypto::sha256_hex(of); }

/// The counters of failures: digests, so that the table holds no names, with the limit of each.
struct Counter {
    std::string key;
    std::int64_t limit;
};
using Counters = std::array<Counter, 3>;

/// The part that one customer of a provider has: an IPv4 address, or the /64 of an IPv6 one.
std::string network_of(const std::string& address) {
    in6_addr parsed{};
    if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1 || IN6_IS_ADDR_V4MAPPED(&parsed)) return address;
    return std::string(reinterpret_cast<const char*>(parsed.s6_addr), 8);
}

// NUL cannot occur in a name, so no two pairs share it.
std::string pair_of(const std::string& username, const std::string& network) {
    return username + std::string(1, '\0') + network;
}

/// "" for an unknown address: all the requests of unknown addresses must not share a counter, or strangers lock every
/// user out (docs/decisions/0097). The store counts nothing under it.
std::string counter_at(const std::string& network, std::string_view sort, const std::string& of) {
    return network.empty() ? "" : counter(sort, of);
}

/// A place of a name: its keys of one name stand together, and are bounded together (store::remember_place). "" for an
/// unknown address.
std::string place_at(const std::string& network, const std::string& username, const std::string& place) {
    return network.empty() ? "" : counter(store::kKnownPlace, username) + ':' + crypto::sha256_hex(place);
}

Counters counters_for(const Settings& login, const std::string& username, const std::string& network) {
    const std::int64_t limit = login.max_failures;
    return {Counter{counter_at(network, store::kPairCounter, pair_of(username, network)), limit},
            Counter{counter(store::kUserCounter, username), limit * kAloneFactor},
            Counter{counter_at(network, store::kAddressCounter, network), limit * kAloneFactor}};
}

/// One try of a password, and where its failures are counted.
struct Attempt {
    std::string username;
    const util::Secret& password;
    Counters counters;
    std::string place;
};

/// The name as it is counted: where a directory takes any case, no spelling has tries of its own.
std::string counted_name(const Settings& login, const std::string& username) {
    return login.keeps_passwords() ? username : util::to_lower(username);
}

Attempt make_attempt(oauth::Context& context, const std::string& typed, const util::Secret& password,
                     const std::string& address) {
    const Settings& login = context.settings.login;
    const std::string network = network_of(address);
    const std::string counted = counted_name(login, typed);
    return {.username = login.keeps_passwords() ? typed : account_name(context, typed),
            .password = password,
            .counters = counters_for(login, counted, network),
            .place = place_at(network, counted, pair_of(counted, network))};
}

/// The facts about an attempt before its password is looked at.
struct Standing {
    std::optional<util::Seconds> wait = std::nullopt;  ///< too many failures in the window
    bool is_known = false;                             ///< the name has logged in at this address of late
};

Standing find_standing(oauth::Context& context, const Attempt& attempt) {
    const util::Time now = context.now();
    const auto& [pair, user, address] = attempt.counters;
    const auto found = store::find_attempts(context.store, {pair.key, user.key, address.key, attempt.place}, now);
    Standing standing{.is_known = found.back().until > now};
    for (std::size_t i = 0; i < attempt.counters.size(); ++i) {
        const Counter& counter = attempt.counters[i];
        // Otherwise an attacker with many addresses could lock the owner of a name out forever by guessing.
        if (standing.is_known && counter.key.starts_with(store::kUserCounter)) continue;
        const store::Attempts& attempts = found[i];
        if (attempts.failures >= counter.limit && attempts.until > now)
            standing.wait = std::max(standing.wait.value_or(util::Seconds{0}), attempts.until - now);
    }
    return standing;
}

ProofRefused throttled(util::Seconds wait) {
    const std::string why =
        "too many failed logins for this name or address; it ends in " + std::to_string(wait.count()) + " s";
    return {.fault = ProofFault::throttled, .wait = wait, .reason = refusal::Reason::login_throttled, .detail = why};
}

/// The hash for an unknown name: as an existing user's password is, since imported hashes may be dearer or
/// cheaper than ours. Unknown names, each always alike, then differ among themselves just as known ones do.
std::string stand_in(oauth::Context& context, const std::string& username) {
    return store::pick_password_hash(context.store, util::base64url_encode(crypto::sha256(username)));
}

/// Every name takes equal work: an unknown or disabled user, or one without a password, costs a hash too.
ProofResult compare(oauth::Context& context, const std::string& username, const util::Secret& password) {
    const auto user = store::find_user_by_name(context.store, username);
    const store::StoredPassword stored =
        user ? store::find_password(context.store, user->subject) : store::StoredPassword();
    if (!user || !user->enabled || stored.hash.empty()) {
        crypto::verify_nothing(password, user ? stored.hash : stand_in(context, username));
        const char* why = !user ? "no such user" : !user->enabled ? "the user is disabled" : "the user has no password";
        return ProofRefused{.detail = why, .subject = user ? user->subject : model::Subject()};
    }
    if (!crypto::verify_password(password, stored.hash))
        return ProofRefused{.detail = "wrong password", .subject = user->subject};
    return proof_by_password(user->subject, stored);
}

/// The stored hash may be from a time when passwords were kept here; while the login goes on it must not change.
ProofResult compare_by_saslauthd(oauth::Context& context, const std::string& username, const util::Secret& password) {
    const auto subject = find_user_by_saslauthd(context, username, password);
    if (!subject) return subject.error();
    auto stored = store::find_password(context.store, *subject);
    stored.must_change = false;
    return proof_by_password(*subject, stored);
}

/// Reads, and decides. The caller holds a hash slot.
ProofResult judge(oauth::Context& context, const Attempt& attempt) {
    if (const auto wait = find_standing(context, attempt).wait) return throttled(*wait);
    const bool is_kept_here = context.settings.login.keeps_passwords();
    return is_kept_here ? compare(context, attempt.username, attempt.password)
                        : compare_by_saslauthd(context, attempt.username, attempt.password);
}

bool is_wrong(const ProofResult& result) { return !result && result.error().fault == ProofFault::wrong; }

/// Writes what the result means for later attempts: a failure is counted.
void settle(oauth::Context& context, const Attempt& attempt, const ProofResult& result) {
    if (!is_wrong(result)) return;
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        const auto& [pair, user, address] = attempt.counters;
        store::count_failures(transaction, {pair.key, user.key, address.key}, context.now(),
                              context.settings.login.window);
        transaction.commit();
    });
}

/// Whether it can be the password of any user.
bool is_possible(const Settings& login, const std::string& username, const util::Secret& password) {
    return !username.empty() && crypto::check_password(password.reveal()) == crypto::PasswordFault::none &&
           (login.keeps_passwords() || can_ask_saslauthd(username, password));
}

std::optional<os::Slot> take_slot(const oauth::Context& context, int slots, std::chrono::milliseconds wait,
                                  const os::Slot::GivesUp& gives_up = {}) {
    try {
        return os::Slot::acquire(context.settings.login.hash_slot_files, slots, wait, gives_up);
    } catch (const std::system_error& error) {
        // Lock files that cannot be made are storage that does not work: 503, not 500.
        throw db::StoreError(error.what());
    }
}

/// Twice in a row: another process of the pool takes a request within less.
os::Slot::GivesUp when_awaited() {
    return [seen = 0]() mutable {
        seen = gateway::is_awaited() ? seen + 1 : 0;
        return seen > 1;
    };
}

/// Anyone can send wrong passwords, so strangers leave one place to those whose name has logged in at their address.
/// With saslauthd a refusal keeps its process for half a second. So a stranger waits for a place only while no other
/// request waits for this process. docs/decisions/0103
std::optional<os::Slot> take_slot_for(const oauth::Context& context, const Standing& standing) {
    const Settings& login = context.settings.login;
    if (standing.is_known) return take_slot(context, login.hash_slots, kSlotWait);
    const int slots = std::max(login.hash_slots - 1, 1);
    if (login.keeps_passwords()) return take_slot(context, slots, kSlotWait);
    return take_slot(context, slots, kStrangersWait, when_awaited());
}

/// Our own refusals take alike, because each costs a hash.
void wait_for_refusal(const Settings& login, const ProofResult& result, std::chrono::steady_clock::time_point begun) {
    if (login.keeps_passwords() || !is_wrong(result)) return;
    std::this_thread::sleep_for(rest_of_refusal(std::chrono::steady_clock::now() - begun));
}

}  // namespace

std::optional<os::Slot> take_hash_slot(const oauth::Context& context) {
    return take_slot(context, context.settings.login.hash_slots, kSlotWait);
}

Proof proof_by_password(const model::Subject& subject, const store::StoredPassword& stored) {
    const auto is_same = [subject, hash = stored.hash](db::Transaction& transaction) {
        return store::find_password(transaction.database(), subject).hash == hash;
    };
    return {.subject = subject,
            .how = model::by_password(),
            .spend = is_same,
            .stamp = stored.stamp,
            .must_change_password = stored.must_change};
}

ProofResult attempt_password(oauth::Context& context, const std::string& username, const util::Secret& password,
                             const std::string& address) {
    const auto begun = std::chrono::steady_clock::now();
    if (!is_possible(context.settings.login, username, password))
        return ProofRefused{.detail = "the user name or password is empty or too long"};
    const Attempt attempt = make_attempt(context, username, password, address);
    const Standing standing = find_standing(context, attempt);
    if (standing.wait) return throttled(*standing.wait);  // without a place in the queue
    const auto slot = take_slot_for(context, standing);
    if (!slot) return ProofRefused{.fault = ProofFault::busy, .detail = kNoHashSlot};
    // Both before the slot is free: parallel guesses must not all have passed the throttle.
    ProofResult result = judge(context, attempt);
    settle(context, attempt, result);
    // Still with the slot: refusals that wait are as few as hashes.
    wait_for_refusal(context.settings.login, result, begun);
    return result;
}

std::string counter_of_network(std::string_view sort, const std::string& address) {
    const std::string network = network_of(address);
    return counter_at(network, sort, network);
}

std::optional<util::Seconds> find_address_wait(oauth::Context& context, const std::string& address) {
    const util::Time now = context.now();
    const Counter counter = counters_for(context.settings.login, "", network_of(address)).back();
    const store::Attempts attempts = store::find_attempts(context.store, {counter.key}, now).front();
    if (attempts.failures < counter.limit || attempts.until <= now) return std::nullopt;
    return attempts.until - now;
}

void count_address_failure(oauth::Context& context, const std::string& address,
                           const std::function<void(db::Transaction&)>& with_it) {
    const Counter counter = counters_for(context.settings.login, "", network_of(address)).back();
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        if (with_it) with_it(transaction);
        store::count_failures(transaction, {counter.key}, context.now(), context.settings.login.window);
        transaction.commit();
    });
}

text::Message wait_message(util::Seconds wait) {
    const auto minutes = (wait.count() + 59) / 60;
    return {text::tr("There were too many failed attempts. Minutes to wait: {minutes}"),
            {{"minutes", text::Message::number(minutes)}}};
}

bool has_pasted_space(const http::Params& sent, std::string_view field) {
    return sent.fault_of(field) == http::ParamFault::malformed && sent.find_typed(field);
}

text::Message pasted_space_message() {
    return text::tr("There is a tab or a line break in the password. Enter it without one.");
}

std::optional<std::string> first_unreadable(const http::Params& sent, std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields)
        if (sent.fault_of(field) && !has_pasted_space(sent, field)) return std::string(field);
    return std::nullopt;
}

SuccessKeys success_keys(const oauth::Context& context, const std::string& username, const std::string& address) {
    const std::string network = network_of(address);
    const std::string counted = counted_name(context.settings.login, username);
    const std::string pair = pair_of(counted, network);
    return {.failures = counters_for(context.settings.login, counted, network).front().key,
            .place = place_at(network, counted, pair),
            .code_place = place_at(network, counted, pair + std::string(1, '\0') + "code")};
}

void remember_code_place(db::Transaction& transaction, const SuccessKeys& keys, util::Time now) {
    store::remember_place(transaction, keys.code_place, now + kPlaceIsKnown);
}

void note_success(db::Transaction& transaction, const SuccessKeys& keys, util::Time now) {
    store::clear_failures(transaction, keys.failures);
    store::remember_place(transaction, keys.place, now + kPlaceIsKnown);
}

}  // namespace postern::login
