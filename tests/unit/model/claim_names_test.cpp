// Claim names as stored text.
#include "model/claim_names.h"

#include <doctest/doctest.h>

using namespace postern;
using model::ClaimNames;

TEST_CASE("claim names: what was written is read again, each once and in order") {
    struct Row {
        ClaimNames names;
        const char* text;
    };
    const Row rows[] = {{{}, ""}, {{"email"}, "email"}, {{"name", "email", "address"}, "address email name"}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(model::to_string(row.names) == row.text);
        CHECK(model::parse_claim_names(row.text) == row.names);
    }
    CHECK(model::parse_claim_names("email  name email ") == ClaimNames{"email", "name"});
}

TEST_CASE("requested claims: all of them are those of both places, and empty means neither") {
    CHECK(model::RequestedClaims{}.empty());
    CHECK(model::RequestedClaims{}.all().empty());
    const model::RequestedClaims both{{"email", "name"}, {"name", "picture"}};
    CHECK(both.all() == ClaimNames{"email", "name", "picture"});
    CHECK_FALSE(both.empty());
    CHECK_FALSE(model::RequestedClaims{{"email"}, {}}.empty());
    CHECK_FALSE(model::RequestedClaims{{}, {"email"}}.empty());
}
