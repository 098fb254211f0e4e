// Which cookies of a browser count, and how they are called.
#include "login/browser_cookie.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;

namespace {

const std::string kPlain = "__Host-postern-browser-0123abcd";

}  // namespace

TEST_CASE("browser_cookie_name: two values of one second have two names, which say the second") {
    const util::Time now = util::from_epoch(1764196000);
    const std::string first = login::browser_cookie_name(kPlain, "value", now);
    CHECK(first.starts_with(kPlain + "-1764196000-"));
    CHECK(first != login::browser_cookie_name(kPlain, "another", now));
    CHECK(login::browser_cookie_name(kPlain, "value", util::from_epoch(7)).starts_with(kPlain + "-0000000007-"));
    const auto found = login::find_browser_cookies(first + "=value", kPlain);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == first);
    CHECK(found[0].value == "value");
    CHECK(found[0].planted_at == now);
}

TEST_CASE(
    "find_browser_cookies: by name alone, the oldest first and the plain name last, in whatever order they come") {
    struct Row {
        const char* when;
        std::string header;
        std::vector<std::string> values;
    };
    const auto at = [](const char* end, const char* value) { return kPlain + end + "=" + value; };
    const std::string early = at("-0000000100-00ff00ff", "early");
    const std::string late = at("-0000000200-00000000", "late");
    const Row rows[] = {
        {"none", "a=b", {}},
        {"the plain name, as of earlier versions", at("", "plain"), {"plain"}},
        {"one", early, {"early"}},
        {"two of two answers", early + "; " + late, {"early", "late"}},
        {"in the other order", late + "; " + early, {"early", "late"}},
        {"with the plain one first", at("", "plain") + "; " + late + "; " + early, {"early", "late", "plain"}},
        {"another one of the same second", early + "; " + at("-0000000100-00ff00fe", "x"), {"x", "early"}},
        {"one name twice, which may be planted", early + "; " + late + "; " + early, {"late"}},
        {"the plain name twice", at("", "a") + "; " + at("", "b") + "; " + late, {"late"}},
        {"a value of other characters", at("-0000000100-00ff00ff", "a b") + "; " + late, {"late"}},
        {"an empty value", at("-0000000100-00ff00ff", "") + "; " + late, {"late"}},
        {"another issuer's tag", "__Host-postern-browser-0123abce-0000000100-00ff00ff=x", {}},
        {"a longer tag", at("0-0000000100-00ff00ff", "x"), {}},
        {"without the prefix of the name", early.substr(7), {}},
        {"no second", at("-00ff00ff", "x"), {}},
        {"a second of nine digits", at("-000000100-00ff00ff", "x"), {}},
        {"a second that is no number", at("-00000001+0-00ff00ff", "x"), {}},
        {"digits in upper case", at("-0000000100-00FF00FF", "x"), {}},
        {"a digit more", at("-0000000100-00ff00ff0", "x"), {}},
        {"another character between", at("_0000000100-00ff00ff", "x"), {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        std::vector<std::string> values;
        for (const auto& cookie : login::find_browser_cookies(row.header, kPlain)) values.push_back(cookie.value);
        CHECK(values == row.values);
    }
}
