// Table `replays`: the marks of what was used once (RFC 7523 §3 item 7; JTI-2 to JTI-6).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

/// The uses, which never see each other's marks.
enum class ReplayKind { assertion = 1, proof = 2, proof_at_userinfo = 3 };

/// Returns the room of one kind, in bytes, of that of all kinds (JTI-6).
constexpr std::int64_t room_of_kind(std::int64_t all) { return all / 3; }

/// The use of something that is used once.
struct Mark {
    std::string context;  ///< digest of who uses it; one context has a quarter of the room
    std::string key;      ///< digest of who uses it and of the name that it has
    util::Time until{};   ///< it is good no longer by any clock of ours
};

/// Returns the mark of `jti` from `owner`, whose bytes are those of a client id.
Mark mark_of(std::string_view owner, std::string_view jti, util::Time until);

/// The proof of possession of a key (RFC 9449 §4.2), as far as it must not be used again.
struct UsedProof {
    std::string_view sender;  ///< whose share of the room it takes
    std::string_view jkt;
    std::string_view url;  ///< of the endpoint, in our own spelling
    std::string_view jti;
    util::Time until{};
};
/// Returns the mark of a proof (RFC 9449 §11.1).
Mark mark_of(const UsedProof& proof);

enum class Marked {
    first,    ///< nobody has used it before
    again,    ///< it was used, or is being used
    crowded,  ///< the context has its share of marks, and this one is not kept
};

/// Inserts the mark, in a transaction of its own: of two callers at once one is the first (JTI-3). `most_bytes` is the
/// room of the kind. In a file expired marks are deleted before; on a server the sweep does it. Throws StoreError when
/// the room is full, or the store cannot be used: then nothing is known, and nobody may be let in.
Marked mark_used(db::Database& replays, ReplayKind kind, const Mark& mark, std::int64_t most_bytes, util::Time now);

/// Counts the marks of a kind, for `postern stats`; those too that have expired and were not deleted yet.
std::int64_t count_marks(db::Database& replays, ReplayKind kind);

}  // namespace postern::store
