#include "store/access_tokens.h"

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ValueHash;

namespace {

db::Database with_token() {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        store::insert_access_token(t, token());
    });
    return database;
}

}  // namespace

TEST_CASE("access tokens: record and grant come back as they were put in [IF20, IF133, IF147]") {
    auto database = sample_database();
    auto rich = token("rich");
    rich.scope = {};
    rich.audience = "https://api.example/";
    written(database, [&](auto& t) {
        store::insert_grant(t, grant());
        store::insert_access_token(t, token());
        store::insert_access_token(t, rich);
    });
    const auto same_grant = store::find_grant(database, grant().id);
    REQUIRE(same_grant);
    CHECK(*same_grant == grant());
    for (const auto& put : {token(), rich}) {
        const auto got = find_token(database, put.token_hash.str());
        REQUIRE(got);
        CHECK(got->scope == put.scope);
        CHECK(got->expires_at == put.expires_at);
        CHECK_FALSE(got->revoked);
        CHECK(got->client_id == grant().client_id);
        CHECK(got->subject == grant().subject);
        CHECK(got->userinfo_claims == grant().claims.userinfo);
        CHECK(got->client.enabled);
        CHECK(got->user_enabled);

        // What no endpoint reads, but `postern` and an operator do.
        auto row = database.query("SELECT jti, audience, grant_id, issued_at FROM access_tokens WHERE token_hash = $1",
                                  put.token_hash);
        REQUIRE(row.step());
        model::AccessToken kept;
        row >> kept.jti >> kept.audience >> kept.grant_id >> kept.issued_at;
        CHECK(kept.jti == put.jti);
        CHECK(kept.audience == put.audience);
        CHECK(kept.grant_id == put.grant_id);
        CHECK(kept.issued_at == put.issued_at);
    }
    CHECK_FALSE(find_token(database, "Token"));
    CHECK_FALSE(find_token(database, ""));
}

TEST_CASE("access tokens: one is found by all that it says of itself, and by nothing less") {
    auto database = with_token();
    struct Row {
        const char* what;
        void (*change)(store::AccessTokenKey&);
        bool found;
    };
    const Row rows[] = {
        {"as issued", [](auto&) {}, true},
        {"another grant", [](auto& key) { key.grant_id = model::GrantId("other"); }, false},
        {"no grant", [](auto& key) { key.grant_id = model::GrantId(); }, false},
        {"another second", [](auto& key) { key.issued_at += Seconds{1}; }, false},
        {"another digest", [](auto& key) { key.token_hash = ValueHash("Token"); }, false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.what);
        auto key = key_of(token());
        row.change(key);
        CHECK(store::find_access_token(database, key).has_value() == row.found);
        written(database, store::revoke_access_token, key, kNow);
        CHECK(find_token(database, "token")->revoked == row.found);
        database.prepare("UPDATE access_tokens SET revoked_at = NULL").execute();
    }
}

TEST_CASE("delete_expired_access_tokens: of this grant, what has expired, the oldest first, a few at a time [S16]") {
    auto database = with_token();
    const auto issued = [](const std::string& hash, int at, int lifetime = 900, const char* grant = "grant") {
        auto made = token(hash, grant);
        made.issued_at = kNow + Seconds{at};
        made.expires_at = made.issued_at + Seconds{lifetime};
        return made;
    };
    written(database, [&](auto& t) {
        store::insert_grant(t, grant("other"));
        store::insert_access_token(t, issued("other's", -2000, 900, "other"));
        store::insert_access_token(t, issued("short", -5, 1));
        for (int i = 0; i < 10; ++i) store::insert_access_token(t, issued("old " + std::to_string(i), i - 2000));
    });
    const auto delete_at = [&](Time before) {
        written(database, store::delete_expired_access_tokens, grant().id, before);
    };
    delete_at(kNow - Seconds{1101});
    CHECK(count(database, "SELECT count(*) FROM access_tokens") == 13);
    delete_at(kNow - Seconds{1100});
    CHECK_FALSE(find_token(database, "old 0"));
    CHECK(find_token(database, "old 1"));
    delete_at(kNow);
    CHECK(count(database, "SELECT count(*) FROM access_tokens WHERE token_hash LIKE 'old%'") == 1);
    delete_at(kNow);
    CHECK_FALSE(find_token(database, "old 9"));
    CHECK_FALSE(find_token(database, "short"));
    CHECK(find_token(database, "token"));
    CHECK(find_token(database, "other's"));
}

TEST_CASE("access tokens: a grant without a user has no user who could be disabled [RFC 6749 §4.4]") {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_grant(t, grant("machine", ""));
        store::insert_access_token(t, token("machine", "machine"));
    });
    const auto got = find_token(database, "machine");
    REQUIRE(got);
    CHECK(got->subject.empty());
    CHECK(got->user_enabled);
    CHECK(store::is_active(*got, kNow));
}

TEST_CASE("is_active: every condition is needed, none is doubted [IF23, IF56, RFC 7662 §2.2b]") {
    store::StoredAccessToken good;
    good.expires_at = token().expires_at;
    good.client.enabled = true;
    good.user_enabled = true;
    struct Row {
        const char* when;
        void (*change)(store::StoredAccessToken&);
        Time now;
        bool active;
    };
    const Time end = token().expires_at;
    const auto same = [](store::StoredAccessToken&) {};
    const Row rows[] = {
        {"as issued", same, kNow, true},
        {"its last second", same, end - Seconds{1}, true},
        {"expired in this second", same, end, false},
        {"long expired", same, end + Seconds{100000}, false},
        {"expiry set to zero", [](auto& stored) { stored.expires_at = Time{}; }, kNow, false},
        {"revoked, or its grant has ended", [](auto& stored) { stored.revoked = true; }, kNow, false},
        {"client disabled", [](auto& stored) { stored.client.enabled = false; }, kNow, false},
        {"user disabled", [](auto& stored) { stored.user_enabled = false; }, kNow, false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        auto stored = good;
        row.change(stored);
        CHECK(store::is_active(stored, row.now) == row.active);
    }
}

TEST_CASE("access tokens: what happens to client, user and grant is seen at the next look") {
    struct Row {
        const char* when;
        void (*change)(db::Transaction&);
    };
    const Row rows[] = {
        {"client disabled",
         [](auto& t) {
             auto changed = client();
             changed.enabled = false;
             store::update_client(t, changed);
         }},
        {"user disabled",
         [](auto& t) {
             auto changed = user();
             changed.enabled = false;
             store::update_user(t, changed);
         }},
        {"grant ended", [](auto& t) { store::end_grant(t, grant().id, kNow); }},
        {"client removed", [](auto& t) { store::remove_client(t, client().id); }},
        {"user removed", [](auto& t) { store::remove_user(t, user().subject); }},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        auto database = with_token();
        REQUIRE(store::is_active(*find_token(database, "token"), kNow));
        written(database, row.change);
        const auto stored = find_token(database, "token");
        CHECK_FALSE((stored && store::is_active(*stored, kNow)));
    }
}

TEST_CASE("walk_expired_access_tokens: all that have expired, of any grant, a thousand at a time") {
    auto database = sample_database();
    constexpr int kGrants = 1001;
    written(database, [](auto& t) {
        for (int i = 0; i < kGrants; ++i) {
            const auto name = std::to_string(i);
            store::insert_grant(t, grant(name));
            store::insert_access_token(t, token("old " + name, name));
            auto younger = token("new " + name, name);
            younger.expires_at += Seconds{1};
            store::insert_access_token(t, younger);
        }
    });
    const Time now = token().expires_at;
    store::AccessTokenKey last;
    std::int64_t deleted = 0;
    int steps = 0;
    for (;; ++steps) {
        const auto step = written(database, store::walk_expired_access_tokens, last, now);
        if (!step) break;
        CHECK(*step <= 1000);
        deleted += *step;
    }
    CHECK(deleted == kGrants);
    CHECK(steps == 3);
    CHECK(count(database, "SELECT count(*) FROM access_tokens WHERE token_hash LIKE 'new %'") == kGrants);
    CHECK(count(database, "SELECT count(*) FROM access_tokens") == kGrants);
}

TEST_CASE("walk_expired_access_tokens: a grant with many tokens is more than one step [S16]") {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        for (int i = 0; i < 2500; ++i) store::insert_access_token(t, token(std::to_string(i)));
    });
    store::AccessTokenKey last;
    const auto step = [&] { return written(database, store::walk_expired_access_tokens, last, token().expires_at); };
    for (const std::optional<std::int64_t> expected : {1000, 1000, 500}) CHECK(step() == expected);
    CHECK_FALSE(step());
    CHECK(count(database, "SELECT count(*) FROM access_tokens") == 0);
}
