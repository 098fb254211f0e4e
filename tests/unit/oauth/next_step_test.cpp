// The policy of the authorization endpoint, a row per situation.
#include "oauth/next_step.h"

#include <doctest/doctest.h>

using namespace postern;
using model::Decision;
using model::Prompt;

namespace {

constexpr util::Time kNow = util::from_epoch(1'800'000'000);
const model::ReleasedClaims kStandardClaims;

enum class Kind {
    show_login,
    show_may_not_use,
    show_second_step,
    show_enrolment,
    show_consent,
    issue_code,
    refuse,
    already_used
};

struct Row {
    const char* clause;
    const char* when;
    // what the client asks
    std::set<Prompt> prompt;
    std::optional<long> max_age;
    const char* scope;
    // who is there
    std::optional<long> login_age;  ///< seconds since the session's login; nullopt: no session
    // what was done before
    std::optional<model::AuthorizationProgress> progress;
    const char* consented;  ///< remembered scope, or nullptr
    // expected
    Kind kind;
    const char* error;
};

model::AuthorizationProgress progress(const char* subject, bool logged_in, Decision decision, bool used = false) {
    return {model::Subject(subject), logged_in, decision, used};
}

model::Client confidential() {
    model::Client client;
    client.id = model::ClientId("app");
    return client;
}

struct Seen {
    Kind kind;
    std::string error;
};

struct See {
    Seen operator()(const oauth::ShowLogin&) const { return {Kind::show_login, ""}; }
    Seen operator()(const oauth::ShowMayNotUse&) const { return {Kind::show_may_not_use, ""}; }
    Seen operator()(const oauth::ShowSecondStep&) const { return {Kind::show_second_step, ""}; }
    Seen operator()(const oauth::ShowEnrolment&) const { return {Kind::show_enrolment, ""}; }
    Seen operator()(const oauth::ShowConsent&) const { return {Kind::show_consent, ""}; }
    Seen operator()(const oauth::IssueCode&) const { return {Kind::issue_code, ""}; }
    Seen operator()(const oauth::Refuse& r) const {
        return {Kind::refuse, std::string(oauth::wire_name(r.error.code))};
    }
    Seen operator()(const oauth::AlreadyUsed&) const { return {Kind::already_used, ""}; }
};

Seen look(const Row& row, const model::Client& client, const char* redirect_uri = "https://app.example/cb",
          bool may_use = true) {
    model::AuthorizationRequest request;
    request.client_id = client.id;
    request.redirect_uri = redirect_uri;
    request.prompt = row.prompt;
    request.scope = *model::Scope::parse(row.scope);
    if (row.max_age) request.max_age = util::Seconds{*row.max_age};
    oauth::AuthorizationInput situation{request,      client, kStandardClaims, std::nullopt, row.progress,
                                        std::nullopt, kNow};
    situation.may_use = may_use;
    if (row.login_age) {
        situation.session = model::Session{};
        situation.session->subject = model::Subject("alice");
        situation.session->auth_time = kNow - util::Seconds{*row.login_age};
    }
    if (row.consented)
        situation.consent =
            model::Consent{client.id, model::Subject("alice"), *model::Scope::parse(row.consented), kNow};
    return std::visit(See{}, oauth::next_step(situation));
}

const auto kApproved = progress("alice", false, Decision::approved);
const auto kLoggedIn = progress("alice", true, Decision::unset);
const auto kLoggedInApproved = progress("alice", true, Decision::approved);

}  // namespace

TEST_CASE(
    "decide: login, then consent, then the code; prompt=none shows nothing [IF66, IF68, IF96, RFC 6749 §3.1a, §4.1.1c, "
    "OIDC Core §3.1.2.3a, §3.1.2.4a, A13]") {
    const Row rows[] = {
        {"RFC 6749 §4.1.1", "nobody is logged in", {}, {}, "openid", {}, {}, nullptr, Kind::show_login, ""},
        {"RFC 6749 §4.1.1", "logged in, never asked", {}, {}, "openid", 5, {}, nullptr, Kind::show_consent, ""},
        {"RFC 6749 §4.1.1", "logged in and approved", {}, {}, "openid", 5, kApproved, nullptr, Kind::issue_code, ""},
        {"RFC 6749 §4.1.2.1",
         "denied",
         {},
         {},
         "openid",
         5,
         progress("alice", false, Decision::denied),
         nullptr,
         Kind::refuse,
         "access_denied"},
        {"single use",
         "a code was issued before",
         {},
         {},
         "openid",
         5,
         progress("alice", true, Decision::approved, true),
         "openid",
         Kind::already_used,
         ""},
        {"single use",
         "used, and logged out since",
         {},
         {},
         "openid",
         {},
         progress("alice", true, Decision::approved, true),
         nullptr,
         Kind::already_used,
         ""},
        {"remembered consent", "the same scope", {}, {}, "openid", 5, {}, "openid", Kind::issue_code, ""},
        {"remembered consent", "a part of it", {}, {}, "openid", 5, {}, "openid email", Kind::issue_code, ""},
        {"remembered consent", "one word more", {}, {}, "openid email", 5, {}, "openid", Kind::show_consent, ""},
        {"OIDC Core §3.1.2.1",
         "prompt=none, nobody there",
         {Prompt::none},
         {},
         "openid",
         {},
         {},
         nullptr,
         Kind::refuse,
         "login_required"},
        {"OIDC Core §3.1.2.1",
         "prompt=none, not approved",
         {Prompt::none},
         {},
         "openid",
         5,
         {},
         nullptr,
         Kind::refuse,
         "consent_required"},
        {"OIDC Core §3.1.2.1",
         "prompt=none, approved before",
         {Prompt::none},
         {},
         "openid",
         5,
         {},
         "openid",
         Kind::issue_code,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=none, stale login",
         {Prompt::none},
         10,
         "openid",
         11,
         {},
         "openid",
         Kind::refuse,
         "login_required"},
        {"OIDC Core §3.1.2.1",
         "prompt=login with a session",
         {Prompt::login},
         {},
         "openid",
         0,
         {},
         "openid",
         Kind::show_login,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=login, logged in for this request",
         {Prompt::login},
         {},
         "openid",
         5,
         kLoggedIn,
         "openid",
         Kind::issue_code,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=login, not asked again after consent",
         {Prompt::login},
         {},
         "openid",
         5,
         kLoggedInApproved,
         nullptr,
         Kind::issue_code,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=login, somebody else logged in for it",
         {Prompt::login},
         {},
         "openid",
         5,
         progress("bob", true, Decision::unset),
         "openid",
         Kind::show_login,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=select_account acts as login",
         {Prompt::select_account},
         {},
         "openid",
         5,
         {},
         "openid",
         Kind::show_login,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=consent asks in spite of memory",
         {Prompt::consent},
         {},
         "openid",
         5,
         {},
         "openid",
         Kind::show_consent,
         ""},
        {"OIDC Core §3.1.2.1",
         "prompt=consent, approved for this request",
         {Prompt::consent},
         {},
         "openid",
         5,
         kApproved,
         "openid",
         Kind::issue_code,
         ""},
        {"authorize rule 2",
         "a login a little ahead of this clock",
         {},
         10,
         "openid",
         -60,
         {},
         "openid",
         Kind::issue_code,
         ""},
        {"authorize rule 2",
         "a login far ahead: the clock went back",
         {},
         10,
         "openid",
         -61,
         {},
         "openid",
         Kind::show_login,
         ""},
        {"authorize rule 2", "login exactly max_age old", {}, 10, "openid", 10, {}, "openid", Kind::issue_code, ""},
        {"authorize rule 2",
         "login one second older than max_age",
         {},
         10,
         "openid",
         11,
         {},
         "openid",
         Kind::show_login,
         ""},
        {"authorize rule 2",
         "a login for this request satisfies it, however long consent took",
         {},
         10,
         "openid",
         60,
         kLoggedInApproved,
         nullptr,
         Kind::issue_code,
         ""},
        {"authorize rule 2", "max_age=0 is prompt=login", {}, 0, "openid", 0, {}, "openid", Kind::show_login, ""},
        {"authorize rule 2",
         "max_age=0, logged in for this request",
         {},
         0,
         "openid",
         3,
         kLoggedIn,
         "openid",
         Kind::issue_code,
         ""},
        {"consent fixation",
         "somebody else's approval",
         {},
         {},
         "openid",
         5,
         progress("bob", true, Decision::approved),
         nullptr,
         Kind::show_consent,
         ""},
        {"consent fixation",
         "somebody else's denial does not speak for this user",
         {},
         {},
         "openid",
         5,
         progress("bob", true, Decision::denied),
         nullptr,
         Kind::show_consent,
         ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const Seen seen = look(row, confidential());
        CHECK(seen.kind == row.kind);
        CHECK(seen.error == row.error);
    }
}

TEST_CASE(
    "decide: a user who may not use the client is told before consent, and can choose another account [GROUP-4, GROUP-5]") {
    const auto used = progress("alice", true, Decision::approved, true);
    const auto denied = progress("alice", false, Decision::denied);
    // clang-format off
    const Row rows[] = {
        {"GROUP-5", "logged in, never asked", {}, {}, "openid", 5, {}, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-4", "approved for this request", {}, {}, "openid", 5, kApproved, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-4", "approved before", {}, {}, "openid", 5, {}, "openid", Kind::show_may_not_use, ""},
        {"GROUP-4", "logged in for this request", {}, {}, "openid", 5, kLoggedIn, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-4", "nobody is logged in", {}, {}, "openid", {}, {}, nullptr, Kind::show_login, ""},
        {"STEP-12", "a stale login is not asked for first", {}, 10, "openid", 11, {}, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-5", "another account is asked for", {Prompt::select_account}, {}, "openid", 5, {}, nullptr, Kind::show_login, ""},
        {"GROUP-5", "and it is the same again", {Prompt::select_account}, {}, "openid", 5, kLoggedIn, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-5", "prompt=login comes first", {Prompt::login}, {}, "openid", 5, {}, nullptr, Kind::show_login, ""},
        {"GROUP-5", "prompt=consent does not", {Prompt::consent}, {}, "openid", 5, {}, nullptr, Kind::show_may_not_use, ""},
        {"GROUP-5", "prompt=none", {Prompt::none}, {}, "openid", 5, {}, "openid", Kind::refuse, "access_denied"},
        {"GROUP-5", "prompt=none, a stale login", {Prompt::none}, 10, "openid", 11, {}, "openid", Kind::refuse, "access_denied"},
        {"OIDC Core §3.1.2.6", "prompt=none, nobody is logged in", {Prompt::none}, {}, "openid", {}, {}, nullptr, Kind::refuse, "login_required"},
        {"single use", "answered before", {}, {}, "openid", 5, used, "openid", Kind::already_used, ""},
        {"RFC 6749 §4.1.2.1", "denied before", {}, {}, "openid", 5, denied, nullptr, Kind::refuse, "access_denied"},
    };
    // clang-format on
    auto first_party = confidential();
    first_party.first_party = true;
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        for (const auto& client : {confidential(), first_party}) {
            const Seen seen = look(row, client, "https://app.example/cb", false);
            CHECK(seen.kind == row.kind);
            CHECK(seen.error == row.error);
        }
    }
}

TEST_CASE("decide: a first-party client skips consent, but not prompt=consent") {
    model::Client client = confidential();
    client.first_party = true;
    const Row plain{"", "", {}, {}, "openid", 5, {}, nullptr, Kind::issue_code, ""};
    const Row asked{"", "", {Prompt::consent}, {}, "openid", 5, {}, nullptr, Kind::show_consent, ""};
    CHECK(look(plain, client).kind == Kind::issue_code);
    CHECK(look(asked, client).kind == Kind::show_consent);
}

TEST_CASE(
    "decide: remembered consent is nothing for a public client that any program on the machine can pose as [RFC 8252 "
    "§8.6]") {
    model::Client client = confidential();
    client.type = model::ClientType::public_;
    const Row remembered{"", "", {}, {}, "openid", 5, {}, "openid", Kind::show_consent, ""};
    const Row silent{"", "", {Prompt::none}, {}, "openid", 5, {}, "openid", Kind::refuse, "consent_required"};
    for (const char* uri :
         {"http://127.0.0.1:8400/cb", "http://localhost/cb", "http://[::1]/cb", "com.example.app:/cb"}) {
        CAPTURE(uri);
        CHECK(look(remembered, client, uri).kind == Kind::show_consent);
        CHECK(look(silent, client, uri).error == "consent_required");
    }
    CHECK(look(remembered, client, "https://app.example/cb").kind == Kind::issue_code);
    client.type = model::ClientType::confidential;
    CHECK(look(remembered, client, "http://127.0.0.1:8400/cb").kind == Kind::issue_code);
}

namespace {

struct HintRow {
    const char* when;
    const char* hinted;  ///< nullptr: nobody
    const char* user;    ///< who is logged in, or nullptr
    std::set<Prompt> prompt;
    std::optional<model::AuthorizationProgress> progress;
    Kind kind;
    const char* error;
    bool ends;
};

struct Ends {
    bool operator()(const oauth::Refuse& refuse) const { return refuse.ends_request; }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

oauth::NextStep act(const HintRow& row, const model::Client& client) {
    model::AuthorizationRequest request;
    request.client_id = client.id;
    request.redirect_uri = "https://app.example/cb";
    request.scope = *model::Scope::parse("openid");
    request.prompt = row.prompt;
    if (row.hinted) request.hinted_subject = model::Subject(row.hinted);
    oauth::AuthorizationInput situation{request,      client, kStandardClaims, std::nullopt, row.progress,
                                        std::nullopt, kNow};
    if (row.user) {
        situation.session = model::Session{};
        situation.session->subject = model::Subject(row.user);
        situation.session->auth_time = kNow;
        situation.consent = model::Consent{client.id, model::Subject(row.user), request.scope, kNow};
    }
    return oauth::next_step(situation);
}

}  // namespace

TEST_CASE("decide: a client that expects one user is never answered for another [OIDC Core §3.1.2.1, §3.1.2.2c]") {
    const auto bob = [](bool logged_in, Decision decision, bool used = false) {
        return progress("bob", logged_in, decision, used);
    };
    const HintRow rows[] = {
        {"nobody is expected", nullptr, "bob", {}, {}, Kind::issue_code, "", false},
        {"the user is there", "alice", "alice", {}, {}, Kind::issue_code, "", false},
        {"the user is there, silently", "alice", "alice", {Prompt::none}, {}, Kind::issue_code, "", false},
        {"the user is there and must log in again", "alice", "alice", {Prompt::login}, {}, Kind::show_login, "", false},
        {"nobody is there", "alice", nullptr, {}, {}, Kind::show_login, "", false},
        {"nobody is there, silently", "alice", nullptr, {Prompt::none}, {}, Kind::refuse, "login_required", false},
        {"somebody else is there", "alice", "bob", {}, {}, Kind::show_login, "", false},
        {"somebody else, silently", "alice", "bob", {Prompt::none}, {}, Kind::refuse, "login_required", false},
        {"somebody else approved", "alice", "bob", {}, bob(false, Decision::approved), Kind::show_login, "", false},
        {"somebody else denied", "alice", "bob", {}, bob(false, Decision::denied), Kind::refuse, "access_denied", true},
        {"somebody else logged in for it",
         "alice",
         "bob",
         {},
         bob(true, Decision::unset),
         Kind::refuse,
         "login_required",
         true},
        {"somebody else logged in for it and approved",
         "alice",
         "bob",
         {},
         bob(true, Decision::approved),
         Kind::refuse,
         "login_required",
         true},
        {"the refusal was delivered",
         "alice",
         "bob",
         {},
         bob(true, Decision::unset, true),
         Kind::already_used,
         "",
         false},
        {"somebody else logged in for it, and the user is there now",
         "alice",
         "alice",
         {},
         bob(true, Decision::unset),
         Kind::issue_code,
         "",
         false},
        {"the user logged in for it, and somebody else is there now",
         "alice",
         "bob",
         {},
         kLoggedInApproved,
         Kind::show_login,
         "",
         false},
        {"the user logged in for it", "alice", "alice", {Prompt::login}, kLoggedIn, Kind::issue_code, "", false},
    };
    for (const HintRow& row : rows) {
        CAPTURE(row.when);
        const oauth::NextStep action = act(row, confidential());
        const Seen seen = std::visit(See{}, action);
        CHECK(seen.kind == row.kind);
        CHECK(seen.error == row.error);
        CHECK(std::visit(Ends{}, action) == row.ends);
    }
}

TEST_CASE("decide: remembered consent covers a part of what was approved, claim by claim [OIDC Core §3.1.2.4, §5.5]") {
    struct ClaimRow {
        const char* when;
        model::RequestedClaims asked;
        const char* consented_scope;
        model::ClaimNames consented_claims;
        Kind kind;
    };
    const ClaimRow rows[] = {
        {"no claims", {}, "openid", {}, Kind::issue_code},
        {"no claims, some approved", {}, "openid", {"email"}, Kind::issue_code},
        {"never approved", {{"email"}, {}}, "openid", {}, Kind::show_consent},
        {"never approved, for the ID token", {{}, {"email"}}, "openid", {}, Kind::show_consent},
        {"approved by name", {{"email"}, {}}, "openid", {"email"}, Kind::issue_code},
        {"approved by name, now for the ID token", {{}, {"email"}}, "openid", {"email", "name"}, Kind::issue_code},
        {"one more", {{"email", "name"}, {}}, "openid", {"email"}, Kind::show_consent},
        {"one more in the other place", {{"email"}, {"name"}}, "openid", {"email"}, Kind::show_consent},
        {"its scope was approved", {{"email"}, {"email_verified"}}, "openid email", {}, Kind::issue_code},
        {"another scope was approved", {{"email"}, {}}, "openid profile", {}, Kind::show_consent},
        {"the claims but not the scope", {{"email"}, {}}, "profile", {"email"}, Kind::show_consent},
    };
    for (const ClaimRow& row : rows) {
        CAPTURE(row.when);
        model::Client client = confidential();
        model::AuthorizationRequest request;
        request.client_id = client.id;
        request.redirect_uri = "https://app.example/cb";
        request.scope = *model::Scope::parse("openid");
        request.claims = row.asked;
        oauth::AuthorizationInput situation{request,      client, kStandardClaims, model::Session{}, std::nullopt,
                                            std::nullopt, kNow};
        situation.session->auth_time = kNow;
        situation.consent = model::Consent{client.id, model::Subject(), *model::Scope::parse(row.consented_scope), kNow,
                                           row.consented_claims};
        CHECK(std::visit(See{}, oauth::next_step(situation)).kind == row.kind);
        // RFC 8252 §8.6: of such a client nothing is remembered, claims included.
        client.type = model::ClientType::public_;
        request.redirect_uri = "com.example.app:/cb";
        CHECK(std::visit(See{}, oauth::next_step(situation)).kind == Kind::show_consent);
    }
}

TEST_CASE("decide: a login of unknown time is stale for every max_age, the largest included [OIDC Core §3.1.2.1]") {
    const model::Client client = confidential();
    model::AuthorizationRequest request;
    request.scope = *model::Scope::parse("openid");
    oauth::AuthorizationInput situation{request,      client, kStandardClaims, model::Session{}, std::nullopt,
                                        std::nullopt, kNow};
    situation.session->auth_time = model::kAuthTimeUnknown;
    CHECK(std::visit(See{}, oauth::next_step(situation)).kind == Kind::show_consent);
    for (const long max_age : {1L, 3600L, 2147483647L}) {
        CAPTURE(max_age);
        request.max_age = util::Seconds{max_age};
        request.prompt = {};
        CHECK(std::visit(See{}, oauth::next_step(situation)).kind == Kind::show_login);
        request.prompt = {Prompt::none};
        CHECK(std::visit(See{}, oauth::next_step(situation)).error == "login_required");
    }
}

TEST_CASE(
    "decide: what a login must be worth, for the configuration, the client and the request [STEP-8, STEP-9, STEP-12, "
    "LEVEL-1, LEVEL-4, LEVEL-5, POLICY-1, OIDC Core §3.1.2.1, §5.5.1.1]") {
    using enum model::Level;
    struct LevelRow {
        const char* when;
        model::Level level;  ///< of the session's login
        model::Level within_reach;
        model::Level of_user, of_client, essential, wished;  ///< demanded, but for the last
        Kind kind;
        std::set<Prompt> prompt = {};
        const char* error = "";
        model::Level highest = second_factor;
        bool may_set_up = true;
    };
    const auto none = unknown;
    const LevelRow rows[] = {
        {"nothing is demanded", password, password, none, none, none, none, Kind::issue_code},
        {"the user has a factor, and nothing asks", password, second_factor, none, none, none, none, Kind::issue_code},
        {"of the user", password, second_factor, second_factor, none, none, none, Kind::show_second_step},
        {"of the client", password, second_factor, none, second_factor, none, none, Kind::show_second_step},
        {"of the request", password, second_factor, none, none, second_factor, none, Kind::show_second_step},
        {"it is there", second_factor, second_factor, second_factor, second_factor, second_factor, second_factor,
         Kind::issue_code},
        {"more is there", phishing_resistant, second_factor, second_factor, none, none, none, Kind::issue_code},
        {"a password is demanded", password, password, none, password, password, none, Kind::issue_code},
        {"nothing is set up", password, password, second_factor, none, none, none, Kind::show_enrolment},
        {"nothing is set up, for the client", password, password, none, second_factor, none, none,
         Kind::show_enrolment},
        {"nothing is shown",
         password,
         second_factor,
         none,
         second_factor,
         none,
         none,
         Kind::refuse,
         {Prompt::none},
         "login_required"},
        {"nothing is shown and nothing is set up",
         password,
         password,
         second_factor,
         none,
         none,
         none,
         Kind::refuse,
         {Prompt::none},
         "login_required"},
        {"wished, and within reach", password, second_factor, none, none, none, second_factor, Kind::show_second_step},
        {"wished, and nothing is set up", password, password, none, none, none, second_factor, Kind::issue_code},
        {"wished, and nothing is shown",
         password,
         second_factor,
         none,
         none,
         none,
         second_factor,
         Kind::issue_code,
         {Prompt::none}},
        {"a passkey, of the client",
         password,
         phishing_resistant,
         none,
         phishing_resistant,
         none,
         none,
         Kind::show_second_step,
         {},
         "",
         phishing_resistant},
        {"a passkey behind a code, of the request",
         second_factor,
         phishing_resistant,
         none,
         none,
         phishing_resistant,
         none,
         Kind::show_second_step,
         {},
         "",
         phishing_resistant},
        {"a passkey is there",
         phishing_resistant,
         phishing_resistant,
         second_factor,
         phishing_resistant,
         none,
         none,
         Kind::issue_code,
         {},
         "",
         phishing_resistant},
        {"a passkey, of the client, and the user has an app",
         second_factor,
         second_factor,
         none,
         phishing_resistant,
         none,
         none,
         Kind::refuse,
         {},
         "unmet_authentication_requirements",
         phishing_resistant},
        {"a passkey, of the request, and nothing is set up",
         password,
         password,
         none,
         none,
         phishing_resistant,
         none,
         Kind::show_enrolment,
         {},
         "",
         phishing_resistant},
        {"a passkey, of the client, and nothing is set up",
         password,
         password,
         second_factor,
         phishing_resistant,
         none,
         none,
         Kind::show_enrolment,
         {},
         "",
         phishing_resistant},
        {"nothing may be set up, of the user",
         password,
         password,
         second_factor,
         none,
         second_factor,
         none,
         Kind::show_enrolment,
         {},
         "",
         second_factor,
         false},
        {"nothing may be set up, of the client",
         password,
         password,
         none,
         second_factor,
         second_factor,
         none,
         Kind::show_enrolment,
         {},
         "",
         second_factor,
         false},
        {"nothing may be set up, of the request",
         password,
         password,
         none,
         none,
         second_factor,
         none,
         Kind::refuse,
         {},
         "unmet_authentication_requirements",
         second_factor,
         false},
        {"nothing may be set up, and the user has an app",
         password,
         second_factor,
         none,
         none,
         second_factor,
         none,
         Kind::show_second_step,
         {},
         "",
         second_factor,
         false},
        {"a passkey, and nothing is shown",
         second_factor,
         second_factor,
         none,
         phishing_resistant,
         none,
         none,
         Kind::refuse,
         {Prompt::none},
         "login_required",
         phishing_resistant},
        {"a passkey is wished, and within reach",
         password,
         phishing_resistant,
         none,
         none,
         none,
         phishing_resistant,
         Kind::show_second_step,
         {},
         "",
         phishing_resistant},
        {"a passkey is wished behind a code of another request",
         second_factor,
         phishing_resistant,
         none,
         none,
         none,
         phishing_resistant,
         Kind::issue_code,
         {},
         "",
         phishing_resistant},
        {"a passkey is wished, and the user has an app",
         password,
         second_factor,
         none,
         none,
         none,
         phishing_resistant,
         Kind::issue_code,
         {},
         "",
         phishing_resistant},
        {"no login can have it, of the client",
         password,
         password,
         none,
         second_factor,
         none,
         none,
         Kind::refuse,
         {},
         "unmet_authentication_requirements",
         password},
        {"no login can have it, of the request",
         second_factor,
         second_factor,
         none,
         none,
         phishing_resistant,
         none,
         Kind::refuse,
         {},
         "unmet_authentication_requirements"},
        {"no login can have it, and nothing is shown",
         password,
         password,
         none,
         second_factor,
         none,
         none,
         Kind::refuse,
         {Prompt::none},
         "unmet_authentication_requirements",
         password},
        {"a login first, whatever is missing",
         password,
         second_factor,
         second_factor,
         none,
         none,
         none,
         Kind::show_login,
         {Prompt::login}},
    };
    for (const LevelRow& row : rows) {
        CAPTURE(row.when);
        model::Client client = confidential();
        client.level = row.of_client;
        client.first_party = true;
        model::AuthorizationRequest request;
        request.client_id = client.id;
        request.redirect_uri = "https://app.example/cb";
        request.scope = *model::Scope::parse("openid");
        request.prompt = row.prompt;
        request.acr.demanded = row.essential;
        request.acr.wished = row.wished;
        oauth::AuthorizationInput situation{request,      client, kStandardClaims, model::Session{}, std::nullopt,
                                            std::nullopt, kNow};
        situation.level = row.level;
        situation.within_reach = row.within_reach;
        situation.demanded = row.of_user;
        situation.highest = row.highest;
        situation.may_set_up = row.may_set_up;
        const Seen seen = std::visit(See{}, oauth::next_step(situation));
        CHECK(seen.kind == row.kind);
        CHECK(seen.error == row.error);
    }
}

TEST_CASE("decide: expected user, access, freshness, level, consent, in that order [STEP-12]") {
    using enum model::Level;
    struct OrderRow {
        const char* when;
        bool is_expected, may_use;
        long login_age;  ///< max_age is 10
        model::Level level;
        Kind kind;
    };
    const OrderRow rows[] = {
        {"the expected user before access", false, false, 5, second_factor, Kind::show_login},
        {"access before freshness", true, false, 11, second_factor, Kind::show_may_not_use},
        {"access before level", true, false, 5, password, Kind::show_may_not_use},
        {"freshness before level", true, true, 11, password, Kind::show_login},
        {"level before consent", true, true, 5, password, Kind::show_second_step},
        {"consent", true, true, 5, second_factor, Kind::show_consent},
    };
    for (const OrderRow& row : rows) {
        CAPTURE(row.when);
        const model::Client client = confidential();
        model::AuthorizationRequest request;
        request.client_id = client.id;
        request.redirect_uri = "https://app.example/cb";
        request.scope = *model::Scope::parse("openid");
        request.max_age = util::Seconds{10};
        request.hinted_subject = model::Subject(row.is_expected ? "alice" : "bob");
        model::Session session;
        session.subject = model::Subject("alice");
        session.auth_time = kNow - util::Seconds{row.login_age};
        oauth::AuthorizationInput situation{request,      client, kStandardClaims, session, std::nullopt,
                                            std::nullopt, kNow};
        situation.may_use = row.may_use;
        situation.level = row.level;
        situation.demanded = situation.within_reach = situation.highest = second_factor;
        CHECK(std::visit(See{}, oauth::next_step(situation)).kind == row.kind);
    }
}

TEST_CASE("decide: a wish for a passkey is not repeated to a user who has given a code [LEVEL-4]") {
    using enum model::Level;
    struct WishRow {
        const char* when;
        model::Level level;
        bool logged_in;
        model::Level essential;
        Kind kind;
    };
    const WishRow rows[] = {
        {"a code, for this request", second_factor, true, unknown, Kind::issue_code},
        {"a code, for another one", second_factor, false, unknown, Kind::issue_code},
        {"a password, for this request", password, true, unknown, Kind::show_second_step},
        {"a password, for another one", password, false, unknown, Kind::show_second_step},
        {"a code, and it is no wish but a demand", second_factor, true, phishing_resistant, Kind::show_second_step},
        {"the same, for another one", second_factor, false, phishing_resistant, Kind::show_second_step},
    };
    for (const WishRow& row : rows) {
        CAPTURE(row.when);
        model::Client client = confidential();
        client.first_party = true;
        model::AuthorizationRequest request;
        request.client_id = client.id;
        request.redirect_uri = "https://app.example/cb";
        request.scope = *model::Scope::parse("openid");
        request.acr.wished = phishing_resistant;
        request.acr.demanded = row.essential;
        model::Session session;
        session.subject = model::Subject("alice");
        oauth::AuthorizationInput situation{request,      client, kStandardClaims, session, std::nullopt,
                                            std::nullopt, kNow};
        situation.progress = progress("alice", row.logged_in, Decision::unset);
        situation.level = row.level;
        situation.within_reach = phishing_resistant;
        situation.highest = phishing_resistant;
        CHECK(std::visit(See{}, oauth::next_step(situation)).kind == row.kind);
    }
}
