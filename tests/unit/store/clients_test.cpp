#include "store/clients.h"

#include "unit/store/fixture.h"

#include <set>

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::ValueHash;

namespace {

constexpr Time kLater = kNow + Seconds{100};

std::vector<std::string> secrets_of(db::Database& database, Time now) {
    std::vector<std::string> hashes;
    const auto found = store::find_client(database, ClientId("client"), now);
    for (const auto& secret : found->secrets) hashes.push_back(secret.hash.str());
    return hashes;
}

void replace(db::Database& database, const char* hash, std::optional<Time> old_until, Time now = kNow) {
    written(database, store::replace_client_secret, ClientId("client"), ValueHash(hash), old_until, now);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("clients: response types and details that this program does not know are no client") {
    auto database = test::empty_database();
    const model::Client plain = client("plain");
    written(database, [&](db::Transaction& transaction) { return store::insert_client(transaction, plain); });
    for (const char* broken :
         {"UPDATE clients SET response_types = 'code,device'", "UPDATE clients SET response_types = ',', details = ''",
          "UPDATE clients SET response_types = '', details = '[]'",
          R"(UPDATE clients SET details = '{"id_token_signed_response_alg":"none"}')",
          R"(UPDATE clients SET details = '{"backchannel_logout_uri":1}')",
          R"(UPDATE clients SET details = '{"response_modes":"jwt"}')",
          R"(UPDATE clients SET details = '{"response_modes":["web_message"]}')",
          R"(UPDATE clients SET details = '{"authorization_signed_response_alg":"none"}')",
          R"(UPDATE clients SET details = '{"id_token_signed_response_alg":1}')"}) {
        CAPTURE(broken);
        database.prepare(broken).execute();
        CHECK_THROWS_AS(store::find_client(database, plain.id), db::StoreError);
    }
    database.prepare(R"(UPDATE clients SET details = '{"of a later release":[1]}')").execute();
    CHECK(store::find_client(database, plain.id));
}

TEST_CASE("clients: every property comes back as it was put in [RFC 6749 §2]") {
    auto database = test::empty_database();
    model::Client plain = client("plain");
    model::Client rich = client("rich \xc3\xa9 '\"");
    rich.name = "R\xc3\xa9my's \"app\"";
    rich.type = model::ClientType::public_;
    rich.native = true;
    rich.first_party = true;
    rich.enabled = false;
    rich.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token,
                   model::GrantType::client_credentials, model::GrantType::implicit};
    rich.response_types = {model::ResponseType::code_id_token, model::ResponseType::token};
    rich.id_token_algorithm = crypto::Algorithm::EdDSA;
    rich.response_modes = {"jwt", "form_post"};
    rich.response_algorithm = crypto::Algorithm::ES256;
    rich.require_par = true;
    rich.require_signed_request = true;
    rich.request_object_alg = "PS256";
    rich.scope = *model::Scope::parse("z a m");
    rich.auth_method = model::AuthMethod::client_secret_post;
    rich.pkce = model::Pkce::required;
    rich.access_token_profile = model::TokenProfile::rfc9068;
    rich.groups_in_access_token = true;
    rich.introspection_claims = {"email", "groups"};
    rich.default_resource = "https://default.example/";
    rich.origin = model::Origin::document;
    rich.last_used_at = kLater;
    rich.removable_at = kLater + Seconds{1};
    rich.brought_by = model::Subject("alice");
    rich.resources = {"https://b.example/", "https://a.example/"};
    rich.redirect_uris = {"https://z.example/", "https://a.example/", "https://m.example/"};
    rich.logout = {"https://z.example/back", true, "https://z.example/front", true};
    rich.post_logout_redirect_uris = {"https://z.example/out", "https://a.example/out"};
    rich.secrets = {{ValueHash("now"), {}}, {ValueHash("old"), kLater}};
    model::Client site = client("site");
    site.site = model::Site{.url = "https://wiki.example/",
                            .max_age = Seconds{900},
                            .session_ttl = Seconds{3600},
                            .user_header = model::UserHeader::email,
                            .bearer = true};
    model::Client plain_site = client("plain site");
    plain_site.site = model::Site{.url = "https://wiki.example/a/", .max_age = {}, .session_ttl = {}};
    model::Client bare = client("bare");
    bare.grants = {};
    bare.scope = {};
    bare.redirect_uris = {};
    for (const auto& put : {plain, rich, site, plain_site, bare}) {
        CAPTURE(put.id.str());
        CHECK(written(database, store::insert_client, put));
        const auto got = store::find_client(database, put.id, kNow);
        REQUIRE(got);
        CHECK(*got == put);
    }
    Names listed;
    for (const auto& each : store::list_clients(database, kNow)) listed.push_back(each.id.str());
    CHECK(listed == Names{"bare", "plain", "plain site", rich.id.str(), "site"});
    CHECK(store::list_clients(database, kNow)[3].redirect_uris == rich.redirect_uris);
}

TEST_CASE("find_client: ids are compared byte by byte [RFC 6749 §2.2]") {
    auto database = sample_database();
    CHECK(store::find_client(database, ClientId("client"), kNow));
    for (const char* id : {"", "Client", "client ", "clien", "client%", "cl_ent", "' OR 1=1 --"}) {
        CAPTURE(id);
        CHECK_FALSE(store::find_client(database, ClientId(id), kNow));
    }
}

TEST_CASE("find_client: secrets are read when the time is given, and not without it") {
    auto database = sample_database();
    replace(database, "secret", std::nullopt);
    CHECK(store::find_client(database, ClientId("client"), kNow)->secrets.size() == 1);
    const auto found = store::find_client(database, ClientId("client"));
    REQUIRE(found);
    CHECK(*found == client());
    CHECK_FALSE(store::find_client(database, ClientId("another")));
    CHECK(store::is_client(database, ClientId("client")));
    CHECK_FALSE(store::is_client(database, ClientId("another")));
}

TEST_CASE("insert_client: a taken id changes nothing [RFC 6749 §2.2a]") {
    auto database = sample_database();
    auto second = client();
    second.name = "Another";
    second.redirect_uris = {"https://evil.example/"};
    CHECK_FALSE(written(database, store::insert_client, second));
    const auto kept = store::find_client(database, ClientId("client"), kNow);
    CHECK(kept->name == "A client");
    CHECK(kept->redirect_uris == Names{"https://client.example/cb"});
}

TEST_CASE("insert_client: a URI given twice is one registered URI [RFC 6749 §3.1.2.3]") {
    auto database = test::empty_database();
    auto twice = client();
    twice.redirect_uris = {"https://a.example/", "https://a.example/", "https://b.example/"};
    twice.post_logout_redirect_uris = {"https://a.example/"};  // another kind
    written(database, store::insert_client, twice);
    const auto got = store::find_client(database, ClientId("client"), kNow);
    CHECK(got->redirect_uris == Names{"https://a.example/", "https://b.example/"});
    CHECK(got->post_logout_redirect_uris == Names{"https://a.example/"});
}

TEST_CASE("update_client: everything but id, secrets and created_at") {
    auto database = sample_database();
    replace(database, "secret", std::nullopt);
    auto changed = client();
    changed.name = "New name";
    changed.enabled = false;
    changed.scope = *model::Scope::parse("other");
    changed.redirect_uris = {"https://new.example/"};
    changed.post_logout_redirect_uris = {"https://new.example/out"};
    changed.introspection_claims = {"email"};
    changed.created_at = kLater;
    changed.secrets = {{ValueHash("smuggled"), {}}};
    CHECK(written(database, store::update_client, changed));
    const auto got = store::find_client(database, ClientId("client"), kNow);
    changed.created_at = kNow;
    changed.secrets = {{ValueHash("secret"), {}}};
    CHECK(*got == changed);

    CHECK_FALSE(written(database, store::update_client, client("nobody")));
    CHECK_FALSE(store::find_client(database, ClientId("nobody"), kNow));
}

TEST_CASE("remove_client: takes along everything that hangs on it, and nothing else") {
    auto database = sample_database();
    written(database, [](auto& t) {
        auto other = client("other");
        store::insert_client(t, other);
        store::insert_grant(t, grant());
        auto others = grant("others");
        others.client_id = other.id;
        store::insert_grant(t, others);
        store::insert_code(t, code());
        store::insert_code(t, code("others", "others"));
        store::insert_access_token(t, token());
        store::insert_access_token(t, token("others", "others"));
        store::insert_refresh_token(t, refresh_token_of("grant"));
        store::insert_refresh_token(t, refresh_token_of("others"));
        store::replace_client_secret(t, ClientId("client"), ValueHash("x"), std::nullopt, kNow);
    });
    database
        .prepare(
            "INSERT INTO consents (client_id, subject, scope, granted_at)"
            " VALUES ('client', 'sub-1', 'openid', 1), ('other', 'sub-1', 'openid', 1)")
        .execute();
    const auto remove = [&](const char* id) { return written(database, store::remove_client, ClientId(id)); };
    CHECK(remove("client"));
    CHECK_FALSE(remove("client"));
    CHECK(count(database, "SELECT count(*) FROM client_secrets") == 0);
    for (const char* sql :
         {"SELECT count(*) FROM clients", "SELECT count(*) FROM redirect_uris", "SELECT count(*) FROM consents",
          "SELECT count(*) FROM grants", "SELECT count(*) FROM authorization_codes",
          "SELECT count(*) FROM access_tokens", "SELECT count(*) FROM refresh_tokens", "SELECT count(*) FROM users"}) {
        CAPTURE(sql);
        CHECK(count(database, sql) == 1);
    }
}

TEST_CASE("replace_client_secret: the old one ends at once unless it is given time") {
    auto database = sample_database();
    replace(database, "first", std::nullopt);
    CHECK(secrets_of(database, kNow) == Names{"first"});
    replace(database, "second", std::nullopt);
    CHECK(secrets_of(database, kNow) == Names{"second"});
    CHECK(count(database, "SELECT count(*) FROM client_secrets") == 1);

    replace(database, "third", kLater);
    CHECK(secrets_of(database, kNow) == Names{"third", "second"});
    CHECK(secrets_of(database, kLater - Seconds{1}) == Names{"third", "second"});
    CHECK(secrets_of(database, kLater) == Names{"third"});
}

TEST_CASE("replace_client_secret: a secret that ends already is not given more time") {
    auto database = sample_database();
    replace(database, "first", std::nullopt);
    replace(database, "second", kLater);
    replace(database, "third", kLater + Seconds{100});
    CHECK(secrets_of(database, kLater) == Names{"third", "second"});
    replace(database, "fourth", kNow - Seconds{1});
    CHECK(secrets_of(database, kNow) == Names{"fourth"});
}

TEST_CASE("replace_client_secret: the same secret again stays the present one") {
    auto database = sample_database();
    replace(database, "same", std::nullopt);
    replace(database, "same", kLater);
    CHECK(secrets_of(database, kLater + Seconds{1}) == Names{"same"});
}

TEST_CASE(
    "find_clients_of_origin: kinds of enabled clients with an address there, and none that only begins so [H09]") {
    auto database = test::empty_database();
    const auto add = [&](const std::string& id, std::vector<std::string> uris, bool native, bool enabled = true) {
        model::Client put = client(id);
        put.redirect_uris = std::move(uris);
        put.post_logout_redirect_uris = {"https://out.example/out"};
        put.native = native;
        put.enabled = enabled;
        written(database, store::insert_client, put);
    };
    add("one", {"https://a.example/1", "HTTPS://A.EXAMPLE/2", "https://b.example", "http://c.example:80?x"}, false);
    add("two", {"https://a.example.evil/", "https://a.example:8443/", "https://d.example:443/", "https://e.example:/"},
        true);
    add("off", {"https://off.example/3"}, false, false);
    const auto found = [&](const char* origin, std::optional<ClientId> of = std::nullopt) {
        std::string kinds;
        for (const auto& kind : store::find_clients_of_origin(database, origin, of))
            kinds += kind.native ? "native " : "web ";
        return kinds;
    };
    struct Row {
        const char* origin;
        const char* kinds;
    };
    const Row rows[] = {
        {"https://a.example", "web "},
        {"https://b.example", "web "},
        {"http://c.example", "web "},
        {"https://d.example", "native "},
        {"https://e.example", "native "},
        {"https://a.example.evil", "native "},
        {"https://a.example:8443", "native "},
        {"https://c.example", ""},
        {"https://a.exampl", ""},
        {"https://a", ""},
        {"https://a.example:84", ""},
        {"https://d.example:44", ""},
        {"https://a_example", ""},
        {"https://out.example", ""},
        {"https://off.example", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.origin);
        CHECK(found(row.origin) == row.kinds);
    }
    CHECK(found("https://a.example", ClientId("one")) == "web ");
    CHECK(found("https://a.example", ClientId("two")) == "");
    CHECK(found("https://off.example", ClientId("off")) == "");
    CHECK(found("https://a.example", ClientId("none")) == "");
    // Many clients at one origin are no more to read.
    for (int number = 0; number < 20; ++number)
        add("more" + std::to_string(number), {"https://a.example/m", "https://a.example/n"}, false);
    CHECK(found("https://a.example") == "web ");
}

TEST_CASE("find_client: without a time the same but for the secrets, with both kinds of URIs in their order") {
    auto database = test::empty_database();
    auto app = client();
    app.redirect_uris = {"https://client.example/z", "https://client.example/a", "https://client.example/m"};
    app.post_logout_redirect_uris = {"https://client.example/out"};
    auto bare = client("bare");
    bare.redirect_uris.clear();
    bare.post_logout_redirect_uris = app.post_logout_redirect_uris;
    written(database, [&](auto& t) {
        store::insert_client(t, app);
        store::insert_client(t, bare);
        store::replace_client_secret(t, app.id, ValueHash("secret"), std::nullopt, kNow);
    });
    const auto found = store::find_client(database, app.id);
    REQUIRE(found);
    CHECK(*found == app);
    CHECK(*store::find_client(database, bare.id) == bare);
    CHECK_FALSE(store::find_client(database, model::ClientId("Client")));
}

TEST_CASE(
    "find_client_to_authenticate: what find_client finds, but for the URIs, with every secret that has not expired") {
    auto database = test::empty_database();
    auto app = client();
    app.post_logout_redirect_uris = {"https://client.example/out"};
    written(database, [&](auto& t) {
        store::insert_client(t, app);
        store::insert_client(t, client("bare"));
        store::replace_client_secret(t, app.id, ValueHash("old"), std::nullopt, kNow);
        store::replace_client_secret(t, app.id, ValueHash("new"), kNow + Seconds{50}, kNow);
    });
    const auto secrets_at = [&](Time now) {
        std::set<std::string> hashes;
        const auto found = store::find_client_to_authenticate(database, app.id, now);
        for (const auto& secret : found->secrets) hashes.insert(secret.hash.str());
        return hashes;
    };
    CHECK(secrets_at(kNow + Seconds{49}) == std::set<std::string>{"new", "old"});
    CHECK(secrets_at(kNow + Seconds{50}) == std::set<std::string>{"new"});

    const auto found = store::find_client_to_authenticate(database, app.id, kNow);
    auto expected = *store::find_client(database, app.id, kNow);
    expected.redirect_uris.clear();
    expected.post_logout_redirect_uris.clear();
    REQUIRE(found);
    REQUIRE(expected.secrets.size() == found->secrets.size());
    expected.secrets = found->secrets;  // compared above, in any order
    CHECK(*found == expected);
    CHECK(store::find_client_to_authenticate(database, model::ClientId("bare"), kNow)->secrets.empty());
    CHECK_FALSE(store::find_client_to_authenticate(database, model::ClientId("Client"), kNow));
}

TEST_CASE("update_description: what a document says is replaced, and nothing else [CIMD-10, CIMD-13]") {
    auto database = test::empty_database();
    model::Client stored = client("https://app.example/c");
    stored.origin = model::Origin::document;
    stored.removable_at = kLater;
    stored.restricted = true;
    stored.resources = {"https://api.example/"};
    stored.post_logout_redirect_uris = {"https://app.example/out"};
    written(database, store::insert_client, stored);
    model::Client described = stored;
    described.name = "Another name";
    described.native = true;
    described.grants = {model::GrantType::authorization_code};
    described.scope = *model::Scope::parse("openid");
    described.redirect_uris = {"http://127.0.0.1/cb"};
    described.post_logout_redirect_uris = {};
    described.restricted = false;
    described.resources = {};
    described.enabled = false;
    described.removable_at.reset();
    written(database, store::update_description, described);
    const auto found = store::find_client(database, stored.id);
    auto expected = stored;
    expected.name = described.name;
    expected.native = true;
    expected.grants = described.grants;
    expected.scope = described.scope;
    expected.redirect_uris = described.redirect_uris;
    expected.post_logout_redirect_uris.clear();
    CHECK(*found == expected);
}

TEST_CASE("touch_client: a client that may be deleted is kept longer, another is only noted [CIMD-10]") {
    auto database = test::empty_database();
    for (const bool is_fleeting : {true, false}) {
        CAPTURE(is_fleeting);
        model::Client stored = client(is_fleeting ? "fleeting" : "kept");
        stored.origin = model::Origin::document;
        if (is_fleeting) stored.removable_at = kLater;
        written(database, [&](auto& t) {
            store::insert_client(t, stored);
            store::touch_client(t, stored.id, kLater, kLater + Seconds{9});
        });
        const auto found = store::find_client(database, stored.id);
        CHECK(found->last_used_at == kLater);
        CHECK(found->removable_at == (is_fleeting ? std::optional(kLater + Seconds{9}) : std::nullopt));
    }
    CHECK(store::count_fleeting_clients(database) == 1);
}
