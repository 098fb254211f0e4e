// `postern why`: a recorded refusal is explained, an unknown one too.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>

#include "installation.h"
#include "server/refusal_ring.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;

namespace {

void record(const Installation& installation, const server::RefusalRecord& refusal) {
    server::RefusalRing ring((installation.database_file().parent_path() / "refusals.ring").string());
    REQUIRE(ring.record(refusal));
}

const server::RefusalRecord kRefusal = {"3f6c0a51d2b84e07",
                                        util::from_epoch(1770000000),
                                        "token",
                                        400,
                                        "invalid_grant",
                                        "The code has expired.",
                                        "expired 12 seconds before the request",
                                        "web"};

}  // namespace

TEST_CASE("why: shows what happened and what to change") {
    const Installation installation;
    record(installation, kRefusal);
    const std::string text = installation.must({"why", kRefusal.request_id});
    for (const char* part : {"2026-02-02 02:40:00 UTC", "token", "400", "invalid_grant", "The code has expired.",
                             "expired 12 seconds", "web", "what to change"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    const auto value = installation.must_json({"why", kRefusal.request_id});
    CHECK(text_of(value, "request_id") == kRefusal.request_id);
    CHECK(*member_of(value, "time").if_integer() == 1770000000);
    CHECK(*member_of(value, "status").if_integer() == 400);
    CHECK(text_of(value, "endpoint") == "token");
    CHECK(text_of(value, "error") == "invalid_grant");
    CHECK(text_of(value, "error_description") == kRefusal.description);
    CHECK(text_of(value, "detail") == kRefusal.detail);
    CHECK(text_of(value, "client_id") == "web");
    CHECK(text_of(value, "hint").size() > 40);
}

TEST_CASE("why: the request id is found as it was copied") {
    const Installation installation;
    record(installation, kRefusal);
    const std::string id = kRefusal.request_id;
    for (const std::string& copied :
         {id + ".", "\"" + id + "\"", "'" + id + "'", "(" + id + ")", "`" + id + "`", " " + id + " \r\n", id + ",",
          "<" + id + ">", "X-Request-Id: " + id, "\"id\":\"" + id + "\"", "\u201c" + id + "\u201d", "\u200b" + id,
          std::string("3F6C0A51D2B84E07")}) {
        CAPTURE(copied);
        CHECK(text_of(installation.must_json({"why", copied}), "request_id") == id);
    }
}

TEST_CASE("why: an address that the proxy does not tell is named, where there is one nothing is said") {
    const Installation installation;
    record(installation, kRefusal);
    CHECK(installation.must({"why", kRefusal.request_id}).find("client address") == std::string::npos);
    CHECK(text_of(installation.must_json({"why", kRefusal.request_id}), "address_unknown") == "");
    server::RefusalRecord refusal = kRefusal;
    refusal.request_id = "3f6c0a51d2b8";
    refusal.address_unknown = "the proxy 192.0.2.1 of trustedProxies sends no X-Forwarded-For";
    record(installation, refusal);
    const std::string text = installation.must({"why", refusal.request_id});
    CHECK(text.find("client address  unknown: " + refusal.address_unknown) != std::string::npos);
    CHECK(text_of(installation.must_json({"why", refusal.request_id}), "address_unknown") == refusal.address_unknown);
}

TEST_CASE("why: each error has its own advice, an unknown one some all the same") {
    const Installation installation;
    std::vector<std::string> hints;
    for (const char* error :
         {"invalid_client", "redirect_unregistered", "cookie_missing", "login_failed", "no_such_error"}) {
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = error;
        refusal.error = error;
        record(installation, refusal);
        hints.push_back(text_of(installation.must_json({"why", error}), "hint"));
        CHECK_FALSE(hints.back().empty());
    }
    std::sort(hints.begin(), hints.end());
    CHECK(std::adjacent_find(hints.begin(), hints.end()) == hints.end());
}

TEST_CASE("why: each page on which a request ends has advice") {
    const Installation installation;
    const auto hint = [&](const std::string& error) {
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = refusal.error = error;
        record(installation, refusal);
        return text_of(installation.must_json({"why", error}), "hint");
    };
    const std::string none = hint("no_such_error");
    const std::string pages = read_file(source_directory() / "lib/web/refusal_page.cpp");
    const std::regex row(R"RE(\{PageFault::\w+, \d+, "(\w+)")RE");
    int found = 0;
    for (std::sregex_iterator at(pages.begin(), pages.end(), row), end; at != end; ++at, ++found) {
        CAPTURE(at->str(1));
        CHECK(hint(at->str(1)) != none);
    }
    CHECK(found >= 30);
}

TEST_CASE("why: the advice blames the side that can change it, and its commands name the client") {
    const Installation installation;
    struct Row {
        const char* when;
        server::RefusalRecord refusal;
        std::vector<const char*> told;
        const char* not_told;
    };
    const auto refused = [](const char* error, const char* description, const char* detail, int status = 400) {
        return server::RefusalRecord{"", {}, "authorize", status, error, description, detail, "web"};
    };
    const auto with_id = [](server::RefusalRecord refusal, const char* id) {
        refusal.client_id = id;
        return refusal;
    };
    const auto no_challenge = refused("invalid_request", "code_challenge is required for this client",
                                      "the client is registered with --pkce required");
    const std::vector<Row> rows = {
        {"PKCE by registration", no_challenge, {"`postern client set web --pkce optional`", "switch PKCE on"}, "ID "},
        {"PKCE of a public client",
         refused("invalid_request", "code_challenge is required for this client", "a public client needs PKCE"),
         {"switch PKCE on", "`postern client set web --confidential --pkce optional`"},
         "set web --pkce"},
        {"a plain challenge",
         refused("invalid_request", "code_challenge_method must be S256", ""),
         {"S256", "`postern client show web`"},
         "--pkce"},
        {"another fault of the request",
         refused("invalid_request", "response_type is required", ""),
         {"Fix the client"},
         "PKCE"},
        {"a method that is off",
         refused("invalid_request", "the method is not allowed", "expected GET, got POST", 405),
         {"\"authorizeMethods\": [\"GET\", \"POST\"]"},
         "does not answer"},
        {"a method that is never on",
         refused("invalid_request", "the method is not allowed", "expected GET, got PUT", 405),
         {"does not answer that method"},
         "authorizeMethods"},
        {"a scope that the client is not registered for",
         refused("invalid_scope", "the client is not registered for a requested scope",
                 "refused scope: phone; registered: openid"),
         {"`postern client set web --scope \"...\"`"},
         "scopeDescriptions"},
        {"a scope that the server does not know",
         refused("invalid_scope", "the client is not registered for a requested scope",
                 "unknown scope: groups; registered: openid"),
         {"`postern client set web --scope \"...\"`", "scopeDescriptions", "scope_ignored"},
         "\"oidc\""},
        {"a scope of OpenID Connect, which is off",
         refused("invalid_scope", "the client is not registered for a requested scope",
                 "OpenID scope while OpenID Connect is off: openid; registered: openid"),
         {"\"oidc\""},
         "--scope"},
        {"a scope that was ignored and comes back with the refresh token",
         refused("invalid_scope", "the scope exceeds what was granted", "granted: openid"),
         {"did not ask for at the authorization", "authorize again"},
         "scopeDescriptions"},
        {"OpenID scopes without a user",
         refused("invalid_scope", "the client_credentials grant has no OpenID scopes", ""),
         {"No user"},
         "--scope"},
        {"this server as the audience",
         refused("invalid_target", "the audience must not be this server", "audience: https://op.example"),
         {"`audience` (or `aud`)", "UserInfo needs none"},
         "client add"},
        {"a client that signs users in as the audience",
         refused("invalid_target", "the audience must not be a client", "audience: shop; an access token"),
         {"URL", "`postern client add NAME --grant client_credentials"},
         "UserInfo"},
        {"two audiences",
         refused("invalid_target", "aud and audience name different targets", ""),
         {"`aud` and `audience`", "one of them"},
         "client add"},
        {"a disabled client",
         refused("invalid_client", "client authentication failed", "the client is disabled"),
         {"`postern client enable web`"},
         "secret"},
        {"another method of authentication",
         refused("invalid_client", "client authentication failed",
                 "the client is registered for client_secret_post and used another method"),
         {"`postern client set web --auth-method client_secret`"},
         "client secret "},
        {"a public client that introspects",
         refused("invalid_client", "only a confidential client may introspect", "web is public"),
         {"introspectionRequiresConfidentialClient"},
         "client secret "},
        {"an id that a shell would take apart",
         with_id(no_challenge, "$(reboot)'"),
         {"client set '$(reboot)'\\''' --pkce"},
         "set $("},
        {"an id of a document",
         with_id(refused("invalid_client", "client authentication failed", "the client is disabled"),
                 "https://app.example/c.json"),
         {"client enable https://app.example/c.json"},
         "enable ID"},
        {"an id that turns the line around", with_id(no_challenge, "a\u202eb"), {"client set ID --pkce"}, "202"},
        {"an id that was cut", with_id(no_challenge, "0123456789ab..."), {"client set ID --pkce"}, "0123456789ab"},
        {"an id like an option", with_id(no_challenge, "--json"), {"client set ID --pkce"}, "--json"},
        {"no id", with_id(no_challenge, ""), {"client set ID --pkce"}, "{client}"},
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i].when);
        server::RefusalRecord refusal = rows[i].refusal;
        refusal.request_id = "row" + std::to_string(i);
        record(installation, refusal);
        const std::string hint = text_of(installation.must_json({"why", refusal.request_id}), "hint");
        CAPTURE(hint);
        for (const char* part : rows[i].told) {
            CAPTURE(part);
            CHECK(hint.find(part) != std::string::npos);
        }
        CHECK(hint.find(rows[i].not_told) == std::string::npos);
    }
}

TEST_CASE(
    "why: each refusal of a document's client has a text of its own that says what to change [FETCH-12, CIMD-4]") {
    const Installation installation;
    struct Row {
        const char* error;
        const char* detail;  ///< as lib/oauth and lib/fetch write it
        const char* told;
    };
    // clang-format off
    const Row rows[] = {
        {"client_unknown", "no such client, and clientDocuments is off: no document is looked at", R"("clientDocuments": {"enabled": true})"},
        {"client_document_refused", "the client_id is on a host that clientDocuments.allow does not name", "Add the host to clientDocuments.allow"},
        {"client_document_refused", "the client_id is on a host that clientDocuments.deny names", "clientDocuments.deny names it"},
        {"client_document_refused", "the client_id is the URI of a resource", "An API and an application have the same URL"},
        {"client_document_refused", "the client_id has a fragment (#...)", "The URL cannot name a document"},
        {"client_document_refused", "the document has the token_endpoint_auth_method private_key_jwt; this server knows only none for such clients", "wants to authenticate by a key"},
        {"client_document_refused", "the document names no redirect_uris", "cannot be accepted, for the reason in the detail"},
        {"client_document_refused", "the answer has status 404", "could not be fetched"},
        {"client_document_busy", "more than 6 fetches from this host in a minute", "More documents were to be fetched than in one minute may be"},
        {"client_document_busy", "as many fetches are under way as \"outbound.slots\" allows", "start more processes of authorize"},
        {"client_document_busy", "the fetches that this address has asked for have taken 20 s of this minute", "than their share"},
        {"client_document_busy", "fetches have taken half of this minute; \"outbound.slots\" is 1", "Hosts answer slowly"},
        {"client_document_refused", "its host has not answered, and is not asked again so soon", "kept this server waiting"},
        {"client_document_changed", "the document says something else than when the request began", "start again at the application"},
        {"client_document_no_room", "", "clientDocuments.max allows"},
        {"client_document_no_room", "the user has brought as many as one user may", "The event client_registered"},
        {"redirect_unregistered", "received: https://evil.example/cb; the document of the client names 1 others; URIs must be equal byte for byte", "the document does not name this address"},
        {"invalid_client", "a document describes the client, and clientDocuments is off", "Switch it on again"},
        {"invalid_client", "this client may not introspect", "Let the API introspect with a client of its own"},
    };
    // clang-format on
    std::set<std::string> hints;
    for (const Row& row : rows) {
        CAPTURE(row.error);
        CAPTURE(row.detail);
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = "row" + std::to_string(hints.size());
        refusal.error = row.error;
        refusal.description = "words";
        refusal.detail = row.detail;
        refusal.client_id = "https://app.example/client.json";
        record(installation, refusal);
        const std::string hint = text_of(installation.must_json({"why", refusal.request_id}), "hint");
        CAPTURE(hint);
        CHECK(hint.find(row.told) != std::string::npos);
        CHECK(hints.insert(hint).second);
    }
}

TEST_CASE("why: for a client that a document describes it advises no command that refuses such clients [CIMD-4]") {
    const Installation installation;
    constexpr const char* kUrl = "https://app.example/client.json";
    struct Row {
        const char* error;
        const char* detail;
        const char* command;  ///< for a client of the operator
        const char* told;     ///< for one of a document
    };
    const Row rows[] = {
        {"invalid_request", "the client is registered with --pkce required", "--pkce", "switch PKCE on"},
        {"invalid_request", "a public client needs PKCE", "--confidential", "switch PKCE on"},
        {"invalid_request", "code_challenge_method must be S256", "client show", "Set S256"},
        {"invalid_client", "a public client has no secret and must not send one", "--confidential",
         "Remove the secret"},
        {"invalid_client", "the client is registered for none and used another method", "--auth-method", "method none"},
        {"invalid_client", "unknown client", "client secret", "authenticate by none"},
        {"unauthorized_client", "", "--grant", "grant_types"},
        {"invalid_scope", "unknown scope: api; registered: openid", "--scope", "clientDocuments.scope"},
        {"invalid_scope", "refused scope: phone; registered: openid", "--scope", "clientDocuments.scope"},
        {"invalid_scope", "the client is not registered for the scope of a requested claim", "--scope",
         "clientDocuments.scope"},
        {"consent_required", "", "--first-party", "approve such a client"},
        {"redirect_unregistered", "unknown", "--redirect-uri", "Only the people who publish it"},
        {"logout_redirect_unregistered", "", "--post-logout-redirect-uri", "post_logout_redirect_uris"},
        {"unmet_authentication_requirements", "the client (client set --acr) or an essential acr", "--acr",
         "secondFactor"},
        {"unmet_authentication_requirements",
         "the user has no passkey, which client set --acr phr or an essential acr demands", "--acr", "account page"},
        // These take the commands.
        {"access_refused", "", "--allow-user", "--allow-user"},
        {"invalid_target", "the client may not ask for this resource", "--resource", "--resource"},
        {"invalid_client", "the client is disabled", "client enable", "client enable"},
    };
    int number = 0;
    const auto hint = [&](const Row& row, const char* client) {
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = "row" + std::to_string(++number);
        refusal.error = row.error;
        refusal.description = "words";
        refusal.detail = row.detail;
        refusal.client_id = client;
        record(installation, refusal);
        return text_of(installation.must_json({"why", refusal.request_id}), "hint");
    };
    const auto check = [&](bool is_described) {
        for (const Row& row : rows) {
            CAPTURE(row.error);
            CAPTURE(row.detail);
            const std::string text = hint(row, kUrl);
            CAPTURE(text);
            CHECK(hint(row, "web").find(row.command) != std::string::npos);
            CHECK(text.find(is_described ? row.told : row.command) != std::string::npos);
            const bool is_refused = std::string_view(row.command) != row.told;
            if (is_described && is_refused) CHECK(text.find(row.command) == std::string::npos);
        }
    };
    check(true);
    // The operator may register a URL.
    installation.must({"client", "add", kUrl, "--public", "--redirect-uri", "https://app.example/cb"});
    check(false);
}

TEST_CASE("why: each refusal that lib/web names itself has advice") {
    const Installation installation;
    const auto hint = [&](const std::string& error) {
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = refusal.error = error;
        record(installation, refusal);
        return text_of(installation.must_json({"why", error}), "hint");
    };
    const std::string none = hint("no_such_error");
    const std::regex made(R"RE(http::Refusal\{([^,]*),)RE");
    const std::regex name(R"RE("(\w+)")RE");
    std::set<std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(source_directory() / "lib/web")) {
        if (file.path().extension() != ".cpp") continue;
        const std::string text = read_file(file.path());
        for (std::sregex_iterator at(text.begin(), text.end(), made), end; at != end; ++at) {
            const std::string first = at->str(1);
            for (std::sregex_iterator word(first.begin(), first.end(), name); word != end; ++word)
                found.insert(word->str(1));
        }
    }
    for (const std::string& error : found) {
        CAPTURE(error);
        CHECK(hint(error) != none);
    }
    CHECK(found.contains("second_factor_throttled"));
    CHECK(found.contains("codes_refused"));
    CHECK(found.size() >= 7);
}

TEST_CASE("why: each refusal of a second factor says what to change [TOTP-6, TOTP-9, TOTP-11, POLICY-4, LEVEL-5]") {
    const Installation installation;
    struct Row {
        const char* error;
        const char* detail;  ///< as lib/web, lib/oauth and lib/keys write it
        const char* told;
        bool shared = false;  ///< the same advice as an earlier row: it has the same cause
    };
    // clang-format off
    const Row rows[] = {
        {"second_factor_failed", "wrong code of the app", "The password was right and the code was not"},
        {"second_factor_failed", "neither six nor sixteen digits", "The password was right and the code was not", true},
        {"second_factor_failed", "the app's clock is off by -150 s", "set its time by the network"},
        {"second_factor_failed", "the code of the app was used before", "wait for the next one"},
        {"second_factor_failed", "a code of an app, and the user has none", "recovery codes only"},
        {"second_factor_failed", "a recovery code that the user does not have or has used before", "`postern user factors NAME`"},
        {"second_factor_throttled", "too many wrong codes; it ends in 300 s", "ends the wait"},
        {"second_factor_throttled", "too many wrong codes from places not known; `postern user factors NAME --resume` ends it", "A hundred codes"},
        {"second_factor_missing", "the user has no second factor, and login.enrolment does not let a password set one up", "`postern user reset-link NAME`"},
        {"passkey_suspended", "the user has no other second factor than a suspended passkey", "--resume ID"},
        {"second_factor_missing", "there is no factor.key; postern key repair makes one", "`postern key repair` makes one"},
        {"app_refused", "there is no factor.key; postern key repair makes one", "`postern key repair` makes one", true},
        {"app_refused", "the app's clock is off by 90 s", "the app was not turned on"},
        {"app_refused", "the form was older than 600 s", "open for too long"},
        {"app_refused", "the code is not one of the app", "a wrong code", true},
        {"passkey_change_refused", "the challenge was spent before", "No passkey was added, named or removed"},
        {"passkey_change_refused", "the origin is not that of the issuer", "open the account at the issuer"},
        {"profile_refused", "not a value of the claim website", "The profile was not changed"},
        {"link_not_good", "used", "A link of `postern user invite` or `reset-link` did nothing"},
        {"link_form_foreign", "the csrf field is missing or does not belong to this browser and link", "Opening the link again helps"},
        {"recover_form_refused", "the csrf field is missing or does not belong to this browser", "Sending it again helps"},
        {"mail_limited", "no message will be sent: there were too many requests from this address, or for this name", "`postern user reset-link NAME` makes a link at once"},
        {"codes_refused", "there is no factor.key; postern key repair makes one", "No recovery codes were made"},
        {"temporarily_unavailable", "factor.key is missing in /var/lib/postern/keys, so that no second factor can be checked", "start login and account again", true},
        {"temporarily_unavailable", "factor.key does not open the app's secret of user 0f1e", "--remove all"},
        {"temporarily_unavailable", "database is locked", "The database was busy"},
        {"login_required", "the user must log in with a second factor", "requires a second factor"},
        {"login_required", "the user must log in", "older than max_age"},
        {"unmet_authentication_requirements", "the client (client set --acr) or an essential acr requires a second factor, which", "`postern client set web --acr any`"},
        {"unmet_authentication_requirements", "the user has no passkey, which client set --acr phr or an essential acr requires", "`postern client set web --acr mfa`"},
        {"unmet_authentication_requirements", "those that can be met here: phr", "login.acrNames"},
    };
    // clang-format on
    std::set<std::string> hints;
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        const Row& row = rows[i];
        CAPTURE(row.error);
        CAPTURE(row.detail);
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = "row" + std::to_string(i);
        refusal.error = row.error;
        refusal.description = "words";
        refusal.detail = row.detail;
        record(installation, refusal);
        const std::string hint = text_of(installation.must_json({"why", refusal.request_id}), "hint");
        CAPTURE(hint);
        CHECK(hint.find(row.told) != std::string::npos);
        CHECK(hints.insert(hint).second == !row.shared);
    }
}

TEST_CASE("why: an id that is not recorded exits 1 and says why it may be gone") {
    const Installation installation;
    record(installation, kRefusal);
    for (const char* id : {"3f6c0a51d2b84e08", "3f6c0a51d2b84e0", "", "\x1b[2J"}) {
        const auto result = installation.postern({"why", id});
        CAPTURE(result.err);
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
        CHECK(result.err.find("overwritten") != std::string::npos);
        CHECK(result.err.find("`postern doctor` and lines scope_ignored") != std::string::npos);
    }
}

TEST_CASE("why: a record that cannot be read is not taken for one that is gone") {
    const Installation installation(Installation::Start::configured);
    const auto result = installation.postern({"why", kRefusal.request_id});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    CHECK(result.err.find("cannot be read") != std::string::npos);
}

TEST_CASE("why: text from a request cannot drive the terminal") {
    const Installation installation;
    server::RefusalRecord refusal = kRefusal;
    refusal.client_id =
        "a\x1b]0;x\x07"
        "b\nerror  forged";
    record(installation, refusal);
    const std::string text = installation.must({"why", kRefusal.request_id});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\nerror  forged") == std::string::npos);
}
