// The marks of used assertions and proofs that `postern stats` counts.
#pragma once

#include "config/config.h"
#include "db/database.h"
#include "store/replays.h"
#include "store/sweep.h"

namespace postern::cli {

/// A kind of marks in the replay store, by its name in JSON and metrics and by its words in text.
struct NamedKind {
    const char* name;
    const char* words;
    store::ReplayKind kind;
};
inline constexpr NamedKind kKindsOfMarks[] = {
    {"assertions", "used assertions", store::ReplayKind::assertion},
    {"proofs", "used proofs", store::ReplayKind::proof},
    {"proofs_at_userinfo", "used proofs at UserInfo", store::ReplayKind::proof_at_userinfo},
};

/// Returns the marks of each kind by its name; prints a note in place of kinds whose files this user cannot read.
store::RowCounts count_marks(db::Database& database, const config::Config& config);

}  // namespace postern::cli
