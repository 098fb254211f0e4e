#include "oauth/access_token.h"

#include <doctest/doctest.h>

#include <set>

using namespace postern;
using model::GrantId;

TEST_CASE("make_grant_id: ids in their order are grants in the order of their seconds, each of its own") {
    crypto::SeededRandom random("grants");
    const auto at = [&](std::int64_t second) { return oauth::make_grant_id(random, util::from_epoch(second)).str(); };
    const std::int64_t seconds[] = {0, 1, 0x0fffffff, 0x10000000, 1700000000, 1700000001, 0x7fffffff, 0x80000000};
    std::string before;
    std::set<std::string> all;
    for (const std::int64_t second : seconds) {
        for (int i = 0; i < 3; ++i) all.insert(at(second));
        const std::string id = at(second);
        CAPTURE(id);
        CHECK(before < id);
        CHECK(id.size() == 30);
        CHECK(id.find('.') == std::string::npos);  // it ends there in `jti`
        before = *all.rbegin();
    }
    CHECK(all.size() == 3 * std::size(seconds));
}

TEST_CASE("grant_of: the prefix that make_jti wrote, and nothing without such a claim") {
    crypto::SeededRandom random("tokens");
    const GrantId grant("655f1234abc");
    const std::string jti = oauth::make_jti(random, grant);
    CHECK(jti.size() > grant.str().size() + 22);
    CHECK(jti != oauth::make_jti(random, grant));
    struct Row {
        json::Object claims;
        GrantId grant;
    };
    const Row rows[] = {
        {{{"jti", jti}}, grant},           {{{"jti", "a.b.c"}}, GrantId("a")}, {{{"jti", "alone"}}, GrantId("alone")},
        {{{"jti", ".random"}}, GrantId()}, {{{"jti", ""}}, GrantId()},         {{{"jti", 7}}, GrantId()},
        {{{"sub", "x"}}, GrantId()},
    };
    for (const Row& row : rows) CHECK(oauth::grant_of(row.claims) == row.grant);
}
