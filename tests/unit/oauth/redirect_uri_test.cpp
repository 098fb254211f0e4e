// Which redirect_uri is acceptable: byte equality, and the loopback port of native clients (RFC 9700 §2.1, RFC 8252
// §7.3).
#include "oauth/redirect_uri.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;
using refusal::Reason;

TEST_CASE(
    "match_redirect_uri: one spelling only [IF91, RFC 6749 §3.1.2.2b, R01, R02, R03, R04, R05, R06, R07, R08, R09, "
    "R10, MCP-1]") {
    model::Client client;
    client.redirect_uris = {"https://app.example/cb", "https://app.example/cb2?x=1"};
    CHECK(oauth::match_redirect_uri(client, "https://app.example/cb") == "https://app.example/cb");
    CHECK(oauth::match_redirect_uri(client, "https://app.example/cb2?x=1") == "https://app.example/cb2?x=1");
    const char* const refused[] = {
        // clang-format off
        "https://app.example/cb/", "https://app.example/cb/x", "https://app.example/CB", "https://app.example/c",
        "https://app.example/", "https://app.example", "https://app.example/cb?x=1", "https://app.example/cb?",
        "https://app.example/cb;x", "https://APP.example/cb", "HTTPS://app.example/cb", "https://app.example/cb#",
        "https://app.example/cb#x", "https://app.example/cb#%09", "https://app.example/cb#\t",
        "https://app.example/cb#%23", "https://app.example/cb%2523x", "https://app.example/cb%23x",
        "https://app.example@evil.example/cb", "https://app.example:pw@evil.example/cb", "https://user@app.example/cb",
        "https://@app.example/cb", "https://evil.example\\@app.example/cb", "https://app.example/cb/../evil",
        "https://app.example/x/../cb", "https://app.example/%2e%2e/evil", "https://app.example/cb/%2e%2e/evil",
        "https://app.example/cb/..;/x", "https://app.example/./cb", "https://app.example:443/cb",
        "https://app.example:8443/cb", "https://app.example:/cb", "http://app.example/cb", "//app.example/cb",
        "app.example/cb", "/cb", "javascript:alert(1)//https://app.example/cb", "data:text/html,https://app.example/cb",
        "vbscript:https://app.example/cb", "javascript://app.example/cb\nalert(1)", "https:\\\\app.example\\cb",
        "https:/app.example/cb", "https:///app.example/cb", "https://app.example\\.evil.example/cb",
        "https://app.example//cb", "https:app.example/cb", "https://app.example\\cb", "https://app.example/c%62",
        "%68ttps://app.example/cb", "https%3A%2F%2Fapp.example%2Fcb", "https://app.example%2Fcb",
        "https://app%2Eexample/cb", "https://app.example.evil.example/cb", "https://appXexample/cb",
        "https://evil.example/?https://app.example/cb", "https://xapp.example/cb", "https://app.example./cb",
        "https://app.examplX/cb", "https://evil.example/https://app.example/cb", "https://.app.example/cb",
        // clang-format on
        "https://app\xe3\x80\x82"
        "example/cb",
        "https://\xef\xbd\x81pp.example/cb", "https://\xd0\xb0pp.example/cb", "https://xn--pp-6cd.example/cb",
        "https://app\xc2\xad"
        // clang-format off
        ".example/cb", "https://app.example/cb\xe2\x80\x8b", " https://app.example/cb", "https://app.example/cb ",
        "\thttps://app.example/cb", "https://app.example/cb\t", "\nhttps://app.example/cb", "https://app.example/cb\n",
        "https://app.example/cb\r\nSet-Cookie: x=1", "https://evil\\@app.example/cb", "https://app.example.evil/cb",
        "https://app.example/cb2", "",
        // clang-format on
    };
    for (const char* uri : refused) {
        CAPTURE(uri);
        CHECK_FALSE(oauth::match_redirect_uri(client, uri));
    }
}

TEST_CASE(
    "match_redirect_uri: a native client's loopback port is free, everything else is byte-equal [RFC 8252 §7.3, R15, "
    "R16]") {
    model::Client client;
    client.native = true;
    client.redirect_uris = {"http://127.0.0.1/cb", "http://[::1]:7000/cb?a=1", "com.example.app:/cb"};
    struct Row {
        const char* sent;
        bool accepted;
    };
    const Row rows[] = {
        {"http://127.0.0.1:51004/cb", true},
        {"http://127.0.0.1/cb", true},
        {"http://127.0.0.1:65535/cb", true},
        {"http://[::1]:51004/cb?a=1", true},
        {"http://[::1]/cb?a=1", true},
        {"http://[::1]:51004/cb", false},
        {"http://127.0.0.1:51004/other", false},
        {"http://127.0.0.1:51004/cb/", false},
        {"http://127.0.0.1:51004/cb?x", false},
        {"http://127.0.0.1:1@evil/cb", false},
        {"http://127.0.0.1@evil/cb", false},
        {"http://localhost:1/cb", false},
        {"http://127.0.0.1.evil:1/cb", false},
        {"http://127.1:1/cb", false},
        {"https://127.0.0.1:1/cb", false},
        {"http://127.0.0.1:/cb", false},
        {"http://127.0.0.1:0/cb", false},
        {"http://127.0.0.1:080/cb", false},
        {"http://127.0.0.1:+1/cb", false},
        {"http://127.0.0.1:1", false},
        {"com.example.app:/cb", true},
        {"http://127.0.0.1:65536/cb", false},
        {"http://127.0.0.1:8a/cb", false},
        {"http://127.0.0.1:-1/cb", false},
        {"http://127.0.0.1: 1/cb", false},
        {"http://127.0.0.1:1e3/cb", false},
        {"http://127.0.0.1:1#/cb", false},
        {"http://127.0.0.1:1\\cb", false},
        {"http://localhost/cb", false},
        {"http://2130706433:1/cb", false},
        {"http://[::2]:1/cb", false},
        {"http://[::ffff:127.0.0.1]:1/cb", false},
        {"http://[0:0:0:0:0:0:0:1]:1/cb", false},
        {"http://127.0.0.2:1/cb", false},
        {"com.example.app:/other", false},
        {"com.example.app:/cb/", false},
        {"com.example.app:cb", false},
        {"com.example.app:///cb", false},
        {"com.example.app.evil:/cb", false},
        {"com.example.app:/cb#x", false},
        {"com.example.app://cb", false},
        {"com.example.App:/cb", false},
        {"COM.example.app:/cb", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.sent);
        const auto matched = oauth::match_redirect_uri(client, row.sent);
        CHECK(bool(matched) == row.accepted);
        if (matched) CHECK(*matched == row.sent);
    }
    client.native = false;
    CHECK_FALSE(oauth::match_redirect_uri(client, "http://127.0.0.1:51004/cb"));
}

TEST_CASE("verify_redirect: client and address before everything else [RFC 6749 §4.1.2.1, A01]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.add_confidential("one", "https://one.example/cb", "s");
    model::Client two = fixture.add_confidential("two", "https://two.example/cb", "s");
    {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        model::Client disabled = two;
        disabled.id = model::ClientId("off");
        disabled.enabled = false;
        disabled.secrets.clear();
        REQUIRE(store::insert_client(transaction, disabled));
        model::Client many = two;
        many.id = model::ClientId("many");
        many.redirect_uris = {"https://many.example/a", "https://many.example/b"};
        many.secrets.clear();
        REQUIRE(store::insert_client(transaction, many));
        transaction.commit();
    }
    struct Row {
        const char* when;
        const char* query;
        Reason reason;
    };
    const Row rows[] = {
        {"no client", "redirect_uri=https://one.example/cb", Reason::client_missing},
        {"empty client", "client_id=&redirect_uri=https://one.example/cb", Reason::client_missing},
        {"unknown client", "client_id=nobody", Reason::client_unknown},
        {"client ids are case-sensitive", "client_id=ONE", Reason::client_unknown},
        {"disabled client", "client_id=off", Reason::client_disabled},
        {"two client ids", "client_id=one&client_id=one", Reason::request_malformed},
        {"two addresses, good first",
         "client_id=one&redirect_uri=https://one.example/cb&redirect_uri=https://evil.example/",
         Reason::request_malformed},
        {"two addresses, good last",
         "client_id=one&redirect_uri=https://evil.example/&redirect_uri=https://one.example/cb",
         Reason::request_malformed},
        {"an address with NUL", "client_id=one&redirect_uri=https://one.example/cb%00.evil", Reason::request_malformed},
        {"another client's address", "client_id=one&redirect_uri=https://two.example/cb",
         Reason::redirect_unregistered},
        {"no address, two registered", "client_id=many", Reason::redirect_missing},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto verified = oauth::verify_redirect(context, test::params(row.query));
        REQUIRE_FALSE(verified);
        CHECK(verified.error().reason == row.reason);
    }
    const auto sent = oauth::verify_redirect(
        context, test::params("client_id=one&redirect_uri=https%3A%2F%2Fone.example%2Fcb&state=x"));
    REQUIRE(sent);
    CHECK(sent->uri() == "https://one.example/cb");
    CHECK(sent->sent());
    CHECK(sent->state() == "x");
    const auto omitted = oauth::verify_redirect(context, test::params("client_id=one"));
    REQUIRE(omitted);
    CHECK(omitted->uri() == "https://one.example/cb");
    CHECK_FALSE(omitted->sent());
}

TEST_CASE("verify_redirect: a mismatch tells the operator the nearest registered address and where it differs") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.add_confidential("one", "https://one.example/cb", "s");
    const auto verified =
        oauth::verify_redirect(context, test::params("client_id=one&redirect_uri=https://one.example/cb/"));
    REQUIRE_FALSE(verified);
    CHECK(verified.error().log_detail.find("registered: https://one.example/cb; received: https://one.example/cb/; ") !=
          std::string::npos);
    CHECK(verified.error().log_detail.find("character 23") != std::string::npos);
}

TEST_CASE("verify_redirect: an address that no registration could have is told apart, with what is wrong with it") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.add_confidential("one", "https://one.example/cb", "s");
    struct Row {
        const char* received;
        Reason reason;
        const char* told;
    };
    const Row rows[] = {
        {"http://one.example/cb", Reason::redirect_unregistrable, "plain http to another machine"},
        {"https://one.example/cb%23x", Reason::redirect_unregistrable, "has a fragment"},  // decoded once
        {"https://user@one.example/cb", Reason::redirect_unregistrable, "has a user name before the host"},
        {"https://*.one.example/cb", Reason::redirect_unregistrable, "contains a wildcard"},
        {"com.example.app:/cb", Reason::redirect_unregistrable, "only native clients"},
        {"/cb", Reason::redirect_unregistrable, "is not an absolute URI"},
        {"https://one.example/cb/", Reason::redirect_unregistered, "first difference"},
        {"http://localhost:3000/cb", Reason::redirect_unregistered, "first difference"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.received);
        const auto verified =
            oauth::verify_redirect(context, test::params("client_id=one&redirect_uri=" + std::string(row.received)));
        REQUIRE_FALSE(verified);
        CHECK(verified.error().reason == row.reason);
        CHECK(refusal::error_word(verified.error().reason) == "redirect_unregistered");
        CHECK(verified.error().log_detail.find(row.told) != std::string::npos);
        CHECK(verified.error().log_detail.find("registered: https://one.example/cb; received: ") != std::string::npos);
    }
}

TEST_CASE(
    "match_redirect_uri: the port of localhost is free for native clients, whoever described them [CIMD-9, RFC 8252 §7.3, §8.3]") {
    model::Client client;
    client.native = true;
    client.redirect_uris = {"http://localhost/cb", "http://127.0.0.1:9000/other"};
    struct Row {
        const char* sent;
        bool accepted;
    };
    const Row rows[] = {
        {"http://localhost/cb", true},
        {"http://localhost:33418/cb", true},
        {"http://localhost:33418/other", false},
        {"http://localhost:33418/cb?x", false},
        {"http://127.0.0.1:33418/cb", false},  // another host, though the machine may resolve the name to it
        {"http://[::1]:33418/cb", false},
        {"http://localhost:0/cb", false},
        {"http://localhost:01/cb", false},
        {"http://localhost:/cb", false},
        {"http://LOCALHOST:33418/cb", false},
        {"http://localhost.:33418/cb", false},
        {"http://localhost.evil.example:1/cb", false},
        {"http://localhost:1@evil.example/cb", false},
        {"http://app.localhost:1/cb", false},
        {"https://localhost:33418/cb", false},
    };
    for (const auto origin : {model::Origin::operator_, model::Origin::document}) {
        CAPTURE(origin == model::Origin::document);
        client.origin = origin;
        for (const Row& row : rows) {
            CAPTURE(row.sent);
            const auto matched = oauth::match_redirect_uri(client, row.sent);
            CHECK(bool(matched) == row.accepted);
            if (matched) CHECK(*matched == row.sent);
        }
    }
    client.native = false;
    CHECK_FALSE(oauth::match_redirect_uri(client, "http://localhost:33418/cb"));
}

TEST_CASE(
    "match_redirect_uri: a native client's loopback address without a path is the one with the path / [RFC 3986 §6.2.3, RFC 8252 §7.3]") {
    struct Row {
        const char* registered;
        const char* sent;
        bool accepted;
    };
    const Row rows[] = {
        {"http://127.0.0.1", "http://127.0.0.1:51004/", true},
        {"http://127.0.0.1/", "http://127.0.0.1:51004", true},
        {"http://127.0.0.1/", "http://127.0.0.1", true},
        {"http://localhost:8000", "http://localhost:51004/", true},
        {"http://localhost/", "http://localhost:51004", true},
        {"http://[::1]/", "http://[::1]:51004", true},
        {"http://127.0.0.1/", "http://127.0.0.1:51004//", false},
        {"http://127.0.0.1/", "http://127.0.0.1:51004/?", false},
        {"http://127.0.0.1/", "http://127.0.0.1:51004?x=1", false},
        {"http://127.0.0.1/", "http://127.0.0.1:51004#", false},
        {"http://127.0.0.1", "http://127.0.0.1:51004/cb", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:51004/cb/", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:51004", false},
        {"https://app.example/", "https://app.example", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.registered);
        CAPTURE(row.sent);
        model::Client client;
        client.native = true;
        client.redirect_uris = {row.registered};
        const auto matched = oauth::match_redirect_uri(client, row.sent);
        CHECK(bool(matched) == row.accepted);
        if (matched) CHECK(*matched == row.sent);  // what the token request names, too
        client.native = false;
        CHECK_FALSE(oauth::match_redirect_uri(client, row.sent));
    }
}

TEST_CASE("verify_redirect: a port that is free for native clients alone is told to the operator") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.add_confidential("desk", "http://localhost/cb", "s");
    const auto verified =
        oauth::verify_redirect(context, test::params("client_id=desk&redirect_uri=http://localhost:5000/cb"));
    REQUIRE_FALSE(verified);
    CHECK(verified.error().log_detail.find("native clients alone") != std::string::npos);
}
