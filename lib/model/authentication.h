// How a user has logged in, and what that login is worth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postern::model {

/// The level of a login. A higher level includes the lower ones. Stored as its number.
enum class Level {
    unknown = 0,  ///< the web server let the user in and does not say how
    password = 1,
    second_factor = 2,       ///< a password and a code of the app, or a recovery code
    phishing_resistant = 3,  ///< with a passkey
};

struct Authentication {
    Level level = Level::unknown;
    std::string amr;          ///< the methods: words of RFC 8176 §2 with single blanks between them; "": not known
    bool remembered = false;  ///< a remembered device took the place of the second factor (DEVICE-3)

    bool operator==(const Authentication&) const = default;
};

/// A password and nothing else.
Authentication by_password();

/// `done`, and then a code.
Authentication with_code(const Authentication& done);

/// A passkey and nothing else: its authenticator has verified the user.
Authentication by_passkey();

/// `done`, and then a passkey, which is phishing-resistant whether its authenticator has verified the user or has seen
/// a touch alone. Either is the test of presence that RFC 8176 §2 calls `user` (docs/decisions/0109).
Authentication with_passkey(const Authentication& done);

/// The words of `amr`.
std::vector<std::string> methods_of(std::string_view amr);

}  // namespace postern::model
