// `postern` and a client that registered itself: shown, changed, doubted.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "preconditions.h"
#include "store/clients.h"

using namespace postern;
using namespace postern::test;

namespace {

std::optional<model::Client> stored(const Installation& installation, const std::string& id) {
    auto database = installation.open();
    return store::find_client(database, model::ClientId(id));
}

/// As the registration endpoint makes it.
void put(const Installation& installation, const std::string& id, const std::string& registered_by = "") {
    model::Client client;
    client.id = model::ClientId(id);
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.native = true;
    client.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token};
    client.response_types = {model::ResponseType::code};
    client.scope = *model::Scope::parse("openid");
    client.redirect_uris = {"http://127.0.0.1:6274/cb"};
    client.created_at = util::SystemClock().now();
    client.removable_at = client.created_at + util::Seconds{3600};
    client.origin = model::Origin::dynamic;
    client.registered_by = registered_by;
    write(installation, [&](db::Transaction& transaction) { REQUIRE(store::insert_client(transaction, client)); });
}

void set_mode(const Installation& installation, const char* mode) {
    installation.reconfigure("registration", json::Object{{"mode", mode}});
}

}  // namespace

TEST_CASE("client show: how a client registered, and until when it is kept [REG-20]") {
    const Installation installation;
    put(installation, "tool");
    put(installation, "partner", "digest of a token");
    CHECK(text_of(installation.must_json({"client", "show", "tool"}), "origin") == "dynamic");
    CHECK(member_of(installation.must_json({"client", "show", "tool"}), "removable_at").if_integer());
    CHECK(member_of(installation.must_json({"client", "show", "tool"}), "last_used_at").is_null());
    CHECK(has(installation.must({"client", "show", "tool"}), "itself, without a token"));
    CHECK(has(installation.must({"client", "show", "partner"}), "itself, with a token"));
}

TEST_CASE("client list: a client without a name has a dash in the place of it [REG-12]") {
    const Installation installation;
    put(installation, "tool");
    CHECK(has(installation.must({"client", "list", "--origin", "dynamic"}), "\ntool       -     public"));
    CHECK(text_of(installation.must_json({"client", "list"}).if_array()->at(0), "client_name") == "");
}

TEST_CASE(
    "client set, disable: what the operator has decided about a registered client stays, but it is never "
    "first-party [REG-20, REG-21]") {
    const Installation installation;
    for (const std::string& registered_by : {std::string(), std::string("digest of a token")}) {
        const std::string id = registered_by.empty() ? "tool" : "partner";
        CAPTURE(id);
        put(installation, id, registered_by);
        const auto refused = installation.postern({"client", "set", id, "--first-party"});
        CHECK(refused.exit_code == 1);
        CHECK(has(refused.err, "registered itself"));
        CHECK(stored(installation, id)->removable_at);
        installation.must({"client", "set", id, "--no-first-party", "--name", "Known tool"});
        CHECK(stored(installation, id)->name == "Known tool");
        CHECK_FALSE(stored(installation, id)->removable_at);
        CHECK(stored(installation, id)->origin == model::Origin::dynamic);
        CHECK(stored(installation, id)->registered_by == registered_by);
        CHECK_FALSE(stored(installation, id)->first_party);
    }
    put(installation, "other");
    installation.must({"client", "disable", "other"});
    CHECK_FALSE(stored(installation, "other")->removable_at);
}

TEST_CASE("token preview: a client that is as good as disabled gets nothing, for the reason [REG-33]") {
    const Installation installation;
    put(installation, "tool");
    put(installation, "partner", "digest of a token");
    installation.must({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n");
    const auto preview = [&](const char* client) {
        return installation.postern({"token", "preview", "--client", client, "--user", "ada", "--scope", "openid"});
    };
    set_mode(installation, "token");
    CHECK(has(preview("tool").err, "registration.mode is not \"open\""));
    CHECK(preview("tool").exit_code == 1);
    CHECK(preview("partner").exit_code == 0);
    set_mode(installation, "open");
    CHECK(preview("tool").exit_code == 0);
    installation.must({"client", "disable", "tool"});
    CHECK(has(preview("tool").err, "`postern client enable`"));
}

TEST_CASE(
    "doctor: clients that registered without a token, while the mode is another, and a full table [REG-30, "
    "REG-33]") {
    const Installation installation;
    const auto said = [&] { return installation.postern({"doctor"}).out; };
    put(installation, "partner", "digest of a token");
    CHECK_FALSE(has(said(), "registration"));
    put(installation, "tool");
    CHECK(has(said(), "that registered without a token, and registration.mode is not \"open\""));
    set_mode(installation, "open");
    CHECK_FALSE(has(said(), "registration.mode is not"));
    CHECK_FALSE(has(said(), "registration.max is"));
    installation.reconfigure("registration", json::Object{{"mode", "open"}, {"max", 1}});
    CHECK(has(said(), "1 client that registered without a token, and registration.max is 1"));
    set_mode(installation, "closed");
    installation.must({"client", "disable", "tool"});
    CHECK_FALSE(has(said(), "registered without a token"));
}

TEST_CASE("doctor: a consent page that does not say that an application registered itself [REG-31]") {
    const Installation installation;
    const std::filesystem::path own = installation.directory() / "templates";
    std::filesystem::copy("templates", own);
    installation.reconfigure("templates", own.string());
    set_mode(installation, "open");
    const auto said = [&] { return installation.postern({"doctor"}).out; };
    constexpr const char* kFault = "consent.html does not say that an application has registered itself";
    CHECK_FALSE(has(said(), kFault));
    std::ofstream(own / "consent.html") << "<title>{{client_name}}</title><style>p {}</style>{{published_at}}";
    CHECK(has(said(), kFault));
    set_mode(installation, "token");
    CHECK_FALSE(has(said(), kFault));
}
