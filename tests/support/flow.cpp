// The requests of the code flow with good values everywhere.
#include "support/flow.h"

#include <doctest/doctest.h>

#include "db/write.h"
#include "json/reader.h"
#include "support/html.h"
#include "util/base64.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::test {
namespace {

json::Object jwt_segment(const std::string& token, std::size_t index) {
    const auto segments = util::split(token, '.');
    REQUIRE(segments.size() == 3);
    const auto decoded = util::base64url_decode(segments[index]);
    REQUIRE(decoded.has_value());
    const auto value = json::parse(*decoded);
    REQUIRE(value);
    REQUIRE(value->if_object() != nullptr);
    return *value->if_object();
}

}  // namespace

std::string redirect_uri_of(const std::string& client) {
    if (client == kWeb) return "https://app.example/cb";
    if (client == kNative) return "http://127.0.0.1/cb";
    if (client == kMany) return "https://many.example/a";
    return "https://" + client + ".example/cb";
}

Query authorization_request(const std::string& client) {
    return {{"response_type", "code"},
            {"client_id", client},
            {"redirect_uri", redirect_uri_of(client)},
            {"scope", "openid email"},
            {"state", kState},
            {"nonce", kNonce},
            {"code_challenge", kChallenge},
            {"code_challenge_method", "S256"}};
}

std::string verdict_of(const Deployment& deployment, const Answer& answer, const std::string& client,
                       const std::string& state) {
    const auto landing = leave(deployment, answer);
    if (!landing && answer.status != 303) {
        CHECK_FALSE(answer.has("Location"));
        return "page " + std::to_string(answer.status);
    }
    if (!landing) {
        for (const std::string endpoint : {"login", "authorize"})
            if (without_query(answer.location()) == deployment.url(endpoint)) return endpoint;
        CHECK(without_query(answer.location()) == deployment.url("scopes"));
        return "consent";
    }
    CHECK(without_query(landing->url) == redirect_uri_of(client));
    CHECK(landing->parameter("state") == state);
    CHECK(landing->parameter("iss") == deployment.issuer());
    const bool is_error = !landing->parameter("error").empty();
    if (is_error) CHECK((landing->parameter("code") + landing->parameter("access_token")).empty());
    return landing->verdict();
}

Query token_request(const std::string& code, const std::string& client) {
    return {{"grant_type", "authorization_code"},
            {"code", code},
            {"redirect_uri", redirect_uri_of(client)},
            {"code_verifier", kVerifier}};
}

std::string basic(const std::string& client, const std::string& secret) {
    return "Basic " + util::base64_encode(util::percent_encode(client) + ":" + util::percent_encode(secret));
}

CgiRequest with_basic(const std::string& form, const std::string& client) {
    CgiRequest request = post_form(form);
    request.headers = {{"Authorization", basic(client, secret_of(client))}};
    return request;
}

Answer as_client(const Deployment& deployment, const std::string& endpoint, const Query& form,
                 const std::string& client) {
    const bool is_public = client == kSpa || client == kNative;
    if (is_public) return deployment.cgi(endpoint, post_form(form.with("client_id", client).text()));
    return deployment.cgi(endpoint, with_basic(form.text(), client));
}

Answer redeem(const Deployment& deployment, const Query& request, const std::string& client) {
    return as_client(deployment, "token", request, client);
}

bool is_active(const Deployment& deployment, const std::string& token) {
    const Answer answer = as_client(deployment, "introspect", {{"token", token}}, kOther);
    REQUIRE_MESSAGE(answer.status == 200, answer.body << answer.log);
    const json::Object said = answer.json();
    const json::Value* active = said.find("active");
    REQUIRE(active != nullptr);
    REQUIRE(active->if_bool() != nullptr);
    return *active->if_bool();
}

CgiRequest bearer(const std::string& token) {
    CgiRequest request;
    request.headers = {{"Authorization", "Bearer " + token}};
    return request;
}

Answer userinfo(const Deployment& deployment, const std::string& token) {
    return deployment.cgi("userinfo", bearer(token));
}

json::Object jwt_header(const std::string& token) { return jwt_segment(token, 0); }
json::Object jwt_claims(const std::string& token) { return jwt_segment(token, 1); }

json::Object obtain_tokens(const Deployment& deployment, UserAgent& browser, const Query& request,
                           const std::string& client) {
    const Answer answer = redeem(deployment, token_request(browser.obtain_code(request), client), client);
    REQUIRE_MESSAGE(answer.status == 200, answer.body << answer.log);
    return answer.json();
}

SignedIn::SignedIn(const Deployment::Options& options, const std::string& client)
    : op(options), tokens(obtain_tokens(op, alice, authorization_request(client), client)) {}

std::string SignedIn::access_token() const { return text_of(tokens, "access_token"); }
std::string SignedIn::refresh_token() const { return text_of(tokens, "refresh_token"); }

std::string subject_of(const Deployment& deployment, const std::string& username) {
    const auto shown = json::parse(deployment.must({"user", "show", username, "--json"}));
    REQUIRE(shown);
    REQUIRE(shown->if_object() != nullptr);
    return text_of(*shown->if_object(), "sub");
}

bool says(const Answer& page, const std::string& text) {
    return visible_text(page.body).find(text) != std::string::npos;
}
bool says(const Landing& page, const std::string& text) { return says(page.answer, text); }

std::string at(const Deployment& deployment, const std::string& page) { return deployment.url("account") + page; }

UserAgent signed_in(const Deployment& deployment, const std::string& user, const std::string& password) {
    UserAgent browser(deployment);
    const Landing login = browser.open(at(deployment, ""));
    REQUIRE(login.verdict() == "login");
    REQUIRE(browser.log_in(login, user, password).url == at(deployment, ""));
    return browser;
}

bool can_log_in(const Deployment& deployment, const std::string& user, const std::string& password) {
    UserAgent browser(deployment, "198.51.100.9");
    return browser.log_in(browser.open(at(deployment, "")), user, password).url == at(deployment, "");
}

json::Object id_token_of(const Deployment& deployment, const Landing& at_client, const std::string& client) {
    REQUIRE_MESSAGE(at_client.verdict() == "code", at_client.verdict() << at_client.answer.log);
    const Answer tokens = redeem(deployment, token_request(at_client.parameter("code"), client), client);
    REQUIRE_MESSAGE(tokens.status == 200, tokens.body << tokens.log);
    return jwt_claims(tokens.member("id_token"));
}

std::string amr_of(const json::Object& claims) {
    std::string words;
    if (const json::Value* amr = claims.find("amr"))
        for (const json::Value& word : *amr->if_array()) words += (words.empty() ? "" : " ") + *word.if_string();
    return words;
}

std::string resume_of(const Landing& page) { return query_parameter(page.url, "resume").value_or(""); }

std::string link_of(const Deployment& deployment, std::vector<std::string> command) {
    command.emplace_back("--json");
    const auto printed = json::parse(deployment.must(command));
    REQUIRE(printed);
    return text_of(*printed->if_object(), "link");
}

void change_database(const Deployment& deployment, const std::string& sql) {
    db::Database database(deployment.database(), db::Access::read_write);
    db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        REQUIRE(transaction.run(sql.c_str()) > 0);
        transaction.commit();
    });
}

}  // namespace postern::test
