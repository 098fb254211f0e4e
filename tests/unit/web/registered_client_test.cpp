// A client that registered itself, as users meet it: what they are asked, what is remembered, where errors go.
#include <algorithm>

#include "db/write.h"
#include "oauth/client_bar.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/sweep.h"
#include "unit/text/said.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"
#include "web/consent.h"
#include "web/login.h"
#include "web/logout.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

const model::ClientId kId{"registered"};
const std::string kLoopback = "http://localhost:6274/cb";
const std::string kPrivate = "com.example.tool:/cb";
const std::string kWeb = "https://tools.example/cb";
constexpr util::Seconds kUntilApproved{3600};

struct Flow : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    model::Client registered;

    explicit Flow(const std::string& registered_by = "", const std::string& name = "Notes") {
        fixture.settings.registration.mode = oauth::RegistrationMode::open;
        fixture.settings.registration.hosts = {"tools.example"};
        registered.id = kId;
        registered.name = name;
        registered.type = model::ClientType::public_;
        registered.auth_method = model::AuthMethod::none;
        registered.pkce = model::Pkce::required;
        registered.native = true;
        registered.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token};
        registered.scope = *model::Scope::parse("openid email");
        registered.redirect_uris = {kLoopback, "http://127.0.0.1:6274/cb", "http://[::1]:6274/cb", kPrivate, kWeb};
        registered.created_at = fixture.clock.now();
        registered.removable_at = fixture.clock.now() + kUntilApproved;
        registered.origin = model::Origin::dynamic;
        registered.registered_by = registered_by;
        registered.metadata.policy_uri = "https://tools.example/policy";
        registered.metadata.tos_uri = "https://tools.example/terms";
        fixture.add(registered);
        sign_in(alice, "of-alice");
    }
    std::map<std::string, std::string> asking(const std::string& redirect_uri = kLoopback) const {
        auto changed = with("client_id", kId.str());
        changed["redirect_uri"] = redirect_uri;
        return changed;
    }
    std::map<std::string, std::string> silently(const std::string& redirect_uri) const {
        auto changed = asking(redirect_uri);
        changed["prompt"] = "none";
        return changed;
    }
    http::Response start(const std::map<std::string, std::string>& query) {
        return visit(web::start_authorization, query);
    }
    const pages::ConsentPage& ask(const std::string& redirect_uri = kLoopback) {
        REQUIRE(follow(web::show_consent, start(asking(redirect_uri))).body == "consent");
        return pages.last_consent;
    }
    http::Response decide(const std::string& decision) {
        return submit(
            web::submit_consent,
            {{"resume", pages.last_consent.resume}, {"csrf", pages.last_consent.csrf}, {"decision", decision}});
    }
    http::Response approve(const std::string& redirect_uri = kLoopback) {
        ask(redirect_uri);
        return follow(web::resume_authorization, decide("approve"));
    }
    std::optional<model::Client> stored() { return store::find_client(fixture.database, kId); }
    /// The operator decides about the client.
    void keep() {
        write([&](db::Transaction& transaction) {
            auto kept = *stored();
            kept.removable_at.reset();
            store::update_client(transaction, kept);
        });
    }
    bool has_consent() { return store::find_consent(fixture.database, kId, alice.subject).has_value(); }
    template <class Action>
    void write(const Action& action) {
        db::write(fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
            action(transaction);
            transaction.commit();
        });
    }
};

}  // namespace

TEST_CASE(
    "registered client: the page says that nobody has checked it, where its answer goes, and that any program may get "
    "it [REG-21, REG-31, A34]") {
    struct Row {
        const char* when;
        std::string registered_by;
        std::string redirect_uri;
        const char* host;
        bool any_program;
    };
    const Row rows[] = {
        {"loopback", "", kLoopback, "localhost", true},
        {"another port", "", "http://127.0.0.1:40000/cb", "127.0.0.1", true},
        {"private use", "", kPrivate, "com.example.tool: (an app on this device)", true},
        {"a named host", "", kWeb, "tools.example", false},
        {"with a token", "digest of a token", kWeb, "tools.example", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f(row.registered_by);
        const bool has_token = !row.registered_by.empty();
        const pages::ConsentPage& page = f.ask(row.redirect_uri);
        CHECK(page.client_name == "Notes");
        CHECK(page.client_host == row.host);
        CHECK(page.registered_itself == !has_token);
        CHECK_FALSE(page.nameless);
        CHECK(page.any_program == row.any_program);
        CHECK(page.published_at == "");
        // No link but that of a client with a token: REG-22.
        CHECK(page.policy_uri == (has_token ? "https://tools.example/policy" : ""));
        CHECK(page.tos_uri == (has_token ? "https://tools.example/terms" : ""));
    }
}

TEST_CASE("registered client: one without a name has none anywhere [REG-12, REG-31]") {
    Flow f("", "");
    CHECK(text::said(f.ask().client_name) == "an application without a name");
    CHECK(f.pages.last_consent.nameless);
    f.cookies.clear();
    f.follow(web::show_login, f.start(f.asking()));
    CHECK(f.pages.last_login.client_name == "localhost");
}

TEST_CASE("registered client: the login page names where the answer goes, or the name behind a token [REG-31, A34]") {
    for (const char* registered_by : {"", "digest of a token"}) {
        Flow f(registered_by, "Your bank");
        f.cookies.clear();
        CHECK(f.follow(web::show_login, f.start(f.asking(kWeb))).body == "login");
        CHECK(f.pages.last_login.client_name == (*registered_by == '\0' ? "tools.example" : "Your bank"));
    }
}

TEST_CASE(
    "registered client: each page without room for a warning names where the answer goes, or the name behind a token "
    "[REG-31, A34]") {
    for (const char* registered_by : {"", "digest of a token"}) {
        CAPTURE(registered_by);
        const bool has_token = *registered_by != '\0';
        Flow f(registered_by, "Your bank");
        f.fixture.settings.paths.logout = "/logout";
        f.fixture.settings.registration.hosts = {"tools.example"};
        const auto change = [&](const auto& action) {
            f.write([&](db::Transaction& transaction) {
                auto client = *f.stored();
                action(client);
                store::update_client(transaction, client);
            });
        };
        // The answer is posted.
        auto posted = f.silently(kWeb);
        posted["response_mode"] = "form_post";
        CHECK(f.start(posted).body == "form_post");
        CHECK(f.pages.last_form_post.client_name == (has_token ? "Your bank" : "tools.example"));
        CHECK(f.pages.last_form_post.action == kWeb);
        // The user is not among those whom the operator lets in.
        change([](model::Client& client) { client.restricted = true; });
        CHECK(refusal_of(f.start(f.asking(kPrivate))) == "access_refused");
        CHECK(text::said(f.pages.last_error.client_name) ==
              (has_token ? "Your bank" : "com.example.tool: (an app on this device)"));
        CHECK((text::said(f.pages.last_error.title).find("Your bank") != std::string::npos) == has_token);
        // A logout leads to an address of it: the operator's doing, of a client without a token.
        change([](model::Client& client) { client.post_logout_redirect_uris = {"https://tools.example/bye"}; });
        const std::map<std::string, std::string> leaving{{"client_id", kId.str()},
                                                         {"post_logout_redirect_uri", "https://tools.example/bye"}};
        CHECK(f.visit(web::start_logout, leaving).body == "logout");
        CHECK(f.pages.last_logout.leads_to == (has_token ? "Your bank" : "tools.example"));
    }
}

TEST_CASE("registered client: consent is asked each time and never remembered, unless it had a token [REG-31, A34]") {
    Flow f;
    CHECK(location_parameter(f.approve(kWeb), "code") != "");
    CHECK_FALSE(f.has_consent());
    CHECK(place_of(f.start(f.asking(kWeb))) == "https://op.example/scopes");
    // A remembered consent, of whatever time, counts for nothing.
    f.write([&](db::Transaction& transaction) {
        model::Consent consent;
        consent.client_id = kId;
        consent.subject = f.alice.subject;
        consent.scope = f.registered.scope;
        store::save_consent(transaction, consent);
    });
    CHECK(place_of(f.start(f.asking(kWeb))) == "https://op.example/scopes");

    Flow g("digest of a token");
    CHECK(location_parameter(g.approve(kWeb), "code") != "");
    CHECK(g.has_consent());
    CHECK(location_parameter(g.start(g.asking(kWeb)), "code") != "");
}

TEST_CASE(
    "registered client: an error that the user did not choose is a page with a link, but for loopback and named hosts "
    "[REG-31, REG-32, RFC 9700 §4.11.2, A35]") {
    struct Row {
        const char* when;
        std::string registered_by;
        std::string redirect_uri;
        std::vector<std::string> hosts;
        bool is_page;
        const char* host;
        bool is_kept = false;  ///< by the operator
    };
    const Row rows[] = {
        {"loopback", "", kLoopback, {}, false, ""},
        {"another loopback host", "", "http://[::1]:1/cb", {}, false, ""},
        {"private use", "", kPrivate, {"tools.example"}, true, "com.example.tool: (an app on this device)"},
        {"a named host", "", kWeb, {"tools.example"}, false, ""},
        {"an end of hosts", "", kWeb, {"*.example"}, false, ""},
        {"a host that is not named any more", "", kWeb, {"other.example"}, true, "tools.example", true},
        {"with a token", "digest of a token", kPrivate, {}, false, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f(row.registered_by);
        f.fixture.settings.registration.hosts = row.hosts;
        if (row.is_kept) f.keep();
        auto wrong = f.asking(row.redirect_uri);
        wrong["code_challenge_method"] = "plain";
        for (const auto& [query, error] :
             {std::pair{f.silently(row.redirect_uri), "consent_required"}, std::pair{wrong, "invalid_request"}}) {
            const auto answer = f.start(query);
            CHECK(refusal_of(answer) == error);
            CHECK((answer.find("Location") == nullptr) == row.is_page);
            if (!row.is_page) {
                CHECK(place_of(answer) == row.redirect_uri);
                CHECK(location_parameter(answer, "error") == error);
                continue;
            }
            CHECK(answer.body == "error");
            CHECK(text::said(f.pages.last_error.message).find(row.host) != std::string::npos);
            CHECK(f.pages.last_error.back.starts_with(row.redirect_uri + "?error=" + error));
        }
        // What the user chose goes on.
        f.ask(row.redirect_uri);
        const auto denied = f.follow(web::resume_authorization, f.decide("deny"));
        CHECK(place_of(denied) == row.redirect_uri);
        CHECK(location_parameter(denied, "error") == "access_denied");
    }
}

TEST_CASE(
    "registered client: at a host that is not named any more it is as good as disabled, on each page, unless the "
    "operator has decided about it [REG-27, REG-33]") {
    const auto is_refused = [](const http::Response& answer) {
        CHECK(answer.body == "error");
        CHECK(answer.find("Location") == nullptr);
        REQUIRE(answer.refusal);
        CHECK(answer.refusal->reason == refusal::Reason::client_disabled_registration_not_open);
    };
    for (const auto& hosts : {std::vector<std::string>{}, std::vector<std::string>{"other.example"}}) {
        Flow f;
        f.ask(kWeb);
        const auto decided = f.decide("approve");
        f.fixture.settings.registration.hosts = hosts;
        is_refused(f.start(f.asking(kWeb)));
        is_refused(f.start(f.silently(kWeb)));
        is_refused(f.follow(web::show_consent, decided));
        is_refused(f.follow(web::resume_authorization, decided));
        CHECK_FALSE(f.stored()->last_used_at);
        for (const std::string& on_device : {kLoopback, kPrivate})
            CHECK(place_of(f.start(f.asking(on_device))) == "https://op.example/scopes");

        f.keep();
        CHECK(location_parameter(f.follow(web::resume_authorization, decided), "code") != "");

        Flow with_token("digest of a token");
        with_token.fixture.settings.registration.hosts = hosts;
        CHECK(place_of(with_token.start(with_token.asking(kWeb))) == "https://op.example/scopes");
    }
}

TEST_CASE("registered client: the reason of consent_required says that nothing is remembered [REG-31]") {
    Flow f;
    const auto answer = f.start(f.silently(kLoopback));
    REQUIRE(answer.refusal);
    CHECK(answer.refusal->reason == refusal::Reason::consent_required_each_time);
}

TEST_CASE("registered client: the port of a loopback address is free, and nothing else of it [REG-29]") {
    Flow f;
    for (const char* good : {"http://localhost:6274/cb", "http://localhost/cb", "http://localhost:40000/cb",
                             "http://127.0.0.1:1/cb", "http://[::1]:65535/cb"}) {
        CAPTURE(good);
        CHECK(place_of(f.start(f.asking(good))) == "https://op.example/scopes");
    }
    for (const char* bad : {"http://localhost:6274/", "http://localhost:0/cb", "http://localhost:1@evil.example/cb",
                            "http://LOCALHOST:6274/cb", "http://localhost.evil.example/cb", "https://localhost/cb",
                            "https://tools.example:8443/cb", "com.example.tool:/other"}) {
        CAPTURE(bad);
        CHECK(refusal_of(f.start(f.asking(bad))) == "redirect_unregistered");
    }
}

TEST_CASE("registered client: PKCE is required, for a client of an operator's setting as well [REG-21]") {
    for (const char* registered_by : {"", "digest of a token"}) {
        Flow f(registered_by);
        auto query = f.asking();
        query.erase("code_challenge");
        query.erase("code_challenge_method");
        CHECK(refusal_of(f.start(query)) == "invalid_request");
    }
}

TEST_CASE("registered client: while registration is not open it is as good as disabled, on each page [REG-33, A33]") {
    for (const auto mode : {oauth::RegistrationMode::closed, oauth::RegistrationMode::token}) {
        Flow f;
        f.ask();
        const auto decided = f.decide("approve");
        f.fixture.settings.registration.mode = mode;
        for (const auto& answer : {f.start(f.asking()), f.follow(web::show_consent, decided),
                                   f.follow(web::resume_authorization, decided)}) {
            CHECK(answer.body == "error");
            CHECK(answer.find("Location") == nullptr);
            CHECK(refusal_of(answer) == "client_disabled");
            CHECK(answer.refusal->reason == refusal::Reason::client_disabled_registration_not_open);
        }
        CHECK_FALSE(f.stored()->last_used_at);
        f.fixture.settings.registration.mode = oauth::RegistrationMode::open;
        CHECK(location_parameter(f.follow(web::resume_authorization, decided), "code") != "");

        Flow with_token("digest of a token");
        with_token.fixture.settings.registration.mode = mode;
        CHECK(location_parameter(with_token.approve(), "code") != "");
    }
}

TEST_CASE("registered client: it goes an hour after it registered, unless a user approves it [REG-20, REG-30]") {
    const auto sweep_after = [](Flow& f, util::Seconds time) {
        f.fixture.clock.advance(time);
        f.write([&](db::Transaction& transaction) { store::sweep(transaction, f.fixture.clock.now()); });
        return f.stored().has_value();
    };
    Flow asked_only;
    asked_only.ask();
    asked_only.follow(web::resume_authorization, asked_only.decide("deny"));
    CHECK(sweep_after(asked_only, kUntilApproved - util::Seconds{1}));
    CHECK_FALSE(sweep_after(asked_only, util::Seconds{1}));

    Flow approved;
    approved.fixture.clock.advance(kUntilApproved - util::Seconds{600});
    approved.sign_in(approved.alice, "again");
    CHECK(location_parameter(approved.approve(), "code") != "");
    const util::Time now = approved.fixture.clock.now();
    CHECK((approved.stored()->last_used_at == now));
    CHECK((approved.stored()->removable_at == now + approved.fixture.settings.registration.ttl));
    CHECK(sweep_after(approved, kUntilApproved));
    CHECK_FALSE(sweep_after(approved, approved.fixture.settings.registration.ttl));
}

TEST_CASE("registered client: one that made room while a user signed in is not known, and gets nothing [REG-30]") {
    Flow f;
    f.ask();
    const auto decided = f.decide("approve");
    f.write([&](db::Transaction& transaction) {
        REQUIRE(store::remove_oldest_unapproved(transaction, f.fixture.clock.now() + util::Seconds{1}));
    });
    const auto answer = f.follow(web::resume_authorization, decided);
    CHECK(answer.find("Location") == nullptr);
    CHECK(refusal_of(answer) == "client_unknown");
}
