// Table `registration_tokens`: initial access tokens, each for a number of registrations (RFC 7591 §3).
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/ids.h"
#include "model/registration_token.h"
#include "util/clock.h"

namespace postern::store {

/// Inserts the token; false when the id or the value is taken.
bool insert_registration_token(db::Transaction& transaction, const model::RegistrationToken& token);
/// Returns true if the token has not expired and has a use left.
bool is_usable_registration_token(db::Database& database, const model::ValueHash& token_hash, util::Time now);
/// Takes one use of the token: true for no more callers than it has uses, false when none is left or it has expired.
bool use_registration_token(db::Transaction& transaction, const model::ValueHash& token_hash, util::Time now);
/// Returns the tokens, expired ones and used ones included, the oldest first.
std::vector<model::RegistrationToken> list_registration_tokens(db::Database& database, db::Limit limit = {});
/// Removes the token; false when there is none of that id. The clients that registered with it stay.
bool remove_registration_token(db::Transaction& transaction, const std::string& id);

}  // namespace postern::store
