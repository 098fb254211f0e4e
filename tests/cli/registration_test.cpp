// `postern registration token`, and what `postern client` says of clients that registered themselves.
#include <doctest/doctest.h>

#include <string>

#include "db/write.h"
#include "installation.h"
#include "store/clients.h"

using namespace postern;
using namespace postern::test;
using util::Seconds;

namespace {

/// A client as the registration endpoint stores it.
model::Client registered(const std::string& id, const std::string& registered_by, util::Time created_at) {
    model::Client client;
    client.id = model::ClientId(id);
    client.name = "Tool";
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.native = true;
    client.grants = {model::GrantType::authorization_code};
    client.redirect_uris = {"http://127.0.0.1/cb"};
    client.origin = model::Origin::dynamic;
    client.created_at = created_at;
    client.removable_at = created_at + Seconds{7776000};
    client.registered_by = registered_by;
    client.metadata = {model::ApplicationType::native, "https://app.example/login", "https://app.example/p", ""};
    return client;
}

void put(const Installation& installation, const model::Client& client) {
    auto database = installation.open();
    db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        store::insert_client(transaction, client);
        transaction.commit();
    });
}

}  // namespace

TEST_CASE("registration token: made and shown once, listed without its value, removed [REG-2, REG-15]") {
    const Installation f;
    const auto made = f.must_json({"registration", "token", "add", "--name", "Test suite", "--uses", "20"});
    const std::string token = text_of(made, "initial_access_token"), id = text_of(made, "id");
    CHECK(token.size() == 43);
    CHECK(integer_of(made, "uses_left") == 20);
    f.must_json({"registration", "token", "add"});
    const auto listed = f.must_json({"registration", "token", "list"});
    REQUIRE(listed.if_array()->size() == 2);
    const auto& first = (*listed.if_array())[0];
    const auto& named = text_of(first, "id") == id ? first : (*listed.if_array())[1];
    const auto& other = text_of(first, "id") == id ? (*listed.if_array())[1] : first;
    CHECK(text_of(named, "name") == "Test suite");
    CHECK(integer_of(named, "uses_left") == 20);
    CHECK(integer_of(other, "uses_left") == 1);
    CHECK(integer_of(other, "expires_at") - integer_of(other, "created_at") == 604800);
    const std::string table = f.must({"registration", "token", "list"});
    CHECK(has(table, "Test suite"));
    CHECK_FALSE(has(table, token));
    CHECK(has(f.noted({"registration", "token", "add"}), "no client can register with the token yet"));  // closed
    f.must({"registration", "token", "remove", id});
    CHECK(has(f.refused({"registration", "token", "remove", id}), "registration token list"));
}

TEST_CASE("registration token: numbers and names have limits") {
    const Installation f;
    for (const Words& wrong :
         {Words{"--uses", "0"}, Words{"--uses", "1000001"}, Words{"--expires", "59"}, Words{"--expires", "315360001"},
          Words{"--name", "a\nb"}, Words{"--name", std::string(257, 'a')}}) {
        CAPTURE(wrong[1]);
        CHECK(f.postern(joined({"registration", "token", "add"}, wrong)).exit_code == 2);
    }
}

TEST_CASE(
    "client: those that registered themselves are listed, shown, and removed when nobody uses them [REG-20, REG-23, 3PI-1]") {
    const Installation f;
    f.must({"client", "add", "wiki", "--redirect-uri", "https://wiki.example/cb"});
    const auto now = util::SystemClock().now();
    put(f, registered("old", "", now - Seconds{200000}));
    put(f, registered("new", std::string(64, 'a'), now - Seconds{90000}));
    auto in_use = registered("in-use", "", now - Seconds{200000});
    in_use.last_used_at = now;
    put(f, in_use);
    auto decided = registered("decided", "", now - Seconds{200000});
    decided.removable_at.reset();
    put(f, decided);

    CHECK(f.must_json({"client", "list"}).if_array()->size() == 5);
    CHECK(f.must_json({"client", "list", "--origin", "dynamic"}).if_array()->size() == 4);
    CHECK(f.must_json({"client", "list", "--origin", "dynamic", "--limit", "1"}).if_array()->size() == 1);
    CHECK(f.must_json({"client", "list", "--origin", "operator"}).if_array()->size() == 1);
    CHECK(f.postern({"client", "list", "--origin", "other"}).exit_code == 2);
    const auto shown = f.must_json({"client", "show", "new"});
    CHECK(text_of(shown, "origin") == "dynamic");
    CHECK(text_of(shown, "application_type") == "native");
    CHECK(text_of(shown, "initiate_login_uri") == "https://app.example/login");
    CHECK(text_of(shown, "policy_uri") == "https://app.example/p");
    CHECK(text_of(shown, "registered_by") == std::string(16, 'a'));
    CHECK(has(f.must({"client", "show", "new"}), "itself, with a token of yours"));
    CHECK(has(f.must({"client", "show", "old"}), "itself, without a token"));

    CHECK(f.postern({"client", "remove"}).exit_code == 2);
    CHECK(f.postern({"client", "remove", "old", "--unused-for", "86400"}).exit_code == 2);
    for (const char* wrong : {"-1", "0", "86399"})
        CHECK(f.postern({"client", "remove", "--unused-for", wrong}).exit_code == 2);
    CHECK(integer_of(f.must_json({"client", "remove", "--unused-for", "172800"}), "removed") == 1);
    CHECK(has(f.refused({"client", "show", "old"}), "old"));
    CHECK(integer_of(f.must_json({"client", "remove", "--unused-for", "172800"}), "removed") == 0);
    CHECK(has(f.must({"client", "remove", "--unused-for", "86400"}), "1 client that registered"));
    CHECK(f.must_json({"client", "list"}).if_array()->size() == 3);
    f.must({"client", "remove", "in-use"});
}
