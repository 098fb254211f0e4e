// Which scope a client gets that a document describes, or that registered itself.
#include "oauth/scope_policy.h"

#include <doctest/doctest.h>

using namespace postern;

namespace {

model::Scope scope(const char* words) { return *model::Scope::parse(words); }

struct Fixture {
    oauth::Settings settings;
    model::Client client;
    Fixture() {
        settings.oidc = true;
        settings.client_documents.scope = scope("openid notes:read");
        client.origin = model::Origin::document;
        client.scope = scope("openid profile notes:read");  // of a time when there was more
    }
    std::string asked(const char* words) {
        const auto asked = oauth::judge_scope(settings, client, words);
        return asked ? asked->scope.to_string() : std::string(oauth::wire_name(asked.error().code));
    }
};

}  // namespace

TEST_CASE("judge_scope: clientDocuments.scope bounds what a row of a document still says [CIMD-11, A30]") {
    Fixture f;
    CHECK(f.asked("openid notes:read") == "openid notes:read");
    CHECK(f.asked("openid profile") == "invalid_scope");
    CHECK(f.asked("openid offline_access") == "invalid_scope");
    CHECK(
        oauth::still_registered(f.settings, f.client, scope("openid profile notes:read offline_access")).to_string() ==
        "openid notes:read");
    f.settings.client_documents.scope.add("offline_access");
    CHECK(f.asked("openid offline_access") == "openid offline_access");
    f.client.origin = model::Origin::operator_;
    CHECK(f.asked("openid profile") == "openid profile");
}

TEST_CASE(
    "judge_scope: registration.scope bounds what a row still says, until the operator decides about it [REG-13]") {
    struct Row {
        const char* when;
        const char* registered_by;
        bool is_fleeting;
        bool is_bounded;
    };
    const Row rows[] = {
        {"without a token", "", true, true},
        {"without a token, changed by the operator", "", false, false},
        {"with a token", "digest of a token", true, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.settings.registration.scope = scope("openid notes:read");
        f.client.origin = model::Origin::dynamic;
        f.client.registered_by = row.registered_by;
        if (row.is_fleeting) f.client.removable_at = util::Time{};
        CHECK(f.asked("openid notes:read") == "openid notes:read");
        CHECK(f.asked("openid profile") == (row.is_bounded ? "invalid_scope" : "openid profile"));
        CHECK(oauth::still_registered(f.settings, f.client, scope("openid profile")).to_string() ==
              (row.is_bounded ? "openid" : "openid profile"));
        f.settings.registration.scope.add("profile");
        CHECK(f.asked("openid profile") == "openid profile");
    }
}

TEST_CASE(
    "judge_scope: a client that registered itself has offline_access only if it is registered for it, at a refresh "
    "as well [REG-13, A30]") {
    Fixture f;
    f.client.origin = model::Origin::dynamic;
    CHECK(f.asked("openid notes:read") == "openid notes:read");
    CHECK(f.asked("openid offline_access") == "invalid_scope");
    model::Grant grant;
    grant.scope = scope("openid notes:read offline_access");  // of a time when it was
    const auto refreshed = [&](const char* words) {
        const auto judged = oauth::judge_repeated_scope(f.settings, f.client, grant, words);
        return judged ? judged->to_string() : std::string(oauth::wire_name(judged.error().code));
    };
    CHECK(refreshed("") == "openid notes:read");
    CHECK(refreshed("openid offline_access") == "openid");
    CHECK(refreshed("offline_access") == "invalid_scope");
    f.client.scope.add("offline_access");
    CHECK(f.asked("openid offline_access") == "openid offline_access");
    CHECK(refreshed("") == "openid notes:read offline_access");
}
