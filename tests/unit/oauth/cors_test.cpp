// Which other sites' pages may read an answer.
#include "oauth/cors.h"

#include <doctest/doctest.h>

#include "db/write.h"
#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;

    Fixture() {
        add("app", {"https://app.example/cb", "https://app.example/other", "https://second.example:8443/cb"});
        add("spa", {"HTTPS://SPA.Example:443/cb?x=1", "http://localhost:5173/"});
        add("native",
            {"http://127.0.0.1/cb", "http://[::1]:9000/cb", "http://localhost:7000/cb", "com.example.app:/cb",
             "https://claimed.example/app"},
            true);
        add("null", {"null:/cb", "https://null.example/"}, true);
    }

    model::Client add(const std::string& id, std::vector<std::string> uris, bool native = false) {
        model::Client client;
        client.id = model::ClientId(id);
        client.native = native;
        client.redirect_uris = std::move(uris);
        client.post_logout_redirect_uris = {"https://logout.example/"};
        fixture.add(client);
        return client;
    }

    bool any(const std::string& origin) { return is_page(origin, std::nullopt); }
    bool of(const char* client, const std::string& origin) { return is_page(origin, model::ClientId(client)); }
    bool is_page(const std::string& origin, const std::optional<model::ClientId>& client) {
        oauth::Context context = fixture.context();
        return oauth::is_client_page(context, origin, client);
    }
    void allow(http::Response& response, const oauth::PageRequest& page, const std::string& methods) {
        oauth::Context context = fixture.context();
        oauth::allow_client_origins(response, page, methods, context);
    }
};

std::string header(const http::Response& response, const char* name) {
    const std::string* value = response.find(name);
    return value ? *value : "";
}

}  // namespace

TEST_CASE("origin_of: scheme and host in small letters, the port unless it is the default [RFC 6454 §6.2]") {
    struct Row {
        const char* uri;
        const char* origin;  ///< "" = none
    };
    const Row rows[] = {
        {"https://app.example/cb", "https://app.example"},
        {"https://app.example", "https://app.example"},
        {"https://app.example?x", "https://app.example"},
        {"HTTPS://App.Example/CB", "https://app.example"},
        {"https://app.example:443/", "https://app.example"},
        {"https://app.example:/", "https://app.example"},
        {"https://app.example:80/", "https://app.example:80"},
        {"http://app.example:80/", "http://app.example"},
        {"http://app.example:443/", "http://app.example:443"},
        {"https://app.example:8443/", "https://app.example:8443"},
        {"http://[::1]:3000/cb", "http://[::1]:3000"},
        {"com.example.app:/cb", ""},
        {"com.example.app://app.example/cb", ""},
        {"file:///etc/passwd", ""},
        {"null", ""},
        {"https:/cb", ""},
        {"", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CHECK(oauth::origin_of(row.uri).value_or("") == row.origin);
    }
}

TEST_CASE("is_client_page: origins of redirect URIs, byte by byte, and nothing that resembles one [H09]") {
    Fixture f;
    for (const char* known : {"https://app.example", "https://second.example:8443", "https://spa.example",
                              "http://localhost:5173", "https://claimed.example", "https://null.example"}) {
        CAPTURE(known);
        CHECK(f.any(known));
    }
    const std::string refused[] = {
        // clang-format off
        "null", "null:", "", "*", "https://", "https://app.exampl", "https://app.example.evil", "https://app.example/",
        "https://app.example:443", "https://app.example:8443", "https://second.example", "http://app.example",
        "https://APP.example", "HTTPS://app.example", "https://spa.example:443", "https://app.example/cb",
        "https://app.example ", "https://app.example,https://spa.example", "https://app.example\n", "https://%.example",
        "https://_pp.example", "http://localhost", "https://localhost:5173", "https://logout.example",
        // clang-format on
        "https://app.example" + std::string(400, 'a'),
        // Programs of the user's machine, not pages.
        "http://127.0.0.1",
        "http://127.0.0.1:80",
        "http://[::1]:9000",
        "http://localhost:7000",
        "com.example.app:",
        "com.example.app:/cb",
    };
    for (const std::string& origin : refused) {
        CAPTURE(origin);
        CHECK_FALSE(f.any(origin));
    }
}

TEST_CASE("is_client_page: what is no origin of a site costs no query [H09, REG-29]") {
    Fixture f;
    db::write(f.fixture.database, db::Durability::lazy, [&](db::Transaction& transaction) {
        transaction.run("DROP TABLE redirect_uris");
        transaction.commit();
    });
    for (const char* none : {"https://", "https://h", "HTTPS://app.example", "null", "https://app.example/", "*"}) {
        CAPTURE(none);
        if (oauth::origin_of(none) == std::string(none))
            CHECK_THROWS(f.any(none));
        else
            CHECK_FALSE(f.any(none));
    }
}

TEST_CASE(
    "is_client_page: the loopback address that a client registered without a token, with its port, is a page's; with "
    "one it is a program's [REG-29]") {
    struct Row {
        const char* origin;
        bool without_token;
        bool with_token;
    };
    const Row rows[] = {
        {"http://127.0.0.1:6274", true, false},
        {"http://[::1]:6274", true, false},
        {"http://localhost:6274", true, false},
        {"https://tools.example", true, true},
        {"http://localhost:6275", false, false},  // the port is free for answers, not for pages
        {"http://localhost", false, false},
        {"https://localhost:6274", false, false},
        {"http://127.0.0.2:6274", false, false},
        {"com.example.app:", false, false},
        {"null", false, false},
    };
    for (const bool has_token : {false, true}) {
        Fixture f;
        model::Client client;
        client.id = model::ClientId("registered");
        client.native = true;
        client.origin = model::Origin::dynamic;
        client.registered_by = has_token ? "digest of a token" : "";
        client.redirect_uris = {"http://127.0.0.1:6274/oauth/callback", "http://[::1]:6274/cb",
                                "http://localhost:6274/oauth/callback", "https://tools.example/cb",
                                "com.example.app:/cb"};
        f.fixture.add(client);
        for (const Row& row : rows) {
            CAPTURE(has_token);
            CAPTURE(row.origin);
            f.fixture.settings.registration.mode = oauth::RegistrationMode::open;
            CHECK(f.of("registered", row.origin) == (has_token ? row.with_token : row.without_token));
            CHECK(f.any(row.origin) == (has_token ? row.with_token : row.without_token));
            f.fixture.settings.registration.mode = oauth::RegistrationMode::token;
            CHECK(f.of("registered", row.origin) == (has_token && row.with_token));
            CHECK(f.any(row.origin) == (has_token && row.with_token));
        }
    }
}

TEST_CASE("is_client_page: a known client's own pages only, and only while it is enabled") {
    Fixture f;
    CHECK(f.of("app", "https://app.example"));
    CHECK_FALSE(f.of("app", "https://spa.example"));
    CHECK_FALSE(f.of("nobody", "https://app.example"));
    CHECK(f.of("spa", "https://spa.example"));
    model::Client spa = f.add("shared", {"https://app.example/shared"});
    spa.enabled = false;
    db::Transaction transaction(f.fixture.database, db::Durability::lazy);
    REQUIRE(store::update_client(transaction, spa));
    transaction.commit();
    CHECK_FALSE(f.of("shared", "https://app.example"));
    CHECK(f.any("https://app.example"));
}

TEST_CASE("allow_client_origins: what a browser wants to know, and Vary in any case [Fetch §3.3]") {
    Fixture f;
    const auto shared = [&](const std::string& origin, bool preflight, const char* client, const char* vary = nullptr) {
        http::Response response;
        if (client) response.client_id = client;
        if (vary) response.set("Vary", vary);
        f.allow(response, {origin, preflight}, "POST, OPTIONS");
        const bool is_allowed = response.find("Access-Control-Allow-Origin") != nullptr;
        CHECK(header(response, "Access-Control-Allow-Credentials") == (is_allowed ? "true" : ""));
        return response;
    };
    const auto answer = shared("https://app.example", false, "app", "Authorization");
    CHECK(header(answer, "Access-Control-Allow-Origin") == "https://app.example");
    CHECK(header(answer, "Access-Control-Expose-Headers") == "WWW-Authenticate, Retry-After, X-Request-Id");
    CHECK(header(answer, "Vary") == "Authorization, Origin");
    CHECK(answer.find("Access-Control-Max-Age") == nullptr);

    const auto preflight = shared("https://spa.example", true, nullptr);
    CHECK(header(preflight, "Access-Control-Allow-Origin") == "https://spa.example");
    CHECK(header(preflight, "Access-Control-Allow-Methods") == "POST, OPTIONS");
    CHECK(header(preflight, "Access-Control-Allow-Headers") == "Authorization, Content-Type");
    CHECK(header(preflight, "Access-Control-Max-Age") == "600");
    CHECK(preflight.find("Access-Control-Expose-Headers") == nullptr);

    for (const auto& refused : {shared("https://spa.example", false, "app"), shared("null", true, nullptr),
                                shared("", false, nullptr), shared("https://evil.example", true, nullptr)}) {
        CHECK(refused.headers == std::vector<std::pair<std::string, std::string>>{{"Vary", "Origin"}});
    }
}

TEST_CASE("allow_any_origin: any page, by name where it has one, so that it may send credentials [H08, Fetch §3.3.5]") {
    struct Row {
        std::string origin;
        std::string allowed;
    };
    const Row rows[] = {
        {"", "*"},
        {"null", "*"},
        {"*", "*"},
        {"https://any.example", "https://any.example"},
        {"http://any.example:8080", "http://any.example:8080"},
        {"http://127.0.0.1:5173", "http://127.0.0.1:5173"},
        {"http://[::1]:5173", "http://[::1]:5173"},
        {"https://ANY.example", "*"},
        {"https://any.example:443", "*"},
        {"https://any.example/", "*"},
        {"https://a.example, https://b.example", "*"},
        {"https://a.example\nX: y", "*"},
        {"https://" + std::string(300, 'a') + ".example", "*"},
        {"chrome-extension://abcdefgh", "*"},
        {"capacitor://localhost", "*"},
        {"file://", "*"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.origin);
        for (const bool preflight : {false, true}) {
            http::Response answer;
            oauth::allow_any_origin(answer, {row.origin, preflight, "authorization, traceparent"},
                                    "GET, HEAD, OPTIONS");
            CHECK(header(answer, "Access-Control-Allow-Origin") == row.allowed);
            CHECK(header(answer, "Access-Control-Allow-Credentials") == (row.allowed == "*" ? "" : "true"));
            CHECK(header(answer, "Vary") == "Origin");
            CHECK(header(answer, "Access-Control-Allow-Methods") == (preflight ? "GET, HEAD, OPTIONS" : ""));
            CHECK(header(answer, "Access-Control-Allow-Headers") ==
                  (preflight ? "Authorization, Content-Type, traceparent" : ""));
        }
    }
}

TEST_CASE("a preflight allows each header that it asks for, and nothing that is not the name of one [Fetch §4.8]") {
    Fixture f;
    struct Row {
        std::string requested;
        std::string more;  ///< behind "Authorization, Content-Type"
    };
    const Row rows[] = {
        {"", ""},
        {"authorization", ""},
        {"authorization,content-type", ""},
        {"Authorization, CONTENT-TYPE", ""},
        {"traceparent,tracestate,baggage", ", traceparent, tracestate, baggage"},
        {"content-type,sentry-trace", ", sentry-trace"},
        {"x-requested-with , cache-control,\tpragma", ", x-requested-with, cache-control, pragma"},
        {"x-datadog-trace-id,b3,uber-trace-id", ", x-datadog-trace-id, b3, uber-trace-id"},
        {"accept-language, ,dpop", ", accept-language, dpop"},
        {"*", ", *"},
        {"x y", ""},
        {"x:y", ""},
        {"x\r\nset-cookie", ""},
        {"caf\xc3\xa9", ""},
        {"\"x\"", ""},
        {std::string(4097, 'x'), ""},
        {std::string(4096, 'x'), ", " + std::string(4096, 'x')},
    };
    for (const Row& row : rows) {
        CAPTURE(row.requested);
        http::Response response;
        f.allow(response, {"https://app.example", true, row.requested}, "POST");
        CHECK(header(response, "Access-Control-Allow-Headers") == "Authorization, Content-Type" + row.more);
    }
}

TEST_CASE("allow_client_origins: the one reader of an answer may read it, whatever clients there are [CIMD-15]") {
    Fixture f;
    http::Response response;
    response.reader = "https://unknown.example";
    const auto allowed = [&](const char* origin) {
        http::Response answer = response;
        f.allow(answer, {origin, false}, "POST");
        CHECK(header(answer, "Vary") == "Origin");
        return header(answer, "Access-Control-Allow-Origin");
    };
    CHECK(allowed("https://unknown.example") == "https://unknown.example");
    CHECK(allowed("https://app.example") == "https://app.example");
    CHECK(allowed("https://other.example") == "");
    CHECK(allowed("") == "");
    response.reader.reset();
    CHECK(allowed("https://unknown.example") == "");
}
