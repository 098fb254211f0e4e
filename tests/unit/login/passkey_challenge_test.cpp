// A challenge comes back to the very situation for which it was made, in time, or not.
#include "login/passkey_challenge.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crypto/seal.h"
#include "support/rules_fixture.h"

using namespace postern;
using factor::Ceremony;
using login::ChallengeFault;
using login::ChallengeUse;

namespace {

login::Browser browser_of(std::optional<std::string> id, std::vector<std::string> later = {}) {
    login::Browser browser;
    browser.id = std::move(id);
    for (std::string& value : later) browser.later.push_back({"name", std::move(value), {}});
    return browser;
}

const login::Browser kBrowser = browser_of("browser");
const login::Browser kAnother = browser_of("another");
const login::Browser kNone = browser_of(std::nullopt);
const login::Browser kOlderCookieCame = browser_of("another", {"a third", "browser"});

/// What ChallengeUse has, for a browser of the list above.
struct Use {
    Ceremony ceremony = Ceremony::registration;
    const login::Browser* browser = &kBrowser;
    model::Subject subject = model::Subject("sub-alice");
    std::string occasion = "sid";

    operator ChallengeUse() const { return {ceremony, *browser, subject, occasion}; }
};
const Use kAdding;
constexpr util::Seconds kLife{300};

}  // namespace

TEST_CASE(
    "passkey_challenge: it opens in time for the use that it was made for, and for no other [WEBAUTHN-3, WebAuthn §13.4.3]") {
    struct Row {
        const char* when;
        Use use;
        int seconds;
        std::optional<ChallengeFault> fault;
    };
    const auto with = [](auto change) {
        Use use = kAdding;
        change(use);
        return use;
    };
    const Row rows[] = {
        {"at once", kAdding, 0, std::nullopt},
        {"in the last second", kAdding, 299, std::nullopt},
        {"a second later", kAdding, 300, ChallengeFault::expired},
        {"at a login", with([](auto& use) { use.ceremony = Ceremony::assertion; }), 0, ChallengeFault::foreign},
        {"another browser", with([](auto& use) { use.browser = &kAnother; }), 0, ChallengeFault::foreign},
        {"this browser, for which the cookie of another tab came as well",
         with([](auto& use) { use.browser = &kOlderCookieCame; }), 0, std::nullopt},
        {"a browser without an id", with([](auto& use) { use.browser = &kNone; }), 0, ChallengeFault::foreign},
        {"another user", with([](auto& use) { use.subject = model::Subject("sub-bob"); }), 0, ChallengeFault::foreign},
        {"no user", with([](auto& use) { use.subject = model::Subject(); }), 0, ChallengeFault::foreign},
        {"another session", with([](auto& use) { use.occasion = "another"; }), 0, ChallengeFault::foreign},
        {"another session, too late", with([](auto& use) { use.occasion = "another"; }), 300, ChallengeFault::foreign},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        test::RulesFixture f;
        oauth::Context context = f.context();
        const auto made = login::make_challenge(context, kAdding, context.now() + kLife, "handle");
        CHECK(made.bytes.size() == 32);
        f.clock.advance(util::Seconds{row.seconds});
        const auto opened = login::open_challenge(context, made.sealed, row.use);
        REQUIRE(bool(opened) == !row.fault);
        if (row.fault) {
            CHECK(opened.error() == *row.fault);
            continue;
        }
        CHECK(opened->bytes == made.bytes);
        CHECK(opened->handle == "handle");
        CHECK(opened->expires_at == context.now() + kLife - util::Seconds{row.seconds});
    }
}

TEST_CASE("passkey_challenge: made for no browser it opens for none [WEBAUTHN-3]") {
    test::RulesFixture f;
    oauth::Context context = f.context();
    const ChallengeUse use{Ceremony::assertion, kNone, model::Subject(), "request"};
    const auto made = login::make_challenge(context, use, context.now() + kLife);
    CHECK(login::open_challenge(context, made.sealed, use).error() == ChallengeFault::foreign);
}

TEST_CASE("passkey_challenge: changed, cut, or sealed for something else, it is nothing of ours [WEBAUTHN-3]") {
    test::RulesFixture f;
    oauth::Context context = f.context();
    const auto made = login::make_challenge(context, kAdding, context.now() + kLife);
    CHECK(made.bytes != login::make_challenge(context, kAdding, context.now() + kLife).bytes);
    std::string changed = made.sealed;
    changed[30] = changed[30] == 'A' ? 'B' : 'A';
    const std::string foreign[] = {
        "",
        "x",
        changed,
        made.sealed.substr(0, made.sealed.size() - 4),
        made.sealed + "AAAA",
        crypto::seal(context.keys.seal_key(), "authenticator app v1", "1:b", context.random),
        crypto::seal(context.keys.seal_key(), "passkey challenge v2", "12:registration", context.random)};
    for (const std::string& text : foreign) {
        CAPTURE(text);
        const auto opened = login::open_challenge(context, text, kAdding);
        REQUIRE_FALSE(bool(opened));
        CHECK(opened.error() == ChallengeFault::foreign);
    }
}
