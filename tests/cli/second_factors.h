// A user with an authenticator app, as the account page leaves one.
#pragma once

#include <string>

#include "installation.h"
#include "model/ids.h"
#include "store/passkeys.h"

namespace postern::test {

/// Adds the user. The secret is sealed with the factor.key of the installation.
model::Subject put_app(const Installation& installation, const std::string& name);

/// Adds the user with a recovery code under the factor.key of the installation.
void put_codes(const Installation& installation, const std::string& name);

/// A passkey of that user for the host, which is the one of an Installation unless it is named.
void put_passkey(db::Transaction& transaction, const model::Subject& subject, const std::string& credential_id,
                 const std::string& rp_id = "id.example.org");

}  // namespace postern::test
