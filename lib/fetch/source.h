// The source of documents, the cause of a fetch, and the failure of one.
#pragma once

#include <string>

#include "db/database.h"
#include "fetch/fetcher.h"
#include "fetch/outbound.h"
#include "refusal/reason.h"
#include "util/clock.h"

namespace postern::fetch {

/// The source of documents. Borrows everything.
struct Source {
    db::Database& store;
    util::Time now;
    Fetcher* fetcher;  ///< nullptr: the configuration does not allow fetching, or this endpoint does not fetch
    const Outbound& outbound;
};

struct Failure {
    refusal::Reason why;  ///< of client_document_busy another try later may succeed
    std::string reason;   ///< for the log and `postern why`; a client must not see it (FETCH-12)
};

/// The occasion of a fetch. Each one has counters of its own, so that strangers with new URLs cannot keep a
/// document that is in use from being renewed (FETCH-11).
enum class Occasion {
    first,   ///< anyone may have named the URL
    renewal  ///< of a document that this server has kept since a user approved it
};

/// The cause of a fetch. One cause has a share of the fetches of its occasion, and no more.
struct Cause {
    Occasion occasion;
    std::string of = {};  ///< first: the IP address that asks; renewal: the user who approved it first; "": not known
};

}  // namespace postern::fetch
