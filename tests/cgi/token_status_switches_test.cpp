// The options of introspection and revocation, on and off, and what becomes of tokens when an operator acts.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

constexpr const char* kInactive = R"({"active":false})";

Deployment::Options configured(json::Object config) { return {"https://op.example", std::move(config)}; }

/// One way of saying who is asking, and whether each configuration lets it in.
struct Caller {
    const char* when;
    Query credentials;
    std::string authorization;
    bool by_default;
    bool switched;
};

std::vector<Caller> callers(bool public_by_default, bool public_switched, bool others_switched) {
    return {
        {"header", {}, basic(kWeb, secret_of(kWeb)), true, true},
        {"body", {{"client_id", kWeb}, {"client_secret", secret_of(kWeb)}}, "", true, true},
        {"public client", {{"client_id", kSpa}}, "", public_by_default, public_switched},
        {"native client", {{"client_id", kNative}}, "", public_by_default, public_switched},
        {"nobody", {}, "", false, others_switched},
        {"confidential without secret", {{"client_id", kWeb}}, "", false, others_switched},
        {"wrong secret", {{"client_id", kWeb}, {"client_secret", "x"}}, "", false, others_switched},
        {"wrong header", {}, basic(kWeb, "x"), false, others_switched},
        {"no Basic", {}, "Digest x", false, others_switched},
        {"public client with a secret", {{"client_id", kSpa}, {"client_secret", "x"}}, "", false, others_switched},
        {"two ways", {{"client_secret", "x"}}, basic(kWeb, "x"), false, others_switched},
        {"id twice", Query{{"client_id", kWeb}}.and_also("client_id", kOther), "", false, others_switched},
    };
}

Answer ask(const Deployment& op, const std::string& endpoint, const Caller& caller, const std::string& token,
           const std::string& hint = {}) {
    CgiRequest request = post_form(caller.credentials.and_also("token", token).with("token_type_hint", hint).text());
    if (!caller.authorization.empty()) request.headers = {{"Authorization", caller.authorization}};
    return op.cgi(endpoint, request);
}

TEST_CASE(
    "authenticateRevoke false: the holder of a token may revoke it, a signature is still needed [IF11, IF12, IF143, rules 2 and 3]") {
    const SignedIn closed;
    for (const Caller& caller : callers(true, true, true)) {
        CAPTURE(caller.when);
        CHECK((ask(closed.op, "revoke", caller, "unknown").status == 200) == caller.by_default);
        const SignedIn open(configured({{"authenticateRevoke", false}}));
        const Answer forged = ask(open.op, "revoke", caller, open.access_token() + "A");
        CHECK(forged.status == 200);
        CHECK(is_active(open.op, open.access_token()));
        CHECK(ask(open.op, "revoke", caller, open.access_token(), "x").verdict() == "400 unsupported_token_type");
        const Answer answer = ask(open.op, "revoke", caller, open.access_token());
        CHECK(answer.status == 200);
        CHECK(answer.body.empty());
        CHECK_FALSE(is_active(open.op, open.access_token()));
        CHECK_FALSE(is_active(open.op, open.refresh_token()));
    }
    SignedIn open(configured({{"authenticateRevoke", false}}));
    const std::string code = open.alice.obtain_code(authorization_request());
    CHECK(open.op.cgi("revoke", post_form(Query{{"token", code}, {"token_type_hint", "auth_code"}}.text())).status ==
          200);
    CHECK(redeem(open.op, token_request(code)).verdict() == "400 invalid_grant");
    CHECK(open.op.cgi("introspect", post_form(Query{{"token", open.access_token()}}.text())).status == 401);
}

TEST_CASE("authentication switched off is a warning at the start of both endpoints") {
    SignedIn open(configured({{"authenticateIntrospect", false}, {"authenticateRevoke", false}}));
    const Query form{{"token", "x"}};
    CHECK(open.op.cgi("introspect", post_form(form.text())).log.find("authenticateIntrospect is false") !=
          std::string::npos);
    CHECK(open.op.cgi("revoke", post_form(form.text())).log.find("authenticateRevoke is false") != std::string::npos);
    for (const char* option : {"authenticateIntrospect", "authenticateRevoke"}) {
        open.op.configure(option, "false");  // a text is not a boolean, and never means false
        CHECK(open.op.cgi("introspect", post_form(form.text())).status == 500);
        open.op.configure(option, true);
    }
    CHECK(open.op.cgi("introspect", post_form(form.text())).status == 401);
}

TEST_CASE("useOpaqueRefreshTokens: tokens of either form stay good when the option changes [rule 8, rule 5]") {
    for (const bool opaque : {false, true}) {
        CAPTURE(opaque);
        SignedIn r(configured({{"useOpaqueRefreshTokens", opaque}}));
        CHECK((r.refresh_token().find('.') == std::string::npos) == opaque);
        r.op.configure("useOpaqueRefreshTokens", !opaque);
        CHECK(is_active(r.op, r.refresh_token()));
        CHECK(as_client(r.op, "revoke", {{"token", r.refresh_token()}}).status == 200);
        CHECK_FALSE(is_active(r.op, r.refresh_token()));
        CHECK_FALSE(is_active(r.op, r.access_token()));
    }
}

TEST_CASE("OpenID Connect off: tokens are introspected and revoked all the same") {
    Deployment op;
    op.must({"client", "set", kWeb, "--scope", "api"});
    auto config = op.config();
    config.erase("oidc");
    op.write_config(json::write_pretty(config));
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request().with("scope", "api"));
    const std::string access = text_of(tokens, "access_token");
    CHECK(is_active(op, access));
    CHECK(as_client(op, "revoke", {{"token", access}}).status == 200);
    CHECK_FALSE(is_active(op, access));
}

TEST_CASE("what an operator ends is inactive at once, and a removed client cannot revoke it [I10, RFC 7662 §4e]") {
    struct Row {
        const char* when;
        std::vector<std::string> command;
        std::string input;
        std::vector<std::string> back;
        bool again;  ///< whether the tokens live when it is undone
    };
    const std::vector<Row> rows = {
        {"user disabled", {"user", "disable", kAlice}, "", {"user", "enable", kAlice}, false},
        {"password changed", {"user", "passwd", kAlice, "--password-stdin"}, "a quite different sentence\n", {}, false},
        {"user removed", {"user", "remove", kAlice}, "", {}, false},
        {"client disabled", {"client", "disable", kWeb}, "", {"client", "enable", kWeb}, true},
        {"client removed", {"client", "remove", kWeb}, "", {}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const SignedIn r;
        r.op.must(row.command, row.input);
        for (const std::string& token : {r.access_token(), r.refresh_token()})
            CHECK(as_client(r.op, "introspect", {{"token", token}}, kOther).body == kInactive);
        if (std::string(row.when).starts_with("client")) {
            CHECK(as_client(r.op, "revoke", {{"token", r.access_token()}}).verdict() == "401 invalid_client");
            CHECK(as_client(r.op, "introspect", {{"token", r.access_token()}}).verdict() == "401 invalid_client");
        }
        if (row.back.empty()) continue;
        r.op.must(row.back);
        CHECK(is_active(r.op, r.access_token()) == row.again);
        CHECK(is_active(r.op, r.refresh_token()) == row.again);
    }
}

TEST_CASE("introspection needs public keys and a database it may only read [4.1: least privilege]") {
    const SignedIn r;
    for (const auto& entry : std::filesystem::directory_iterator(r.op.keys_directory()))
        if (entry.path().extension() == ".pem" || entry.path().filename() == "seal.key")
            std::filesystem::remove(entry.path());
    CHECK(is_active(r.op, r.access_token()));
    CHECK(as_client(r.op, "revoke", {{"token", r.access_token()}}).status == 200);  // so does revocation
    CHECK_FALSE(is_active(r.op, r.access_token()));
}

}  // namespace
