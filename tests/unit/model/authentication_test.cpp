#include "model/authentication.h"

#include <doctest/doctest.h>

using namespace postern::model;

TEST_CASE(
    "what a login is worth by the methods that were used, in one order [LEVEL, LEVEL-3, WEBAUTHN-12, WEBAUTHN-14]") {
    using enum Level;
    const Authentication code = with_code(by_password());
    struct Row {
        const char* how;
        Authentication login;
        Level level;
        const char* amr;
    };
    const Row rows[] = {
        {"a password", by_password(), password, "pwd"},
        {"and a code", code, second_factor, "pwd otp mfa"},
        {"a passkey alone", by_passkey(), phishing_resistant, "pop user mfa"},
        {"a password and a passkey", with_passkey(by_password()), phishing_resistant, "pwd pop user mfa"},
        {"a code before", with_passkey(code), phishing_resistant, "pwd otp pop user mfa"},
        {"a code behind a passkey", with_code(by_passkey()), phishing_resistant, "otp pop user mfa"},
        {"a passkey twice", with_passkey(by_passkey()), phishing_resistant, "pop user mfa"},
        {"a passkey behind a word of the web server", with_passkey({.level = password, .amr = ""}), phishing_resistant,
         "pop user mfa"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.how);
        CHECK(row.login.level == row.level);
        CHECK(row.login.amr == row.amr);
    }
}
