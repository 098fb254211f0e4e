// The marks of what was used once at a deployment (JTI-6), filled as nobody could in the time of a test.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "db/error.h"
#include "db/replay_file.h"
#include "store/replays.h"
#include "support/database.h"
#include "support/flow.h"

namespace postern::test {

/// The smallest value of `replays.maxSize`, with which one sender has room for 34 marks of a kind.
inline constexpr std::int64_t kLeastReplays = 65536;
inline json::Object with_least_replays(json::Object config = {}) {
    config.set("replays", json::Object{{"maxSize", kLeastReplays}});
    return config;
}

class Marks {
public:
    Marks(const Deployment& op, store::ReplayKind kind)
        : kind_(kind), until_(util::from_epoch(op.now() + 60)), store_(open(op, kind)) {}

    /// Uses up the share of a sender.
    void crowd(const std::string& sender) {
        for (int number = 0; use(sender, number) != store::Marked::crowded; ++number) REQUIRE(number < 100);
    }
    /// Leaves no room for anybody; of files alone, because on a server the shares are the bound.
    void fill() {
        try {
            for (int sender = 0;; ++sender) {
                REQUIRE(sender < 1000);
                crowd("sender " + std::to_string(sender));
            }
        } catch (const db::StoreError&) {
            return;  // as it was meant
        }
    }

private:
    static db::Database open(const Deployment& op, store::ReplayKind kind) {
        if (is_on_postgresql()) return {op.database(), db::Access::read_write};
        const auto directory = op.directory() / "data" / "replays";
        const char* name = kind == store::ReplayKind::assertion ? "assertions"
                           : kind == store::ReplayKind::proof   ? "proofs"
                                                                : "userinfo";
        return db::open_replay_file((directory / name).string(), store::room_of_kind(kLeastReplays));
    }
    store::Marked use(const std::string& sender, int number) {
        const auto mark = store::mark_of(sender, std::to_string(number), until_);
        return store::mark_used(store_, kind_, mark, store::room_of_kind(kLeastReplays), until_);
    }

    store::ReplayKind kind_;
    util::Time until_;
    db::Database store_;
};

}  // namespace postern::test
