// The authorization endpoint: what is refused where, what travels on, and what a request leads to when it comes back.
#include "web/authorization.h"

#include "oauth/registration.h"
#include "oauth/settings.h"
#include "store/clients.h"
#include "store/sessions.h"
#include "store/users.h"
#include "unit/web/page_flow.h"
#include "web/consent.h"
#include "web/login.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

constexpr const char* kCallback = "https://app.example/cb";
constexpr const char* kAuthorize = "https://op.example/authorize";
constexpr const char* kLogin = "https://op.example/login";
constexpr const char* kConsent = "https://op.example/scopes";

struct Fixture : test::PageFlow {
    std::optional<model::User> alice;
    void sign_in() {
        alice = fixture.add_user("alice");
        PageFlow::sign_in(*alice, "of-alice");
    }
    /// A session that does not continue the first.
    void sign_in_anew() { PageFlow::sign_in(*alice, "of-alice-anew"); }
    void change(model::Client changed) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        REQUIRE(store::update_client(transaction, changed));
        transaction.commit();
        client = changed;
    }
    http::Response start(const std::map<std::string, std::string>& query) {
        return visit(web::start_authorization, query);
    }
    std::map<std::string, std::string> without(const std::string& name) const {
        auto changed = request();
        changed.erase(name);
        return changed;
    }
};

}  // namespace

TEST_CASE("start_authorization: no redirect before client_id and redirect_uri are verified [RFC 6749 §4.1.2.1a]") {
    struct Row {
        const char* clause;
        const char* when;
        std::map<std::string, std::string> (*query)(Fixture&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"RFC 6749 §2.2", "no client_id", [](Fixture& f) { return f.without("client_id"); }, "client_missing"},
        {"RFC 6749 §2.2", "an unknown client_id", [](Fixture& f) { return f.with("client_id", "nobody"); }, "client_unknown"},
        {"RFC 6749 §4.1.2.1", "a disabled client", [](Fixture& f) { f.client.enabled = false; f.change(f.client); return f.request(); }, "client_disabled"},
        {"RFC 6749 §3.1.2.4", "another redirect_uri", [](Fixture& f) { return f.with("redirect_uri", "https://evil.example/cb"); }, "redirect_unregistered"},
        {"RFC 6749 §3.1.2.3", "no redirect_uri, with two registered", [](Fixture& f) { f.client.redirect_uris.emplace_back("https://app.example/2"); f.change(f.client); return f.without("redirect_uri"); }, "redirect_missing"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(std::string(row.clause));
        CAPTURE(std::string(row.when));
        Fixture f;
        const auto answer = f.start(row.query(f));
        CHECK(answer.body == "error");
        CHECK(answer.status == 400);
        CHECK(answer.find("Location") == nullptr);
        CHECK(refusal_of(answer) == row.refusal);
    }
}

TEST_CASE(
    "start_authorization: later errors go to the redirect_uri, with state and iss [RFC 6749 §4.1.2.1, RFC 9207]") {
    struct Row {
        const char* clause;
        const char* name;
        const char* value;
        const char* error;
    };
    const Row rows[] = {
        {"RFC 6749 §3.1.1", "response_type", "coupon", "unsupported_response_type"},
        {"RFC 6749 §3.3", "scope", "unheard-of", "invalid_scope"},
        {"RFC 7636 §4.4.1", "code_challenge_method", "S512", "invalid_request"},
        {"OIDC Core §3.1.2.6", "prompt", "none", "login_required"},
        {"OIDC Core §6", "request", "e30.e30.", "request_not_supported"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.clause));
        CAPTURE(std::string(row.name));
        Fixture f;
        f.fixture.settings.oidc = true;
        const auto answer = f.start(f.with(row.name, row.value));
        CHECK(place_of(answer) == kCallback);
        CHECK(location_parameter(answer, "error") == row.error);
        CHECK(location_parameter(answer, "state") == "s1");
        CHECK(location_parameter(answer, "iss") == "https://op.example");
        CHECK(location_parameter(answer, "code") == "");
    }
}

TEST_CASE("start_authorization: login, consent, then a code; a first-party client skips consent [RFC 6749 §4.1.1]") {
    Fixture f;
    CHECK(place_of(f.start(f.request())) == kLogin);
    f.sign_in();
    CHECK(place_of(f.start(f.request())) == kConsent);
    f.client.first_party = true;
    f.change(f.client);
    const auto issued = f.start(f.request());
    CHECK(place_of(issued) == kCallback);
    CHECK(location_parameter(issued, "code") != "");
    CHECK(location_parameter(issued, "state") == "s1");
}

TEST_CASE(
    "start_authorization: a posted request continues by GET in any browser, and is bound there [RFC 9700 §4.12]") {
    Fixture f;
    f.fixture.settings.authorize_post = true;
    const auto posted = f.submit(web::start_authorization, f.request());
    CHECK(posted.status == 303);
    CHECK(place_of(posted) == kAuthorize);
    CHECK(f.cookies.empty());  // a cross-site POST must not write a cookie

    const auto login = f.follow(web::resume_authorization, posted);
    CHECK(place_of(login) == kLogin);
    CHECK(f.cookies.size() == 1);
    CHECK(f.follow(web::show_login, login).body == "login");
    CHECK(refusal_of(f.follow(web::show_login, posted)) == "other_browser");  // the page wants the bound one
}

TEST_CASE("authorization: a user who may not use the client gets a page with two ways on [GROUP-4, GROUP-5]") {
    Fixture f;
    f.sign_in();
    f.client.restricted = true;
    f.client.name = "Our wiki";
    f.change(f.client);
    const auto refused = f.start(f.request());
    CHECK(refused.status == 403);
    CHECK(refusal_of(refused) == "access_refused");
    const pages::ErrorPage page = f.pages.last_error;
    CHECK(page.title == "alice may not use Our wiki");
    CHECK(page.client_name == "Our wiki");
    CHECK(page.try_again.empty());
    REQUIRE(f.fixture.trail.entries().size() == 1);
    CHECK(f.fixture.trail.entries()[0].event == audit::Event::access_refused);

    const auto open = [&](const std::string& url) {
        http::Response link;
        link.set("Location", url);
        CHECK(place_of(link) == kAuthorize);
        std::map<std::string, std::string> query = {{"resume", location_parameter(link, "resume")}};
        if (const auto back = location_parameter(link, "back"); !back.empty()) query["back"] = back;
        return f.visit(web::resume_authorization, query);
    };
    CHECK(place_of(open(page.other_account)) == kLogin);

    const auto told = open(page.back);
    CHECK(place_of(told) == kCallback);
    CHECK(location_parameter(told, "error") == "access_denied");
    CHECK(location_parameter(told, "state") == "s1");
    CHECK(refusal_of(open(page.back)) == "already_used");

    auto silent = f.with("prompt", "none");
    CHECK(location_parameter(f.start(silent), "error") == "access_denied");

    // The link does what it says, also when the right has been given meanwhile.
    f.start(f.request());
    f.client.restricted = false;
    f.change(f.client);
    CHECK(location_parameter(open(f.pages.last_error.back), "error") == "access_denied");

    // An application cannot send its users past the page, neither with a request of its own nor with one by POST.
    f.client.restricted = true;
    f.change(f.client);
    CHECK(refusal_of(f.start(f.with("back", "yes"))) == "access_refused");
    f.fixture.settings.authorize_post = true;
    const auto posted = f.submit(web::start_authorization, f.request());
    CHECK(refusal_of(f.visit(web::resume_authorization,
                             {{"resume", location_parameter(posted, "resume")}, {"back", "yes"}})) == "access_refused");

    // Whom the client names cannot be another account; and a form for another account names nobody.
    auto hinted = f.with("claims", R"({"id_token":{"sub":{"value":")" + f.alice->subject.str() + R"("}}})");
    f.start(hinted);
    CHECK(f.pages.last_error.other_account.empty());
    CHECK_FALSE(f.pages.last_error.back.empty());
    f.start(f.with("login_hint", "alice"));
    http::Response other;
    other.set("Location", f.pages.last_error.other_account);
    f.follow(web::show_login, f.follow(web::resume_authorization, other));
    CHECK(f.pages.last_login.username.empty());
}

TEST_CASE("start_authorization: a body that is not a form is refused, whatever the query says [RFC 6749 §3.1]") {
    Fixture f;
    http::Request sent = test::post("");
    sent.body = http::BodyKind::other;
    oauth::Context context = f.fixture.context();
    web::Interaction interaction(context, f.book, sent);
    CHECK(refusal_of(web::start_authorization(interaction)) == "request_malformed");
}

TEST_CASE("resume_authorization: only what was sealed for this browser, and is still allowed") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::string& resume);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"nothing changed", [](Fixture&, std::string&) {}, ""},
        {"an empty resume", [](Fixture&, std::string& resume) { resume.clear(); }, "resume_missing"},
        {"cut by a character", [](Fixture&, std::string& resume) { resume.pop_back(); }, "resume_invalid"},
        {"its time is over", [](Fixture& f, std::string&) { f.fixture.clock.advance(f.fixture.settings.authorization_request_ttl + util::Seconds{1}); }, "resume_expired"},
        {"the browser lost its cookie", [](Fixture& f, std::string&) { f.cookies.clear(); }, "cookie_missing"},
        {"another browser", [](Fixture& f, std::string&) { f.cookies.begin()->second = std::string(f.cookies.begin()->second.rbegin(), f.cookies.begin()->second.rend()); }, "other_browser"},
        {"the client was disabled", [](Fixture& f, std::string&) { f.client.enabled = false; f.change(f.client); }, "client_disabled"},
        {"the redirect_uri is not registered any more", [](Fixture& f, std::string&) { f.client.redirect_uris = {"https://app.example/new"}; f.change(f.client); }, "redirect_unregistered"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        std::string resume = location_parameter(f.start(f.request()), "resume");
        REQUIRE(f.cookies.size() == 1);
        row.change(f, resume);
        const auto answer = f.visit(web::resume_authorization, {{"resume", resume}});
        CHECK(refusal_of(answer) == row.refusal);
        if (answer.refusal) CHECK(answer.find("Location") == nullptr);
    }
    Fixture f;
    CHECK(refusal_of(f.visit(web::resume_authorization, {})) == "resume_missing");
}

TEST_CASE("resume_authorization: a scope or grant that was taken away in between is an error for the client") {
    struct Row {
        const char* when;
        void (*change)(model::Client&);
        const char* error;
    };
    const Row rows[] = {
        {"the scope", [](model::Client& c) { c.scope = *model::Scope::parse("email"); }, "invalid_scope"},
        {"the grant", [](model::Client& c) { c.grants = {model::GrantType::client_credentials}; },
         "unauthorized_client"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        const auto begun = f.start(f.request());
        row.change(f.client);
        f.change(f.client);
        const auto answer = f.follow(web::resume_authorization, begun);
        CHECK(place_of(answer) == kCallback);
        CHECK(location_parameter(answer, "error") == row.error);
    }
}

TEST_CASE("resume_authorization: a second press gets the code of the first, while it can be redeemed") {
    Fixture f;
    f.sign_in();
    const auto begun = f.start(f.request());
    REQUIRE(f.follow(web::show_consent, begun).body == "consent");
    const auto press = [&](const char* decision) {
        return f.submit(
            web::submit_consent,
            {{"resume", f.pages.last_consent.resume}, {"csrf", f.pages.last_consent.csrf}, {"decision", decision}});
    };
    const auto first = f.follow(web::resume_authorization, press("approve"));
    const std::string code = location_parameter(first, "code");
    REQUIRE(code != "");
    const auto again = press("approve");
    CHECK(*f.follow(web::resume_authorization, again).find("Location") == *first.find("Location"));
    SUBCASE("not for a denial") { CHECK(refusal_of(press("deny")) == "already_used"); }
    SUBCASE("not when it was redeemed") {
        f.redeem(code);
        CHECK(refusal_of(f.follow(web::resume_authorization, again)) == "already_used");
    }
    SUBCASE("not when it has expired") {
        f.fixture.clock.advance(f.fixture.settings.authorization_code_ttl);
        CHECK(refusal_of(f.follow(web::resume_authorization, again)) == "already_used");
    }
    SUBCASE("not in another session") {
        f.sign_in_anew();
        CHECK(refusal_of(f.follow(web::resume_authorization, again)) == "already_used");
    }
}

TEST_CASE("resume_authorization: one code for one request; the second time a page offers to start over") {
    Fixture f;
    f.sign_in();
    const auto begun = f.start(f.request());
    REQUIRE(f.follow(web::show_consent, begun).body == "consent");
    const auto decided = f.submit(
        web::submit_consent,
        {{"resume", f.pages.last_consent.resume}, {"csrf", f.pages.last_consent.csrf}, {"decision", "approve"}});
    const auto first = f.follow(web::resume_authorization, decided);
    REQUIRE(location_parameter(first, "code") != "");
    f.redeem(location_parameter(first, "code"));
    const auto second = f.follow(web::resume_authorization, decided);
    CHECK(refusal_of(second) == "already_used");
    CHECK(second.find("Location") == nullptr);

    // The offer is a request of its own: consent is remembered, so it leads to another code.
    const std::string offered = f.pages.last_error.try_again;
    const std::string mark = "resume=";
    const auto again =
        f.visit(web::resume_authorization, {{"resume", offered.substr(offered.find(mark) + mark.size())}});
    CHECK(location_parameter(again, "code") != "");
    CHECK(location_parameter(again, "code") != location_parameter(first, "code"));
}

TEST_CASE("authorization: a session that is over means another login, at the start and on the way") {
    Fixture f;
    f.fixture.settings.authorization_request_ttl = f.fixture.settings.session_ttl * 2;
    f.sign_in();
    const auto begun = f.start(f.request());
    REQUIRE(place_of(begun) == kConsent);
    f.fixture.clock.advance(f.fixture.settings.session_ttl);
    CHECK(place_of(f.start(f.request())) == kLogin);
    CHECK(place_of(f.follow(web::resume_authorization, begun)) == kLogin);
}

TEST_CASE("start_authorization: no state, nonce and claims make an answer with an ID token too long [HYB-3, HYB-5]") {
    using enum model::ResponseType;
    Fixture f;
    f.fixture.settings.issuer = "https://" + std::string(180, 'o') + ".example";
    f.fixture.settings.response_types = {id_token, code_id_token_token};
    model::Client app = f.client;
    app.id = model::ClientId(std::string(oauth::kMaxClientIdBytes, 'c'));
    app.grants.insert(model::GrantType::implicit);
    app.response_types = {id_token, code_id_token_token};
    app.first_party = true;
    f.fixture.add(app);
    f.alice = f.fixture.add_user(std::string(128, 'a'));
    f.alice->claims = json::Object{{"name", std::string(1500, 'n')}, {"website", std::string(1500, 'w')}};
    {
        db::Transaction transaction(f.fixture.database, db::Durability::lazy);
        store::update_claims(transaction, *f.alice);
        transaction.commit();
    }
    for (const auto type : app.response_types) {
        std::size_t answered = 0;
        std::size_t shortened = 0;
        for (std::size_t size = 0; size <= oauth::kMaxStateBytes; size += 256) {
            CAPTURE(to_string(type));
            CAPTURE(size);
            f.PageFlow::sign_in(*f.alice, "of-alice-" + std::to_string(size + static_cast<unsigned>(type)));
            const auto answer = f.start({{"client_id", app.id.str()},
                                         {"redirect_uri", kCallback},
                                         {"response_type", std::string(to_string(type))},
                                         {"scope", "openid profile"},
                                         {"nonce", std::string(300, 'n')},
                                         {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
                                         {"code_challenge_method", "S256"},
                                         {"state", std::string(size, 's')}});
            const std::string* sent = answer.find("Location");
            REQUIRE(sent);
            CHECK(sent->size() <= oauth::kMaxAnswerBytes);
            const auto token = sent->find("id_token=");
            if (token == std::string::npos) continue;
            ++answered;
            if (sent->find('&', token) - token < 4000) ++shortened;
        }
        CHECK(answered > 2);
        CHECK((type == code_id_token_token ? answered < 16 : answered > 12));
        CHECK(shortened > 0);
    }
}

TEST_CASE("start_authorization: no state and scope make the answer of an implicit grant too long to be sent") {
    Fixture f;
    f.fixture.settings.issuer = "https://" + std::string(180, 'o') + ".example";
    f.fixture.settings.response_types.push_back(model::ResponseType::token);
    model::Client app = f.client;
    app.id = model::ClientId(std::string(oauth::kMaxClientIdBytes, 'c'));
    app.grants.insert(model::GrantType::implicit);
    app.first_party = true;
    for (int i = 10; i < 74; ++i) app.scope.add(std::to_string(i) + std::string(29, 'x'));
    f.fixture.add(app);
    f.alice = f.fixture.add_user(std::string(128, 'a'));
    std::size_t answered = 0;
    for (std::size_t size = 0; size <= oauth::kMaxStateBytes; size += 256) {
        CAPTURE(size);
        f.PageFlow::sign_in(*f.alice, "of-alice-" + std::to_string(size));
        const auto answer = f.start({{"client_id", app.id.str()},
                                     {"redirect_uri", kCallback},
                                     {"response_type", "token"},
                                     {"state", std::string(size, 's')}});
        const std::string* sent = answer.find("Location");
        REQUIRE(sent);
        CHECK(sent->size() <= oauth::kMaxAnswerBytes);
        if (sent->find("#access_token=") != std::string::npos) ++answered;
    }
    CHECK(answered > 2);
    CHECK(answered < 16);
}
