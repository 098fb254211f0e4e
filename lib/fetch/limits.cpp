#include "fetch/limits.h"

#include <utility>

#include "crypto/digest.h"
#include "db/write.h"
#include "fetch/url.h"
#include "store/fetch_limits.h"

namespace postern::fetch {
namespace {

constexpr util::Seconds kWindow{60};
constexpr util::Seconds kFailureRemembered{30};

/// In front of the keys of counters. That a URL has failed is the same on each occasion.
std::string prefix(Occasion occasion) { return occasion == Occasion::renewal ? "renewal:" : ""; }

Failure too_many_of_host() { return {true, "more than 6 fetches from this host in a minute"}; }
Failure too_many() { return {true, "more than 60 fetches in a minute"}; }

}  // namespace

Limits::Limits(db::Database& store, util::Time now, const std::string& url, std::string digest, Occasion occasion)
    : store_(store),
      now_(now),
      failed_("failed:" + std::move(digest)),
      host_(prefix(occasion) + "host:" + crypto::sha256_hex(host_of(url))),
      all_(prefix(occasion) + "all") {}

/// Looks before it writes: a caller over a limit does not keep others from the write lock.
std::optional<Failure> Limits::refusal() const {
    const auto [failed, host, all] = store::find_fetch_counts(store_, {failed_, host_, all_}, now_);
    if (failed > 0) return Failure{false, "it failed in the last 30 s, and is not asked again so soon"};
    if (host >= kFetchesOfHost) return too_many_of_host();
    if (all >= kFetches) return too_many();
    return std::nullopt;
}

std::optional<Failure> Limits::claim() const {
    if (auto failure = refusal()) return failure;
    return db::write(store_, db::Durability::lazy, [&](db::Transaction& transaction) -> std::optional<Failure> {
        // The host's first, which is in the way of few: on a server a transaction waits for the row that another
        // counts.
        if (store::count_fetch(transaction, host_, now_, kWindow) > kFetchesOfHost) return too_many_of_host();
        if (store::count_fetch(transaction, all_, now_, kWindow) > kFetches) return too_many();
        transaction.commit();
        return std::nullopt;
    });
}

void Limits::remember_failure(db::Transaction& transaction) const {
    store::remember_failure(transaction, failed_, now_ + kFailureRemembered);
}

}  // namespace postern::fetch
