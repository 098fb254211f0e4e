// APIs as clients and people meet them: which token is for which of them, and what it says (RFC 8707, RFC 9068).
#include <doctest/doctest.h>

#include <string>

#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

constexpr const char* kNotes = "https://notes.example";  // registered without a slash
constexpr const char* kFiles = "https://files.example/";

/// `notes` has scopes of its own, `files` none; web may ask for them.
struct Site {
    Deployment op;
    UserAgent alice{op};

    Site() {
        op.must({"resource", "add", kNotes, "--name", "Notes", "--scope", "notes:read notes:write",
                 "--access-token-ttl", "60", "--alias", "https://notes.example/v1"});
        op.must({"resource", "add", kFiles});
        for (const char* client : {kWeb, kTrusted})
            op.must({"client", "set", client, "--scope",
                     "openid email groups offline_access notes:read notes:write files:read"});
        op.must({"client", "set", kMachine, "--scope", "notes:read files:read api"});
    }

    Query request(const std::string& scope = "openid email notes:read") const {
        return authorization_request().with("scope", scope);
    }
    /// A code of this request, redeemed with what `change` makes of the token request.
    template <class Change>
    Answer redeem_code(const Query& asked, Change change) {
        return redeem(op, change(token_request(alice.obtain_code(asked))));
    }
    Answer refresh(const json::Object& tokens, const std::string& resource = "", const std::string& scope = "") const {
        Query form{{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}};
        if (!resource.empty()) form = form.with("resource", resource);
        if (!scope.empty()) form = form.with("scope", scope);
        return redeem(op, form);
    }
};

json::Object claims_of(const Answer& answer) {
    REQUIRE(answer.status == 200);
    return jwt_claims(answer.member("access_token"));
}
std::string audience_of(const Answer& answer) { return text_of(claims_of(answer), "aud"); }

std::string words_in(const json::Object& claims, const char* name) {
    const json::Value* list = claims.find(name);
    std::string words;
    if (list && list->if_array())
        for (const json::Value& word : *list->if_array()) words += (words.empty() ? "" : " ") + *word.if_string();
    return words;
}

/// The member as JSON; "" when it is not there.
std::string written(const json::Object& object, const char* name) {
    const json::Value* value = object.find(name);
    return value ? json::write(json::Object{{name, *value}}) : "";
}

const auto kAsIs = [](const Query& form) { return form; };

TEST_CASE(
    "resource: the one of the authorization request is the audience, as the operator wrote it [RES-1, RES-5, RES-7, "
    "RFC 8707 §2c, §2.1a, RFC 9068 §3a]") {
    Site site;
    for (const char* spelling :
         {"https://notes.example", "https://notes.example/", "HTTPS://Notes.Example:443", "https://notes.example/v1"}) {
        CAPTURE(spelling);
        const Answer answer = site.redeem_code(site.request().with("resource", spelling), kAsIs);
        CHECK(audience_of(answer) == kNotes);
        CHECK(text_of(claims_of(answer), "scope") == "notes:read");
        CHECK(answer.member("scope") == "notes:read");
        CHECK(*answer.json().find("expires_in")->if_integer() == 60);
        CHECK_FALSE(answer.member("id_token").empty());  // it is about the grant
    }
    // An API without a registration, as sent; without resource there is no audience.
    CHECK(audience_of(site.redeem_code(site.request().with("resource", "https://Other.example"), kAsIs)) ==
          "https://Other.example");
    CHECK(claims_of(site.redeem_code(site.request(), kAsIs)).find("aud") == nullptr);
}

TEST_CASE("resource: an API with scopes gets a token that reads nothing at UserInfo [RES-9, RES-11, RFC 8707 §2.2c]") {
    Site site;
    const Answer notes = site.redeem_code(site.request().with("resource", kNotes), kAsIs);
    CHECK(userinfo(site.op, notes.member("access_token")).status == 403);
    const Answer files = site.redeem_code(site.request("openid email files:read").with("resource", kFiles), kAsIs);
    CHECK(userinfo(site.op, files.member("access_token")).status == 200);
}

TEST_CASE(
    "resource: what an authorization request must not name, and a scope that its APIs do not have [RES-1, RES-3, "
    "RES-4, RES-5, MCP-10, RFC 8707 §2ab, §2.1a]") {
    Site site;
    struct Row {
        const char* what;
        Query request;
        const char* verdict;
    };
    Query nine = site.request();
    for (char i = '1'; i <= '9'; ++i) nine = nine.and_also("resource", std::string("https://") + i + ".example/");
    const Row rows[] = {
        {"no URI", site.request().with("resource", "notes"), "invalid_target"},
        {"a fragment", site.request().with("resource", "https://notes.example/#x"), "invalid_target"},
        {"too long", site.request().with("resource", "https://notes.example/" + std::string(1010, 'a')),
         "invalid_target"},
        {"a control character", site.request().raw("resource=https://notes.example/%00"), "invalid_request"},
        {"nine", nine, "invalid_target"},
        {"this server", site.request().with("resource", "https://OP.example:443"), "invalid_target"},
        {"an endpoint", site.request().with("resource", "https://op.example/token"), "invalid_target"},
        {"another audience", site.request().with("resource", kNotes).with("audience", kFiles), "invalid_target"},
        {"the same audience", site.request().with("resource", kNotes).with("audience", "https://notes.example/"),
         "login"},
        {"empty", site.request().with("resource", ""), "login"},
        {"a scope of another API", site.request("openid notes:read files:read").with("resource", kNotes),
         "invalid_scope"},
        {"no scope of it", site.request("openid email").with("resource", kNotes), "invalid_scope"},
        {"scopes about the user", site.request("openid groups notes:read").with("resource", kNotes), "login"},
        {"two, one without scopes",
         site.request("openid notes:read files:read").with("resource", kNotes).and_also("resource", kFiles), "login"},
        {"none asked for", site.request().without("scope").with("resource", kNotes), "login"},
        {"user information", site.request().with("resource", "https://user@notes.example/"), "invalid_target"},
        {"no host", site.request().with("resource", "https:notes.example"), "invalid_target"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        UserAgent browser(site.op);
        CHECK(browser.authorize(row.request).verdict() == row.verdict);
    }
    site.op.must({"resource", "disable", kNotes});
    CHECK(UserAgent(site.op).authorize(site.request().with("resource", kNotes)).verdict() == "invalid_target");
    site.op.must({"resource", "enable", kNotes});
    site.op.must({"client", "set", kWeb, "--resource", kFiles});
    CHECK(UserAgent(site.op).authorize(site.request().with("resource", kNotes)).verdict() == "invalid_target");
    CHECK(
        UserAgent(site.op).authorize(site.request("files:read").with("resource", "https://files.example")).verdict() ==
        "login");
}

TEST_CASE(
    "resource: a token request stays within what was granted, and a refusal spends nothing [RES-6, RES-7, RES-8, "
    "RFC 8707 §2.2ab]") {
    Site site;
    const Query both = site.request("openid offline_access notes:read files:read")
                           .with("resource", kNotes)
                           .and_also("resource", kFiles)
                           .with("prompt", "consent");
    const std::string code = site.alice.obtain_code(both);
    const auto redeemed = [&](const Query& form) { return redeem(site.op, form); };
    CHECK(redeemed(token_request(code)).member("error") == "invalid_target");  // two: name one
    CHECK(redeemed(token_request(code).with("resource", "https://other.example/")).member("error") == "invalid_target");
    CHECK(redeemed(token_request(code).with("audience", "https://other.example/")).member("error") == "invalid_target");
    CHECK(redeemed(token_request(code).with("resource", kNotes).and_also("resource", kFiles)).member("error") ==
          "invalid_target");
    CHECK(redeemed(token_request(code).with("resource", kNotes).with("aud", kFiles)).member("error") ==
          "invalid_target");
    const Answer first = redeemed(token_request(code).with("audience", "https://notes.example/"));
    CHECK(audience_of(first) == kNotes);

    const Answer files = site.refresh(first.json(), "https://FILES.example");
    CHECK(audience_of(files) == kFiles);
    CHECK(text_of(claims_of(files), "scope") == "openid offline_access notes:read files:read");
    CHECK(site.refresh(files.json()).member("error") == "invalid_target");
    CHECK(site.refresh(files.json(), "https://other.example/").member("error") == "invalid_target");
    CHECK(site.refresh(files.json(), kNotes, "files:read").member("error") == "invalid_scope");
    const Answer notes = site.refresh(files.json(), kNotes);
    CHECK(audience_of(notes) == kNotes);
    CHECK(text_of(claims_of(notes), "scope") == "notes:read");
    CHECK_FALSE(notes.member("id_token").empty());

    // What the client loses, or the operator disables, is no target from then on; the grant goes on with the rest.
    site.op.must({"resource", "disable", kNotes});
    CHECK(site.refresh(notes.json(), kNotes).member("error") == "invalid_target");
    CHECK(is_active(site.op, notes.member("access_token")));
    site.op.must({"client", "set", kWeb, "--resource", kNotes});
    CHECK(site.refresh(notes.json(), kFiles).member("error") == "invalid_target");
    site.op.must({"client", "set", kWeb, "--no-resource"});
    CHECK(audience_of(site.refresh(notes.json(), kFiles)) == kFiles);
}

TEST_CASE("resource: the consent page names the APIs, and a remembered consent is for those alone [RES-5]") {
    Site site;
    const Query notes = site.request().with("resource", kNotes);
    const Landing page = site.alice.log_in(site.alice.authorize(notes));
    REQUIRE(page.verdict() == "consent");
    const std::string text = visible_text(page.answer.body);
    CHECK(text.find("Notes (https://notes.example)") != std::string::npos);
    REQUIRE(site.alice.approve(page).verdict() == "code");

    CHECK(site.alice.authorize(notes).verdict() == "code");
    CHECK(site.alice.authorize(notes.with("resource", "HTTPS://NOTES.example")).verdict() == "code");
    CHECK(site.alice.authorize(notes.with("scope", "openid notes:read")).verdict() == "code");
    // Not for a request that names no API, nor for another one.
    CHECK(site.alice.authorize(site.request().with("prompt", "none")).verdict() == "consent_required");
    CHECK(site.alice.authorize(site.request().with("resource", "https://other.example/<b>")).verdict() ==
          "invalid_target");
    const Query other = site.request("openid notes:write").with("resource", "https://other.example/x");
    const Landing second = site.alice.authorize(other);
    REQUIRE(second.verdict() == "consent");
    CHECK(visible_text(second.answer.body).find("https://other.example/x") != std::string::npos);
    REQUIRE(site.alice.approve(second).verdict() == "code");
    CHECK(site.alice.authorize(other).verdict() == "code");
    const Query silent = notes.with("prompt", "none");
    CHECK(site.alice.authorize(silent).verdict() == "code");
    CHECK(site.alice.authorize(silent.with("scope", "openid notes:write")).verdict() == "consent_required");
    CHECK(site.alice.authorize(silent.and_also("resource", "https://other.example/x")).verdict() == "consent_required");
    CHECK(site.op.must({"consent", "list"}).find("https://notes.example/ openid email notes:read;") !=
          std::string::npos);
}

TEST_CASE("resource: client_credentials names one, within the client's list [RES-3, RES-6, RES-9, RES-10, ATP-4]") {
    Site site;
    const auto token = [&](const Query& more) {
        return as_client(site.op, "token", more.with("grant_type", "client_credentials"), kMachine);
    };
    const Answer notes = token(Query{{"resource", "https://notes.example/"}});
    CHECK(audience_of(notes) == kNotes);
    CHECK(text_of(claims_of(notes), "scope") == "notes:read");
    CHECK(token(Query{{"resource", kNotes}, {"scope", "api"}}).member("error") == "invalid_scope");
    CHECK(token(Query{{"resource", kNotes}}.and_also("resource", kFiles)).member("error") == "invalid_target");
    site.op.must({"client", "set", kMachine, "--resource", kNotes});
    CHECK(token(Query{{"resource", kFiles}}).member("error") == "invalid_target");
    CHECK(token(Query{{"audience", "anything"}}).member("error") == "invalid_target");
    CHECK(audience_of(token(Query{{"audience", kNotes}})) == kNotes);
    // A default is held to its scopes.
    site.op.must({"client", "set", kMachine, "--no-resource", "--access-token-profile", "rfc9068", "--default-resource",
                  kNotes});
    const Answer by_default = token(Query());
    CHECK(audience_of(by_default) == kNotes);
    CHECK(by_default.member("scope") == "notes:read");
}

TEST_CASE("resource: an implicit request records it, and its token has no audience [RES-10, RFC 8707 §2.1b]") {
    Deployment op(
        {.config = json::Object{{"implicit", true}, {"accessTokenProfile", "rfc9068"}, {"defaultResource", kFiles}}});
    op.must({"client", "set", kSpa, "--grant", "authorization_code", "--grant", "implicit"});
    UserAgent alice(op);
    const Landing landing = alice.sign_in(authorization_request(kSpa)
                                              .with("response_type", "token")
                                              .with("resource", kFiles)
                                              .without("code_challenge")
                                              .without("code_challenge_method"));
    REQUIRE(landing.verdict() == "token");
    const json::Object claims = jwt_claims(landing.parameter("access_token"));
    CHECK(claims.find("aud") == nullptr);
    CHECK(claims.find("client_id") == nullptr);
}

TEST_CASE(
    "access tokens: profile rfc9068 by configuration and for one client; both live side by side [ATP-1, ATP-2, ATP-3, ATP-4, ATP-5, ATP-6, ATP-7, ATP-8, "
    "ATP-9, CLAIM-6, LEVEL-6, RFC 9068 §2.2, §2.2.1, RFC 9470 §6.1]") {
    Site site;
    site.op.must({"group", "add", "staff"});
    site.op.must({"group", "member", "add", "staff", kAlice});
    const Query asked = site.request("openid email groups");
    const Answer plain = site.redeem_code(asked, kAsIs);
    CHECK(claims_of(plain).find("client_id") == nullptr);
    CHECK(text_of(jwt_header(plain.member("access_token")), "alg") == "ES256");

    site.op.must({"client", "set", kWeb, "--access-token-profile", "rfc9068", "--default-resource", kFiles});
    const Answer answer = site.redeem_code(asked, kAsIs);
    const json::Object claims = claims_of(answer);
    CHECK(text_of(jwt_header(answer.member("access_token")), "typ") == "at+jwt");
    CHECK(text_of(jwt_header(answer.member("access_token")), "alg") == "RS256");
    CHECK(text_of(claims, "client_id") == kWeb);
    CHECK(text_of(claims, "cid") == kWeb);
    CHECK(text_of(claims, "aud") == kFiles);
    CHECK(text_of(claims, "sub") == subject_of(site.op, kAlice));
    CHECK(claims.find("username") == nullptr);
    CHECK(claims.find("groups") == nullptr);
    const json::Object id_token = jwt_claims(answer.member("id_token"));
    for (const char* name : {"auth_time", "acr", "amr"}) {
        CAPTURE(name);
        CHECK(written(claims, name) == written(id_token, name));
        CHECK_FALSE(written(claims, name).empty());
    }
    for (const Answer* each : {&plain, &answer}) {
        CHECK(is_active(site.op, each->member("access_token")));
        CHECK(userinfo(site.op, each->member("access_token")).status == 200);
    }

    site.op.must({"client", "set", kWeb, "--groups-in-access-token"});
    CHECK(words_in(claims_of(site.redeem_code(asked, kAsIs)), "groups") == "staff");
    CHECK(claims_of(site.redeem_code(site.request("openid email"), kAsIs)).find("groups") == nullptr);
    CHECK(audience_of(site.redeem_code(asked, [](const Query& form) { return form.with("audience", "any"); })) ==
          "any");
    for (int i = 0; i < 90; ++i) {
        const std::string name = "a-group-with-a-name-that-is-as-long-as-names-may-be-in-this-" + std::to_string(i);
        site.op.must({"group", "add", name});
        site.op.must({"group", "member", "add", name, kAlice});
    }
    const Answer many = site.redeem_code(asked, kAsIs);
    CHECK(claims_of(many).find("groups") == nullptr);
    CHECK(is_active(site.op, many.member("access_token")));
    CHECK(many.log.find("groups_left_out") != std::string::npos);
}

TEST_CASE(
    "access tokens: without a default left, a request must name its resource [ATP-4, RFC 8707 §2e, RFC 9068 §3b]") {
    Deployment op;
    const std::string without = read_file(op.config_file());
    op.configure("defaultResource", kFiles);
    op.must({"client", "set", kWeb, "--access-token-profile", "rfc9068"});
    UserAgent alice(op);
    CHECK(audience_of(redeem(op, token_request(alice.obtain_code(authorization_request())))) == kFiles);
    op.write_config(without);
    const std::string code = alice.obtain_code(authorization_request());
    CHECK(redeem(op, token_request(code)).member("error") == "invalid_target");
    CHECK(audience_of(redeem(op, token_request(code).with("resource", kNotes))) == kNotes);
}

TEST_CASE("resource: a spent code ends its grant, also when the replay names what was not granted [RFC 6749 §4.1.2]") {
    Site site;
    const std::string code = site.alice.obtain_code(site.request().with("resource", kNotes));
    const Answer first = redeem(site.op, token_request(code));
    REQUIRE(first.status == 200);
    CHECK(redeem(site.op, token_request(code).with("resource", kFiles)).member("error") == "invalid_grant");
    CHECK_FALSE(is_active(site.op, first.member("access_token")));
}

}  // namespace
