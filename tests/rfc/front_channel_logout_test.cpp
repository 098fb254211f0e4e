// OpenID Connect Front-Channel Logout 1.0, as the programs answer: who is told, by which frames, and where the page
// goes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "support/flow.h"
#include "support/html.h"
#include "util/percent.h"

namespace {

using namespace postern::test;

const std::string kBye = "https://app.example/bye";

Deployment::Options offered() { return {.config = {{"frontchannelLogout", true}}}; }

void register_frames(const Deployment& op) {
    op.must({"client", "set", kWeb, "--post-logout-redirect-uri", kBye, "--frontchannel-logout-uri",
             "https://app.example/frontchannel?a=1", "--frontchannel-logout-session-required"});
    op.must({"client", "set", kOther, "--frontchannel-logout-uri", "https://other.example/frontchannel"});
}

std::vector<std::string> frames_in(const std::string& page) {
    std::vector<std::string> urls;
    for (const Attributes& frame : find_tags(page, "iframe")) urls.push_back(frame.at("src"));
    return urls;
}

std::string refresh_in(const std::string& page) {
    for (const Attributes& meta : find_tags(page, "meta"))
        if (const auto found = meta.find("http-equiv"); found != meta.end() && found->second == "refresh")
            return meta.at("content");
    return "";
}

std::string sid_in(const postern::json::Object& tokens) {
    return text_of(jwt_claims(text_of(tokens, "id_token")), "sid");
}

std::string added(const Deployment& op, const std::string& sid) {
    return "iss=" + postern::util::percent_encode(op.issuer()) + "&sid=" + postern::util::percent_encode(sid);
}

std::string logout_url(const Deployment& op, const postern::json::Object& tokens) {
    return op.url("logout") + "?" +
           Query{
               {"id_token_hint", text_of(tokens, "id_token")}, {"post_logout_redirect_uri", kBye}, {"state", "a;b'c\""}}
               .text();
}

}  // namespace

TEST_CASE(
    "front-channel logout: each application of the session, and the one that asks, has a frame with iss and sid "
    "[FCL-1, FCL-3, Front-Channel Logout §2ce, §3abd, §4, RP-Initiated Logout §2p]") {
    Deployment op(offered());
    register_frames(op);
    UserAgent alice(op);
    const auto first = obtain_tokens(op, alice, authorization_request());
    op.advance(std::chrono::seconds{1});
    const auto second = obtain_tokens(op, alice, authorization_request(kOther), kOther);
    CHECK(sid_in(first) == sid_in(second));
    UserAgent elsewhere(op);
    const auto there = obtain_tokens(op, elsewhere, authorization_request());
    CHECK(sid_in(first) != sid_in(there));

    const Answer page = alice.fetch(logout_url(op, first));
    CHECK(page.status == 200);
    const std::string parameters = added(op, sid_in(first));
    CHECK(frames_in(page.body) == std::vector<std::string>{"https://other.example/frontchannel?" + parameters,
                                                           "https://app.example/frontchannel?a=1&" + parameters});
    CHECK(has(page.header("Content-Security-Policy"), "; frame-src https://other.example https://app.example; "));
    CHECK(page.all("Content-Security-Policy").size() == 1);
    CHECK_FALSE(has(page.header("Content-Security-Policy"), "script-src"));
    CHECK(page.header("X-Frame-Options") == "DENY");
    CHECK(page.header("Referrer-Policy") == "no-referrer");
    CHECK(page.header("Cache-Control") == "no-store");
    const std::string back = kBye + "?state=" + postern::util::percent_encode("a;b'c\"");
    CHECK(refresh_in(page.body) == "2;url=" + back);
    CHECK(link_in(page.body, "back") == back);
    CHECK(alice.session_cookie().empty());
    CHECK(op.count_rows("sessions") == 1);

    const Answer again = alice.fetch(logout_url(op, first));
    CHECK(again.status == 303);
    CHECK(again.location() == back);
    // The session in the other browser has its own applications.
    const Answer there_page = elsewhere.fetch(logout_url(op, there));
    CHECK(frames_in(there_page.body) ==
          std::vector<std::string>{"https://app.example/frontchannel?a=1&" + added(op, sid_in(there))});
}

TEST_CASE(
    "front-channel logout: only applications that are enabled and have an ID token of the session are told [FCL-1]") {
    const Deployment op(offered());
    register_frames(op);
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    obtain_tokens(op, alice, authorization_request(kOther).with("scope", "email"), kOther);  // no ID token
    CHECK(frames_in(alice.fetch(logout_url(op, tokens)).body).size() == 1);

    UserAgent bob(op);
    const auto others = obtain_tokens(op, bob, authorization_request(kOther), kOther);
    op.must({"client", "disable", kOther});
    const Landing question = bob.open(op.url("logout"));
    const Landing out = bob.submit(question, "logout");
    CHECK(says(out, "You are signed out"));
    CHECK(frames_in(out.answer.body).empty());
    CHECK(refresh_in(out.answer.body) == "");
}

TEST_CASE("front-channel logout: switched off, no application has a frame and discovery does not promise one [FCL-2]") {
    Deployment op(offered());
    register_frames(op);
    CHECK(has(op.cgi("discovery").body, "\"frontchannel_logout_supported\":true"));
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    op.configure("frontchannelLogout", false);
    CHECK_FALSE(has(op.cgi("discovery").body, "frontchannel"));
    CHECK(alice.fetch(logout_url(op, tokens)).status == 303);
}
