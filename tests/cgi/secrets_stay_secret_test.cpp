// A whole flow at log level debug, with everything that can go wrong in it: no log, no ring and no database holds a
// secret.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "db/write.h"
#include "json/reader.h"
#include "store/passkeys.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/test_authenticator.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;

struct Secret {
    std::string what;
    std::string value;
};

void check_absent(const fs::path& file, const std::vector<Secret>& secrets) {
    const std::string bytes = read_file(file);
    for (const Secret& secret : secrets) {
        CAPTURE(file.filename().string());
        CAPTURE(secret.what);
        REQUIRE(secret.value.size() >= 8);
        CHECK(bytes.find(secret.value) == std::string::npos);
    }
}

TEST_CASE(
    "secrets: a flow at level debug leaves none in logs, refusals or database [G01, L04, C10, RFC 6749 §10.3a, OIDC "
    "Core §16.4, A26]") {
    Deployment op;
    const fs::path log = op.directory() / "postern.log";
    op.configure("log", postern::json::Object{{"target", log.string()}, {"level", "debug"}});
    UserAgent alice(op);
    std::vector<Secret> secrets = {{"client secret", secret_of(kWeb)},      {"password", kAlicePassword},
                                   {"wrong password", "wrong-pass-word-1"}, {"verifier", kVerifier},
                                   {"wrong secret", "wrong-client-secret"}, {"wrong verifier", std::string(43, 'w')}};
    std::string diagnostics;

    Landing login = alice.authorize(authorization_request().with("client_secret", secret_of(kWeb)));
    secrets.push_back({"csrf of the login form", find_form(login.answer.body)->fields.at("csrf")});
    secrets.push_back({"sealed request", resume_of(login)});
    secrets.push_back({"browser cookie", alice.browser_cookie()});
    login = alice.log_in(login, kAlice, "wrong-pass-word-1");
    const Landing consent = alice.log_in(login);
    secrets.push_back({"session cookie", alice.session_cookie()});
    const Landing done = alice.approve(consent);
    const std::string code = done.parameter("code");
    secrets.push_back({"code", code});
    CgiRequest wrong = post_form(token_request(code).text());
    wrong.headers = {{"Authorization", basic(kWeb, "wrong-client-secret")}};
    diagnostics += op.cgi("token", wrong).log;
    secrets.push_back({"Authorization header", basic(kWeb, secret_of(kWeb)).substr(6)});
    const Answer tokens = redeem(op, token_request(code));
    REQUIRE(tokens.status == 200);
    for (const std::string name : {"access_token", "id_token"}) {
        secrets.push_back({name, tokens.member(name)});
        const std::string token = tokens.member(name);
        secrets.push_back({name + "'s signature", token.substr(token.rfind('.') + 1)});
    }
    CHECK(userinfo(op, tokens.member("access_token")).status == 200);
    CHECK(userinfo(op, tokens.member("id_token")).status == 401);
    CHECK(redeem(op, token_request(code)).verdict() == "400 invalid_grant");
    CHECK(userinfo(op, tokens.member("access_token")).status == 401);
    CHECK(redeem(op,
                 token_request(alice.obtain_code(authorization_request())).with("code_verifier", std::string(43, 'w')))
              .status == 400);

    const std::string lines = read_file(log);
    CHECK(lines.find("\"endpoint\":\"token\"") != std::string::npos);  // the log was written at all
    CHECK(lines.find("invalid_grant") != std::string::npos);
    check_absent(log, secrets);
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(op.database_file().parent_path())) {
        if (!entry.is_regular_file()) continue;
        check_absent(entry.path(), secrets);
        ++files;
    }
    CHECK(files >= (is_on_postgresql() ? 1 : 3));  // ring; beside a database file, its gate and itself
    for (const Secret& secret : secrets) CHECK(op.stored().find(secret.value) == std::string::npos);
    for (const Secret& secret : secrets) CHECK(diagnostics.find(secret.value) == std::string::npos);
}

/// Alice's, as the account page stores it.
void store_passkey(const Deployment& op, const TestAuthenticator& key) {
    postern::store::Passkey passkey;
    passkey.credential_id = key.credential_id();
    passkey.subject = postern::model::Subject(subject_of(op, kAlice));
    passkey.rp_id = "op.example";
    passkey.cose_key = key.cose_key();
    passkey.alg = -7;
    passkey.aaguid = std::string(16, '\0');
    passkey.name = "Key";
    passkey.created_at = postern::util::Time(std::chrono::seconds(op.now()));
    postern::db::Database database(op.database(), postern::db::Access::read_write);
    postern::db::write(database, postern::db::Durability::full, [&](postern::db::Transaction& transaction) {
        REQUIRE(postern::store::set_handle_if_unset(transaction, passkey.subject, key.stored().user_handle));
        REQUIRE(postern::store::insert_passkey(transaction, passkey));
        transaction.commit();
    });
}

TEST_CASE(
    "secrets: a login with a passkey at level debug leaves none in logs, refusals or database [G01, WEBAUTHN-3]") {
    using postern::util::base64url_encode;
    Deployment op;
    const fs::path log = op.directory() / "postern.log";
    op.configure("log", postern::json::Object{{"target", log.string()}, {"level", "debug"}});
    const TestAuthenticator key;
    const TestAuthenticator unknown(postern::crypto::Algorithm::ES256, "credential of nobody");
    store_passkey(op, key);
    std::vector<Secret> secrets;
    UserAgent alice(op);
    Landing page = alice.authorize(authorization_request());
    for (const TestAuthenticator* used : {&unknown, &key}) {
        const auto options = postern::json::parse(find_tags(page.answer.body, "form").at(0).at("data-options"));
        REQUIRE(options);
        const std::string challenge = text_of(*options->if_object(), "challenge");
        const std::string bytes = postern::util::base64url_decode(challenge).value();
        const Assertion given = used->use({.challenge = bytes, .origin = "https://op.example", .rp_id = "op.example"});
        secrets.push_back({"challenge", challenge});
        secrets.push_back({"sealed challenge", find_form(page.answer.body)->fields.at("challenge")});
        secrets.push_back({"client data", base64url_encode(given.client_data)});
        secrets.push_back({"signature", base64url_encode(given.signature)});
        page = alice.submit(page, "use-passkey",
                            {{"id", base64url_encode(given.id)},
                             {"client_data", base64url_encode(given.client_data)},
                             {"authenticator_data", base64url_encode(given.authenticator_data)},
                             {"signature", base64url_encode(given.signature)},
                             {"user_handle", base64url_encode(given.user_handle)}});
    }
    REQUIRE(page.verdict() == "consent");
    const std::string lines = read_file(log);
    for (const char* event : {"login_failed", "login_succeeded"}) CHECK(lines.find(event) != std::string::npos);
    check_absent(log, secrets);
    for (const auto& entry : fs::recursive_directory_iterator(op.database_file().parent_path()))
        if (entry.is_regular_file()) check_absent(entry.path(), secrets);
    for (const Secret& secret : secrets) CHECK(op.stored().find(secret.value) == std::string::npos);
}

TEST_CASE("secrets: pasted into the wrong field, one is in no log, refusal or page of an error [G01]") {
    // But for redirect URIs, which one must see to compare them. The deployment is searched when it ends.
    Deployment op;
    op.configure("log",
                 postern::json::Object{{"target", (op.directory() / "postern.log").string()}, {"level", "debug"}});
    struct Row {
        const char* endpoint;
        Query good;
        std::vector<const char*> fields;
    };
    const Row rows[] = {
        {"token", token_request("c"), {"grant_type", "client_id", "code", "code_verifier", "scope"}},
        {"token", {{"grant_type", "client_credentials"}}, {"client_id", "scope", "audience"}},
        {"revoke", {{"token", "t"}}, {"client_id", "token", "token_type_hint"}},
        {"introspect", {{"token", "t"}}, {"client_id", "token", "token_type_hint"}},
        {"authorize",
         authorization_request(),
         {"client_id", "response_type", "response_mode", "scope", "state", "prompt", "max_age", "display", "login_hint",
          "audience", "code_challenge_method", "id_token_hint", "request_uri", "resume"}},
        {"logout", {}, {"client_id", "id_token_hint", "state", "logout_hint", "resume"}},
        {"login", {}, {"resume"}},
    };
    for (const Row& row : rows) {
        for (const char* field : row.fields) {
            CAPTURE(row.endpoint);
            CAPTURE(field);
            const std::string query = Query(row.good).with(field, secret_of(kWeb)).text();
            op.cgi(row.endpoint, get_request(query));
            op.cgi(row.endpoint, post_form(query));
            op.cgi(row.endpoint, with_basic(query));
        }
    }
    CgiRequest swapped = post_form(token_request("c").text());
    swapped.headers = {{"Authorization", basic(secret_of(kWeb), kWeb)}};
    op.cgi("token", swapped);
}

TEST_CASE("secrets: standard error says no more than the file") {
    const Deployment op;  // the default target, level info
    UserAgent alice(op);
    const Landing done = alice.sign_in(authorization_request());
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    CHECK(tokens.log.find("\"endpoint\":\"token\"") != std::string::npos);
    for (const std::string& secret :
         {done.parameter("code"), tokens.member("access_token"), secret_of(kWeb), std::string(kVerifier)})
        CHECK(tokens.log.find(secret) == std::string::npos);
    const Landing again = alice.authorize(authorization_request());
    CHECK(again.answer.log.find(alice.session_cookie()) == std::string::npos);
    CHECK(again.answer.log.find(again.parameter("code")) == std::string::npos);
}

TEST_CASE("logs: what a visitor types stays on one line and cannot look like another [G02, CWE-117]") {
    Deployment op;
    const fs::path log = op.directory() / "postern.log";
    op.configure("log", postern::json::Object{{"target", log.string()}, {"level", "debug"}});
    const std::string lie = "x\" ,\"level\":\"info\",\"event\":\"forged\"}\n{\"event\":\"forged\"}";
    op.cgi("authorize", get_request(authorization_request().with("client_id", "a\\\"b<\xe2\x80\xae>{}").text()));
    op.cgi("authorize",
           get_request(
               authorization_request().with("redirect_uri", "https://evil.example/" + std::string(5000, 'x')).text()));
    op.cgi("token", post_form(Query{{"client_id", lie}, {"grant_type", lie}}.text()));
    op.cgi("token", post_form(Query{{"client_id", "\x1b[31mred"}, {"grant_type", "x"}}.text()));
    CgiRequest path;
    path.path = "/jwks\n{\"event\":\"forged\"}";
    op.cgi("jwks", path);
    const std::string text = read_file(log);
    CHECK(text.find("\n{\"event\":\"forged\"") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.size() < 20000);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        REQUIRE(end != std::string::npos);
        CHECK(static_cast<bool>(postern::json::parse(text.substr(at, end - at))));
        at = end + 1;
    }
}

}  // namespace
