// What the operator's name, colours and logo do in the programs: where the name is used, and what keeps a program from
// starting.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
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

TEST_CASE("branding: a page has no more in its policy for a logo [BRAND-3, L39]") {
    Deployment op;
    UserAgent before(op);
    const auto shape_of = [](const Answer& page) {
        const std::string policy = page.header("Content-Security-Policy");
        CHECK(policy.find("img-src") == std::string::npos);
        return policy.substr(policy.find("base-uri"));
    };
    const std::string plain = shape_of(before.open(op.url("account")).answer);
    const std::filesystem::path logo = op.directory() / "logo.svg";
    std::ofstream(logo) << R"(<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>)";
    op.configure("branding", Object{{"name", "A"}, {"logo", logo.string()}});
    UserAgent after(op);
    const Answer page = after.open(op.url("account")).answer;
    CHECK(shape_of(page) == plain);
    CHECK(has(page.body, R"(<g><path d="M0 0h8v8z"/></g></svg>)"));
}

TEST_CASE("branding: what users could not see or trust keeps a program from starting [BRAND-2, BRAND-3]") {
    Deployment op;
    const std::filesystem::path logo = op.directory() / "logo.svg";
    std::ofstream(logo) << "<svg viewBox=\"0 0 8 8\">\n<script/></svg>";
    const auto with_logo = [&](const char* name, const std::string& content) {
        write_file(op.directory() / name, content);
        return Object{{"name", "A"}, {"logo", (op.directory() / name).string()}};
    };
    const std::string svg = "<svg viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg>";
    const std::string spaces(std::size_t{64} * 1024 - svg.size(), ' ');
    struct Row {
        const char* when;
        Object branding;
        std::vector<std::string> said;  ///< for the operator
    };
    const Row rows[] = {
        {"a colour like the page", {{"color", "#ffcc00"}}, {"branding.color", "1.31 : 1"}},
        {"a dark one", {{"color", "#003366"}}, {"branding.colorDark", "1.31 : 1"}},
        {"a logo with a script", {{"name", "A"}, {"logo", logo.string()}}, {"logo.svg", "line 2", "<script>"}},
        {"no logo", {{"name", "A"}, {"logo", logo.string() + "x"}}, {"logo.svgx"}},
        {"a text", with_logo("logo.txt", "our logo"), {"branding.logo", "logo.txt"}},
        {"a page", with_logo("logo.html", "<!DOCTYPE html><title>A</title>"), {"branding.logo", "logo.html"}},
        {"a JPEG", with_logo("logo.jpg", "\xff\xd8\xff\xe0\x10JFIF"), {"branding.logo", "logo.jpg"}},
        {"a JPEG named as a PNG", with_logo("jpeg.png", "\xff\xd8\xff\xe0\x10JFIF"), {"branding.logo", "jpeg.png"}},
        {"the start of a PNG", with_logo("cut.png", "\x89PNG\r\n\x1a\n"), {"branding.logo", "cut.png", "damaged PNG"}},
        {"more than 64 KiB", with_logo("large.svg", svg + spaces + ' '), {"branding.logo", "large.svg"}},
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
    op.configure("branding", with_logo("large.svg", svg + spaces));
    CHECK(UserAgent(op).open(op.url("account")).verdict() == "login");
}
