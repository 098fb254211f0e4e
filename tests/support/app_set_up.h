// An authenticator app that has read its key from the page that shows it.
#pragma once

#include <string>
#include <vector>

#include "support/deployment.h"
#include "support/query.h"
#include "support/user_agent.h"

namespace postern::test {

/// The value of the input of that name, or "".
std::string value_of(const Answer& page, const std::string& field);

/// The texts of all <code> elements, without their blanks: a key, or recovery codes.
std::vector<std::string> codes_in(const Answer& page);

/// The page that sets an app up, and the app that has read its key.
struct SetUp {
    Answer page;
    std::string key;  ///< base32

    explicit SetUp(Answer shown);
    /// The key itself.
    std::string bytes() const;
    /// Returns the code that the app shows now, or so many steps of 30 seconds later.
    std::string code(const Deployment& op, int steps = 0) const;
    /// Returns the code that the app shows half a minute later. A code is good once (TOTP-5), so each use waits for the
    /// next step.
    std::string fresh_code(Deployment& op) const;
    /// A code that is right for none of the steps that count.
    std::string wrong_code(const Deployment& op) const;
    /// The form of the page, with that code.
    Query form(const std::string& code) const;
};

/// Sets an app up on the account page of the user who has a session in that browser. `codes` is given the recovery
/// codes that the page shows, which is none where the user had a factor before.
SetUp set_up_app(const Deployment& op, UserAgent& browser, std::vector<std::string>* codes = nullptr);

/// Sets an app up for Alice, in a browser of its own: her session is in no browser of the test.
SetUp set_up_app_of_alice(const Deployment& op, std::vector<std::string>* codes = nullptr);

}  // namespace postern::test
