#include "fetch/limits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "crypto/digest.h"
#include "db/write.h"
#include "fetch/allowed.h"

namespace postern::fetch {
namespace {

using refusal::Reason;
using std::chrono::milliseconds;

constexpr util::Seconds kWindow{60};
constexpr util::Seconds kFailureRemembered{30};
constexpr std::int64_t kMostSilences = 5;
constexpr milliseconds kLeastCharge{1000};

/// In front of the keys of counters. That a URL has failed is the same on each occasion.
std::string prefix(Occasion occasion) {
    switch (occasion) {
        case Occasion::renewal:
            return "renewal:";
        case Occasion::refetch:
            return "refetch:";
        case Occasion::upkeep:
            return "upkeep:";
        case Occasion::first:
            break;
    }
    return "";
}

/// 30 s, a minute, two, four, eight. The row lives twice as long, so that a host that is silent again is known.
util::Seconds pause_after(std::int64_t silences) { return kFailureRemembered * (1 << (silences - 1)); }

std::string share_key(const Cause& cause) {
    if (cause.of.empty()) return "";
    const std::string of = cause.occasion == Occasion::first ? network_of(cause.of) : cause.of;
    return prefix(cause.occasion) + "from:" + crypto::sha256_hex(of);
}

Failure too_many_of_host() { return {Reason::client_document_busy, "more than 6 fetches from this host in a minute"}; }
Failure too_many() { return {Reason::client_document_busy, "more than 60 fetches in a minute"}; }

Failure too_much_of_cause(Occasion occasion) {
    if (occasion == Occasion::first)
        return {Reason::client_document_busy_address,
                "the fetches that this address has asked for have taken 20 s of this minute"};
    return {Reason::client_document_busy_user,
            "the fetches for the user who brought this client have taken 20 s of this minute"};
}

Failure too_much(int slots) {
    return {Reason::client_document_busy_time,
            "fetches have taken half of this minute; \"outbound.slots\" is " + std::to_string(slots)};
}

}  // namespace

Limits::Limits(const Source& source, const std::string& url, std::string digest, const Cause& cause)
    : source_(source),
      occasion_(cause.occasion),
      failed_("failed:" + std::move(digest)),
      silent_(prefix(cause.occasion) + "silent:" + crypto::sha256_hex(host_of(url))),
      host_(prefix(cause.occasion) + "host:" + crypto::sha256_hex(host_of(url))),
      all_(prefix(cause.occasion) + "all"),
      share_(share_key(cause)),
      waited_(prefix(cause.occasion) + "waited") {}

std::optional<Failure> Limits::refusal() {
    const std::array<std::string, store::kFetchKeys> keys = {failed_, silent_, host_, all_, share_, waited_};
    const auto [failed, silent, host, all, share, waited] = store::find_fetch_counts(source_.store, keys, source_.now);
    silences_ = silent.count;
    const int slots = source_.outbound.slots;
    if (failed.count > 0)
        return Failure{Reason::client_document_refused, "it failed in the last 30 s, and is not asked again so soon"};
    if (silences_ > 0 && source_.now < silent.ends_at - pause_after(silences_))
        return Failure{Reason::client_document_refused_silent_host,
                       "its host has not answered, and is not asked again so soon"};
    if (host.count >= kFetchesOfHost) return too_many_of_host();
    if (all.count >= kFetches) return too_many();
    if (share.count >= kShareOfCause.count()) return too_much_of_cause(occasion_);
    if (waited.count >= kShareOfOccasion.count() * slots) return too_much(slots);
    return std::nullopt;
}

std::optional<Failure> Limits::claim() const {
    return db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) -> std::optional<Failure> {
        // The host's first, which is in the way of few: on a server a transaction waits for the row that another
        // counts.
        if (store::count_fetch(transaction, host_, source_.now, kWindow) > kFetchesOfHost) return too_many_of_host();
        if (store::count_fetch(transaction, all_, source_.now, kWindow) > kFetches) return too_many();
        transaction.commit();
        return std::nullopt;
    });
}

void Limits::charge(db::Transaction& transaction, std::chrono::nanoseconds took) const {
    const auto spent = std::chrono::ceil<milliseconds>(took);
    if (!share_.empty())
        store::count_fetch(transaction, share_, source_.now, kWindow, std::max(spent, kLeastCharge).count());
    store::count_fetch(transaction, waited_, source_.now, kWindow, spent.count());
}

void Limits::remember_failure(db::Transaction& transaction) const {
    store::remember_failure(transaction, failed_, {1, source_.now + kFailureRemembered});
}

void Limits::remember_silence(db::Transaction& transaction) const {
    const std::int64_t silences = std::min(silences_ + 1, kMostSilences);
    store::remember_failure(transaction, silent_, {silences, source_.now + 2 * pause_after(silences)});
}

void Limits::forget_silence(db::Transaction& transaction) const {
    if (silences_ > 0) store::forget_failure(transaction, silent_);
}

}  // namespace postern::fetch
