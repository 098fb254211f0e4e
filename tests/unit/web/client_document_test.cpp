// A client that a document describes, from the first request to the row that a user's approval makes.
#include "oauth/client_document.h"

#include "crypto/password.h"
#include "db/write.h"
#include "http/url.h"
#include "oauth/grant_authorization_code.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/resources.h"
#include "store/users.h"
#include "support/fake_fetcher.h"
#include "unit/text/said.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"
#include "web/consent.h"
#include "web/login.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

const std::string kUrl = "https://app.example/client.json";
const std::string kCallback = "https://app.example/cb";
constexpr const char* kSite = R"("redirect_uris":["https://app.example/cb"])";
constexpr const char* kProgram = R"("redirect_uris":["http://localhost/cb","http://127.0.0.1/cb"])";

std::string document(const std::string& members, const std::string& name = "Notes") {
    return R"({"client_id":")" + kUrl + R"(","client_name":")" + name + R"(",)" + members + "}";
}

/// Only the authorization endpoint fetches, as in the real programs.
struct Flow : test::PageFlow {
    test::FakeFetcher network;
    model::User alice = fixture.add_user("alice");

    Flow() {
        fixture.settings.client_documents.enabled = true;
        fixture.settings.outbound.enabled = true;
        network.publish(kUrl, document(kSite));
        sign_in(alice, "of-alice");
    }
    std::map<std::string, std::string> asking(const std::string& redirect_uri = kCallback) const {
        auto changed = with("client_id", kUrl);
        changed["redirect_uri"] = redirect_uri;
        return changed;
    }
    /// One client of many, on a host each: six documents may be fetched from one in a minute.
    static model::ClientId client_number(int number) {
        return model::ClientId("https://h" + std::to_string(number) + ".example/c");
    }
    std::map<std::string, std::string> asking_for(int number) {
        const std::string url = client_number(number).str();
        network.publish(url, R"({"client_id":")" + url + R"(",)" + kSite + "}");
        auto query = asking();
        query["client_id"] = url;
        return query;
    }
    http::Response start(const std::map<std::string, std::string>& query) {
        fixture.fetcher = &network;
        return visit(web::start_authorization, query);
    }
    http::Response show(const http::Response& answer) {
        fixture.fetcher = nullptr;
        return follow(web::show_consent, answer);
    }
    http::Response decide(const std::string& decision) {
        fixture.fetcher = nullptr;
        return submit(
            web::submit_consent,
            {{"resume", pages.last_consent.resume}, {"csrf", pages.last_consent.csrf}, {"decision", decision}});
    }
    http::Response resume(const http::Response& answer) {
        fixture.fetcher = &network;
        return follow(web::resume_authorization, answer);
    }
    /// All of it: the answer has a code, or is what came instead.
    http::Response approve(const std::map<std::string, std::string>& query) {
        const auto shown = show(start(query));
        if (shown.body != "consent") return shown;
        return resume(decide("approve"));
    }
    http::Response approve() { return approve(asking()); }
    std::optional<model::Client> stored() { return store::find_client(fixture.database, model::ClientId(kUrl)); }
    bool has_audit(audit::Event event, const std::string& member = "", const std::string& value = "") const {
        for (const auto& entry : fixture.trail.entries()) {
            if (entry.event != event) continue;
            if (member.empty()) return true;
            for (const auto& [name, given] : entry.members)
                if (name == member && given == value) return true;
        }
        return false;
    }
    std::string detail_of(const http::Response& answer) const { return answer.refusal ? answer.refusal->detail : ""; }
    /// What is cached is not fresh any more.
    void let_cache_end() { fixture.clock.advance(util::Seconds{301}); }
    void change_stored(void (*change)(model::Client&)) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        auto changed = *store::find_client(fixture.database, model::ClientId(kUrl));
        change(changed);
        REQUIRE(store::update_client(transaction, changed));
        transaction.commit();
    }
};

}  // namespace

TEST_CASE("client document: with the option off a URL is an unknown client, and nothing is asked for [CIMD-1, A28]") {
    Flow f;
    f.fixture.settings.client_documents.enabled = false;
    const auto answer = f.start(f.asking());
    CHECK(refusal_of(answer) == "client_unknown");
    CHECK(f.detail_of(answer).find("clientDocuments is off") != std::string::npos);
    CHECK(f.network.asked.empty());
}

TEST_CASE(
    "client document: a user who approves makes the client, and one who only asks or denies does not "
    "[CIMD-4, CIMD-9, CIMD-10, A31]") {
    Flow f;
    const auto begun = f.start(f.asking());
    CHECK(place_of(begun) == "https://op.example/scopes");
    CHECK(f.show(begun).body == "consent");
    CHECK_FALSE(f.stored());
    const auto denied = f.resume(f.decide("deny"));
    CHECK(place_of(denied) == kCallback);
    CHECK(location_parameter(denied, "error") == "access_denied");
    CHECK_FALSE(f.stored());

    const auto approved = f.approve();
    CHECK(place_of(approved) == kCallback);
    CHECK(location_parameter(approved, "code") != "");
    CHECK(location_parameter(approved, "iss") == "https://op.example");
    CHECK(f.has_audit(audit::Event::client_registered, "client_id", kUrl));
    const auto client = f.stored();
    REQUIRE(client);
    CHECK(client->origin == model::Origin::document);
    CHECK(client->name == "Notes");
    CHECK(client->type == model::ClientType::public_);
    CHECK(client->pkce == model::Pkce::required);
    CHECK_FALSE(client->first_party);
    CHECK(client->redirect_uris == std::vector{kCallback});
    CHECK(client->created_at == f.fixture.clock.now());
    CHECK(client->last_used_at == f.fixture.clock.now());
    CHECK(client->removable_at == f.fixture.clock.now() + f.fixture.settings.client_documents.ttl);
    CHECK(f.network.asked.size() == 1);  // the rest is from the cache

    const auto again = f.start(f.asking());  // the consent is remembered
    CHECK(location_parameter(again, "code") != "");
    CHECK_FALSE(f.has_audit(audit::Event::client_registered));
}

TEST_CASE(
    "client document: what is wrong with it or its address is a page, and nothing is sent anywhere "
    "[CIMD-2, CIMD-3, CIMD-4, CIMD-5, CIMD-6, CIMD-9, CIMD-14, RES-4, A28, A29]") {
    struct Row {
        const char* when;
        void (*change)(Flow&, std::map<std::string, std::string>& query);
        const char* refusal;
        const char* detail;
    };
    // clang-format off
    const Row rows[] = {
        {"no such host", [](Flow&, auto& q) { q["client_id"] = "https://none.example/c"; }, "client_document_refused", ""},
        {"a URL that is none", [](Flow&, auto& q) { q["client_id"] = "https://app.example/../c"; }, "client_document_refused", "the client_id has a segment"},
        {"another spelling of it", [](Flow&, auto& q) { q["client_id"] = "https://APP.example/client.json"; }, "client_document_refused", "the client_id has a host"},
        {"the same with its port", [](Flow& f, auto& q) { q["client_id"] = "https://app.example:443/client.json"; f.network.publish(q["client_id"], document(kSite)); }, "client_document_refused", ""},
        {"a denied host", [](Flow& f, auto&) { f.fixture.settings.client_documents.deny = {"app.example"}; }, "client_document_refused", "the client_id is on a host that clientDocuments.deny names"},
        {"a host that is not allowed", [](Flow& f, auto&) { f.fixture.settings.client_documents.allow = {"other.example"}; }, "client_document_refused", "the client_id is on a host that clientDocuments.allow does not name"},
        {"this server", [](Flow&, auto& q) { q["client_id"] = "https://op.example/client.json"; }, "client_document_refused", "the client_id is on the host of this server itself"},
        {"404", [](Flow& f, auto&) { f.network.answers[kUrl].status = 404; }, "client_document_refused", ""},
        {"a redirect", [](Flow& f, auto&) { f.network.answers[kUrl].status = 302; }, "client_document_refused", ""},
        {"a page", [](Flow& f, auto&) { f.network.answers[kUrl].content_type = "text/html"; }, "client_document_refused", ""},
        {"no JSON", [](Flow& f, auto&) { f.network.answers[kUrl].body = "{"; }, "client_document_refused", ""},
        {"a method that is not known", [](Flow& f, auto&) { f.network.publish(kUrl, document(std::string(kSite) + R"(,"token_endpoint_auth_method":"private_key_jwt")")); }, "client_document_refused", "the document has the token_endpoint_auth_method private_key_jwt"},
        {"an address that it does not name", [](Flow&, auto& q) { q["redirect_uri"] = "https://evil.example/cb"; }, "redirect_unregistered", "received: https://evil.example/cb"},
        {"an address below the named one", [](Flow&, auto& q) { q["redirect_uri"] = "https://app.example/cb/"; }, "redirect_unregistered", ""},
        {"no address, and two that it could be", [](Flow& f, auto& q) { q.erase("redirect_uri"); f.network.publish(kUrl, document(kProgram)); }, "redirect_missing", ""},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f;
        auto query = f.asking();
        row.change(f, query);
        query["prompt"] = "none login";  // which would be an error to the client
        const auto answer = f.start(query);
        CHECK(answer.body == "error");
        CHECK(answer.find("Location") == nullptr);
        CHECK(refusal_of(answer) == row.refusal);
        CAPTURE(f.detail_of(answer));
        CHECK(f.detail_of(answer).find(row.detail) != std::string::npos);
        CHECK_FALSE(f.stored());
    }
}

TEST_CASE(
    "client document: a client that was approved is renewed while strangers spend its host's fetches [FETCH-11]") {
    Flow f;
    REQUIRE(location_parameter(f.approve(), "code") != "");
    f.let_cache_end();
    auto unknown = f.asking();
    for (int i = 1; i <= 7; ++i) {
        unknown["client_id"] = "https://app.example/" + std::to_string(i);
        CHECK(refusal_of(f.start(unknown)) == (i <= 6 ? "client_document_refused" : "client_document_busy"));
    }
    f.network.publish(kUrl, document(kSite, "Other name"));
    CHECK(place_of(f.start(f.asking())) == "https://op.example/scopes");  // the new document was read
}

TEST_CASE("client document: the page says the same whatever was wrong with the document [FETCH-12, A29]") {
    Flow f;
    f.network.answers[kUrl].status = 500;
    f.start(f.asking());
    const pages::ErrorPage refused = f.pages.last_error;
    Flow g;
    g.network.answers[kUrl].body = "[]";
    g.start(g.asking());
    CHECK(g.pages.last_error.title == refused.title);
    CHECK(g.pages.last_error.message == refused.message);
    CHECK(g.pages.last_error.who == refused.who);
}

TEST_CASE("client document: a URL that is a resource, or the default one, is no client [CIMD-14, RES-4]") {
    for (const bool is_default : {false, true}) {
        CAPTURE(is_default);
        Flow f;
        if (is_default) {
            f.fixture.settings.default_resource = kUrl;
        } else {
            db::Transaction transaction(f.fixture.database, db::Durability::full);
            model::Resource resource;
            resource.uri = "https://api.example/";
            resource.aliases = {kUrl};
            REQUIRE_FALSE(store::insert_resource(transaction, resource));
            transaction.commit();
        }
        const auto answer = f.start(f.asking());
        CHECK(refusal_of(answer) == "client_document_refused");
        CHECK(f.detail_of(answer) == "the client_id is the URI of a resource");
        CHECK(f.network.asked.empty());
    }
}

TEST_CASE(
    "client document: a client of the operator under the same URL wins, and its document is not asked for [CIMD-1]") {
    Flow f;
    model::Client pinned = f.client;
    pinned.id = model::ClientId(kUrl);
    pinned.redirect_uris = {"https://pinned.example/cb"};
    f.fixture.add(pinned);
    CHECK(refusal_of(f.start(f.asking())) == "redirect_unregistered");
    CHECK(place_of(f.start(f.asking("https://pinned.example/cb"))) == "https://op.example/scopes");
    CHECK(f.network.asked.empty());
}

TEST_CASE("client document: PKCE is required, and the grants and scopes are those of such clients [CIMD-11, A30]") {
    struct Row {
        const char* when;
        void (*change)(Flow&, std::map<std::string, std::string>& query);
        const char* error;
    };
    // clang-format off
    const Row rows[] = {
        {"no challenge", [](Flow&, auto& q) { q.erase("code_challenge"); q.erase("code_challenge_method"); }, "invalid_request"},
        {"plain", [](Flow&, auto& q) { q["code_challenge_method"] = "plain"; }, "invalid_request"},
        {"a scope beyond the configuration", [](Flow&, auto& q) { q["scope"] = "openid phone"; }, "invalid_scope"},
        {"a scope that the configuration has lost", [](Flow& f, auto& q) { q["scope"] = "openid offline_access"; f.fixture.settings.client_documents.scope = *model::Scope::parse("openid"); }, "invalid_scope"},
        {"a resource that is not registered", [](Flow&, auto& q) { q["resource"] = "https://api.example/"; }, "invalid_target"},
        {"values that are too long with its name, which travels on", [](Flow& f, auto& q) { f.network.publish(kUrl, document(kSite, std::string(256, 'n'))); q["nonce"] = std::string(4650, 'n'); }, "invalid_request"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f;
        f.fixture.settings.client_documents.allow = {"app.example"};  // so that the error goes to the client
        auto query = f.asking();
        row.change(f, query);
        const auto answer = f.start(query);
        CHECK(place_of(answer) == kCallback);
        CHECK(location_parameter(answer, "error") == row.error);
    }
    Flow f;
    f.fixture.settings.response_types.push_back(model::ResponseType::token);
    auto implicit = f.asking();
    implicit["response_type"] = "token";
    CHECK(refusal_of(f.start(implicit)) == "unauthorized_client");
}

TEST_CASE("client document: registered resources are good, and so is the operator's default one [CIMD-11, RES-3]") {
    Flow f;
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    model::Resource resource;
    resource.uri = "https://api.example/";
    REQUIRE_FALSE(store::insert_resource(transaction, resource));
    transaction.commit();
    auto query = f.asking();
    query["resource"] = "https://API.example";
    CHECK(place_of(f.start(query)) == "https://op.example/scopes");
}

TEST_CASE("client document: the port of a loopback address is free, on localhost as well [CIMD-9]") {
    Flow f;
    f.network.publish(kUrl, document(kProgram));
    for (const char* good : {"http://localhost/cb", "http://localhost:33418/cb", "http://127.0.0.1:1/cb"}) {
        CAPTURE(good);
        CHECK(place_of(f.start(f.asking(good))) == "https://op.example/scopes");
    }
    for (const char* bad : {"http://localhost:33418/", "http://localhost:0/cb", "http://localhost:1@evil.example/cb",
                            "http://localhost.evil.example/cb", "http://[::1]/cb", "https://localhost/cb",
                            "http://LOCALHOST/cb", "http://localhost:01/cb"}) {
        CAPTURE(bad);
        CHECK(refusal_of(f.start(f.asking(bad))) == "redirect_unregistered");
    }
}

TEST_CASE("client document: the page names both hosts, and warns where any program can answer [CIMD-12, MCP-11, A32]") {
    Flow f;
    f.network.publish(kUrl, document(R"("redirect_uris":["https://elsewhere.example/cb"])"));
    f.show(f.start(f.asking("https://elsewhere.example/cb")));
    CHECK(f.pages.last_consent.client_name == "Notes");
    CHECK(f.pages.last_consent.published_at == "app.example");
    CHECK(f.pages.last_consent.client_host == "elsewhere.example");
    CHECK_FALSE(f.pages.last_consent.any_program);

    Flow g;
    g.network.publish(kUrl, document(kProgram));
    g.show(g.start(g.asking("http://localhost:1/cb")));
    CHECK(g.pages.last_consent.published_at == "app.example");
    CHECK(g.pages.last_consent.client_host == "localhost");
    CHECK(g.pages.last_consent.any_program);

    Flow h;  // a client of the operator
    h.show(h.start(h.request()));
    CHECK(h.pages.last_consent.published_at == "");
    CHECK_FALSE(h.pages.last_consent.any_program);
}

TEST_CASE("client document: consent to a program on the user's machine is asked each time [CIMD-11, CIMD-12]") {
    Flow f;
    f.network.publish(kUrl, document(kProgram));
    const auto query = f.asking("http://127.0.0.1:33418/cb");
    CHECK(location_parameter(f.approve(query), "code") != "");
    CHECK(place_of(f.start(query)) == "https://op.example/scopes");
}

TEST_CASE("client document: the login page is shown for a client that is not stored [CIMD-10]") {
    Flow f;
    f.cookies.clear();
    const auto begun = f.start(f.asking());
    CHECK(place_of(begun) == "https://op.example/login");
    f.fixture.fetcher = nullptr;
    CHECK(f.follow(web::show_login, begun).body == "login");
    CHECK(f.pages.last_login.client_name == "app.example");  // the name is any text
}

TEST_CASE("client document: another scheme than http is named as it is, not by the text behind it [CIMD-12, A32]") {
    Flow f;
    const std::string callback = "evil.app://op.example/cb";
    f.network.publish(kUrl, document(R"("application_type":"native","redirect_uris":["https://app.example/cb",")" +
                                     callback + R"("])"));
    f.show(f.start(f.asking(callback)));
    CHECK(f.pages.last_consent.client_host == "evil.app: (an app on this device)");
    CHECK(f.pages.last_consent.any_program);

    auto silent = f.asking(callback);
    silent["prompt"] = "none";
    const auto answer = f.start(silent);  // a page: a redirect would start whatever program the scheme names
    CHECK(answer.find("Location") == nullptr);
    CHECK(refusal_of(answer) == "consent_required");
    CHECK(text::said(f.pages.last_error.message).find("evil.app: (an app on this device)") != std::string::npos);
}

TEST_CASE("client document: an error of the request is told on a page, not at its address [CIMD-11, A32]") {
    Flow f;
    auto wrong = f.asking();
    wrong["code_challenge_method"] = "plain";
    const auto begun = f.start(wrong);
    CHECK(begun.find("Location") == nullptr);
    CHECK(refusal_of(begun) == "invalid_request");
}

TEST_CASE("client document: another user than the one asked for is told on a page, not at its address [CIMD-11, A32]") {
    Flow f;
    auto asked = f.asking();
    asked["claims"] = R"({"id_token":{"sub":{"value":"of-another-user"}}})";
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::set_password_hash(transaction, f.alice.subject, crypto::hash_password(util::Secret("correct horse")),
                                 f.fixture.clock.now());
        transaction.commit();
    }
    f.cookies.clear();
    const auto begun = f.start(asked);
    f.fixture.fetcher = nullptr;
    CHECK(f.follow(web::show_login, begun).body == "login");
    const auto answer = f.resume(f.submit(web::submit_login, {{"resume", f.pages.last_login.resume},
                                                              {"csrf", f.pages.last_login.csrf},
                                                              {"username", "alice"},
                                                              {"password", "correct horse"}}));
    CHECK(answer.find("Location") == nullptr);
    CHECK(refusal_of(answer) == "login_required");
}

TEST_CASE("client document: one that changes between request and approval gives nothing [CIMD-10, CIMD-13, A31]") {
    const std::string changes[] = {
        document(kSite, "Other name"),
        document(R"("redirect_uris":["https://app.example/cb","https://evil.example/cb"])"),
        document(std::string(kSite) + R"(,"scope":"openid")"),
    };
    for (const std::string& changed : changes) {
        CAPTURE(changed);
        Flow f;
        f.show(f.start(f.asking()));
        const auto decided = f.decide("approve");
        f.network.publish(kUrl, changed);
        f.let_cache_end();
        const auto answer = f.resume(decided);
        CHECK(refusal_of(answer) == "client_document_changed");
        CHECK(answer.find("Location") == nullptr);
        CHECK_FALSE(f.stored());
    }
    Flow f;  // the same again, with what is not read
    f.show(f.start(f.asking()));
    const auto decided = f.decide("approve");
    f.network.publish(kUrl, document(std::string(kSite) + R"(,"contacts":["a@app.example"])"));
    f.let_cache_end();
    CHECK(location_parameter(f.resume(decided), "code") != "");
}

TEST_CASE("client document: a request that travels is not worth more than the configuration and the rows [CIMD-10]") {
    struct Row {
        const char* when;
        void (*change)(Flow&);
        const char* refusal;
    };
    const Row rows[] = {
        {"the option was switched off", [](Flow& f) { f.fixture.settings.client_documents.enabled = false; },
         "client_unknown"},
        {"the host was denied", [](Flow& f) { f.fixture.settings.client_documents.deny = {"app.example"}; },
         "client_document_refused"},
        {"the client was disabled",
         [](Flow& f) {
             auto client = oauth::read_client_document({"application/json", document(kSite)}, kUrl, f.fixture.settings);
             client->enabled = false;
             f.fixture.add(*client);
         },
         "client_disabled"},
        {"the operator registered the URL",
         [](Flow& f) {
             model::Client pinned = f.client;
             pinned.id = model::ClientId(kUrl);
             f.fixture.add(pinned);
         },
         "client_document_changed"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f;
        f.show(f.start(f.asking()));
        const auto decided = f.decide("approve");
        row.change(f);
        const auto answer = f.resume(decided);
        CHECK(refusal_of(answer) == row.refusal);
        CHECK(answer.find("Location") == nullptr);
    }
}

TEST_CASE(
    "client document: what was asked of the operator's client is not answered by a document's [CIMD-1, CIMD-10]") {
    struct Row {
        const char* when;
        bool is_described_now;
        const char* refusal;
    };
    for (const Row& row : {Row{"the operator removed it", false, "client_unknown"},
                           Row{"and a user has approved the document since", true, "client_document_changed"}}) {
        CAPTURE(row.when);
        Flow f;
        model::Client pinned = f.client;
        pinned.id = model::ClientId(kUrl);
        f.fixture.add(pinned);
        f.show(f.start(f.asking()));
        const auto decided = f.decide("approve");
        const auto described =
            oauth::read_client_document({"application/json", document(kSite)}, kUrl, f.fixture.settings);
        db::write(f.fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
            store::remove_client(transaction, pinned.id);
            transaction.commit();
        });
        if (row.is_described_now) f.fixture.add(*described);
        const auto answer = f.resume(decided);
        CHECK(refusal_of(answer) == row.refusal);
        CHECK(answer.find("Location") == nullptr);
    }
}

TEST_CASE(
    "client document: what the configuration refuses meanwhile is told on a page, not at its address [CIMD-11, A32]") {
    Flow f;
    f.show(f.start(f.asking()));
    const auto decided = f.decide("approve");
    f.fixture.settings.oidc = false;  // the document is as it was, and the scope openid is none any more
    const auto answer = f.resume(decided);
    CHECK(answer.body == "error");
    CHECK(answer.find("Location") == nullptr);
    CHECK(refusal_of(answer) == "invalid_scope");
}

TEST_CASE(
    "client document: a login that the web server cannot prove is told on a page, not at its address [CIMD-11, A32]") {
    Flow f;
    f.cookies.clear();
    f.fixture.settings.login.method = login::Method::remote_user;
    f.server_variables = {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}};
    auto query = f.asking();
    query["prompt"] = "login";
    const auto begun = f.start(query);
    REQUIRE(place_of(begun) == "https://op.example/login");
    f.fixture.fetcher = nullptr;
    const auto answer = f.follow(web::remote_login, begun);
    CHECK(answer.body == "error");
    CHECK(answer.find("Location") == nullptr);
    CHECK(refusal_of(answer) == "login_required");
}

TEST_CASE("client document: nothing but the document is fetched, whatever URLs it has [FETCH-13, CIMD-12]") {
    Flow f;
    f.network.publish(kUrl,
                      document(std::string(kSite) + R"(,"logo_uri":"https://app.example/logo.png",)"
                                                    R"("client_uri":"https://app.example/","policy_uri":)"
                                                    R"("https://app.example/p","tos_uri":"https://app.example/t",)"
                                                    R"("jwks_uri":"https://app.example/jwks")"));
    CHECK(location_parameter(f.approve(), "code") != "");
    CHECK(f.network.asked == std::vector<std::string>{kUrl});
}

TEST_CASE("client document: another authorization with more scopes leaves the first grant as it is [MCP-12]") {
    Flow f;
    const auto grant_of = [&](const http::Response& answer) {
        const auto code = store::find_code(f.fixture.database, oauth::hash_of(location_parameter(answer, "code")));
        REQUIRE(code);
        return code->grant;
    };
    const model::Grant first = grant_of(f.approve());
    auto more = f.asking();
    more["scope"] = "openid profile";
    const auto begun = f.start(more);
    CHECK(place_of(begun) == "https://op.example/scopes");  // asked again, because of the new scope
    f.show(begun);
    const model::Grant second = grant_of(f.resume(f.decide("approve")));
    CHECK(second.id != first.id);
    CHECK(second.scope == *model::Scope::parse("openid profile"));
    const auto stays = store::find_grant(f.fixture.database, first.id);
    REQUIRE(stays);
    CHECK_FALSE(stays->ended_at);
    CHECK(stays->scope == *model::Scope::parse("openid"));
}

TEST_CASE("client document: two tabs make one client, and each has its code [CIMD-10]") {
    Flow f;
    f.show(f.start(f.asking()));
    const auto first = f.decide("approve");
    f.show(f.start(f.asking()));
    const auto second = f.decide("approve");
    CHECK(location_parameter(f.resume(first), "code") != "");
    CHECK(location_parameter(f.resume(second), "code") != "");
    CHECK(f.stored());
}

TEST_CASE(
    "client document: a new name or address voids each consent, and the rest is taken over silently [CIMD-13, A31]") {
    struct Row {
        const char* when;
        std::string changed;
        const char* audit;  ///< "" when the consent stays
    };
    const Row rows[] = {
        {"the name", document(kSite, "Other name"), "client_name"},
        {"an address more", document(R"("redirect_uris":["https://app.example/cb","https://app.example/2"])"),
         "redirect_uris"},
        {"both", document(R"("redirect_uris":["https://app.example/cb","https://app.example/2"])", "Other name"),
         "client_name redirect_uris"},
        {"a scope", document(std::string(kSite) + R"(,"scope":"openid profile")"), ""},
        {"a grant", document(std::string(kSite) + R"(,"grant_types":["authorization_code","refresh_token"])"), ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f;
        const model::User bob = f.fixture.add_user("bob");
        REQUIRE(location_parameter(f.approve(), "code") != "");
        f.sign_in(bob, "of-bob");
        REQUIRE(location_parameter(f.approve(), "code") != "");
        f.network.publish(kUrl, row.changed);
        f.let_cache_end();

        const auto begun = f.start(f.asking());
        if (std::string(row.audit).empty()) {
            CHECK(location_parameter(begun, "code") != "");
            CHECK_FALSE(f.has_audit(audit::Event::client_document_changed));
        } else {
            CHECK(place_of(begun) == "https://op.example/scopes");
            CHECK(f.stored()->name == "Notes");  // nothing changes before a user approves
            CHECK(location_parameter(f.approve(), "code") != "");
            CHECK(f.has_audit(audit::Event::client_document_changed, "changed", row.audit));
            CHECK_FALSE(store::find_consent(f.fixture.database, model::ClientId(kUrl), f.alice.subject));
            CHECK(store::find_consent(f.fixture.database, model::ClientId(kUrl), bob.subject));
        }
        f.fixture.fetcher = nullptr;
        const auto now = oauth::read_client_document({"application/json", row.changed}, kUrl, f.fixture.settings);
        CHECK(oauth::digest_of(*f.stored()) == oauth::digest_of(*now));
    }
}

TEST_CASE("client document: another method ends what was granted without [CIMD-7, CIMD-13]") {
    Flow f;
    const auto code = location_parameter(f.approve(), "code");
    const auto grant = store::find_code(f.fixture.database, oauth::hash_of(code))->grant;
    f.network.publish(kUrl, document(std::string(kSite) + R"(,"token_endpoint_auth_method":"private_key_jwt")"));
    f.let_cache_end();
    CHECK(refusal_of(f.start(f.asking())) == "client_document_refused");
    CHECK(f.has_audit(audit::Event::client_document_changed, "grants_ended", "1"));
    CHECK(store::find_grant(f.fixture.database, grant.id)->ended_at);
    f.fixture.clock.advance(util::Seconds{31});
    f.start(f.asking());
    CHECK_FALSE(f.has_audit(audit::Event::client_document_changed));  // once
}

TEST_CASE(
    "client document: one that prefers another method from now on, and still offers none, ends nothing [CIMD-7, CIMD-13]") {
    Flow f;
    const auto code = location_parameter(f.approve(), "code");
    const auto grant = store::find_code(f.fixture.database, oauth::hash_of(code))->grant;
    f.network.publish(
        kUrl, document(std::string(kSite) + R"(,"token_endpoint_auth_method":"private_key_jwt",)"
                                            R"("token_endpoint_auth_methods_supported":["none","private_key_jwt"])"));
    f.let_cache_end();
    CHECK(location_parameter(f.start(f.asking()), "code") != "");
    CHECK_FALSE(f.has_audit(audit::Event::client_document_changed));
    CHECK_FALSE(store::find_grant(f.fixture.database, grant.id)->ended_at);
}

TEST_CASE("client document: a disabled or restricted client stays so, whatever its document says [CIMD-11]") {
    Flow f;
    REQUIRE(location_parameter(f.approve(), "code") != "");
    f.change_stored([](model::Client& client) { client.enabled = false; });
    CHECK(refusal_of(f.start(f.asking())) == "client_disabled");
    f.change_stored([](model::Client& client) {
        client.enabled = true;
        client.restricted = true;
    });
    CHECK(refusal_of(f.start(f.asking())) == "access_refused");
    f.network.publish(kUrl, document(kSite, "Other name"));
    f.let_cache_end();
    CHECK(refusal_of(f.start(f.asking())) == "access_refused");
}

TEST_CASE("client document: at most `max` are kept, and one that is there goes on [CIMD-10, A31]") {
    Flow f;
    f.fixture.settings.client_documents.max = 1;
    REQUIRE(location_parameter(f.approve(), "code") != "");
    const std::string other = "https://other.example/c";
    f.network.publish(other, R"({"client_id":")" + other + R"(","redirect_uris":["https://other.example/cb"]})");
    auto query = f.asking("https://other.example/cb");
    query["client_id"] = other;
    const auto answer = f.approve(query);
    CHECK(refusal_of(answer) == "client_document_no_room");
    CHECK(answer.status == 503);
    CHECK_FALSE(store::is_client(f.fixture.database, model::ClientId(other)));
    CHECK(location_parameter(f.start(f.asking()), "code") != "");
}

TEST_CASE("client document: one user brings a tenth of `max`, ten at least, and another user goes on [CIMD-10, A31]") {
    struct Row {
        int max;
        int share;
    };
    for (const Row& row : {Row{50, 10}, Row{109, 10}, Row{119, 11}}) {
        CAPTURE(row.max);
        Flow f;
        f.fixture.settings.client_documents.max = row.max;
        for (int number = 1; number <= row.share; ++number)
            REQUIRE(location_parameter(f.approve(f.asking_for(number)), "code") != "");
        const auto refused = f.approve(f.asking_for(row.share + 1));
        CHECK(refusal_of(refused) == "client_document_no_room");
        CHECK(f.detail_of(refused) == "the user has brought as many as one user may");
        CHECK(location_parameter(f.start(f.asking_for(1)), "code") != "");  // what is there goes on

        const model::User bob = f.fixture.add_user("bob");
        f.sign_in(bob, "of-bob");
        CHECK(location_parameter(f.approve(f.asking_for(row.share + 1)), "code") != "");
        f.sign_in(f.alice, "again");
        CHECK(location_parameter(f.approve(f.asking_for(row.share + 1)), "code") != "");  // it is not new any more
        // What the operator has decided about does not count.
        db::write(f.fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
            auto client = *store::find_client(f.fixture.database, Flow::client_number(1));
            client.removable_at.reset();
            store::update_client(transaction, client);
            transaction.commit();
        });
        CHECK(location_parameter(f.approve(f.asking_for(row.share + 2)), "code") != "");
        CHECK(refusal_of(f.approve(f.asking_for(row.share + 3))) == "client_document_no_room");
    }
}

TEST_CASE("client document: access that is taken back makes no room, and clients that are deleted do [CIMD-10, A31]") {
    constexpr int kShare = 10;
    Flow f;
    f.fixture.settings.client_documents.max = 50;
    for (int number = 1; number <= kShare; ++number)
        REQUIRE(location_parameter(f.approve(f.asking_for(number)), "code") != "");
    const auto of_each = [&](const auto& change) {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        for (int number = 1; number <= kShare; ++number) CHECK(change(transaction, Flow::client_number(number)));
        transaction.commit();
    };
    of_each([&](db::Transaction& transaction, const model::ClientId& client) {
        return store::remove_consent(transaction, client, f.alice.subject);
    });
    CHECK(refusal_of(f.approve(f.asking_for(kShare + 1))) == "client_document_no_room");
    of_each(store::remove_client);
    CHECK(location_parameter(f.approve(f.asking_for(kShare + 1)), "code") != "");
}

TEST_CASE(
    "client document: a sign-in is noted by the day, and prolongs what may be deleted and nothing else [CIMD-10]") {
    Flow f;
    const auto begin = f.fixture.clock.now();
    REQUIRE(location_parameter(f.approve(), "code") != "");
    const auto use_again_after = [&](int seconds) {
        f.fixture.clock.advance(util::Seconds{seconds});
        f.sign_in(f.alice, "again-" + std::to_string(util::to_epoch(f.fixture.clock.now())));
        REQUIRE(location_parameter(f.start(f.asking()), "code") != "");
    };
    use_again_after(86399);
    CHECK(f.stored()->last_used_at == begin);
    use_again_after(1);
    CHECK(f.stored()->last_used_at == begin + util::Seconds{86400});
    CHECK(f.stored()->removable_at == begin + util::Seconds{86400} + f.fixture.settings.client_documents.ttl);
    f.change_stored([](model::Client& client) { client.removable_at.reset(); });
    use_again_after(86400);
    CHECK(f.stored()->last_used_at == begin + util::Seconds{172800});
    CHECK_FALSE(f.stored()->removable_at);
}

TEST_CASE(
    "client document: before the user has taken part, an error is no redirect to a site of anyone's "
    "[CIMD-9, CIMD-11, A32]") {
    struct Row {
        const char* when;
        const char* members;
        const char* redirect_uri;
        std::vector<std::string> allow;
        bool redirects;
    };
    const Row rows[] = {
        {"a site of an unknown host", kSite, "https://app.example/cb", {}, false},
        {"a site of a host that the operator names", kSite, "https://app.example/cb", {"*.example"}, true},
        {"a program on the user's machine", kProgram, "http://localhost:1/cb", {}, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Flow f;
        f.fixture.settings.client_documents.allow = row.allow;
        f.network.publish(kUrl, document(row.members));
        for (const char* mode : {"query", "fragment", "form_post"}) {
            CAPTURE(mode);
            auto query = f.asking(row.redirect_uri);
            query["prompt"] = "none";  // and consent is not given
            query["response_mode"] = mode;
            const auto answer = f.start(query);
            CHECK(refusal_of(answer) == "consent_required");
            if (row.redirects) {
                CHECK(answer.body != "error");
                continue;
            }
            CHECK(answer.body == "error");
            CHECK(answer.find("Location") == nullptr);
            CHECK(text::said(f.pages.last_error.message).find("app.example") != std::string::npos);
            const bool has_link = std::string(mode) != "form_post";
            CHECK(f.pages.last_error.back.starts_with("https://app.example/cb") == has_link);
            CHECK((f.pages.last_error.back.find("error=consent_required") != std::string::npos) == has_link);
        }
    }
}
