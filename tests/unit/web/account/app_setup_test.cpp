// The key of an app that is being set up comes back to the browser and user that it was sealed for, in time, or not.
#include "web/account/app_setup.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/seal.h"
#include "support/rules_fixture.h"

using namespace postern;
using web::NewAppFault;

namespace {

constexpr const char* kBrowser = "digest-of-the-browser-cookie";
const model::Subject kAlice("sub-alice");
/// Of 160 bits, with bytes that text would end or change at.
const std::string kSecret("\0\x01:,\xff\x7f 0123456789abc", 20);

}  // namespace

TEST_CASE("new_app: the key comes back for 600 seconds, to this browser and user alone [TOTP-4]") {
    struct Row {
        const char* when;
        const char* browser;
        const char* subject;
        int seconds;
        std::optional<NewAppFault> fault;
    };
    const Row rows[] = {
        {"at once", kBrowser, "sub-alice", 0, std::nullopt},
        {"in the last second", kBrowser, "sub-alice", 599, std::nullopt},
        {"a second later", kBrowser, "sub-alice", 600, NewAppFault::expired},
        {"another browser", "digest-of-another-cookie", "sub-alice", 0, NewAppFault::foreign},
        {"a browser without an id", "", "sub-alice", 0, NewAppFault::foreign},
        {"another user", kBrowser, "sub-bob", 0, NewAppFault::foreign},
        {"another user, and too late", kBrowser, "sub-bob", 600, NewAppFault::foreign},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        test::RulesFixture f;
        oauth::Context context = f.context();
        const std::string sealed = web::seal_new_app(context, {util::Secret(kSecret), 7}, kBrowser, kAlice);
        f.clock.advance(util::Seconds{row.seconds});
        const auto opened = web::open_new_app(context, sealed, row.browser, model::Subject(row.subject));
        REQUIRE(bool(opened) == !row.fault);
        if (row.fault) {
            CHECK(opened.error() == *row.fault);
            continue;
        }
        CHECK(opened->secret.reveal() == kSecret);
        CHECK(opened->stamp == 7);
    }
}

TEST_CASE("new_app: made for no browser it opens for none [TOTP-4]") {
    test::RulesFixture f;
    oauth::Context context = f.context();
    const std::string sealed = web::seal_new_app(context, {util::Secret(kSecret), 7}, "", kAlice);
    CHECK(web::open_new_app(context, sealed, "", kAlice).error() == NewAppFault::foreign);
}

TEST_CASE("new_app: changed, cut, or sealed for something else, it is nothing of ours [TOTP-4]") {
    test::RulesFixture f;
    oauth::Context context = f.context();
    const std::string sealed = web::seal_new_app(context, {util::Secret(kSecret), 7}, kBrowser, kAlice);
    std::string changed = sealed;
    changed[30] = changed[30] == 'A' ? 'B' : 'A';
    const auto as = [&](const char* purpose, const char* plain) {
        return crypto::seal(context.keys.seal_key(), purpose, plain, context.random);
    };
    const std::string foreign[] = {
        "",
        "x",
        changed,
        sealed.substr(0, sealed.size() - 4),
        sealed + "AAAA",
        as("authorization request v7", "1:b"),
        as("authenticator app v1", ""),
        as("authenticator app v1", "28:digest-of-the-browser-cookie9:sub-alice"),
        as("authenticator app v1", "28:digest-of-the-browser-cookie9:sub-alice10:99999999992:-11:k")};
    for (const std::string& text : foreign) {
        CAPTURE(text);
        const auto opened = web::open_new_app(context, text, kBrowser, kAlice);
        REQUIRE_FALSE(bool(opened));
        CHECK(opened.error() == NewAppFault::foreign);
    }
}

TEST_CASE("new_app: two pages of one key have two seals, and none shows the key [TOTP-4]") {
    test::RulesFixture f;
    oauth::Context context = f.context();
    const web::NewApp app{util::Secret(kSecret), 7};
    const std::string first = web::seal_new_app(context, app, kBrowser, kAlice);
    CHECK(first != web::seal_new_app(context, app, kBrowser, kAlice));
    CHECK(first.find("0123456789abc") == std::string::npos);
}
