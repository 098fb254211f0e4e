#include "model/standard_claims.h"

#include <doctest/doctest.h>

#include <string>

#include "json/writer.h"

using namespace postern;

TEST_CASE("claim shapes: every claim that a scope releases has one, and no other name [OIDC Core §5.1]") {
    for (const model::StandardClaim& claim : model::standard_claims()) {
        CAPTURE(claim.name);
        REQUIRE(model::find_standard_claim(claim.name) != nullptr);
        CHECK(model::find_standard_claim(claim.name)->name == claim.name);
    }
    for (const char* name : {"sub", "", "Email", "groups", "acr"}) CHECK(model::find_standard_claim(name) == nullptr);
}

TEST_CASE("claim shapes: text becomes the claim's own type, and what does not fit is refused [OIDC Core §5.1]") {
    struct Row {
        const char* claim;
        std::string text;
        const char* json;  ///< nullptr: refused
    };
    const Row rows[] = {
        {"name", "Alice", "\"Alice\""},
        {"name", std::string(4097, 'a'), nullptr},
        {"name", " ", nullptr},
        {"name", "A\nB", nullptr},
        {"name", "\xff", nullptr},
        {"email", "alice@example.org", "\"alice@example.org\""},
        {"email", "alice", nullptr},
        {"email", "@example.org", nullptr},
        {"email_verified", "true", "true"},
        {"email_verified", "false", "false"},
        {"email_verified", "TRUE", nullptr},
        {"email_verified", "1", nullptr},
        {"phone_number_verified", "true", "true"},
        {"updated_at", "1700000000", "1700000000"},
        {"updated_at", "-1", nullptr},
        {"website", "https://example.org/~alice", "\"https://example.org/~alice\""},
        {"website", "javascript:alert(1)", nullptr},
        {"birthdate", "1852-05-04", "\"1852-05-04\""},
        {"birthdate", "1852-13-04", nullptr},
        {"address", "Springfield", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.claim);
        CAPTURE(row.text);
        const json::Value value = model::typed_claim(row.claim, row.text);
        const bool fits = model::find_standard_claim(row.claim)->fits(value);
        CHECK(fits == (row.json != nullptr));
        if (row.json) CHECK(json::write(value) == row.json);
    }
    CHECK(model::is_claim_text(std::string(model::kMaxClaimText, 'a')));
}
