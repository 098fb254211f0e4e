// Which logout requests mean something, and which addresses are followed.
#include "oidc/logout_request.h"

#include <doctest/doctest.h>

#include <vector>

#include "json/writer.h"
#include "oidc/id_token.h"
#include "store/authorization_requests.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/sessions.h"
#include "support/query.h"
#include "support/rules_fixture.h"

using namespace postern;
using refusal::Reason;
using test::Query;

namespace {

const std::string kAway = "https://app.example/bye?a=1";

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client app = registered("app", {"https://app.example/", kAway});
    model::Client other = registered("other", {"https://other.example/bye"});
    model::User alice = fixture.add_user("alice");

    model::Client registered(const std::string& id, std::vector<std::string> addresses) {
        model::Client client;
        client.id = model::ClientId(id);
        client.name = id;
        client.redirect_uris = {"https://" + id + ".example/cb"};
        client.post_logout_redirect_uris = std::move(addresses);
        fixture.add(client);
        return client;
    }

    std::string hint(const std::string& client = "app") {
        model::Grant grant;
        grant.client_id = model::ClientId(client);
        grant.subject = alice.subject;
        grant.sid = model::Sid("a session long ago");
        return oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "access"});
    }

    auto parse(const Query& query) { return oidc::parse_logout_request(context, test::params(query.text())); }

    /// The address, behind "if confirmed: " where no hint proves it; "page", or "page: " and the reason; "refused" for
    /// an unregistered one, "refused for good" for one that cannot be registered.
    std::string verdict(const Query& query) {
        const auto request = parse(query);
        REQUIRE(request);
        const auto after = oidc::verify_post_logout_redirect(context, *request);
        if (!after) {
            CHECK(refusal::row_of(after.error().reason).error == Reason::logout_redirect_unregistered);
            return after.error().reason == Reason::logout_redirect_unregistrable ? "refused for good" : "refused";
        }
        if (after->url()) CHECK_FALSE(after->not_followed());
        if (after->url()) return (after->is_proved() ? "" : "if confirmed: ") + *after->url();
        return after->not_followed() ? "page: " + std::string(refusal::error_word(after->not_followed()->reason))
                                     : "page";
    }
};

}  // namespace

TEST_CASE("parse_logout_request: which user is meant, and by which client [RP-Initiated Logout §2b]") {
    Fixture f;
    struct Row {
        std::string when;
        Query query;
        bool hinted;
        std::string client;  ///< "" for none
    };
    const std::string hint = f.hint();
    const Row rows[] = {
        {"nothing at all", {}, false, ""},
        {"a hint", {{"id_token_hint", hint}}, true, "app"},
        {"a hint and its client", {{"id_token_hint", hint}, {"client_id", "app"}}, true, "app"},
        {"a client alone", {{"client_id", "app"}}, false, "app"},
        {"an empty hint is none", {{"id_token_hint", ""}, {"client_id", "app"}}, false, "app"},
        {"what is ignored", {{"logout_hint", "alice"}, {"ui_locales", "de"}, {"sid", "x"}}, false, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto request = f.parse(row.query);
        REQUIRE(request);
        CHECK(request->hinted_subject.has_value() == row.hinted);
        if (request->hinted_subject) CHECK(*request->hinted_subject == f.alice.subject);
        CHECK((request->client_id ? request->client_id->str() : "") == row.client);
        CHECK(request->id.size() >= 22);
        CHECK(request->expires_at == f.fixture.clock.now() + util::Seconds{600});
    }
    CHECK(f.parse({})->id != f.parse({})->id);
}

TEST_CASE("parse_logout_request: an expired ID token is a good hint [RP-Initiated Logout §2c]") {
    Fixture f;
    const std::string hint = f.hint();
    f.fixture.clock.advance(util::Seconds{400 * 86400});
    const auto request = f.parse({{"id_token_hint", hint}});
    REQUIRE(request);
    CHECK(request->hinted_subject == f.alice.subject);
}

TEST_CASE("parse_logout_request: what is refused, and why [RP-Initiated Logout §2f]") {
    Fixture f;
    const std::string hint = f.hint();
    const std::string payload = hint.substr(hint.find('.'), hint.rfind('.') - hint.find('.'));
    struct Row {
        std::string when;
        Query query;
        Reason reason;
    };
    const std::vector<Row> rows = {
        {"client_id of another client",
         {{"id_token_hint", hint}, {"client_id", "other"}},
         Reason::logout_client_mismatch},
        {"client_id of nobody", {{"id_token_hint", hint}, {"client_id", "App"}}, Reason::logout_client_mismatch},
        {"no token at all", {{"id_token_hint", "x"}}, Reason::logout_hint_invalid},
        {"alg none", {{"id_token_hint", "eyJhbGciOiJub25lIn0" + payload + "."}}, Reason::logout_hint_invalid},
        {"no signature", {{"id_token_hint", hint.substr(0, hint.rfind('.') + 1)}}, Reason::logout_hint_invalid},
        {"one byte less", {{"id_token_hint", hint.substr(0, hint.size() - 1)}}, Reason::logout_hint_invalid},
        {"a blank behind it", {{"id_token_hint", hint + " "}}, Reason::logout_hint_invalid},
        {"the hint twice", Query{{"id_token_hint", hint}}.and_also("id_token_hint", hint), Reason::logout_malformed},
        {"client_id twice", Query{{"client_id", "app"}}.and_also("client_id", "app"), Reason::logout_malformed},
        {"the address twice", Query{{"post_logout_redirect_uri", kAway}}.and_also("post_logout_redirect_uri", kAway),
         Reason::logout_malformed},
        {"state twice", Query{{"state", "a"}}.and_also("state", "b"), Reason::logout_malformed},
        {"logout_hint twice", Query{{"logout_hint", "a"}}.and_also("logout_hint", "a"), Reason::logout_malformed},
        {"ui_locales twice", Query{{"ui_locales", "a"}}.and_also("ui_locales", "a"), Reason::logout_malformed},
        {"state with a bad escape", Query{}.raw("state=%zz"), Reason::logout_malformed},
        {"state with a line end", Query{}.raw("state=%0a"), Reason::logout_malformed},
        {"state too long", {{"state", std::string(4097, 's')}}, Reason::logout_malformed},
        {"state too long to be returned",
         {{"state", std::string(2048, '"')}, {"post_logout_redirect_uri", std::string(2048, 'u')}},
         Reason::logout_malformed},
        {"too much together",
         {{"state", std::string(4096, 's')}, {"post_logout_redirect_uri", std::string(769, 'u')}},
         Reason::logout_malformed},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto request = f.parse(row.query);
        REQUIRE_FALSE(request);
        CHECK(request.error().reason == row.reason);
        CHECK_FALSE(request.error().log_detail.empty());
        CHECK(request.error().log_detail.find(hint) == std::string::npos);
    }
    CHECK(f.parse({{"state", std::string(4096, 's')}, {"post_logout_redirect_uri", std::string(768, 'u')}}));
    CHECK(f.parse(Query{{"unknown", "a"}}.and_also("unknown", "b")));
}

TEST_CASE("parse_logout_request: other tokens of this server are not hints [RFC 8725 §3.11, RP-Initiated Logout §4a]") {
    Fixture f;
    const auto& key = f.fixture.keys->signing_key(crypto::Algorithm::RS256, f.fixture.clock.now());
    const auto now = util::to_epoch(f.fixture.clock.now());
    const auto token = [&](jose::TokenType type, const std::string& issuer) {
        const json::Object claims{
            {"iss", issuer}, {"sub", f.alice.subject.str()}, {"aud", "app"}, {"iat", now}, {"exp", now + 60}};
        return jose::sign_compact(key.key, key.kid, type, json::write(claims));
    };
    CHECK(f.parse({{"id_token_hint", token(jose::TokenType::id_token, "https://op.example")}}));
    for (const std::string& hint : {token(jose::TokenType::access_token, "https://op.example"),
                                    token(jose::TokenType::refresh_token, "https://op.example"),
                                    token(jose::TokenType::id_token, "https://op.example/")}) {
        const auto request = f.parse({{"id_token_hint", hint}});
        REQUIRE_FALSE(request);
        CHECK(request.error().reason == Reason::logout_hint_invalid);
    }
}

TEST_CASE(
    "verify_post_logout_redirect: byte-equal to a registered one, with a hint of its client [§2, §3, RP-Initiated "
    "Logout §2hi, §3bc]") {
    Fixture f;
    const auto ask = [&](const std::string& address) {
        return Query{{"id_token_hint", f.hint()}, {"post_logout_redirect_uri", address}};
    };
    struct Row {
        std::string when;
        Query query;
        std::string verdict;
    };
    const std::vector<Row> rows = {
        {"no address", {{"id_token_hint", f.hint()}}, "page"},
        {"state without an address is of no use", {{"id_token_hint", f.hint()}, {"state", "s"}}, "page"},
        {"the first", ask("https://app.example/"), "https://app.example/"},
        {"the second", ask(kAway), kAway},
        {"with state", ask("https://app.example/").with("state", "a b&c=d#%+~\"<"),
         "https://app.example/?state=a%20b%26c%3Dd%23%25%2B~%22%3C"},
        {"state behind a query", ask(kAway).with("state", "s"), kAway + "&state=s"},
        {"an empty state is none", ask(kAway).with("state", ""), kAway},
        {"a parameter more", ask("https://app.example/?foo=bar"), "refused"},
        {"a slash less", ask("https://app.example"), "refused"},
        {"a fragment", ask("https://app.example/#x"), "refused for good"},
        {"other case", ask("https://app.example/Bye?a=1"), "refused"},
        {"a spelling", ask("https://app.example:443/"), "refused"},
        {"a path below", ask("https://app.example/x"), "refused"},
        {"another client's", ask("https://other.example/bye"), "refused"},
        {"the redirect_uri is another list", ask("https://app.example/cb"), "refused"},
        {"script", ask("javascript:alert(1)"), "refused for good"},
        {"no hint, no client", {{"post_logout_redirect_uri", kAway}}, "page: logout_hint_missing"},
        {"no hint, an unknown client",
         {{"post_logout_redirect_uri", kAway}, {"client_id", "x"}},
         "page: client_unknown"},
        {"no hint, its client", {{"post_logout_redirect_uri", kAway}, {"client_id", "app"}}, "if confirmed: " + kAway},
        {"no hint, its client, with state",
         {{"post_logout_redirect_uri", kAway}, {"client_id", "app"}, {"state", "s"}},
         "if confirmed: " + kAway + "&state=s"},
        {"no hint, its client, a slash too many",
         {{"post_logout_redirect_uri", "https://app.example//"}, {"client_id", "app"}},
         "refused"},
        {"no hint, its client, no address", {{"client_id", "app"}}, "page"},
        {"no hint, not its client", {{"post_logout_redirect_uri", kAway}, {"client_id", "other"}}, "refused"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(f.verdict(row.query) == row.verdict);
    }
}

TEST_CASE("verify_post_logout_redirect: the address of a document is followed if the operator names its host [A32]") {
    Fixture f;
    model::Client client;
    client.id = model::ClientId("https://app.example/client.json");
    client.name = "Notes";
    client.origin = model::Origin::document;
    client.redirect_uris = {"https://app.example/cb"};
    client.post_logout_redirect_uris = {kAway};
    f.fixture.add(client);
    const Query query{{"id_token_hint", f.hint(client.id.str())}, {"post_logout_redirect_uri", kAway}};
    const Query unproved = query.without("id_token_hint").with("client_id", client.id.str());
    f.fixture.settings.client_documents.enabled = true;
    CHECK(f.verdict(query) == "page: client_document");
    CHECK(f.verdict(unproved) == "page: client_document");
    f.fixture.settings.client_documents.allow = {"app.example"};
    CHECK(f.verdict(query) == kAway);
    CHECK(f.verdict(unproved) == "if confirmed: " + kAway);
    f.fixture.settings.client_documents.enabled = false;
    CHECK(f.verdict(query) == "page: client_document");
}

TEST_CASE(
    "verify_post_logout_redirect: the address of a client without a token counts while registration is open [REG-33, "
    "A33]") {
    using oauth::RegistrationMode;
    for (const char* registered_by : {"", "digest of a token"}) {
        CAPTURE(registered_by);
        Fixture f;
        model::Client client;
        client.id = model::ClientId("registered");
        client.name = "Notes";
        client.origin = model::Origin::dynamic;
        client.registered_by = registered_by;
        client.redirect_uris = {"https://app.example/cb"};
        client.post_logout_redirect_uris = {kAway};  // of the operator, if there was no token
        f.fixture.add(client);
        const Query query{{"id_token_hint", f.hint(client.id.str())}, {"post_logout_redirect_uri", kAway}};
        const Query other = query.with("post_logout_redirect_uri", "https://other.example/");
        for (const auto mode : {RegistrationMode::closed, RegistrationMode::token, RegistrationMode::open}) {
            CAPTURE(static_cast<int>(mode));
            f.fixture.settings.registration.mode = mode;
            const bool counts = mode == RegistrationMode::open || *registered_by != '\0';
            CHECK(f.verdict(query) == (counts ? kAway : std::string("page: client_disabled")));
            CHECK(f.verdict(other) == (counts ? "refused" : "page: client_disabled"));
        }
    }
}

TEST_CASE(
    "verify_post_logout_redirect: nothing is registered for a client that is disabled or gone [RP-Initiated Logout "
    "§3d]") {
    Fixture f;
    const Query query{{"id_token_hint", f.hint()}, {"post_logout_redirect_uri", kAway}, {"state", "s"}};
    CHECK(f.verdict(query) == kAway + "&state=s");
    f.app.enabled = false;
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        REQUIRE(store::update_client(transaction, f.app));
        transaction.commit();
    }
    CHECK(f.verdict(query) == "page: client_disabled");
    CHECK(f.verdict(query.without("id_token_hint").with("client_id", "app")) == "page: client_disabled");
    CHECK(f.verdict(query.with("post_logout_redirect_uri", "https://evil.example/")) == "page: client_disabled");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        REQUIRE(store::remove_client(transaction, f.app.id));
        transaction.commit();
    }
    CHECK(f.verdict(query) == "page: client_unknown");
}

namespace {

oidc::LogoutRequest full(util::Time expires_at) {
    oidc::LogoutRequest request;
    request.id = "id";
    request.hinted_subject = model::Subject("sub");
    request.client_id = model::ClientId("app");
    request.redirect_uri = "https://app.example/bye?x=1";
    request.state = "a\"b\xc3\xa9\\";
    request.expires_at = expires_at;
    return request;
}

}  // namespace

TEST_CASE("seal_logout, open_logout: every member survives, and so does its absence") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto sent = full(fixture.clock.now() + util::Seconds{600});
    const auto opened = oidc::open_logout(context, oidc::seal_logout(context, {sent, "binding"}));
    REQUIRE(opened);
    CHECK(opened->browser == "binding");
    CHECK(opened->request.id == sent.id);
    CHECK(opened->request.hinted_subject == sent.hinted_subject);
    CHECK(opened->request.client_id == sent.client_id);
    CHECK(opened->request.redirect_uri == sent.redirect_uri);
    CHECK(opened->request.state == sent.state);
    CHECK(opened->request.expires_at == sent.expires_at);

    oidc::LogoutRequest bare;
    bare.id = "id";
    bare.expires_at = sent.expires_at;
    const auto empty = oidc::open_logout(context, oidc::seal_logout(context, {bare, ""}));
    REQUIRE(empty);
    CHECK(empty->browser.empty());
    CHECK_FALSE(empty->request.hinted_subject);
    CHECK_FALSE(empty->request.client_id);
    CHECK_FALSE(empty->request.redirect_uri);
    CHECK_FALSE(empty->request.state);
}

TEST_CASE("open_logout: refuses everything that was not sealed here for this purpose, and what is too old") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string sealed = oidc::seal_logout(context, {full(fixture.clock.now() + util::Seconds{600}), "b"});
    model::AuthorizationRequest authorization;
    authorization.id = "id";
    authorization.expires_at = fixture.clock.now() + util::Seconds{600};
    const std::string other = oauth::seal_request(context, authorization, "b");
    for (const std::string& text : {std::string(), std::string("x"), sealed.substr(1), sealed + "A",
                                    sealed.substr(0, sealed.size() - 1), other, std::string(4000, 'A')}) {
        CAPTURE(text);
        const auto opened = oidc::open_logout(context, text);
        REQUIRE_FALSE(opened);
        CHECK(opened.error() == oauth::SealFault::forged);
    }
    CHECK_FALSE(oauth::open_request(context, sealed));

    fixture.clock.advance(util::Seconds{599});
    CHECK(oidc::open_logout(context, sealed));
    fixture.clock.advance(util::Seconds{1});
    const auto late = oidc::open_logout(context, sealed);
    REQUIRE_FALSE(late);
    CHECK(late.error() == oauth::SealFault::expired);
}

namespace {

struct Sessions {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client app = fixture.add_confidential("app", "https://app.example/cb", "secret");
    model::User alice = fixture.add_user("alice");
    model::User bob = fixture.add_user("bob");
    model::Session here = fixture.add_session(alice, "here");
    model::Session elsewhere = fixture.add_session(alice, "elsewhere");
    model::Session bobs = fixture.add_session(bob, "bobs");

    void add_grant(const std::string& id, const model::Session& session, const std::string& scope) {
        model::Grant grant;
        grant.id = model::GrantId(id);
        grant.client_id = app.id;
        grant.subject = session.subject;
        grant.scope = *model::Scope::parse(scope);
        grant.sid = session.sid;
        grant.created_at = grant.auth_time = fixture.clock.now();
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        store::insert_grant(transaction, grant);
        transaction.commit();
    }
    bool lives(const std::string& id) {
        const auto grant = store::find_grant(fixture.database, model::GrantId(id));
        REQUIRE(grant);
        return !grant->ended_at;
    }
    bool lives(const model::Session& session) {
        const util::Time now = fixture.clock.now();
        return store::find_session(fixture.database, session.cookie_hash, {now, now}).has_value();
    }
};

/// An operator may give scopes any name.
constexpr const char* kLookalikes[] = {"openid not_offline_access", "offline_access2", "offline-access",
                                       "openid offlineXaccess",     "OFFLINE_ACCESS",  "Offline_Access openid"};

}  // namespace

TEST_CASE("end_session: this session and no other, with its grants but for offline access [RP-Initiated Logout §2m]") {
    Sessions f;
    f.add_grant("online", f.here, "openid email");
    f.add_grant("offline", f.here, "openid offline_access");
    for (const char* scope : kLookalikes) f.add_grant(scope, f.here, scope);
    f.add_grant("first", f.here, "offline_access openid");
    f.add_grant("alone", f.here, "offline_access");
    f.add_grant("elsewhere", f.elsewhere, "openid");
    f.add_grant("bob", f.bobs, "openid");
    oidc::end_session(f.context, f.here);

    CHECK_FALSE(f.lives(f.here));
    CHECK(f.lives(f.elsewhere));
    CHECK(f.lives(f.bobs));
    CHECK_FALSE(f.lives("online"));
    for (const char* scope : kLookalikes) {
        CAPTURE(scope);
        CHECK_FALSE(f.lives(scope));
    }
    CHECK(f.lives("offline"));
    CHECK(f.lives("first"));
    CHECK(f.lives("alone"));
    CHECK(f.lives("elsewhere"));
    CHECK(f.lives("bob"));

    oidc::end_session(f.context, f.here);  // pressed twice
    CHECK_FALSE(f.lives(f.here));
}

TEST_CASE("end_session: what the user approved without an answer yet is forgotten, what is answered stays answered") {
    Sessions f;
    const util::Time end = f.fixture.clock.now() + util::Seconds{600};
    const model::RequestKey open("open");
    const model::RequestKey used("used");
    const model::RequestKey bobs("bobs");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::lazy);
        store::record_login(transaction, open, f.alice.subject, end);
        store::record_decision(transaction, open, f.alice.subject, model::Decision::approved, end);
        store::use_request(transaction, used, f.alice.subject, end);
        store::record_decision(transaction, bobs, f.bob.subject, model::Decision::approved, end);
        transaction.commit();
    }
    oidc::end_session(f.context, f.here);
    CHECK_FALSE(store::find_progress(f.fixture.database, open));
    const auto answered = store::find_progress(f.fixture.database, used);
    REQUIRE(answered);
    CHECK(answered->used);
    CHECK(store::find_progress(f.fixture.database, bobs));
}

TEST_CASE("end_session: a login of the same user that changed the cookie in between does not outrun the logout") {
    Sessions f;
    model::Session renewed = f.here;
    renewed.cookie_hash = model::ValueHash("renewed");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::delete_session_row(transaction, f.here.cookie_hash);
        store::insert_session(transaction, renewed);
        transaction.commit();
    }
    REQUIRE(f.lives(renewed));
    oidc::end_session(f.context, f.here);  // as the logout had read it
    CHECK_FALSE(f.lives(renewed));
    CHECK(f.lives(f.elsewhere));
    CHECK(f.lives(f.bobs));
}
