// An approval yields one answer of its response type: a code, tokens, or both (RFC 6749 §4.1.2, §4.2.2, OpenID Connect
// Core §3.3.2.5; the interface specification, aud).
#include "oauth/issue_grant.h"

#include <doctest/doctest.h>

#include "json/reader.h"
#include "oauth/access_token.h"
#include "oauth/issue_front.h"
#include "oauth/sealed_request.h"
#include "store/access_tokens.h"
#include "store/authorization_requests.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/users.h"
#include "support/rules_fixture.h"
#include "util/base64.h"
#include "util/text.h"

using namespace postern;
using oauth::ConsentSource;
using oauth::NotIssued;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    model::User user = fixture.add_user("alice");
    model::Session session = fixture.add_session(user, "cookie");
    model::ResponseType type;
    int requests = 0;

    explicit Fixture(model::ResponseType type_) : type(type_) {}

    model::AuthorizationRequest request() {
        model::AuthorizationRequest asked;
        asked.id = "request " + std::to_string(++requests);
        asked.client_id = client.id;
        asked.redirect_uri = "https://app.example/cb";
        asked.scope = *model::Scope::parse("openid email");
        asked.response_type = type;
        asked.response_mode = model::ResponseMode::fragment;
        asked.expires_at = fixture.clock.now() + util::Seconds{600};
        return asked;
    }

    template <class Write>
    void write(const Write& statements) {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        statements(transaction);
        transaction.commit();
    }

    /// A request that the user has decided.
    model::AuthorizationRequest request(model::Decision decision) {
        auto asked = request();
        write([&](db::Transaction& transaction) {
            store::record_decision(transaction, oauth::request_key(asked), user.subject, decision, asked.expires_at);
        });
        return asked;
    }

    void remember(const char* scope, const char* claims = "") {
        write([&](db::Transaction& transaction) {
            store::save_consent(transaction, {client.id, user.subject, *model::Scope::parse(scope), fixture.clock.now(),
                                              model::parse_claim_names(claims)});
        });
    }

    /// nullopt when a credential was issued.
    std::optional<NotIssued> issue(const model::AuthorizationRequest& asked,
                                   ConsentSource consent = ConsentSource::not_asked) {
        if (type == model::ResponseType::code) {
            const auto code = oauth::issue_code(context, {asked, session, consent});
            return code ? std::nullopt : std::optional(code.error());
        }
        const auto tokens = issue_front(asked, consent);
        return tokens ? std::nullopt : std::optional(tokens.error());
    }

    /// The ID token says which parts of the answer it is about.
    util::Result<oauth::FrontTokens, NotIssued> issue_front(const model::AuthorizationRequest& asked,
                                                            ConsentSource consent = ConsentSource::not_asked) {
        const auto target = oauth::verify_redirect(context, asked);
        REQUIRE(target);
        const auto make_id_token = [](const oauth::FrontAnswer& answer) {
            return std::string("about") + (answer.code ? " code" : "") + (answer.access ? " token" : "");
        };
        return oauth::issue_front_tokens(context, *target, {asked, session, consent}, make_id_token);
    }

    std::int64_t count(const char* sql) {
        auto rows = fixture.database.prepare(sql);
        REQUIRE(rows.step());
        return rows.integer(0);
    }
};

constexpr auto kTypes = model::kResponseTypes;

/// The grants of `answers` answers: an ID token alone has none.
int grants_of(model::ResponseType type, int answers) { return type == model::ResponseType::id_token ? 0 : answers; }

}  // namespace

TEST_CASE("issue: one request yields at most one answer, and none once it was refused [HYB-6]") {
    for (const auto type : kTypes) {
        CAPTURE(to_string(type));
        Fixture f(type);
        const auto asked = f.request();
        CHECK_FALSE(f.issue(asked));
        CHECK(f.issue(asked) == NotIssued::request_used);
        const auto ended = f.request();
        CHECK(oauth::end_request(f.context, ended, f.session));
        CHECK_FALSE(oauth::end_request(f.context, ended, f.session));
        CHECK_FALSE(oauth::end_request(f.context, asked, f.session));
        CHECK(f.issue(ended) == NotIssued::request_used);
        CHECK(f.count("SELECT COUNT(*) FROM grants") == grants_of(type, 1));
        CHECK(f.count("SELECT COUNT(*) FROM authorization_codes") == (model::yields_code(type) ? 1 : 0));
        CHECK(f.count("SELECT COUNT(*) FROM access_tokens") == (model::yields_token(type) ? 1 : 0));
        CHECK(f.count("SELECT COUNT(*) FROM refresh_tokens") == 0);
        CHECK(oauth::find_issued_code(f.context, asked, f.session).has_value() == (type == model::ResponseType::code));
    }
}

TEST_CASE("issue: consent given for this request is remembered with its credential, and only then") {
    for (const auto type : kTypes) {
        CAPTURE(to_string(type));
        Fixture f(type);
        const auto remembered = [&] { return store::find_consent(f.fixture.database, f.client.id, f.user.subject); };
        CHECK_FALSE(f.issue(f.request(), ConsentSource::not_asked));
        CHECK_FALSE(remembered());
        CHECK_FALSE(f.issue(f.request(model::Decision::approved), ConsentSource::given_now));
        REQUIRE(remembered());
        CHECK(remembered()->scope.to_string() == "openid email");
    }
}

TEST_CASE("issue: a session that ended while the request waited gives nothing") {
    for (const auto type : kTypes) {
        CAPTURE(to_string(type));
        Fixture f(type);
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::end_user_access(transaction, f.user.subject, f.fixture.clock.now(), {});
        transaction.commit();
        CHECK(f.issue(f.request(), ConsentSource::given_now) == NotIssued::session_ended);
        CHECK(f.count("SELECT COUNT(*) FROM grants") == 0);
        CHECK(f.count("SELECT COUNT(*) FROM consents") == 0);
    }
}

TEST_CASE("issue: a right to use the client that was taken away while the request waited gives nothing [GROUP-6]") {
    for (const auto type : kTypes) {
        CAPTURE(to_string(type));
        Fixture f(type);
        f.client.restricted = true;
        f.write([&](db::Transaction& transaction) { REQUIRE(store::update_client(transaction, f.client)); });
        CHECK(f.issue(f.request()) == NotIssued::may_not_use);
        CHECK(f.count("SELECT COUNT(*) FROM grants") == 0);
        f.write([&](db::Transaction& transaction) { store::allow_user(transaction, f.client.id, f.user.subject); });
        CHECK_FALSE(f.issue(f.request()));
    }
}

TEST_CASE("issue: an approval that was taken back while the request waited gives nothing") {
    for (const auto type : kTypes) {
        CAPTURE(to_string(type));
        Fixture f(type);
        CHECK(f.issue(f.request(), ConsentSource::remembered) == NotIssued::approval_withdrawn);
        f.remember("openid profile");
        CHECK(f.issue(f.request(), ConsentSource::remembered) == NotIssued::approval_withdrawn);
        f.remember("email");
        CHECK_FALSE(f.issue(f.request(), ConsentSource::remembered));
        auto named = f.request();
        named.claims.id_token = model::parse_claim_names("address");
        CHECK(f.issue(named, ConsentSource::remembered) == NotIssued::approval_withdrawn);
        f.remember("openid", "address");
        CHECK_FALSE(f.issue(named, ConsentSource::remembered));
        f.write([&](db::Transaction& t) { store::remove_consent(t, f.client.id, f.user.subject); });
        CHECK(f.issue(f.request(), ConsentSource::remembered) == NotIssued::approval_withdrawn);

        const auto forgotten = f.request(model::Decision::approved);
        f.write([&](db::Transaction& t) { store::end_open_requests(t, f.user.subject); });
        CHECK(f.issue(forgotten, ConsentSource::given_now) == NotIssued::approval_withdrawn);
        CHECK(f.issue(f.request(model::Decision::denied), ConsentSource::given_now) == NotIssued::approval_withdrawn);
        const auto somebody_elses = f.request(model::Decision::approved);
        const auto bob = f.fixture.add_user("bob");
        f.write([&](db::Transaction& t) {
            store::record_decision(t, oauth::request_key(somebody_elses), bob.subject, model::Decision::approved,
                                   somebody_elses.expires_at);
        });
        CHECK(f.issue(somebody_elses, ConsentSource::given_now) == NotIssued::approval_withdrawn);
        CHECK_FALSE(store::find_consent(f.fixture.database, f.client.id, f.user.subject));
        CHECK(f.count("SELECT COUNT(*) FROM grants") == grants_of(type, 2));
        // It was not used up: the user may be asked again, and approve.
        f.write([&](db::Transaction& t) {
            store::record_decision(t, oauth::request_key(forgotten), f.user.subject, model::Decision::approved,
                                   forgotten.expires_at);
        });
        CHECK_FALSE(f.issue(forgotten, ConsentSource::given_now));
    }
}

TEST_CASE("issue: the grant says which user granted what to which client, when and in which session") {
    Fixture f(model::ResponseType::code);
    auto asked = f.request();
    asked.claims.userinfo = model::parse_claim_names("name");
    const auto grant_of_new_code = [&] {
        const auto code = oauth::issue_code(f.context, {asked, f.session, ConsentSource::not_asked});
        REQUIRE(code);
        const auto stored = store::find_code(f.context.store, oauth::hash_of(*code));
        REQUIRE(stored);
        return stored->grant;
    };
    const auto grant = grant_of_new_code();
    CHECK(grant.client_id == f.client.id);
    CHECK(grant.subject == f.user.subject);
    CHECK(grant.scope == asked.scope);
    CHECK(grant.claims.userinfo == asked.claims.userinfo);
    CHECK(grant.auth_time == f.session.auth_time);
    CHECK(grant.sid == f.session.sid);
    CHECK(grant.created_at == f.fixture.clock.now());
    asked.id = f.request().id;
    CHECK(grant.id != grant_of_new_code().id);
}

TEST_CASE("issue_front_tokens: what the response type names, in one grant [HYB-4, HYB-6]") {
    for (const auto type : kTypes) {
        if (type == model::ResponseType::code) continue;
        CAPTURE(to_string(type));
        Fixture f(type);
        const auto tokens = f.issue_front(f.request());
        REQUIRE(tokens);
        CHECK(tokens->code.has_value() == model::yields_code(type));
        CHECK(tokens->access_token.has_value() == model::yields_token(type));
        CHECK(tokens->id_token.has_value() == model::yields_id_token(type));
        if (tokens->id_token)
            CHECK(*tokens->id_token == std::string("about") + (model::yields_code(type) ? " code" : "") +
                                           (model::yields_token(type) ? " token" : ""));
        if (tokens->code && tokens->access_token) {
            const auto code = store::find_code(f.context.store, oauth::hash_of(*tokens->code));
            const auto access = oauth::verify_access_token(f.context, *tokens->access_token, jose::Expiry::enforced);
            REQUIRE(code);
            REQUIRE(access);
            CHECK(code->grant.id == access->key.grant_id);
        }
        // It is kept as long as the longest of them lives.
        const util::Seconds life =
            model::yields_token(type) ? f.fixture.settings.access_token_ttl : f.fixture.settings.authorization_code_ttl;
        if (type != model::ResponseType::id_token)
            CHECK(f.count("SELECT kept_until FROM grants") == util::to_epoch(f.fixture.clock.now() + life));
    }
}

TEST_CASE("issue_front_tokens: what cannot be signed is not recorded, and the request stays open [ALG-1, HYB-6]") {
    Fixture f(model::ResponseType::code_id_token_token);
    const auto asked = f.request();
    const auto target = oauth::verify_redirect(f.context, asked);
    REQUIRE(target);
    const auto fails = [](const oauth::FrontAnswer&) -> std::string { throw std::runtime_error("no key"); };
    CHECK_THROWS_WITH(
        oauth::issue_front_tokens(f.context, *target, {asked, f.session, ConsentSource::not_asked}, fails), "no key");
    CHECK(f.count("SELECT COUNT(*) FROM grants") == 0);
    CHECK_FALSE(f.issue(asked));
}

TEST_CASE("issue_front_tokens: an active token of the user for the client, always without an audience") {
    Fixture f(model::ResponseType::token);
    auto asked = f.request();
    asked.audience = "https://api.example";
    const auto token = f.issue_front(asked);
    REQUIRE(token);
    REQUIRE(token->access_token);
    CHECK(token->scope == asked.scope);
    CHECK(token->expires_in == f.fixture.settings.access_token_ttl);
    const auto value = json::parse(*util::base64url_decode(util::split(*token->access_token, '.').at(1)));
    REQUIRE(value);
    const auto claim = [&](const char* name) {
        const json::Value* found = value->if_object()->find(name);
        return found && found->if_string() ? *found->if_string() : "";
    };
    CHECK(claim("sub") == f.user.subject.str());
    CHECK(claim("cid") == "app");
    CHECK(claim("scope") == "openid email");
    CHECK(claim("username") == "alice");
    CHECK(value->if_object()->find("aud") == nullptr);
    const auto known = oauth::verify_access_token(f.context, *token->access_token, jose::Expiry::enforced);
    REQUIRE(known);
    const auto stored = store::find_access_token(f.context.store, known->key);
    REQUIRE(stored);
    CHECK(store::is_active(*stored, f.fixture.clock.now()));
    CHECK_FALSE(store::is_active(*stored, f.fixture.clock.now() + token->expires_in));
}

TEST_CASE("issue_front_tokens: a user who was removed while the request waited gets nothing") {
    Fixture f(model::ResponseType::token);
    f.write([&](db::Transaction& transaction) {
        store::remove_user(transaction, f.user.subject, f.fixture.clock.now(), {});
    });
    CHECK(f.issue(f.request()) == NotIssued::session_ended);
}
