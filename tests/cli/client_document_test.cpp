// `postern` and a client that a document describes: shown, kept away, changed as far as it is the operator's.
#include <doctest/doctest.h>

#include "preconditions.h"
#include "store/clients.h"

using namespace postern;
using namespace postern::test;

namespace {

const std::string kUrl = "https://app.example/client.json";

std::optional<model::Client> stored(const Installation& installation) {
    auto database = installation.open();
    return store::find_client(database, model::ClientId(kUrl));
}

/// As the authorization endpoint makes it.
void put_described(const Installation& installation) {
    model::Client client;
    client.id = model::ClientId(kUrl);
    client.name = "Notes";
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.origin = model::Origin::document;
    client.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token};
    client.scope = *model::Scope::parse("openid");
    client.redirect_uris = {"https://app.example/cb"};
    client.created_at = util::SystemClock().now();
    client.last_used_at = client.created_at;
    client.removable_at = client.created_at + util::Seconds{86400};
    write(installation, [&](db::Transaction& transaction) { REQUIRE(store::insert_client(transaction, client)); });
}

json::Value documents(const char* allow) { return json::Object{{"enabled", true}, {"allow", json::strings({allow})}}; }

void allow(const Installation& installation, const char* host) {
    installation.reconfigure("outbound", json::Object{{"enabled", true}});
    installation.reconfigure("clientDocuments", documents(host));
}

}  // namespace

TEST_CASE("client list, show, stats: who says what a client is [CIMD-10]") {
    const Installation installation;
    put_described(installation);
    installation.must({"client", "add", "web", "--redirect-uri", "https://web.example/cb"});
    const auto shown = installation.must_json({"client", "show", kUrl});
    CHECK(text_of(shown, "origin") == "document");
    CHECK(member_of(shown, "last_used_at").if_integer());
    CHECK(member_of(shown, "removable_at").if_integer());
    CHECK(has(installation.must({"client", "show", kUrl}), "the document at this URL"));
    const auto own = installation.must_json({"client", "show", "web"});
    CHECK(text_of(own, "origin") == "operator");
    CHECK(member_of(own, "removable_at").is_null());
    const std::string list = installation.must({"client", "list"});
    CHECK(has(list, "ORIGIN"));
    CHECK(has(list, "document"));
    CHECK(integer_of(installation.must_json({"stats"}), "document_clients") == 1);
}

TEST_CASE("client set: of a document's client what no document says, and such a client stays [CIMD-10, CIMD-13]") {
    const Installation installation;
    put_described(installation);
    const std::vector<Words> refused = {{"--name", "x"},
                                        {"--redirect-uri", "https://x.example/"},
                                        {"--scope", "openid email"},
                                        {"--first-party"},
                                        {"--confidential"},
                                        {"--grant", "authorization_code"},
                                        {"--pkce", "required"},
                                        {"--native"},
                                        {"--no-redirect-uri"},
                                        {"--auth-method", "none"}};
    for (const auto& options : refused) {
        CAPTURE(options.front());
        const auto result = installation.postern(joined({"client", "set", kUrl}, options));
        CHECK(result.exit_code != 0);
        CHECK(has(result.err, "is what the document at this URL says"));
    }
    CHECK(stored(installation)->removable_at);
    installation.must({"client", "set", kUrl, "--resource", "https://api.example/"});
    CHECK(stored(installation)->resources == Words{"https://api.example/"});
    CHECK_FALSE(stored(installation)->removable_at);
    CHECK(stored(installation)->origin == model::Origin::document);
}

TEST_CASE("client: other commands advise for a document's client nothing that client set refuses [CIMD-10]") {
    const Installation installation;
    put_described(installation);
    for (const Words& command : {Words{"client", "secret", kUrl},
                                 {"client", "claim", "add", kUrl, "phone=claim:phone_number", "--scope", "phone"}}) {
        CAPTURE(command.at(1));
        const auto result = installation.postern(command);
        CHECK(result.exit_code == 1);
        CHECK(has(result.err, "document"));
        CHECK_FALSE(has(result.err, "client set"));
    }
}

TEST_CASE("client disable, remove: one keeps the document's client away, the other lets it come back [CIMD-10]") {
    const Installation installation;
    put_described(installation);
    installation.must({"client", "disable", kUrl});
    CHECK_FALSE(stored(installation)->enabled);
    CHECK_FALSE(stored(installation)->removable_at);
    CHECK(has(installation.noted({"client", "remove", kUrl}), "brings the client back"));
    CHECK_FALSE(stored(installation));
}

TEST_CASE("client add: the URL of a document, registered by the operator, without a secret [CIMD-1]") {
    const Installation installation;
    const auto add = [&](Words more) {
        return installation.postern(joined({"client", "add", kUrl, "--redirect-uri", "https://app.example/cb"}, more));
    };
    CHECK(has(add({}).err, "add --public"));
    CHECK(add({"--public"}).exit_code == 0);
    CHECK(stored(installation)->origin == model::Origin::operator_);
    CHECK(has(add({"--public"}).err, "is taken"));
    CHECK(installation.postern({"client", "set", kUrl, "--name", "Pinned"}).exit_code == 0);
}

TEST_CASE(
    "doctor: clients of documents whose host is not allowed any more, and a consent page that hides them [CIMD-3, "
    "CIMD-12]") {
    const Installation installation;
    put_described(installation);
    const auto said = [&] { return installation.postern({"doctor"}).out; };
    CHECK(has(said(), "and clientDocuments is off: no user can sign in to them, and their tokens are inactive"));
    allow(installation, "other.example");
    CHECK(has(said(), "that clientDocuments does not allow any more"));
    allow(installation, "app.example");
    CHECK_FALSE(has(said(), "that clientDocuments does not allow any more"));
    CHECK_FALSE(has(said(), "clientDocuments is off"));
    installation.must({"client", "disable", kUrl});
    allow(installation, "other.example");
    CHECK_FALSE(has(said(), "that clientDocuments does not allow any more"));
}

TEST_CASE("resource add: the id of a client is no API, and the id of an API no client [RES-4, CIMD-14, RFC 9068 §5]") {
    const Installation installation;
    allow(installation, "app.example");
    put_described(installation);
    installation.must(
        {"client", "add", "https://own.example/client", "--public", "--redirect-uri", "https://own.example/cb"});
    installation.must({"resource", "add", "https://api.example/mcp"});
    installation.must({"resource", "add", "https://api.example/other", "--alias", "https://alias.example/api"});
    const std::vector<Words> refused = {
        {"resource", "add", kUrl},
        {"resource", "add", "https://app.example:443/client.json"},
        {"resource", "add", "HTTPS://APP.example/client.json"},
        {"resource", "add", "https://new.example/", "--alias", kUrl},
        {"resource", "set", "https://api.example/mcp", "--alias", kUrl},
        {"resource", "add", "https://own.example/client"},
        {"client", "add", "https://api.example/mcp", "--public", "--redirect-uri", "https://api.example/cb"},
        {"client", "add", "https://alias.example/api", "--public", "--redirect-uri", "https://api.example/cb"},
    };
    for (const auto& command : refused) {
        CAPTURE(command.at(2));
        CHECK(has(installation.refused(command), "would pass for"));
    }
    CHECK_FALSE(has(installation.must({"resource", "list"}), "app.example"));
    installation.must({"resource", "add", "https://app.example/"});  // next to it
    installation.must({"resource", "add", kUrl + "l"});
}

TEST_CASE("doctor: a client of a document whose id is the URI of a resource is named [RES-4, CIMD-14]") {
    const Installation installation;
    allow(installation, "app.example");
    installation.must({"resource", "add", kUrl});
    CHECK_FALSE(has(installation.postern({"doctor"}).out, "is the URI of a resource"));
    put_described(installation);
    const auto found = installation.postern({"doctor"});
    CHECK(has(found.out, "1 client of documents whose id is the URI of a resource"));
    installation.must({"resource", "remove", kUrl});
    CHECK_FALSE(has(installation.postern({"doctor"}).out, "is the URI of a resource"));
    installation.reconfigure("defaultResource", kUrl);
    CHECK(has(installation.postern({"doctor"}).out, "defaultResource is the id of the client"));
}
