// Client authentication, a row per clause (RFC 6749 §2.3, RFC 7617).
#include "oauth/client_auth.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "support/rules_fixture.h"
#include "util/base64.h"

using namespace postern;
using oauth::ErrorCode;

namespace {

const std::string kSecret = "p%w+d:/\xc3\xa9 &=0123456789-0123456789";
const std::string kSecretEncoded = "p%25w%2Bd%3A%2F%C3%A9+%26%3D0123456789-0123456789";

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    Fixture() {
        fixture.add_confidential("app", "https://app.example/cb", kSecret);
        fixture.add_public("spa", "https://spa.example/cb");
        model::Client only_post = fixture.add_confidential("only-post", "https://p.example/cb", kSecret);
        only_post.auth_method = model::AuthMethod::client_secret_post;
        model::Client off = fixture.add_confidential("off", "https://off.example/cb", kSecret);
        off.enabled = false;
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        REQUIRE(store::update_client(transaction, only_post));
        REQUIRE(store::update_client(transaction, off));
        transaction.commit();
    }

    /// "" for success, else the error's wire name.
    std::string ask(const std::optional<std::string>& authorization, std::string_view form) {
        http::Request request = test::post(form);
        request.authorization = authorization;
        const auto credentials = oauth::parse_credentials(request);
        if (!credentials) return std::string(oauth::wire_name(credentials.error().code));
        const auto client = oauth::authenticate_client(context, *credentials, {});
        return client ? "" : std::string(oauth::wire_name(client.error().code));
    }
};

}  // namespace

TEST_CASE("client authentication: what authenticates a client and what does not [RFC 6749 §10.1, C08]") {
    using Header = std::optional<std::string>;
    const std::string good = test::basic_header("app", kSecret);
    const std::string raw64 = good.substr(6);
    struct Row {
        const char* clause;
        Header header;
        std::string form;
        const char* error;
    };
    const Row rows[] = {
        {"Basic, raw", good, "", ""},
        {"RFC 6749 §2.3.1 Basic, form-encoded", test::basic_header("app", kSecretEncoded), "", ""},
        {"body", {}, "client_id=app&client_secret=" + kSecretEncoded, ""},
        {"the scheme is case-insensitive", "bAsIc " + raw64, "", ""},
        {"the body repeats the id", good, "client_id=app", ""},
        {"public client", {}, "client_id=spa", ""},
        {"public client by Basic without a secret", test::basic_header("spa", ""), "", ""},
        {"registered for post", {}, "client_id=only-post&client_secret=" + kSecretEncoded, ""},
        {"RFC 6749 §2.3 two methods", good, "client_secret=" + kSecretEncoded, "invalid_request"},
        {"RFC 6749 §2.3 two ids", good, "client_id=spa", "invalid_request"},
        {"registered for post, used Basic", test::basic_header("only-post", kSecret), "", "invalid_client"},
        {"nothing sent", {}, "", "invalid_client"},
        {"unknown", test::basic_header("nobody", kSecret), "", "invalid_client"},
        {"disabled", test::basic_header("off", kSecret), "", "invalid_client"},
        {"wrong secret", test::basic_header("app", kSecret + "x"), "", "invalid_client"},
        {"first half of the secret", test::basic_header("app", kSecret.substr(0, 15)), "", "invalid_client"},
        {"trailing blank", test::basic_header("app", kSecret + " "), "", "invalid_client"},
        {"trailing NUL", test::basic_header("app", kSecret + std::string(1, '\0')), "", "invalid_client"},
        {"encoded twice",
         test::basic_header("app", "p%2525w%252Bd%253A%252F%25C3%25A9%2B%2526%253D0123456789-0123456789"), "",
         "invalid_client"},
        {"confidential client without a secret", {}, "client_id=app", "invalid_client"},
        {"confidential client with an empty one", test::basic_header("app", ""), "", "invalid_client"},
        {"public client with a secret", {}, "client_id=spa&client_secret=x", "invalid_client"},
        {"public client with a secret by Basic", test::basic_header("spa", "x"), "", "invalid_client"},
        {"secret without id", {}, "client_secret=" + kSecretEncoded, "invalid_client"},
        {"RFC 4648 §4 junk behind", "Basic " + raw64 + "!", "", "invalid_client"},
        {"RFC 9110 §11.4 two blanks", "Basic  " + raw64, "", ""},
        {"a tab", "Basic\t" + raw64, "", "invalid_client"},
        {"no colon", "Basic " + util::base64_encode("app"), "", "invalid_client"},
        {"wrong padding", "Basic " + util::base64_encode("app:xy") + "=", "", "invalid_client"},
        {"another scheme", "Bearer " + raw64, "", "invalid_client"},
        {"two schemes joined by the server", good + ", Bearer x", "", "invalid_client"},
        {"scheme alone", "Basic", "", "invalid_client"},
        {"empty header", "", "", "invalid_client"},
    };
    Fixture f;
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CHECK(f.ask(row.header, row.form) == row.error);
    }
}

TEST_CASE("client authentication: every failure has the same words for the client, and different ones in the log") {
    Fixture f;
    const auto fail = [&](std::string_view form) {
        const auto credentials = oauth::parse_credentials(test::post(form));
        REQUIRE(credentials);
        const auto client = oauth::authenticate_client(f.context, *credentials, {});
        REQUIRE_FALSE(client);
        return client.error();
    };
    const auto unknown = fail("client_id=nobody&client_secret=x");
    const auto wrong = fail("client_id=app&client_secret=x");
    const auto off = fail("client_id=off&client_secret=" + kSecretEncoded);
    CHECK(unknown.description == wrong.description);
    CHECK(off.description == wrong.description);
    CHECK(unknown.log_detail != wrong.log_detail);
    CHECK(off.log_detail != wrong.log_detail);
}

TEST_CASE(
    "reader_of_document: the origin of a document's URL that is no stored client, and of nothing else [CIMD-15]") {
    struct Row {
        const char* when;
        const char* form;
        bool enabled;
        const char* reader;
    };
    const Row rows[] = {
        {"a document", "client_id=https://app.example/c", true, "https://app.example"},
        {"the option off", "client_id=https://app.example/c", false, ""},
        {"a stored client", "client_id=https://stored.example/c", true, ""},
        {"a URL that names no document", "client_id=https://APP.example/c", true, ""},
        {"another unknown client", "client_id=nobody", true, ""},
        {"with a secret", "client_id=https://app.example/c&client_secret=x", true, ""},
        {"nothing", "", true, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        test::RulesFixture f;
        f.settings.client_documents.enabled = row.enabled;
        f.add_public("https://stored.example/c", "https://stored.example/cb");
        oauth::Context context = f.context();
        const auto credentials = oauth::parse_credentials(test::post(row.form));
        REQUIRE(credentials);
        CHECK(oauth::reader_of_document(context, *credentials).value_or("") == row.reader);
    }
}
