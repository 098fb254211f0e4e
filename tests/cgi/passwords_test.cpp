// Passwords are taken as they were typed, whole, within bounds, and changed at once (ASVS V2.1).
#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

TEST_CASE("passwords: every byte counts, also behind the 72nd [L10]") {
    const Deployment op;
    const std::vector<std::string> passwords = {
        std::string(100, 'p') + "A",  "caf\xc3\xa9 \xf0\x9f\x94\x91 long enough",
        "  blanks around are kept  ", std::string(400, 'x') + "!",
        std::string(511, 'm'),
    };
    for (const std::string& password : passwords) {
        CAPTURE(password);
        op.must({"user", "passwd", kAlice, "--password-stdin", "--weak"}, password + "\n");
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
    CHECK(with_password(std::string(10000, 'p')).status == 200);
    CHECK(with_password(std::string(512, 'p')).status == 200);
    CHECK(with_password("").status == 200);
    CHECK(with_password("m%00m").status == 400);
    CHECK(with_password("correct+horse+battery+staple%00").status == 400);
    CHECK(with_password("%ff").status == 400);
    CHECK(alice.session_cookie().empty());
    CHECK(op.count_rows("login_attempts") == 0);  // none of these was a guess
    CHECK(alice.log_in(login).verdict() == "code");
    CHECK(op.postern({"user", "passwd", kAlice, "--password-stdin"}, std::string(512, 'm') + "\n").exit_code == 1);
}

TEST_CASE("passwords: each record says how it was made and has a salt of its own, equal passwords included [L10]") {
    const Deployment op;
    for (const std::string name : {"one", "two"})
        op.must({"user", "add", name, "--password-stdin", "--weak"}, std::string(100, 'p') + "a\n");
    const std::string bytes = op.stored();
    const std::regex record(R"(\$y\$j9T\$([./0-9A-Za-z]{22})\$[./0-9A-Za-z]{43})");
    std::set<std::string> records;
    std::set<std::string> salts;
    for (auto at = std::sregex_iterator(bytes.begin(), bytes.end(), record); at != std::sregex_iterator(); ++at) {
        records.insert(at->str(0));
        salts.insert(at->str(1));
    }
    CHECK(records.size() == 4);  // Alice, Bob and these two
    CHECK(salts.size() == 4);
}

}  // namespace
