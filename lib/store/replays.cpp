// Decides who was the first to use something.
#include "store/replays.h"

#include <algorithm>

#include "crypto/digest.h"
#include "db/error.h"
#include "db/maintenance.h"
#include "db/write.h"

namespace postern::store {
namespace {

constexpr std::size_t kContextDigits = 16;  // of hexadecimal: 8 bytes
constexpr std::size_t kKeyDigits = 32;
constexpr std::int64_t kRowBytes = 160;  // with its entry in the index, and the room that pages have left
constexpr std::int64_t kContexts = 4;    // that find room, whatever one of them does
constexpr std::int64_t kDeletedBefore = 64;

constexpr const char* kDeleteExpired =
    "DELETE FROM replays WHERE (kind, context, key) IN"
    " (SELECT kind, context, key FROM replays WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)";

std::string beginning(std::string_view bytes, std::size_t digits) {
    return crypto::sha256_hex(bytes).substr(0, digits);
}

/// So that no two pairs have the same bytes.
std::string with_length(std::string_view part) { return std::to_string(part.size()) + ':' + std::string(part); }

}  // namespace

Mark mark_of(std::string_view owner, std::string_view jti, util::Time until) {
    return {beginning(owner, kContextDigits), beginning(with_length(owner) + with_length(jti), kKeyDigits), until};
}

Mark mark_of(const UsedProof& proof) {
    return {beginning(proof.sender, kContextDigits),
            beginning(with_length(proof.jkt) + with_length(proof.url) + with_length(proof.jti), kKeyDigits),
            proof.until};
}

Marked mark_used(db::Database& replays, ReplayKind kind, const Mark& mark, std::int64_t most_bytes, util::Time now) {
    if (db::has_moved(replays)) throw db::StoreError(replays.path() + ": another process has made the file anew");
    const auto number = static_cast<std::int64_t>(kind);
    const std::int64_t share = std::max<std::int64_t>(most_bytes / kRowBytes / kContexts, 1);
    return db::write(replays, db::Durability::lazy, [&](db::Transaction& transaction) {
        if (!replays.has_row_locks()) transaction.run(kDeleteExpired, now, kDeletedBefore);
        const auto inserted = transaction.run(
            "INSERT INTO replays (kind, context, key, expires_at) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (kind, context, key) DO NOTHING",
            number, mark.context, mark.key, mark.until);
        if (inserted == 0) return Marked::again;
        auto more = replays.query("SELECT 1 FROM replays WHERE kind = $1 AND context = $2 LIMIT 1 OFFSET $3", number,
                                  mark.context, share);
        const bool is_crowded = more.step();
        if (is_crowded && replays.has_row_locks()) return Marked::crowded;  // without a commit: not kept
        // In a file what has expired stays deleted, because it may be what crowds the context.
        if (is_crowded)
            transaction.run("DELETE FROM replays WHERE kind = $1 AND context = $2 AND key = $3", number, mark.context,
                            mark.key);
        transaction.commit();
        return is_crowded ? Marked::crowded : Marked::first;
    });
}

std::int64_t count_marks(db::Database& replays, ReplayKind kind) {
    auto row = replays.query("SELECT count(*) FROM replays WHERE kind = $1", static_cast<std::int64_t>(kind));
    return row.step() ? row.integer(0) : 0;
}

}  // namespace postern::store
