// The parts of `jti`: "<grant id>.<random>" (RFC 7519 §4.1.7).
#pragma once

#include <string>

#include "crypto/random.h"
#include "json/value.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::oauth {

/// Returns the id of a grant that is made at `now`: the time, as eight hexadecimal digits, and 128 random bits. Ids
/// sort by creation time, so that rows that are written together are neighbours in the database's b-trees. Not a
/// secret.
model::GrantId make_grant_id(crypto::Random& random, util::Time now);

std::string make_jti(crypto::Random& random, const model::GrantId& grant);

/// Returns the grant that verified claims name; an empty id where `jti` is missing. A row of a token is found by it,
/// and a token whose row has been deleted still names what it belongs to.
model::GrantId grant_of(const json::Object& claims);

}  // namespace postern::oauth
