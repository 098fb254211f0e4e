// Who may pass, and what everybody else is answered: a row per situation.
#include "gate/step.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace postern;
using gate::Answer;
using gate::RequestKind;
using gate::Verdict;
using gate::Way;

namespace {

constexpr util::Time kNow = util::from_epoch(1'800'000'000);
const model::ReleasedClaims kStandardClaims;

struct Situation {
    model::Client client;
    model::AuthorizationRequest request;
    util::Time signed_in_at = kNow;

    Situation() {
        client.id = model::ClientId("wiki");
        client.type = model::ClientType::public_;
        client.first_party = true;
        client.scope = *model::Scope::parse("openid profile");
        client.redirect_uris = {"http://127.0.0.1:8081/.postern/callback"};
        client.site = model::Site{.url = "http://127.0.0.1:8081/", .max_age = {}, .session_ttl = {}};
    }
    oauth::AuthorizationInput input() {
        request = gate::silent_request(client);
        oauth::AuthorizationInput input{request, client, kStandardClaims, session(), {}, {}, kNow};
        input.level = model::Level::password;
        input.highest = model::Level::phishing_resistant;
        input.within_reach = model::Level::phishing_resistant;
        return input;
    }
    static model::Session session() {
        model::Session session;
        session.subject = model::Subject("alice");
        session.sid = model::Sid("s");
        session.auth_time = kNow - util::Seconds{100};
        return session;
    }
};

const char* name(Verdict verdict) {
    return verdict == Verdict::pass ? "pass" : verdict == Verdict::sign_in ? "sign in" : "may not use";
}

}  // namespace

TEST_CASE("verdict_of: whatever would make authorize with prompt=none ask makes the check not pass [GATE-13]") {
    struct Row {
        const char* when;
        void (*change)(Situation&);
        void (*situate)(oauth::AuthorizationInput&);
        const char* verdict;
    };
    const auto no_change = [](Situation&) {};
    const auto as_it_is = [](oauth::AuthorizationInput&) {};
    const Row rows[] = {
        {"signed in", no_change, as_it_is, "pass"},
        {"no session", no_change, [](oauth::AuthorizationInput& s) { s.session.reset(); }, "sign in"},
        {"not for this user", no_change, [](oauth::AuthorizationInput& s) { s.may_use = false; }, "may not use"},
        {"not for this user, who is not signed in", no_change,
         [](oauth::AuthorizationInput& s) {
             s.may_use = false;
             s.session.reset();
         },
         "sign in"},
        {"the site demands a second factor", [](Situation& s) { s.client.level = model::Level::second_factor; },
         as_it_is, "sign in"},
        {"the site demands a second factor, which was given",
         [](Situation& s) { s.client.level = model::Level::second_factor; },
         [](oauth::AuthorizationInput& s) { s.level = model::Level::second_factor; }, "pass"},
        {"the site demands a passkey, and an app was used",
         [](Situation& s) { s.client.level = model::Level::phishing_resistant; },
         [](oauth::AuthorizationInput& s) { s.level = model::Level::second_factor; }, "sign in"},
        {"the user or a group demands a second factor", no_change,
         [](oauth::AuthorizationInput& s) { s.demanded = model::Level::second_factor; }, "sign in"},
        {"nothing here is worth what the site demands",
         [](Situation& s) { s.client.level = model::Level::second_factor; },
         [](oauth::AuthorizationInput& s) { s.highest = model::Level::password; }, "sign in"},
        {"a session of a former method of login", no_change,
         [](oauth::AuthorizationInput& s) { s.level = model::Level::unknown; }, "sign in"},
        {"max_age holds", [](Situation& s) { s.client.site->max_age = util::Seconds{100}; }, as_it_is, "pass"},
        {"max_age is over", [](Situation& s) { s.client.site->max_age = util::Seconds{99}; }, as_it_is, "sign in"},
        {"the time of the login is not known", [](Situation& s) { s.client.site->max_age = util::Seconds{1000}; },
         [](oauth::AuthorizationInput& s) { s.session->auth_time = model::kAuthTimeUnknown; }, "sign in"},
        {"session-ttl holds",
         [](Situation& s) {
             s.client.site->session_ttl = util::Seconds{60};
             s.signed_in_at = kNow - util::Seconds{59};
         },
         as_it_is, "pass"},
        {"session-ttl is over",
         [](Situation& s) {
             s.client.site->session_ttl = util::Seconds{60};
             s.signed_in_at = kNow - util::Seconds{60};
         },
         as_it_is, "sign in"},
        {"a cookie of the future",
         [](Situation& s) {
             s.client.site->session_ttl = util::Seconds{60};
             s.signed_in_at = kNow + util::Seconds{61};
         },
         as_it_is, "sign in"},
        {"the site is disabled", [](Situation& s) { s.client.enabled = false; }, as_it_is, "sign in"},
        {"the client is no site", [](Situation& s) { s.client.site.reset(); }, as_it_is, "sign in"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Situation situation;
        row.change(situation);
        auto input = situation.input();
        row.situate(input);
        CHECK(std::string(name(gate::verdict_of(input, situation.signed_in_at))) == row.verdict);
    }
}

TEST_CASE("answer_of: only a page that a person opens is led to the sign-in [GATE-12, GATE-15, GATE-16, GATE-24]") {
    struct Row {
        Verdict verdict;
        RequestKind kind;
        Answer answer;
        Answer to_subrequest;
        Answer behind_it;  ///< of the page that nginx asks for
    };
    const Row rows[] = {
        {Verdict::pass, RequestKind::navigation, Answer::pass, Answer::pass, Answer::pass},
        {Verdict::pass, RequestKind::form, Answer::pass, Answer::pass, Answer::pass},
        {Verdict::pass, RequestKind::other, Answer::pass, Answer::pass, Answer::pass},
        {Verdict::sign_in, RequestKind::navigation, Answer::redirect, Answer::redirect_401, Answer::redirect},
        {Verdict::sign_in, RequestKind::form, Answer::sign_in_page, Answer::sign_in_text, Answer::sign_in_page},
        {Verdict::sign_in, RequestKind::other, Answer::sign_in_text, Answer::sign_in_text, Answer::sign_in_text},
        {Verdict::may_not_use, RequestKind::navigation, Answer::refuse_page, Answer::refuse_text, Answer::refuse_page},
        {Verdict::may_not_use, RequestKind::form, Answer::refuse_page, Answer::refuse_text, Answer::refuse_page},
        {Verdict::may_not_use, RequestKind::other, Answer::refuse_text, Answer::refuse_text, Answer::refuse_text},
    };
    for (const Row& row : rows) {
        CAPTURE(name(row.verdict));
        CAPTURE(static_cast<int>(row.kind));
        const auto answer = [&](Way way) { return static_cast<int>(gate::answer_of(row.verdict, way, row.kind)); };
        CHECK(answer(Way::authorizer) == static_cast<int>(row.answer));
        CHECK(answer(Way::forwarded) == static_cast<int>(row.answer));
        CHECK(answer(Way::subrequest) == static_cast<int>(row.to_subrequest));
        CHECK(answer(Way::page) == static_cast<int>(row.behind_it));
    }
}
