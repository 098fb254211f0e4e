// `postern why`: a recorded refusal is explained, an unknown one too.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "json/reader.h"
#include "preconditions.h"
#include "refusal/reason.h"
#include "server/refusal_ring.h"
#include "store/clients.h"
#include "support/deployment.h"
#include "util/text.h"

using namespace postern;
using namespace postern::test;
using refusal::Reason;

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
                                        "invalid_grant",
                                        "The code has expired.",
                                        "expired 12 seconds before the request",
                                        "web"};

/// Returns the advice of `why` after a refusal for that reason, of that client.
std::string hint_for(const Installation& installation, Reason reason, const std::string& client_id = "web") {
    static int number = 0;
    server::RefusalRecord refusal = kRefusal;
    refusal.request_id = "row" + std::to_string(++number);
    refusal.error = refusal::error_word(reason);
    refusal.reason = refusal::row_of(reason).word;
    refusal.client_id = client_id;
    record(installation, refusal);
    return text_of(installation.must_json({"why", refusal.request_id}), "hint");
}

/// A refusal some minutes ago.
struct Recent {
    std::string id;
    int minutes_ago = 0;
    std::string client_id = "web";
    Reason reason = Reason::invalid_grant;
    std::string subject = {};
};

void record_recent(const Installation& installation, const Recent& recent) {
    server::RefusalRecord refusal = kRefusal;
    refusal.request_id = recent.id;
    refusal.time = util::SystemClock().now() - std::chrono::minutes(recent.minutes_ago);
    refusal.client_id = recent.client_id;
    refusal.error = refusal::error_word(recent.reason);
    refusal.reason = refusal::row_of(recent.reason).word;
    refusal.subject = recent.subject;
    record(installation, refusal);
}

/// The counts, reasons, clients and newest ids of the other refusals: "2 invalid_grant web id2, 1 ..."
std::string others_of(const json::Value& value) {
    std::string others;
    for (const json::Value& each : *member_of(value, "others").if_array())
        others += std::to_string(integer_of(each, "refusals")) + " " + text_of(each, "reason") + " " +
                  text_of(each, "client_id") + " " + text_of(each, "request_id") + ", ";
    return others;
}

}  // namespace

TEST_CASE("why: shows what happened and what to change") {
    const Installation installation;
    record(installation, kRefusal);
    const std::string text = installation.must({"why", kRefusal.request_id});
    for (const char* part : {"2026-02-02 02:40:00 UTC", "token", "400", "invalid_grant", "The code has expired.",
                             "expired 12 seconds", "web", "what to change"}) {
        CAPTURE(part);
        CHECK(has(text, part));
    }
    const auto value = installation.must_json({"why", kRefusal.request_id});
    CHECK(text_of(value, "request_id") == kRefusal.request_id);
    CHECK(integer_of(value, "time") == 1770000000);
    CHECK(integer_of(value, "status") == 400);
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
    CHECK_FALSE(has(installation.must({"why", kRefusal.request_id}), "client address"));
    CHECK(text_of(installation.must_json({"why", kRefusal.request_id}), "address_unknown") == "");
    server::RefusalRecord refusal = kRefusal;
    refusal.request_id = "3f6c0a51d2b8";
    refusal.address_unknown = "the proxy 192.0.2.1 of trustedProxies sends no X-Forwarded-For";
    record(installation, refusal);
    const std::string text = installation.must({"why", refusal.request_id});
    CHECK(has(text, "client address  unknown: " + refusal.address_unknown));
    CHECK(text_of(installation.must_json({"why", refusal.request_id}), "address_unknown") == refusal.address_unknown);
}

TEST_CASE("why: a reason of another version is explained as its error, and an unknown error has advice, too") {
    const Installation installation;
    server::RefusalRecord unknown = kRefusal;
    unknown.request_id = unknown.error = unknown.reason = "no_such_error";
    record(installation, unknown);
    CHECK_FALSE(text_of(installation.must_json({"why", unknown.request_id}), "hint").empty());
    const std::string expected = hint_for(installation, Reason::invalid_scope);
    server::RefusalRecord refusal = kRefusal;
    refusal.error = "invalid_scope";
    refusal.reason = "invalid_scope_of_tomorrow";
    record(installation, refusal);
    CHECK(text_of(installation.must_json({"why", refusal.request_id}), "hint") == expected);
}

TEST_CASE("why: the advice blames the side that can change it, and its commands name the client") {
    const Installation installation;
    struct Row {
        Reason reason;
        std::vector<const char*> told;
        const char* not_told;
        const char* client_id = "web";
    };
    constexpr Reason kNoChallenge = Reason::invalid_request_pkce_required;
    const std::vector<Row> rows = {
        {kNoChallenge, {"`postern client set web --pkce optional`", "switch PKCE on"}, "ID "},
        {Reason::invalid_request_pkce_of_public_client,
         {"switch PKCE on", "`postern client set web --confidential --pkce optional`"},
         "set web --pkce"},
        {Reason::invalid_request_challenge_not_s256, {"S256", "`postern client show web`"}, "--pkce"},
        {Reason::invalid_request, {"Fix the client"}, "PKCE"},
        {Reason::invalid_request_post_to_authorize, {"\"authorizeMethods\": [\"GET\", \"POST\"]"}, "does not answer"},
        {Reason::invalid_request_method, {"does not answer that method"}, "authorizeMethods"},
        {Reason::invalid_scope, {"`postern client set web --scope \"...\"`"}, "scopeDescriptions"},
        {Reason::invalid_scope_unknown,
         {"`postern client set web --scope \"...\"`", "scopeDescriptions", "scope_ignored"},
         "\"oidc\""},
        {Reason::invalid_scope_openid_off, {"\"oidc\""}, "--scope"},
        {Reason::invalid_scope_beyond_grant,
         {"did not ask for at the authorization", "authorize again"},
         "scopeDescriptions"},
        {Reason::invalid_scope_openid_without_user, {"No user"}, "--scope"},
        {Reason::invalid_target_this_server, {"`audience` (or `aud`)", "UserInfo needs none"}, "client add"},
        {Reason::invalid_target_client, {"URL", "`postern client add NAME --grant client_credentials"}, "UserInfo"},
        {Reason::invalid_target_two_audiences, {"`aud` and `audience`", "one of them"}, "client add"},
        {Reason::redirect_unregistered, {"`postern client set web --redirect-uri ...`"}, "Correct it"},
        {Reason::redirect_unregistrable, {"`postern client set` refuses this", "Correct it"}, "--redirect-uri"},
        {Reason::logout_redirect_unregistrable, {"`postern client set` refuses this"}, "--post-logout-redirect-uri"},
        {Reason::client_document_no_room_for_user, {"a tenth of registration.max"}, "clientDocuments"},
        {Reason::invalid_client_disabled, {"`postern client enable web`"}, "secret"},
        {Reason::invalid_client_other_method,
         {"`postern client set web --auth-method client_secret`"},
         "client secret "},
        {Reason::invalid_client_public_introspects, {"introspectionRequiresConfidentialClient"}, "client secret "},
        // An id that a shell would take apart, that of a document, one that turns the line around, one that was cut,
        // one like an option, none.
        {kNoChallenge, {"client set '$(reboot)'\\''' --pkce"}, "set $(", "$(reboot)'"},
        {Reason::invalid_client_disabled,
         {"client enable https://app.example/c.json"},
         "enable ID",
         "https://app.example/c.json"},
        {kNoChallenge, {"client set ID --pkce"}, "202", "a\u202eb"},
        {kNoChallenge, {"client set ID --pkce"}, "0123456789ab", "0123456789ab..."},
        {kNoChallenge, {"client set ID --pkce"}, "--json", "--json"},
        {kNoChallenge, {"client set ID --pkce"}, "{client}", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(refusal::row_of(row.reason).word));
        const std::string hint = hint_for(installation, row.reason, row.client_id);
        CAPTURE(hint);
        for (const char* part : row.told) {
            CAPTURE(part);
            CHECK(has(hint, part));
        }
        CHECK_FALSE(has(hint, row.not_told));
    }
}

TEST_CASE(
    "why: each refusal of a document's client has a text of its own that says what to change [FETCH-12, CIMD-4]") {
    const Installation installation;
    struct Row {
        Reason reason;
        const char* told;
    };
    const Row rows[] = {
        {Reason::client_unknown_documents_off, R"("clientDocuments": {"enabled": true})"},
        {Reason::client_document_refused_not_allowed, "Add the host to clientDocuments.allow"},
        {Reason::client_document_refused_denied, "clientDocuments.deny names it"},
        {Reason::client_document_refused_resource, "An API and an application have the same URL"},
        {Reason::client_document_refused_url, "The URL cannot name a document"},
        {Reason::client_document_refused_method, "wants to authenticate by a key"},
        {Reason::client_document_refused_invalid, "cannot be accepted, for the reason in the detail"},
        {Reason::client_document_refused, "could not be fetched"},
        {Reason::client_document_refused_silent_host, "kept this server waiting"},
        {Reason::client_document_busy, "More documents were to be fetched than in one minute may be"},
        {Reason::client_document_busy_slots, "start more processes of authorize"},
        {Reason::client_document_busy_address, "than their share"},
        {Reason::client_document_busy_user, "that one user has brought"},
        {Reason::client_document_busy_time, "Hosts answer slowly"},
        {Reason::client_document_changed, "start again at the application"},
        {Reason::client_document_no_room, "clientDocuments.max allows"},
        {Reason::client_document_no_room_for_user, "a tenth of clientDocuments.max"},
        {Reason::redirect_unregistered_in_document, "the document does not name this address"},
        {Reason::invalid_client_documents_off, "Switch it on again"},
        {Reason::invalid_client_document_introspects, "Let the API introspect with a client of its own"},
        {Reason::logout_client_document, "sends browsers at a logout"},
    };
    std::set<std::string> hints;
    for (const Row& row : rows) {
        CAPTURE(std::string(refusal::row_of(row.reason).word));
        const std::string hint = hint_for(installation, row.reason, "https://app.example/client.json");
        CAPTURE(hint);
        CHECK(has(hint, row.told));
        CHECK(hints.insert(hint).second);
    }
}

TEST_CASE("why: each refusal of a client that registered itself says what to change [REG-21, REG-31, REG-33]") {
    const Installation installation;
    struct Row {
        Reason reason;
        const char* told;
    };
    const Row rows[] = {
        {Reason::invalid_client_registration_not_open, "let such clients go on"},
        {Reason::client_disabled_registration_not_open, "users sign in to such applications only with"},
        {Reason::invalid_client_dynamic_introspects, "an application that registered itself"},
        {Reason::consent_required_each_time, "nothing is remembered"},
        {Reason::invalid_target_unregistered, "or that registered itself"},
        {Reason::client_document_error, "or of one that registered itself without a token"},
    };
    std::set<std::string> hints;
    for (const Row& row : rows) {
        CAPTURE(std::string(refusal::row_of(row.reason).word));
        const std::string hint = hint_for(installation, row.reason, "c2f1a0");
        CAPTURE(hint);
        CHECK(has(hint, row.told));
        CHECK(hints.insert(hint).second);
    }
}

TEST_CASE("why: for a client that registered itself it does not advise first-party, which is refused [REG-21]") {
    const Installation installation;
    model::Client client;
    client.id = model::ClientId("c2f1a0");
    client.origin = model::Origin::dynamic;
    client.grants = {model::GrantType::authorization_code};
    client.redirect_uris = {"https://app.example/cb"};
    client.registered_by = "digest of a token";
    write(installation, [&](db::Transaction& transaction) { REQUIRE(store::insert_client(transaction, client)); });
    const std::string hint = hint_for(installation, Reason::consent_required, "c2f1a0");
    CAPTURE(hint);
    CHECK_FALSE(has(hint, "--first-party"));
    CHECK(has(hint, "users approve such a client themselves"));
    CHECK(has(hint_for(installation, Reason::consent_required, "unknown"), "--first-party"));
}

TEST_CASE("why: for a client that a document describes it advises no command that refuses such clients [CIMD-4]") {
    const Installation installation;
    constexpr const char* kUrl = "https://app.example/client.json";
    struct Row {
        Reason reason;
        const char* command;  ///< for a client of the operator
        const char* told;     ///< for one of a document
    };
    const Row rows[] = {
        {Reason::invalid_request_pkce_required, "--pkce", "switch PKCE on"},
        // These take the commands.
        {Reason::access_refused, "--allow-user", "--allow-user"},
        {Reason::invalid_target_not_listed, "--resource", "--resource"},
        {Reason::invalid_client_disabled, "client enable", "client enable"},
    };
    const auto check = [&](bool is_described) {
        for (const Row& row : rows) {
            CAPTURE(std::string(refusal::row_of(row.reason).word));
            const std::string text = hint_for(installation, row.reason, kUrl);
            CAPTURE(text);
            CHECK(has(hint_for(installation, row.reason), row.command));
            CHECK(has(text, is_described ? row.told : row.command));
            const bool is_refused = std::string_view(row.command) != row.told;
            if (is_described && is_refused) CHECK_FALSE(has(text, row.command));
        }
    };
    check(true);
    // The operator may register a URL.
    installation.must({"client", "add", kUrl, "--public", "--redirect-uri", "https://app.example/cb"});
    check(false);
}

TEST_CASE("why: each refusal of a second factor says what to change [TOTP-6, TOTP-9, TOTP-11, POLICY-4, LEVEL-5]") {
    const Installation installation;
    struct Row {
        Reason reason;
        const char* told;
        bool shared = false;  ///< the same advice as an earlier row: it has the same cause
    };
    const Row rows[] = {
        {Reason::second_factor_failed, "The password was right and the code was not"},
        {Reason::second_factor_failed_clock_off, "set its time by the network"},
        {Reason::second_factor_failed_used_before, "wait for the next one"},
        {Reason::second_factor_failed_no_app, "recovery codes only"},
        {Reason::second_factor_failed_recovery_code, "`postern user factors NAME`"},
        {Reason::second_factor_throttled, "ends the wait"},
        {Reason::second_factor_throttled_everywhere, "A hundred codes"},
        {Reason::second_factor_missing, "`postern user reset-link NAME`"},
        {Reason::passkey_suspended, "--resume ID"},
        {Reason::second_factor_missing_no_factor_key, "`postern key repair` makes one"},
        {Reason::app_refused_no_factor_key, "`postern key repair` makes one", true},
        {Reason::app_refused_clock_off, "the app was not turned on"},
        {Reason::app_refused, "open for too long"},
        {Reason::passkey_change_refused, "No passkey was added, named or removed"},
        {Reason::passkey_change_refused_origin, "open the account at the issuer"},
        {Reason::profile_refused, "The profile was not changed"},
        {Reason::link_not_good, "A link of `postern user invite` or `reset-link` did nothing"},
        {Reason::link_form_foreign, "Opening the link again helps"},
        {Reason::recover_form_refused, "Sending it again helps"},
        {Reason::mail_limited, "`postern user reset-link NAME` makes a link at once"},
        {Reason::codes_refused, "No recovery codes were made"},
        {Reason::temporarily_unavailable_no_factor_key, "start login and account again", true},
        {Reason::temporarily_unavailable_other_factor_key, "--remove all"},
        {Reason::temporarily_unavailable_other_codes_key, "--remove codes"},
        {Reason::temporarily_unavailable, "The database was busy"},
        {Reason::login_required_second_factor, "requires a second factor"},
        {Reason::login_required, "older than max_age"},
        {Reason::unmet_requirements_not_offered, "`postern client set web --acr any`"},
        {Reason::unmet_requirements_no_passkey, "`postern client set web --acr mfa`"},
        {Reason::unmet_authentication_requirements, "login.acrNames"},
    };
    std::set<std::string> hints;
    for (const Row& row : rows) {
        CAPTURE(std::string(refusal::row_of(row.reason).word));
        const std::string hint = hint_for(installation, row.reason);
        CAPTURE(hint);
        CHECK(has(hint, row.told));
        CHECK(hints.insert(hint).second == !row.shared);
    }
}

TEST_CASE("why: an id that is not recorded exits 1 and says why it may be gone") {
    const Installation installation;
    record(installation, kRefusal);
    for (const char* id : {"3f6c0a51d2b84e08", "3f6c0a51d2b84e0", "", "\x1b[2J"}) {
        const std::string result = installation.refused({"why", id});
        CHECK(has(result, "overwritten"));
        CHECK(has(result, "`postern doctor` and lines scope_ignored"));
    }
}

TEST_CASE("why: a record that cannot be read is not taken for one that is gone") {
    const Installation installation(Installation::Start::configured);
    CHECK(has(installation.refused({"why", kRefusal.request_id}), "cannot be read"));
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
    CHECK_FALSE(has(text, "\nerror  forged"));
}

TEST_CASE("why: --last shows the newest refusal whole, and counts the others by reason and client") {
    const Installation installation;
    constexpr Reason kScope = Reason::invalid_scope_unknown;
    record_recent(installation, {"old", 61});
    record_recent(installation, {"scope1", 50, "wiki", kScope});
    record_recent(installation, {"grant1", 40});
    record_recent(installation, {"scope2", 30, "wiki", kScope});
    record_recent(installation, {"grant2", 20});
    record_recent(installation, {"unknown", 10, "", Reason::client_missing});
    record_recent(installation, {"scope3", 5, "web", kScope});
    record_recent(installation, {"grant3"});
    const auto value = installation.must_json({"why", "--last"});
    CHECK(text_of(value, "request_id") == "grant3");
    CHECK(text_of(value, "detail") == kRefusal.detail);
    CHECK(text_of(value, "reason") == "invalid_grant");
    CHECK(text_of(value, "hint").size() > 40);
    CHECK(others_of(value) ==
          "1 invalid_scope_unknown web scope3, 1 client_missing  unknown, 2 invalid_grant web grant2, "
          "2 invalid_scope_unknown wiki scope2, ");
    const std::string text = installation.must({"why", "--last"});
    CHECK(text.starts_with("request         grant3\n"));
    CHECK(has(text, "\n6 other refusals in the last 60 minutes:\nrefusals  newest"));
    CHECK(has(text, "UTC  invalid_grant          web     grant2\n"));

    CHECK(others_of(installation.must_json({"why", "--last", "--minutes", "61"})) != others_of(value));
    const auto wiki = installation.must_json({"why", "--last", "--client", "wiki"});
    CHECK(text_of(wiki, "request_id") == "scope2");
    CHECK(others_of(wiki) == "1 invalid_scope_unknown wiki scope1, ");
    CHECK(has(installation.must({"why", "--last", "--client", "wiki"}), "\n1 other refusal in the last 60 minutes:\n"));
    CHECK_FALSE(has(installation.must({"why", "--last", "--client", "wiki", "--minutes", "31"}), "other refusal"));
}

TEST_CASE("why: --last lists the newest kinds of many") {
    const Installation installation;
    for (int i = 0; i < 30; ++i)
        record_recent(installation, {"id" + std::to_string(i), 0, "client" + std::to_string(i)});
    CHECK(member_of(installation.must_json({"why", "--last"}), "others").if_array()->size() == 29);
    const std::string text = installation.must({"why", "--last"});
    CHECK(has(text, "client9 "));
    CHECK_FALSE(has(text, "client8 "));
    CHECK(has(text, "\nand 9 other kinds; "));
}

TEST_CASE("why: --user finds the refusals of that user, by name and by `sub`, and shows the name") {
    const Installation installation;
    installation.must({"user", "add", "ada", "--password-stdin"}, "correct horse battery staple\n");
    const std::string sub = text_of(installation.must_json({"user", "show", "ada"}), "sub");
    REQUIRE_FALSE(sub.empty());
    record_recent(installation, {"hers", 2, "web", Reason::consent_required, sub});
    record_recent(installation, {"another's", 1, "web", Reason::consent_required, "sub-of-nobody"});
    record_recent(installation, {"nobody's"});
    for (const std::string& user : {std::string("ada"), sub}) {
        const auto value = installation.must_json({"why", "--last", "--user", user});
        CHECK(text_of(value, "request_id") == "hers");
        CHECK(text_of(value, "username") == "ada");
        CHECK(text_of(value, "subject") == sub);
        CHECK(others_of(value).empty());
    }
    CHECK(has(installation.must({"why", "hers"}), "user            ada\n"));
    CHECK(has(installation.must({"why", "another's"}), "user            sub-of-nobody\n"));
    CHECK_FALSE(has(installation.must({"why", "nobody's"}), "user  "));
    for (const char* how : {"--last", "--follow"})
        CHECK(has(installation.refused({"why", how, "--user", "eve"}), "there is no user \"eve\""));
}

TEST_CASE("why: --last says where to look when nothing was refused") {
    const Installation installation;
    const std::string none = installation.refused({"why", "--last"});
    CHECK(has(none, "no refusal in the last 60 minutes is recorded"));
    CHECK(has(none, "`postern doctor` and lines scope_ignored"));
    CHECK_FALSE(has(none, "without the filter"));
    record_recent(installation, {"yesterday", 24 * 60});
    CHECK(has(installation.refused({"why", "--last"}), "with the request id yesterday"));
    record_recent(installation, {"now", 0, ""});
    const std::string filtered = installation.refused({"why", "--last", "--client", "wiki", "--minutes", "1"});
    CHECK(has(filtered, "no refusal of the client \"wiki\" in the last 1 minute is recorded"));
    CHECK(has(filtered, "without the filter 1 refusal would be shown"));
    CHECK(has(installation.refused({"why", "--last", "--client", "web"}), "with the request id yesterday"));
}

TEST_CASE("why: --follow shows each new refusal, one document a line with --json, until the output is closed") {
    const Installation installation;
    record_recent(installation, {"before"});
    const auto first_lines = [&](const std::string& options, const std::string& lines) {
        ProcessResult result;
        std::atomic<bool> is_done = false;
        std::thread follower([&] {
            const std::string command = postern_program() + " why --follow " + options + " | head -n " + lines;
            result = run({"/bin/sh", "-c", command},
                         {{"POSTERN_CONFIG", installation.config_file().string()}, {"PATH", "/usr/bin:/bin"}});
            is_done = true;
        });
        for (int i = 0; !is_done; ++i) {  // the follower begins at some time, and ends when head has
            record_recent(installation, {"other" + std::to_string(i), 0, "other"});
            record_recent(installation, {"web" + std::to_string(i)});
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        follower.join();
        return result.out;
    };
    const std::string out = first_lines("--json --client web", "2");
    const auto lines = util::split(out, '\n');
    REQUIRE(lines.size() == 3);
    CHECK(lines.back().empty());
    std::string ids;
    for (int i = 0; i < 2; ++i) {
        const auto value = json::parse(lines[static_cast<std::size_t>(i)]);
        REQUIRE(value);
        CHECK(text_of(*value, "client_id") == "web");
        CHECK(text_of(*value, "hint").size() > 40);
        ids += text_of(*value, "request_id") + " ";
    }
    CHECK_FALSE(has(ids, "before"));
    CHECK(has(first_lines("", "1"), "request         "));
}

TEST_CASE("why: an id, --last and --follow do not go together, and one is needed") {
    const Installation installation;
    const Words lines[] = {{"why"},
                           {"why", "--client", "web"},
                           {"why", "id", "--last"},
                           {"why", "id", "--follow"},
                           {"why", "id", "--client", "web"},
                           {"why", "--last", "--follow"},
                           {"why", "--follow", "--minutes", "5"},
                           {"why", "id", "--minutes", "5"},
                           {"why", "--last", "--minutes", "0"},
                           {"why", "--last", "--minutes", "525601"}};
    for (const Words& line : lines) {
        CAPTURE(line.size());
        CAPTURE(line.back());
        const auto result = installation.postern(line);
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
    }
}
