// What the operator's name, colours and logo do in the programs: where the name is used, and what keeps a program from
// starting.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"

namespace {

using namespace postern::test;
using postern::json::Object;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("branding: the name is the organisation's for apps, passkeys and passwords [BRAND-1, TOTP-2, PASSWORD-2]") {
    const Deployment op(Deployment::Options{.config = {{"branding", Object{{"name", "Example Organisation"}}}}});
    UserAgent alice(op);
    alice.log_in(alice.open(op.url("account")));
    const Answer app = alice.fetch(op.url("account") + "/app");
    CHECK(has(app.body, "otpauth://totp/Example%20Organisation:alice?"));
    CHECK(has(app.body, "issuer=Example%20Organisation"));
    CHECK(has(app.body, " – Example Organisation</title>"));
    const Adding adding(alice.fetch(op.url("account") + "/passkeys?add=yes"));
    CHECK(text_of(*adding.options.find("rp")->if_object(), "name") == "Example Organisation");
    CHECK(has(visible_text(alice.fetch(op.url("account") + "/profile").body), "kept by Example Organisation"));
    const std::string url = op.url("account") + "/password";
    const Landing page = alice.open(url);
    const auto change = [&](const std::string& fresh) {
        return visible_text(
            alice.submit(page, "save", {{"present", kAlicePassword}, {"new", fresh}, {"again", fresh}}).answer.body);
    };
    CHECK(has(change("example organisation"), "The new password must not be the name of this site."));
}

TEST_CASE("branding: without it nothing is new on a page or in its policy [BRAND-1, BRAND-3]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.open(op.url("account"));
    for (const char* part : {"foot", "get-help", "forgot", "logo"}) CHECK_FALSE(has(login.answer.body, part));
    CHECK(has(login.answer.body, "<h1>Sign in</h1>"));
}

TEST_CASE("branding: with a logo the policy of a page allows pictures in data: URLs, and no more [BRAND-3, L39]") {
    Deployment op;
    const auto policy = [&] {
        const std::string all = UserAgent(op).open(op.url("account")).answer.header("Content-Security-Policy");
        const auto at = all.find("style-src ");
        return all.substr(0, at) + all.substr(all.find(';', at));  // the style of a page differs by the logo's rules
    };
    const std::string plain = policy();
    CHECK_FALSE(has(plain, "img-src"));
    write_file(op.directory() / "logo.svg", R"(<svg xmlns="http://www.w3.org/2000/svg"><script>a()</script></svg>)");
    op.configure("branding", Object{{"name", "A"}, {"logo", (op.directory() / "logo.svg").string()}});
    std::string with_logo = policy();
    REQUIRE(has(with_logo, "; img-src data:"));
    CHECK(with_logo.erase(with_logo.find("; img-src data:"), 15) == plain);
}

TEST_CASE("branding: a colour or logo that users could not see keeps a program from starting [BRAND-2, BRAND-3]") {
    Deployment op;
    write_file(op.directory() / "logo.svg", "our logo");
    const std::string logo = op.directory() / "logo.svg";
    struct Row {
        const char* when;
        Object branding;
        std::vector<std::string> said;  ///< for the operator
    };
    const Row rows[] = {
        {"a colour like the page", {{"color", "#ffcc00"}}, {"branding.color", "1.31 : 1"}},
        {"a dark one", {{"color", "#003366"}}, {"branding.colorDark", "1.31 : 1"}},
        {"a text", {{"name", "A"}, {"logo", logo}}, {"branding.logo", "logo.svg", "neither a PNG nor a whole SVG"}},
        {"no logo", {{"name", "A"}, {"logo", logo + "x"}}, {"logo.svgx"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        op.configure("branding", row.branding);
        const Answer answer = op.cgi("login", get_request(""));
        CHECK(answer.status == 500);
        for (const std::string& part : row.said) {
            CHECK_MESSAGE(has(answer.log, part), answer.log);
            CHECK_FALSE(has(answer.raw, part));
        }
    }
}
