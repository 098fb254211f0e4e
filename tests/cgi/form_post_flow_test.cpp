// The code flow with response_mode=form_post from end to end (OAuth 2.0 Form Post Response Mode §2), with the built
// programs.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;

Query asking(const std::string& client = kWeb) {
    return authorization_request(client).with("response_mode", "form_post");
}

TEST_CASE("form post flow: login, consent, a form that sends itself, tokens") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(asking());
    CHECK(login.verdict() == "login");
    const Landing consent = alice.log_in(login);
    CHECK(consent.verdict() == "consent");
    const Landing landing = alice.approve(consent);
    REQUIRE(landing.verdict() == "code");
    CHECK(landing.mode == "form_post");
    CHECK(landing.url == redirect_uri_of(kWeb));
    CHECK(landing.answer.status == 200);
    CHECK_FALSE(landing.answer.has("Location"));
    const Answer tokens = redeem(op, token_request(landing.parameter("code")));
    REQUIRE(tokens.status == 200);
    CHECK(userinfo(op, tokens.member("access_token")).status == 200);
}

TEST_CASE(
    "form post flow: going back to the page sends the same code, and shows that it is over when that was used [Form Post §2e]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing landing = alice.sign_in(asking());
    REQUIRE(landing.mode == "form_post");
    CHECK(alice.open(landing.visited.back()).parameter("code") == landing.parameter("code"));
    CHECK(redeem(op, token_request(landing.parameter("code"))).status == 200);
    CHECK(alice.open(landing.visited.back()).verdict() == "page 400");
    CHECK(op.count_rows("authorization_codes") == 1);
}

TEST_CASE("form post flow: every kind of client") {
    const Deployment op;
    for (const std::string client : {kOther, kSpa, kNative, kTrusted, kStrict, kMany}) {
        CAPTURE(client);
        UserAgent alice(op);
        const Landing landing = alice.sign_in(asking(client));
        CHECK(landing.mode == "form_post");
        CHECK(landing.url == redirect_uri_of(client));
        CHECK(redeem(op, token_request(landing.parameter("code"), client), client).status == 200);
    }
}

TEST_CASE("form post flow: a deployer's own page is used, with or without the script, under its own hash") {
    Deployment op;
    fs::copy(source_directory() / "templates", op.directory() / "templates");
    op.configure("templates", (op.directory() / "templates").string());
    const fs::path file = op.directory() / "templates" / "form_post.html";
    const std::string shipped = read_file(file);
    const std::string script = "<script>document.forms[0].submit();</script>";
    REQUIRE(shipped.find(script) != std::string::npos);
    const auto policy_with = [&](const std::string& replacement) {
        std::string text = shipped;
        write_file(file, text.replace(text.find(script), script.size(), replacement));
        const Answer page = op.cgi("authorize", get_request(asking().with("prompt", "none").text()));
        CHECK(page.status == 200);
        CHECK(find_form(page.body)->fields.at("error") == "login_required");
        return page.header("Content-Security-Policy");
    };
    // FIPS 180-4: the digest of "abc".
    CHECK(
        policy_with("<script>abc</script>").find("script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='") !=
        std::string::npos);
    CHECK(policy_with("").find("script-src") == std::string::npos);
}

}  // namespace
