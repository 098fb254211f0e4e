// Passwords are taken as they were typed, whole, within bounds, and changed at once (ASVS V2.1).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

TEST_CASE("passwords: every byte counts, also behind the 72nd [L10]") {
    const Deployment op;
    const std::vector<std::string> passwords = {
        std::string(100, 'p') + "A",
        "caf\xc3\xa9 \xf0\x9f\x94\x91 long enough",
        "  blanks around are kept  ",
        std::string(400, 'x') + "!",
    };
    for (const std::string& password : passwords) {
        CAPTURE(password);
        op.must({"user", "passwd", kAlice, "--password-stdin"}, password + "\n");
        UserAgent alice(op);
        const Landing login = alice.authorize(authorization_request(kTrusted));
        std::string other_end = password;
        other_end.back() = 'B';
        for (const std::string& wrong :
             {other_end, password.substr(0, password.size() - 1), password + " ", password.substr(1), "x" + password}) {
            CAPTURE(wrong);
            CHECK(alice.log_in(login, kAlice, wrong).verdict() == "login");
        }
        CHECK(alice.log_in(login, kAlice, password).verdict() == "code");
    }
}

TEST_CASE("passwords: what cannot be one costs nothing and is refused [L10]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request(kTrusted));
    const std::string form = alice.form_of(login, "login", {{"username", kAlice}, {"password", "PASSWORD"}});
    const auto with_password = [&](const std::string& raw) {
        std::string changed = form;
        return alice.send(op.url("login"), changed.replace(changed.find("PASSWORD"), 8, raw));
    };
    CHECK(with_password(std::string(1 << 20, 'p')).status == 413);
    CHECK(with_password(std::string(60000, 'p')).status == 200);
    CHECK(with_password("").status == 200);
    CHECK(with_password("correct+horse+battery+staple%00").status == 400);
    CHECK(with_password("%ff").status == 400);
    CHECK(alice.session_cookie().empty());
    CHECK(op.count_rows("login_attempts") == 0);  // none of these was a guess
    CHECK(alice.log_in(login).verdict() == "code");
}

}  // namespace
