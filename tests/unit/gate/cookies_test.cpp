// The cookies of sites: what opens them, and everything that must not.
#include "gate/cookies.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "crypto/seal.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

const gate::SiteUrl kRoot{"https://x.example", "/"};
const gate::SiteUrl kInner{"https://x.example", "/admin/"};
const gate::SiteUrl kLoopback{"http://127.0.0.1:8081", "/"};
const model::ClientId kWiki("wiki");

gate::SignedIn alice(util::Time at) {
    return {kWiki, model::Sid("abcdefghijklmnopqrstuv"), model::Subject("0123456789012345678901"), at};
}

/// What a header with that one cookie proves.
std::optional<gate::SignedIn> open(oauth::Context& context, const model::ClientId& client, const std::string& value) {
    const auto names = gate::cookie_names(context.settings, kRoot);
    auto found = gate::find_signed_in(context, names, client, names.signed_in + "=" + value);
    return found.signed_in.empty() ? std::nullopt : std::optional(std::move(found.signed_in.front()));
}

}  // namespace

TEST_CASE("cookie_names: prefix and path are those of the site [GATE-20, GATE-21]") {
    test::RulesFixture fixture;
    const std::string tag = fixture.settings.cookie_tag;
    const auto root = gate::cookie_names(fixture.settings, kRoot);
    CHECK(root.signed_in == "__Host-postern-gate-" + tag);
    CHECK(root.path == "/");
    const auto inner = gate::cookie_names(fixture.settings, kInner);
    CHECK(inner.signed_in == "__Secure-postern-gate-" + tag);
    CHECK(inner.path == "/admin");
    const auto loopback = gate::cookie_names(fixture.settings, kLoopback);
    CHECK(loopback.signed_in == "postern-gate-" + tag);
    for (const auto& names : {root, inner, loopback}) CHECK(names.browser != names.signed_in);
}

TEST_CASE("keep_signed_in: the attributes, and no domain [GATE-20, GATE-21]") {
    test::RulesFixture fixture;
    const auto root = gate::cookie_names(fixture.settings, kRoot);
    const auto inner = gate::cookie_names(fixture.settings, kInner);
    const auto loopback = gate::cookie_names(fixture.settings, kLoopback);
    CHECK(gate::keep_signed_in(root, "v", {}) == root.signed_in + "=v; Path=/; HttpOnly; SameSite=Lax; Secure");
    CHECK(gate::keep_signed_in(inner, "v", util::Seconds{60}) ==
          inner.signed_in + "=v; Path=/admin; HttpOnly; SameSite=Lax; Secure; Max-Age=60");
    CHECK(gate::keep_signed_in(loopback, "v", {}) == loopback.signed_in + "=v; Path=/; HttpOnly; SameSite=Lax");
    CHECK(gate::forget_signed_in(inner) ==
          inner.signed_in + "=; Path=/admin; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
}

TEST_CASE("seal_signed_in: the value is short, and proves client, session, user and time [GATE-20]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string value = gate::seal_signed_in(context, alice(fixture.clock.now()));
    CHECK(value.size() <= gate::kMaxCookieBytes);
    const auto opened = open(context, kWiki, value);
    REQUIRE(opened);
    CHECK(opened->client == kWiki);
    CHECK(opened->sid == alice({}).sid);
    CHECK(opened->subject == alice({}).subject);
    CHECK(opened->at == fixture.clock.now());

    auto of_long_name = alice(fixture.clock.now());
    of_long_name.client = model::ClientId(std::string(128, 'c'));
    CHECK(gate::seal_signed_in(context, of_long_name).size() <= gate::kMaxCookieBytes);
}

TEST_CASE("find_signed_in: forged, truncated, of another site or of another purpose [GATE-20]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string value = gate::seal_signed_in(context, alice(fixture.clock.now()));
    const auto opens = [&](const std::string& text) { return open(context, kWiki, text).has_value(); };
    CHECK(opens(value));
    CHECK_FALSE(open(context, model::ClientId("wiki2"), value));
    CHECK_FALSE(open(context, model::ClientId(""), value));
    CHECK_FALSE(opens(""));
    for (std::size_t length = 0; length < value.size(); ++length) CHECK_FALSE(opens(value.substr(0, length)));
    for (std::size_t at = 0; at + 1 < value.size(); ++at) {
        std::string flipped = value;
        flipped[at] = flipped[at] == 'A' ? 'B' : 'A';
        CAPTURE(at);
        CHECK_FALSE(opens(flipped));
    }
    CHECK_FALSE(opens(value + "A"));
    CHECK_FALSE(opens(crypto::seal(context.keys.seal_key(), "state of a site v1", "4:wiki", context.random)));
}

TEST_CASE("find_signed_in: of several cookies of the name four are tried, in the order of the header [GATE-20]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto names = gate::cookie_names(fixture.settings, kRoot);
    const auto pair = [&](const std::string& value) { return names.signed_in + "=" + value + "; "; };
    const std::string good = gate::seal_signed_in(context, alice(fixture.clock.now()));
    const std::string second = gate::seal_signed_in(context, alice(fixture.clock.now() + util::Seconds{5}));
    const auto find = [&](const std::string& header) { return gate::find_signed_in(context, names, kWiki, header); };

    CHECK(find("").signed_in.empty());
    CHECK_FALSE(find("other=1").has_forged);
    CHECK(find(pair(good)).signed_in.size() == 1);
    CHECK(find(pair("planted") + pair(good)).signed_in.size() == 1);
    CHECK(find(pair("planted") + pair(good)).has_forged);
    const auto both = find(pair(good) + pair(second));
    REQUIRE(both.signed_in.size() == 2);
    CHECK(both.signed_in.front().at == fixture.clock.now());
    CHECK(find(pair("a") + pair("b") + pair("c") + pair(good)).signed_in.size() == 1);
    CHECK(find(pair("a") + pair("b") + pair("c") + pair("d") + pair(good)).signed_in.empty());
    CHECK(find(pair(std::string(300, 'a')) + pair(good)).signed_in.size() == 1);
    CHECK(find("X" + pair(good)).signed_in.empty());
    CHECK(find(names.signed_in + "-2=" + good).signed_in.empty());
}

TEST_CASE("find_signed_in: the cookie of the site around is not one of the site inside, nor the other way [GATE-2]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto outer = gate::cookie_names(fixture.settings, kRoot);
    const auto inner = gate::cookie_names(fixture.settings, kInner);
    const std::string value = gate::seal_signed_in(context, alice(fixture.clock.now()));
    const std::string header = outer.signed_in + "=" + value + "; " + inner.signed_in + "=" + value;
    CHECK(gate::find_signed_in(context, outer, kWiki, header).signed_in.size() == 1);
    const auto at_inner = gate::find_signed_in(context, inner, model::ClientId("admin"), header);
    CHECK(at_inner.signed_in.empty());
    CHECK_FALSE(at_inner.has_forged);  // browsers send it where two sites have a cookie of one name
}
