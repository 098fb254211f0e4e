// How the values of this server are spelled in columns. Private to this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"
#include "model/grant.h"
#include "util/clock.h"

namespace postern::store {

inline std::int64_t flag(bool value) { return value ? 1 : 0; }

inline std::optional<std::int64_t> epoch(std::optional<util::Time> time) {
    if (!time) return std::nullopt;
    return util::to_epoch(*time);
}

inline util::Time time_at(const db::Statement& row, int column) { return util::from_epoch(row.integer(column)); }

inline std::optional<util::Time> optional_time_at(const db::Statement& row, int column) {
    const auto seconds = row.optional_integer(column);
    if (!seconds) return std::nullopt;
    return util::from_epoch(*seconds);
}

/// NULL for none: a statement may then leave its condition out.
template <class Id>
std::optional<std::string> optional_text(const std::optional<Id>& id) {
    if (!id) return std::nullopt;
    return id->str();
}

/// A scope that was valid when it was stored. More tokens than one request may have are fine here: a consent adds up.
model::Scope scope_at(const db::Statement& row, int column);

/// The columns of `grants g` that `grant_at` reads, in its order.
#define POSTERN_GRANT_COLUMNS                                                                                        \
    "g.id, g.client_id, g.subject, g.scope, g.auth_time, g.sid, g.created_at, g.ended_at, g.userinfo_claims," \
    " g.id_token_claims"
inline constexpr int kGrantColumnCount = 10;
model::Grant grant_at(const db::Statement& row, int first_column);

/// Keeps the grant, and with it everything under it, at least until then.
void keep_grant(db::Transaction& transaction, const model::GrantId& id, util::Time until);

}  // namespace postern::store
