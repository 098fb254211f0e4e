// The key sets of clients for which no endpoint fetches: `postern purge` renews them (FETCH-15).
#pragma once

#include <memory>

#include "config/config.h"
#include "db/database.h"
#include "fetch/fetcher.h"

namespace postern::cli {

/// Starts what fetches; nullptr: the configuration has no key sets to fetch. Call it before the database is open.
std::unique_ptr<fetch::Fetcher> start_key_fetcher(const config::Config& config);

/// Fetches the sets that are not fresh any more, within the limits of fetches, and prints a note for each that cannot
/// be had. Throws StoreError.
void renew_key_sets(db::Database& database, fetch::Fetcher& fetcher, const config::Config& config);

}  // namespace postern::cli
