#include "web/new_password.h"

#include <doctest/doctest.h>

using namespace postern;

TEST_CASE("new_password_problem: characters are counted, and the user name is none [PASSWORD-1, PASSWORD-2]") {
    CHECK(web::new_password_problem("exactly fifteen", "alice") == "");
    CHECK(web::new_password_problem("exactly 14 abc", "alice") != "");
    // Fifteen characters of two bytes each, and fourteen.
    std::string text;
    for (int i = 0; i < 15; ++i) text += "\xc3\xa4";
    CHECK(web::new_password_problem(text, "alice") == "");
    CHECK(web::new_password_problem(text.substr(2), "alice") != "");
    CHECK(web::new_password_problem(std::string(511, 'x'), "alice") == "");
    CHECK(web::new_password_problem(std::string(512, 'x'), "alice") != "");
    CHECK(web::new_password_problem("Alice.Example@example.org", "alice.example@example.org") != "");
}

TEST_CASE("read_new_password: the same password twice, which may be one [PASSWORD-1]") {
    struct Row {
        const char* when;
        const char* form;
        bool good;
    };
    const Row rows[] = {
        {"twice the same", "new=four+words+in+a+row&again=four+words+in+a+row", true},
        {"another one", "new=four+words+in+a+row&again=four+words+in+a+rov", false},
        {"longer", "new=four+words+in+a+row&again=four+words+in+a+rows", false},
        {"once", "new=four+words+in+a+row", false},
        {"once, and empty", "new=four+words+in+a+row&again=", false},
        {"the second alone", "again=four+words+in+a+row", false},
        {"none", "", false},
        {"too short", "new=short&again=short", false},
        {"the user name", "new=alice.example%40example.org&again=alice.example%40example.org", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto form = http::Params::parse(row.form, 10);
        REQUIRE(form);
        const auto read = web::read_new_password(*form, "alice.example@example.org");
        CHECK(bool(read) == row.good);
        if (read) CHECK(read->reveal() == "four words in a row");
        if (!read) CHECK_FALSE(read.error().empty());
    }
}
