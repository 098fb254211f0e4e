// What a client may be told under a name of its own.
#include "model/client_claim.h"

#include <doctest/doctest.h>

using namespace postern;
using model::SourceKind;

TEST_CASE("client claim: the sources as they are typed and stored [CLAIM-4]") {
    struct Row {
        const char* text;
        std::optional<model::ClaimSource> source;
        std::optional<std::string> behind;
    };
    const Row rows[] = {
        {"groups", model::ClaimSource{SourceKind::groups, ""}, "groups"},
        {"group:wiki-admins", model::ClaimSource{SourceKind::group, "wiki-admins"}, "groups"},
        {"claim:preferred_username", model::ClaimSource{SourceKind::claim, "preferred_username"}, "preferred_username"},
        {"const:read:write", model::ClaimSource{SourceKind::constant, "read:write"}, std::nullopt},
        {"const:", model::ClaimSource{SourceKind::constant, ""}, std::nullopt},
        {"group", std::nullopt, std::nullopt},
        {"Groups", std::nullopt, std::nullopt},
        {"groups:staff", std::nullopt, std::nullopt},
        {"roles", std::nullopt, std::nullopt},
        {"", std::nullopt, std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto source = model::parse_claim_source(row.text);
        CHECK(source == row.source);
        if (!source) continue;
        CHECK(model::to_string(*source) == row.text);
        CHECK(model::claim_behind(*source) == row.behind);
    }
}

TEST_CASE("client claim: never a claim of the protocol, and nothing that no user can have [CLAIM-4]") {
    struct Row {
        std::string name;
        model::ClaimSource source;
        const char* problem;  ///< a part of it; nullptr: none
    };
    const model::ClaimSource groups{};
    const Row rows[] = {
        {"roles", groups, nullptr},
        {"groups", groups, nullptr},  // with another scope
        {"https://example.org/roles", groups, nullptr},
        {"policy", {SourceKind::constant, "readwrite"}, nullptr},
        {"login", {SourceKind::claim, "preferred_username"}, nullptr},
        {"admin", {SourceKind::group, "wiki-admins"}, nullptr},
        {"email_verified", {SourceKind::group, "staff"}, nullptr},
        {"nickname", {SourceKind::constant, "N"}, nullptr},
        {"", groups, "printable ASCII"},
        {"two words", groups, "printable ASCII"},
        {"groups", {SourceKind::constant, "admins"}, "names of groups"},
        {"groups", {SourceKind::claim, "department"}, "names of groups"},
        {"name", groups, "must be text"},
        {"email_verified", {SourceKind::constant, "true"}, "true or false"},
        {"email", {SourceKind::constant, "nobody"}, "address"},
        {"admin", {SourceKind::group, "two words"}, "A-Z"},
        {"admin", {SourceKind::group, ""}, "A-Z"},
        {"login", {SourceKind::claim, "sub"}, "no user can have"},
        {"login", {SourceKind::claim, ""}, "no user can have"},
        {"roles", {SourceKind::claim, "groups"}, "write groups"},
        {"policy", {SourceKind::constant, ""}, "1 to 256"},
        {"policy", {SourceKind::constant, " "}, "1 to 256"},
        {"policy", {SourceKind::constant, "a\nb"}, "1 to 256"},
        {"policy", {SourceKind::constant, std::string(257, 'x')}, "1 to 256"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CAPTURE(model::to_string(row.source));
        const auto problem = model::client_claim_problem({row.name, row.source, "openid"});
        CHECK(problem.has_value() == (row.problem != nullptr));
        if (problem && row.problem) CHECK(problem->find(row.problem) != std::string::npos);
    }
    for (const char* name : {"iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "acr", "amr", "azp", "auth_time",
                             "at_hash", "sid"}) {
        CAPTURE(name);
        const auto problem = model::client_claim_problem({name, groups, "openid"});
        REQUIRE(problem);
        CHECK(problem->find("set by the server") != std::string::npos);
    }
}
