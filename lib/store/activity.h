// Table `activity`: what has happened to each account of late.
#pragma once

#include <string_view>
#include <vector>

#include "db/database.h"
#include "model/activity.h"
#include "util/clock.h"

namespace postern::store {

/// The largest number of lines of a user, all of which are shown: with each new line beyond it the oldest is deleted.
inline constexpr std::int64_t kMaxActivity = 50;
/// The time for which a line is kept.
inline constexpr util::Seconds kActivityRetention = std::chrono::hours(24 * 90);
/// The time after a line in which add_activity_once adds no other line of its sort.
inline constexpr util::Seconds kActivityOnce = std::chrono::hours(24);

/// Adds a line, at `line.at`; queued. The transaction holds the user's row (find_user_to_change, lock_user), so that
/// lines of one user are numbered one after the other.
void add_activity(db::Transaction& transaction, const model::Subject& subject, const model::ActivityLine& line);

/// Adds the line unless there has been one of its sort within kActivityOnce: for events that somebody can cause again
/// and again without being let in, so that they do not push the others out.
void add_activity_once(db::Transaction& transaction, const model::Subject& subject, const model::ActivityLine& line);

/// Returns the lines that are not older than kActivityRetention, the latest first.
std::vector<model::ActivityLine> list_activity(db::Database& database, const model::Subject& subject, util::Time now);

}  // namespace postern::store
