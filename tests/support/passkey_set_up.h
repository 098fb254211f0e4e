// The form that adds a passkey, as its script reads and fills it.
#pragma once

#include <string>

#include "factor/client_data.h"
#include "json/value.h"
#include "support/query.h"
#include "support/test_authenticator.h"
#include "support/user_agent.h"

namespace postern::test {

struct Adding {
    Answer page;
    postern::json::Object options;  ///< PublicKeyCredentialCreationOptions
    std::string challenge;          ///< bytes
    std::string handle;             ///< bytes

    explicit Adding(Answer shown);
    /// Returns the values that a browser at `https://op.example` gives to an authenticator.
    postern::factor::Expected given() const;
    /// The form, filled with what an authenticator has made.
    Query form(const Registration& made) const;
    Query form(const TestAuthenticator& authenticator) const { return form(authenticator.make(given())); }
};

}  // namespace postern::test
