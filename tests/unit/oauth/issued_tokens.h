// A rules fixture in which clients hold tokens, for the tests of introspection and revocation.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "jose/jws.h"
#include "json/reader.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/refresh_token.h"
#include "store/access_tokens.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "support/rules_fixture.h"
#include "util/base64.h"

namespace postern::test {

struct IssuedTokens {
    RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client app = fixture.add_confidential("app", "https://app.example/cb", "app-secret");
    model::Client other = fixture.add_confidential("other", "https://other.example/cb", "other-secret");
    model::Client spa = fixture.add_public("spa", "https://spa.example/cb");
    model::User alice = fixture.add_user("alice");
    model::GrantId named{"none"};

    template <class Write>
    void write(const Write& statements) {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        statements(transaction);
        transaction.commit();
    }

    model::Grant add_grant(const model::Client& client, const std::string& scope = "openid email") {
        model::Grant grant;
        grant.id = model::GrantId(crypto::random_id(fixture.random));
        grant.client_id = client.id;
        grant.subject = alice.subject;
        grant.scope = *model::Scope::parse(scope);
        grant.auth_time = grant.created_at = fixture.clock.now();
        grant.acr = oauth::kPasswordAcr;
        grant.amr = "pwd";
        write([&](db::Transaction& transaction) { store::insert_grant(transaction, grant); });
        named = grant.id;
        return grant;
    }

    std::string add_access(const model::Grant& grant, const std::optional<std::string>& audience = std::nullopt) {
        const auto issue =
            oauth::make_access_token(context, {grant, grant.scope, {.audience = audience}, alice.username});
        write([&](db::Transaction& transaction) { store::insert_access_token(transaction, issue.record); });
        return issue.value;
    }

    std::string add_refresh(const model::Grant& grant) {
        const auto issue = oauth::make_refresh_token(context, grant, std::nullopt);
        write([&](db::Transaction& transaction) { store::insert_refresh_token(transaction, issue.record); });
        return issue.value;
    }

    std::string add_code(const model::Grant& grant) {
        const std::string value = crypto::random_token(fixture.random);
        model::AuthorizationCode code;
        code.code_hash = oauth::hash_of(value);
        code.grant_id = grant.id;
        code.redirect_uri = "https://app.example/cb";
        code.expires_at = fixture.clock.now() + util::Seconds{60};
        write([&](db::Transaction& transaction) { store::insert_code(transaction, code); });
        return value;
    }

    /// Returns a token that this server signed with its access token key, whatever the claims say.
    std::string sign(jose::TokenType type, const json::Object& claims) {
        const auto& key =
            context.keys.signing_key(context.settings.token_algorithm(model::TokenProfile::interface), context.now());
        return jose::sign_compact(key.key, key.kid, type, json::write(claims));
    }
    /// Returns the claims of `token` under a signature of its own: a stranger's, with the name of our key, or this
    /// server's.
    std::string sign_again(const std::string& token, jose::TokenType type, bool stranger) {
        const auto& own =
            context.keys.signing_key(context.settings.token_algorithm(model::TokenProfile::interface), context.now());
        const auto dot = token.find('.') + 1;
        const auto payload = util::base64url_decode(token.substr(dot, token.rfind('.') - dot));
        REQUIRE(payload);
        const auto strange = crypto::PrivateKey::generate(own.key.algorithm());
        return jose::sign_compact(stranger ? strange : own.key, own.kid, type, *payload);
    }
    /// Returns the claims that every token of ours has, with one more or another; `jti` names the grant that was added
    /// last.
    json::Object claims(const std::string& name = {}, const json::Value& value = {}) {
        json::Object claims{{"iss", context.settings.issuer},
                            {"sub", "claimed-sub"},
                            {"cid", "claimed-cid"},
                            {"scope", "claimed"},
                            {"jti", named.str() + ".claimed"},
                            {"iat", util::to_epoch(context.now())},
                            {"exp", util::to_epoch(context.now() + util::Seconds{900})}};
        if (!name.empty()) claims.set(name, value);
        return claims;
    }
    /// Returns the time at which the value says that it was issued; now for a value that names no time.
    util::Time issued_at(const std::string& value) {
        const auto begin = value.find('.') + 1;
        const auto payload = util::base64url_decode(value.substr(begin, value.find('.', begin) - begin));
        const auto claims = json::parse(payload.value_or("{}"));
        const auto* iat = claims && claims->if_object() ? claims->if_object()->find("iat") : nullptr;
        return iat && iat->if_integer() ? util::from_epoch(*iat->if_integer()) : context.now();
    }
    /// Writes a row of the table of access tokens for this value.
    void record_access(const std::string& value, const model::Grant& grant) {
        model::AccessToken token;
        token.token_hash = oauth::hash_of(value);
        token.jti = "stored.jti";
        token.grant_id = grant.id;
        token.scope = grant.scope;
        token.issued_at = issued_at(value);
        token.expires_at = context.now() + util::Seconds{900};
        write([&](db::Transaction& transaction) { store::insert_access_token(transaction, token); });
    }
    void record_refresh(const std::string& value, const model::Grant& grant) {
        model::RefreshToken token;
        token.token_hash = oauth::hash_of(value);
        token.grant_id = grant.id;
        token.issued_at = context.now();
        token.expires_at = context.now() + util::Seconds{900};
        write([&](db::Transaction& transaction) { store::insert_refresh_token(transaction, token); });
    }
};

}  // namespace postern::test
