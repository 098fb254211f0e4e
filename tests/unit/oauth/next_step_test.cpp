// The policy of the authorization endpoint, a row per situation.
#include "oauth/next_step.h"

#include <doctest/doctest.h>

using namespace postern;
using model::Decision;
using model::Prompt;
using Prompts = std::set<Prompt>;
using Seconds = std::optional<long>;
using Progress = std::optional<model::AuthorizationProgress>;

namespace {

constexpr util::Time kNow = util::from_epoch(1'800'000'000);
const model::ReleasedClaims kStandardClaims;

const Prompts kAny;
const Prompts kSilent = {Prompt::none};
const Prompts kLogin = {Prompt::login};
const Prompts kSelect = {Prompt::select_account};
const Prompts kConsent = {Prompt::consent};
const Seconds kNoLimit;  ///< of max_age
const Seconds kNobody;   ///< no session

Progress progress(const char* subject, bool logged_in, Decision decision, bool used = false) {
    return model::AuthorizationProgress{model::Subject(subject), logged_in, decision, used};
}

const Progress kNone;
const Progress kApproved = progress("alice", false, Decision::approved);
const Progress kDenied = progress("alice", false, Decision::denied);
const Progress kLoggedIn = progress("alice", true, Decision::unset);
const Progress kLoggedInApproved = progress("alice", true, Decision::approved);
const Progress kUsed = progress("alice", true, Decision::approved, true);

/// A request of the client `app` for the scope `openid`, without a session.
struct Situation {
    model::Client client;
    model::AuthorizationRequest request;
    oauth::AuthorizationInput input{request, client, kStandardClaims, {}, {}, {}, kNow};

    Situation() {
        client.id = model::ClientId("app");
        request.client_id = client.id;
        request.redirect_uri = "https://app.example/cb";
        request.scope = *model::Scope::parse("openid");
    }
    void log_in(const char* subject, long age = 0) {
        input.session = model::Session{};
        input.session->subject = model::Subject(subject);
        input.session->auth_time = kNow - util::Seconds{age};
    }
    void consent(const char* scope, const model::ClaimNames& claims = {}) {
        input.consent = model::Consent{client.id, input.session->subject, *model::Scope::parse(scope), kNow, claims};
    }

    struct Name {
        const char* operator()(const oauth::ShowLogin&) const { return "login"; }
        const char* operator()(const oauth::ShowMayNotUse&) const { return "may not use"; }
        const char* operator()(const oauth::ShowSecondStep&) const { return "second step"; }
        const char* operator()(const oauth::ShowEnrolment&) const { return "enrolment"; }
        const char* operator()(const oauth::ShowConsent&) const { return "consent"; }
        const char* operator()(const oauth::IssueCode&) const { return "code"; }
        const char* operator()(const oauth::AlreadyUsed&) const { return "already used"; }
        std::string operator()(const oauth::Refuse& refuse) const {
            return (refuse.ends_request ? "ended: " : "") + std::string(oauth::wire_name(refuse.error.code));
        }
    };
    /// Returns the page, "code", or the error: "ended: " stands before one that ends the request.
    std::string step() const {
        return std::visit([](const auto& step) { return std::string(Name{}(step)); }, oauth::next_step(input));
    }
};

struct Row {
    const char* when;
    Prompts prompt;
    Seconds max_age;
    Seconds login_age;  ///< of the session of alice
    Progress progress;
    const char* consented;  ///< remembered scope, or nullptr
    const char* step;
    const char* scope = "openid";

    void apply(Situation& s) const {
        s.request.prompt = prompt;
        s.request.scope = *model::Scope::parse(scope);
        if (max_age) s.request.max_age = util::Seconds{*max_age};
        if (login_age) s.log_in("alice", *login_age);
        if (consented) s.consent(consented);
        s.input.progress = progress;
    }
};

}  // namespace

TEST_CASE(
    "decide: login, then consent, then the code; prompt=none shows nothing [IF66, IF68, IF96, RFC 6749 §3.1a, §4.1.1c, "
    "OIDC Core §3.1.2.3a, §3.1.2.4a, A13]") {
    const Progress bob_approved = progress("bob", true, Decision::approved);
    const Progress bob_denied = progress("bob", true, Decision::denied);
    const Progress bob_logged_in = progress("bob", true, Decision::unset);
    const Row rows[] = {
        // RFC 6749 §4.1.1, §4.1.2.1
        {"nobody is logged in", kAny, kNoLimit, kNobody, kNone, nullptr, "login"},
        {"logged in, never asked", kAny, kNoLimit, 5, kNone, nullptr, "consent"},
        {"logged in and approved", kAny, kNoLimit, 5, kApproved, nullptr, "code"},
        {"denied", kAny, kNoLimit, 5, kDenied, nullptr, "ended: access_denied"},
        // single use
        {"a code was issued before", kAny, kNoLimit, 5, kUsed, "openid", "already used"},
        {"used, and logged out since", kAny, kNoLimit, kNobody, kUsed, nullptr, "already used"},
        // remembered consent
        {"the same scope", kAny, kNoLimit, 5, kNone, "openid", "code"},
        {"a part of it", kAny, kNoLimit, 5, kNone, "openid email", "code"},
        {"one word more", kAny, kNoLimit, 5, kNone, "openid", "consent", "openid email"},
        // OpenID Connect Core §3.1.2.1
        {"prompt=none, nobody there", kSilent, kNoLimit, kNobody, kNone, nullptr, "login_required"},
        {"prompt=none, not approved", kSilent, kNoLimit, 5, kNone, nullptr, "consent_required"},
        {"prompt=none, approved before", kSilent, kNoLimit, 5, kNone, "openid", "code"},
        {"prompt=none, stale login", kSilent, 10, 11, kNone, "openid", "login_required"},
        {"prompt=login with a session", kLogin, kNoLimit, 0, kNone, "openid", "login"},
        {"prompt=login, logged in for this request", kLogin, kNoLimit, 5, kLoggedIn, "openid", "code"},
        {"prompt=login, not asked again after consent", kLogin, kNoLimit, 5, kLoggedInApproved, nullptr, "code"},
        {"prompt=login, somebody else logged in for it", kLogin, kNoLimit, 5, bob_logged_in, "openid", "login"},
        {"prompt=select_account acts as login", kSelect, kNoLimit, 5, kNone, "openid", "login"},
        {"prompt=consent asks in spite of memory", kConsent, kNoLimit, 5, kNone, "openid", "consent"},
        {"prompt=consent, approved for this request", kConsent, kNoLimit, 5, kApproved, "openid", "code"},
        // authorize rule 2
        {"a login a little ahead of this clock", kAny, 10, -60, kNone, "openid", "code"},
        {"a login far ahead: the clock went back", kAny, 10, -61, kNone, "openid", "login"},
        {"login exactly max_age old", kAny, 10, 10, kNone, "openid", "code"},
        {"login one second older than max_age", kAny, 10, 11, kNone, "openid", "login"},
        {"a login for this request, however long consent took", kAny, 10, 60, kLoggedInApproved, nullptr, "code"},
        {"max_age=0 is prompt=login", kAny, 0, 0, kNone, "openid", "login"},
        {"max_age=0, logged in for this request", kAny, 0, 3, kLoggedIn, "openid", "code"},
        // consent fixation
        {"somebody else's approval", kAny, kNoLimit, 5, bob_approved, nullptr, "consent"},
        {"somebody else's denial does not speak for this user", kAny, kNoLimit, 5, bob_denied, nullptr, "consent"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Situation s;
        row.apply(s);
        CHECK(s.step() == row.step);
    }
}

TEST_CASE(
    "decide: a user who may not use the client is told before consent, and can choose another account [GROUP-4, GROUP-5]") {
    const Row rows[] = {
        {"logged in, never asked", kAny, kNoLimit, 5, kNone, nullptr, "may not use"},
        {"approved for this request", kAny, kNoLimit, 5, kApproved, nullptr, "may not use"},
        {"approved before", kAny, kNoLimit, 5, kNone, "openid", "may not use"},
        {"logged in for this request", kAny, kNoLimit, 5, kLoggedIn, nullptr, "may not use"},
        {"nobody is logged in", kAny, kNoLimit, kNobody, kNone, nullptr, "login"},
        {"a stale login is not asked for first (STEP-12)", kAny, 10, 11, kNone, nullptr, "may not use"},
        {"another account is asked for", kSelect, kNoLimit, 5, kNone, nullptr, "login"},
        {"and it is the same again", kSelect, kNoLimit, 5, kLoggedIn, nullptr, "may not use"},
        {"prompt=login comes first", kLogin, kNoLimit, 5, kNone, nullptr, "login"},
        {"prompt=consent does not", kConsent, kNoLimit, 5, kNone, nullptr, "may not use"},
        {"prompt=none", kSilent, kNoLimit, 5, kNone, "openid", "access_denied"},
        {"prompt=none, a stale login", kSilent, 10, 11, kNone, "openid", "access_denied"},
        {"prompt=none, nobody is logged in", kSilent, kNoLimit, kNobody, kNone, nullptr, "login_required"},
        {"answered before", kAny, kNoLimit, 5, kUsed, "openid", "already used"},
        {"denied before", kAny, kNoLimit, 5, kDenied, nullptr, "ended: access_denied"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        for (const bool first_party : {false, true}) {
            Situation s;
            row.apply(s);
            s.client.first_party = first_party;
            s.input.may_use = false;
            CHECK(s.step() == row.step);
        }
    }
}

TEST_CASE(
    "decide: a client that registered itself without a token is approved each time, whatever came before [REG-31]") {
    struct Row {
        const char* when;
        const char* registered_by;
        bool first_party;
        Prompts prompt;
        Progress progress;
        const char* step;
    };
    const Row rows[] = {
        {"without a token", "", false, kAny, kNone, "consent"},
        {"as if it were the operator's own", "", true, kAny, kNone, "consent"},
        {"approved now", "", false, kAny, kApproved, "code"},
        {"approved now by another user", "", false, kAny, progress("bob", false, Decision::approved), "consent"},
        {"denied now", "", false, kAny, kDenied, "ended: access_denied"},
        {"without a page", "", false, kSilent, kNone, "consent_required"},
        {"with a token", "digest", false, kAny, kNone, "code"},
        {"with a token, without a page", "digest", false, kSilent, kNone, "code"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.log_in("alice");
        s.consent("openid");
        s.client.origin = model::Origin::dynamic;
        s.client.registered_by = row.registered_by;
        s.client.first_party = row.first_party;
        s.request.prompt = row.prompt;
        s.input.progress = row.progress;
        CHECK(s.step() == row.step);
    }
}

TEST_CASE("decide: a first-party client skips consent, but not prompt=consent") {
    Situation s;
    s.client.first_party = true;
    s.log_in("alice", 5);
    CHECK(s.step() == "code");
    s.request.prompt = kConsent;
    CHECK(s.step() == "consent");
}

TEST_CASE(
    "decide: remembered consent is nothing for a public client that any program on the machine can pose as [RFC 8252 "
    "§8.6]") {
    Situation s;
    s.log_in("alice", 5);
    s.consent("openid");
    s.client.type = model::ClientType::public_;
    for (const char* uri :
         {"http://127.0.0.1:8400/cb", "http://localhost/cb", "http://[::1]/cb", "com.example.app:/cb"}) {
        CAPTURE(uri);
        s.request.redirect_uri = uri;
        s.request.prompt = kAny;
        CHECK(s.step() == "consent");
        s.request.prompt = kSilent;
        CHECK(s.step() == "consent_required");
    }
    s.request.redirect_uri = "https://app.example/cb";
    CHECK(s.step() == "code");
    s.client.type = model::ClientType::confidential;
    s.request.redirect_uri = "http://127.0.0.1:8400/cb";
    CHECK(s.step() == "code");
    // Its secret protects a code; a token in the answer has no such protection.
    s.request.response_type = model::ResponseType::code_id_token;
    s.request.prompt = kAny;
    CHECK(s.step() == "consent");
    s.client.first_party = true;
    CHECK(s.step() == "consent");
    s.request.redirect_uri = "https://app.example/cb";
    CHECK_FALSE(s.step() == "consent");
}

TEST_CASE("decide: a client that expects one user is never answered for another [OIDC Core §3.1.2.1, §3.1.2.2c]") {
    struct HintRow {
        const char* when;
        const char* user;  ///< who is logged in, or nullptr
        Prompts prompt;
        Progress progress;
        const char* step;
        const char* hinted = "alice";
    };
    const auto bob = [](bool logged_in, Decision decision, bool used = false) {
        return progress("bob", logged_in, decision, used);
    };
    const Progress approved = bob(false, Decision::approved);
    const Progress denied = bob(false, Decision::denied);
    const Progress logged_in = bob(true, Decision::unset);
    const Progress logged_in_approved = bob(true, Decision::approved);
    const Progress delivered = bob(true, Decision::unset, true);
    const HintRow rows[] = {
        {"nobody is expected", "bob", kAny, kNone, "code", nullptr},
        {"the user is there", "alice", kAny, kNone, "code"},
        {"the user is there, silently", "alice", kSilent, kNone, "code"},
        {"the user is there and must log in again", "alice", kLogin, kNone, "login"},
        {"nobody is there", nullptr, kAny, kNone, "login"},
        {"nobody is there, silently", nullptr, kSilent, kNone, "login_required"},
        {"somebody else is there", "bob", kAny, kNone, "login"},
        {"somebody else, silently", "bob", kSilent, kNone, "login_required"},
        {"somebody else approved", "bob", kAny, approved, "login"},
        {"somebody else denied", "bob", kAny, denied, "ended: access_denied"},
        {"somebody else logged in for it", "bob", kAny, logged_in, "ended: login_required"},
        {"somebody else logged in for it and approved", "bob", kAny, logged_in_approved, "ended: login_required"},
        {"the refusal was delivered", "bob", kAny, delivered, "already used"},
        {"somebody else logged in for it, and the user is there now", "alice", kAny, logged_in, "code"},
        {"the user logged in for it, and somebody else is there now", "bob", kAny, kLoggedInApproved, "login"},
        {"the user logged in for it", "alice", kLogin, kLoggedIn, "code"},
    };
    for (const HintRow& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.request.prompt = row.prompt;
        if (row.hinted) s.request.hinted_subject = model::Subject(row.hinted);
        if (row.user) s.log_in(row.user);
        if (row.user) s.consent("openid");
        s.input.progress = row.progress;
        CHECK(s.step() == row.step);
    }
}

TEST_CASE("decide: remembered consent covers a part of what was approved, claim by claim [OIDC Core §3.1.2.4, §5.5]") {
    struct ClaimRow {
        const char* when;
        model::RequestedClaims asked;
        const char* consented_scope;
        model::ClaimNames consented_claims;
        const char* step;
    };
    const ClaimRow rows[] = {
        {"no claims", {}, "openid", {}, "code"},
        {"no claims, some approved", {}, "openid", {"email"}, "code"},
        {"never approved", {{"email"}, {}}, "openid", {}, "consent"},
        {"never approved, for the ID token", {{}, {"email"}}, "openid", {}, "consent"},
        {"approved by name", {{"email"}, {}}, "openid", {"email"}, "code"},
        {"approved by name, now for the ID token", {{}, {"email"}}, "openid", {"email", "name"}, "code"},
        {"one more", {{"email", "name"}, {}}, "openid", {"email"}, "consent"},
        {"one more in the other place", {{"email"}, {"name"}}, "openid", {"email"}, "consent"},
        {"its scope was approved", {{"email"}, {"email_verified"}}, "openid email", {}, "code"},
        {"another scope was approved", {{"email"}, {}}, "openid profile", {}, "consent"},
        {"the claims but not the scope", {{"email"}, {}}, "profile", {"email"}, "consent"},
    };
    for (const ClaimRow& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.request.claims = row.asked;
        s.log_in("alice");
        s.consent(row.consented_scope, row.consented_claims);
        CHECK(s.step() == row.step);
        // RFC 8252 §8.6: of such a client nothing is remembered, claims included.
        s.client.type = model::ClientType::public_;
        s.request.redirect_uri = "com.example.app:/cb";
        CHECK(s.step() == "consent");
    }
}

TEST_CASE("decide: a login of unknown time is stale for every max_age, the largest included [OIDC Core §3.1.2.1]") {
    Situation s;
    s.log_in("alice");
    s.input.session->auth_time = model::kAuthTimeUnknown;
    CHECK(s.step() == "consent");
    for (const long max_age : {1L, 3600L, 2147483647L}) {
        CAPTURE(max_age);
        s.request.max_age = util::Seconds{max_age};
        s.request.prompt = kAny;
        CHECK(s.step() == "login");
        s.request.prompt = kSilent;
        CHECK(s.step() == "login_required");
    }
}

TEST_CASE(
    "decide: what a login must be worth, for the configuration, the client and the request [STEP-8, STEP-9, STEP-12, "
    "LEVEL-1, LEVEL-4, LEVEL-5, POLICY-1, OIDC Core §3.1.2.1, §5.5.1.1]") {
    struct LevelRow {
        const char* when;
        model::Level level;  ///< of the session's login
        model::Level within_reach;
        model::Level of_user, of_client, essential, wished;  ///< demanded, but for the last
        const char* step;
        model::Level highest = model::Level::second_factor;
        Prompts prompt = {};
        bool may_set_up = true;
    };
    constexpr auto none = model::Level::unknown;
    constexpr auto password = model::Level::password;
    constexpr auto second = model::Level::second_factor;
    constexpr auto passkey = model::Level::phishing_resistant;
    const char* const unmet = "unmet_authentication_requirements";
    const LevelRow rows[] = {
        {"nothing is demanded", password, password, none, none, none, none, "code"},
        {"the user has a factor, and nothing asks", password, second, none, none, none, none, "code"},
        {"of the user", password, second, second, none, none, none, "second step"},
        {"of the client", password, second, none, second, none, none, "second step"},
        {"of the request", password, second, none, none, second, none, "second step"},
        {"it is there", second, second, second, second, second, second, "code"},
        {"more is there", passkey, second, second, none, none, none, "code"},
        {"a password is demanded", password, password, none, password, password, none, "code"},
        {"nothing is set up", password, password, second, none, none, none, "enrolment"},
        {"nothing is set up, for the client", password, password, none, second, none, none, "enrolment"},
        {"nothing is shown", password, second, none, second, none, none, "login_required", second, kSilent},
        {"nothing is shown and nothing is set up", password, password, second, none, none, none, "login_required",
         second, kSilent},
        {"wished, and within reach", password, second, none, none, none, second, "second step"},
        {"wished, and nothing is set up", password, password, none, none, none, second, "code"},
        {"wished, and nothing is shown", password, second, none, none, none, second, "code", second, kSilent},
        {"a passkey, of the client", password, passkey, none, passkey, none, none, "second step", passkey},
        {"a passkey behind a code, of the request", second, passkey, none, none, passkey, none, "second step", passkey},
        {"a passkey is there", passkey, passkey, second, passkey, none, none, "code", passkey},
        {"a passkey, of the client, and the user has an app", second, second, none, passkey, none, none, unmet,
         passkey},
        {"a passkey, of the request, and nothing is set up", password, password, none, none, passkey, none, "enrolment",
         passkey},
        {"a passkey, of the client, and nothing is set up", password, password, second, passkey, none, none,
         "enrolment", passkey},
        {"nothing may be set up, of the user", password, password, second, none, second, none, "enrolment", second,
         kAny, false},
        {"nothing may be set up, of the client", password, password, none, second, second, none, "enrolment", second,
         kAny, false},
        {"nothing may be set up, of the request", password, password, none, none, second, none, unmet, second, kAny,
         false},
        {"nothing may be set up, and the user has an app", password, second, none, none, second, none, "second step",
         second, kAny, false},
        {"a passkey, and nothing is shown", second, second, none, passkey, none, none, "login_required", passkey,
         kSilent},
        {"a passkey is wished, and within reach", password, passkey, none, none, none, passkey, "second step", passkey},
        {"a passkey is wished behind a code of another request", second, passkey, none, none, none, passkey, "code",
         passkey},
        {"a passkey is wished, and the user has an app", password, second, none, none, none, passkey, "code", passkey},
        {"no login can have it, of the client", password, password, none, second, none, none, unmet, password},
        {"no login can have it, of the request", second, second, none, none, passkey, none, unmet},
        {"no login can have it, and nothing is shown", password, password, none, second, none, none, unmet, password,
         kSilent},
        {"a login first, whatever is missing", password, second, second, none, none, none, "login", second, kLogin},
    };
    for (const LevelRow& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.client.level = row.of_client;
        s.client.first_party = true;
        s.request.prompt = row.prompt;
        s.request.acr.demanded = row.essential;
        s.request.acr.wished = row.wished;
        s.log_in("alice");
        s.input.level = row.level;
        s.input.within_reach = row.within_reach;
        s.input.demanded = row.of_user;
        s.input.highest = row.highest;
        s.input.may_set_up = row.may_set_up;
        CHECK(s.step() == row.step);
    }
}

TEST_CASE("decide: expected user, access, freshness, level, consent, in that order [STEP-12]") {
    using enum model::Level;
    struct OrderRow {
        const char* when;
        bool is_expected, may_use;
        long login_age;  ///< max_age is 10
        model::Level level;
        const char* step;
    };
    const OrderRow rows[] = {
        {"the expected user before access", false, false, 5, second_factor, "login"},
        {"access before freshness", true, false, 11, second_factor, "may not use"},
        {"access before level", true, false, 5, password, "may not use"},
        {"freshness before level", true, true, 11, password, "login"},
        {"level before consent", true, true, 5, password, "second step"},
        {"consent", true, true, 5, second_factor, "consent"},
    };
    for (const OrderRow& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.request.max_age = util::Seconds{10};
        s.request.hinted_subject = model::Subject(row.is_expected ? "alice" : "bob");
        s.log_in("alice", row.login_age);
        s.input.may_use = row.may_use;
        s.input.level = row.level;
        s.input.demanded = s.input.within_reach = s.input.highest = second_factor;
        CHECK(s.step() == row.step);
    }
}

TEST_CASE("decide: a wish for a passkey is not repeated to a user who has given a code [LEVEL-4]") {
    using enum model::Level;
    struct WishRow {
        const char* when;
        model::Level level;
        bool logged_in;
        model::Level essential;
        const char* step;
    };
    const WishRow rows[] = {
        {"a code, for this request", second_factor, true, unknown, "code"},
        {"a code, for another one", second_factor, false, unknown, "code"},
        {"a password, for this request", password, true, unknown, "second step"},
        {"a password, for another one", password, false, unknown, "second step"},
        {"a code, and it is no wish but a demand", second_factor, true, phishing_resistant, "second step"},
        {"the same, for another one", second_factor, false, phishing_resistant, "second step"},
    };
    for (const WishRow& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.client.first_party = true;
        s.request.acr.wished = phishing_resistant;
        s.request.acr.demanded = row.essential;
        s.log_in("alice");
        s.input.progress = progress("alice", row.logged_in, Decision::unset);
        s.input.level = row.level;
        s.input.within_reach = s.input.highest = phishing_resistant;
        CHECK(s.step() == row.step);
    }
}

TEST_CASE("next_step: a push that was answered is over for each opening of its address, whatever else holds [PAR-14]") {
    struct Row {
        const char* when;
        const char* user;
        Progress progress;
        const char* step;
        bool is_push_used = true;
    };
    const Row rows[] = {
        {"nobody is there", nullptr, kNone, "already used"},
        {"a session and a consent", "alice", kNone, "already used"},
        {"approved here", "alice", kLoggedInApproved, "already used"},
        {"denied here", "alice", kDenied, "already used"},
        {"not answered", nullptr, kNone, "login", false},
        {"not answered, and approved", "alice", kLoggedInApproved, "code", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Situation s;
        s.request.pushed = model::Pushed{"push", kNow};
        if (row.user) s.log_in(row.user);
        if (row.user) s.consent("openid");
        s.input.progress = row.progress;
        s.input.is_push_used = row.is_push_used;
        CHECK(s.step() == row.step);
    }
}
