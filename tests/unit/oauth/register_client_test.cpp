// Who may register, how often, and what a client may do with its registration (RFC 7591 §3, RFC 7592 §2).
#include "oauth/register_client.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "http/url.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "oauth/registered_client.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/registration_tokens.h"
#include "support/rules_fixture.h"
#include "unit/db/fixture.h"

using namespace postern;
using oauth::RegistrationMode;
using util::Seconds;

namespace {

constexpr const char* kBody = R"({"redirect_uris":["http://127.0.0.1/cb"],"client_name":"Tool"})";

struct Fixture {
    test::RulesFixture fixture;
    std::string address = "192.0.2.1";

    explicit Fixture(RegistrationMode mode = RegistrationMode::token) { configure(mode); }
    Fixture(RegistrationMode mode, db::Database opened) : fixture(std::move(opened), "world") { configure(mode); }
    void configure(RegistrationMode mode) {
        fixture.settings.registration.mode = mode;
        fixture.settings.oidc = true;
    }
    template <class Action>
    auto change(const Action& action) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        auto result = action(transaction);
        transaction.commit();
        return result;
    }
    void add_token(const std::string& value, std::int64_t uses = 1, Seconds life = Seconds{60}) {
        const model::RegistrationToken token{value, oauth::hash_of(value), "",
                                             uses,  fixture.clock.now(),   fixture.clock.now() + life};
        CHECK(change([&](auto& t) { return store::insert_registration_token(t, token); }));
    }
    http::Request request(const std::string& authorization, const std::string& body = kBody) {
        http::Request request;
        request.method = http::Method::post;
        request.body = http::BodyKind::json;
        request.content = body;
        request.remote_address = address;
        if (!authorization.empty()) request.authorization = authorization;
        return request;
    }
    util::Result<json::Object, oauth::RegistrationRefusal> ask(const http::Request& sent) {
        auto context = fixture.context();
        return oauth::register_client(context, sent);
    }
    /// "201", or "STATUS error" with " +" where another try makes sense.
    std::string verdict(const std::string& authorization = "", const std::string& body = kBody) {
        const auto answer = ask(request(authorization, body));
        if (answer) return "201";
        const auto& error = answer.error().error;
        return std::to_string(error.http_status) + " " + std::string(oauth::wire_name(error.code)) +
               (answer.error().retry_after.count() > 0 ? " +" : "");
    }
    std::int64_t clients() {
        auto row = fixture.database.query("SELECT count(*) FROM clients");
        REQUIRE(row.step());
        return row.integer(0);
    }
    model::Client stored(const json::Object& answer) {
        const auto found = store::find_client(fixture.database, model::ClientId(*answer.find("client_id")->if_string()),
                                              fixture.clock.now());
        REQUIRE(found);
        return *found;
    }
    void advance(Seconds by) { fixture.clock.advance(by); }
};

std::string member(const json::Object& object, const char* name) {
    const json::Value* value = object.find(name);
    return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

http::Request managing(const std::string& query, const std::string& token) {
    http::Request request;
    request.query = *http::Params::parse(query, 16);
    if (!token.empty()) request.authorization = "Bearer " + token;
    return request;
}

}  // namespace

TEST_CASE("register_client: a token counts as often as it has uses, until it expires [REG-2]") {
    Fixture f;
    f.add_token("one");
    f.add_token("three", 3);
    f.add_token("brief", 5, Seconds{10});
    CHECK(f.verdict() == "401 invalid_token");
    CHECK(f.verdict("Bearer other") == "401 invalid_token");
    CHECK(f.verdict("Bearer ") == "401 invalid_token");
    CHECK(f.verdict("Basic b25lOm9uZQ==") == "401 invalid_token");
    CHECK(f.verdict("bearer one") == "201");
    CHECK(f.verdict("Bearer one") == "401 invalid_token");
    for (int i = 0; i < 3; ++i) CHECK(f.verdict("Bearer three") == "201");
    CHECK(f.verdict("Bearer three") == "401 invalid_token");
    CHECK(f.verdict("Bearer brief") == "201");
    f.advance(Seconds{10});
    CHECK(f.verdict("Bearer brief") == "401 invalid_token");
    CHECK(f.clients() == 5);
}

TEST_CASE("register_client: what is refused has used up nothing [REG-1, REG-2]") {
    Fixture f;
    f.add_token("one");
    CHECK(f.verdict("Bearer one", "{") == "400 invalid_client_metadata");
    CHECK(f.verdict("Bearer one", "{}") == "400 invalid_redirect_uri");
    CHECK(f.verdict("Bearer one") == "201");
}

TEST_CASE("register_client: the token first, then the body, read strictly [REG-1]") {
    Fixture f;
    f.add_token("good", 100);
    const std::string deep =
        R"({"redirect_uris":["http://127.0.0.1/cb"],"x":)" + std::string(8, '[') + std::string(8, ']') + "}";
    const std::string deep_enough =
        R"({"redirect_uris":["http://127.0.0.1/cb"],"x":)" + std::string(7, '[') + std::string(7, ']') + "}";
    const std::string filled = R"({"redirect_uris":["http://127.0.0.1/cb"],"x":")";
    const std::string whole = filled + std::string(oauth::kMaxRegistrationBytes - filled.size() - 2, 'a') + "\"}";
    CHECK(f.verdict("Bearer bad", "{") == "401 invalid_token");
    const std::pair<std::string, std::string> rows[] = {
        {"", "400 invalid_client_metadata"},
        {"[]", "400 invalid_client_metadata"},
        {"null", "400 invalid_client_metadata"},
        {std::string(kBody) + "x", "400 invalid_client_metadata"},
        {"\xEF\xBB\xBF" + std::string(kBody), "400 invalid_client_metadata"},
        {R"({"redirect_uris":["http://127.0.0.1/cb"],"redirect_uris":["https://app.example/cb"]})",
         "400 invalid_client_metadata"},
        {R"({"redirect_uris":["http://127.0.0.1/cb"],"redirect\u005furis":["https://app.example/cb"]})",
         "400 invalid_client_metadata"},
        {R"({"redirect_uris":["http://127.0.0.1/cb"],"client_name":"a\u0000b"})", "400 invalid_client_metadata"},
        {R"({"redirect_uris":["http://127.0.0.1/cb"],})", "400 invalid_client_metadata"},
        {"{\"redirect_uris\":[\"http://127.0.0.1/cb\"],\"client_name\":\"\xFF\"}", "400 invalid_client_metadata"},
        {deep, "400 invalid_client_metadata"},
        {deep_enough, "201"},
        {whole, "201"},
        {whole + " ", "413 invalid_request"},
    };
    for (const auto& [body, expected] : rows) {
        CAPTURE(body.substr(0, 120));
        CHECK(f.verdict("Bearer good", body) == expected);
    }
    auto form = f.request("Bearer good");
    form.body = http::BodyKind::form;
    CHECK(wire_name(f.ask(form).error().error.code) == "invalid_client_metadata");
}

TEST_CASE(
    "register_client: the answer has everything that is stored, and secrets once [REG-14, REG-15, RFC 7591 §3.2.1]") {
    Fixture f;
    f.add_token("good", 10);
    const auto answer =
        f.ask(f.request("Bearer good", R"({"redirect_uris":["https://app.example/cb?a=1"],"client_name":"Wiki",
        "policy_uri":"https://app.example/p","x":1,"logo_uri":"https://app.example/l"})"));
    REQUIRE(answer);
    CHECK(json::write(*answer->find("redirect_uris")) == R"(["https://app.example/cb?a=1"])");
    CHECK(json::write(*answer->find("grant_types")) == R"(["authorization_code"])");
    CHECK(json::write(*answer->find("response_types")) == R"(["code"])");
    CHECK(member(*answer, "token_endpoint_auth_method") == "client_secret_basic");
    CHECK(member(*answer, "client_name") == "Wiki");
    CHECK(member(*answer, "policy_uri") == "https://app.example/p");
    CHECK(member(*answer, "application_type") == "web");
    CHECK(member(*answer, "id_token_signed_response_alg") == "RS256");
    CHECK(answer->find("x") == nullptr);
    CHECK(answer->find("logo_uri") == nullptr);
    CHECK(*answer->find("client_id_issued_at")->if_integer() == util::to_epoch(f.fixture.clock.now()));
    CHECK(*answer->find("client_secret_expires_at")->if_integer() == 0);
    CHECK(member(*answer, "client_secret").size() == 43);
    CHECK(member(*answer, "registration_access_token").size() == 43);
    CHECK(member(*answer, "registration_client_uri") ==
          f.fixture.settings.issuer + "/register?client_id=" + member(*answer, "client_id"));

    const model::Client stored = f.stored(*answer);
    CHECK(stored.id.str().size() == 22);
    CHECK(stored.origin == model::Origin::dynamic);
    CHECK(stored.registered_by == oauth::hash_of("good").str());
    CHECK(stored.registration_token_hash == oauth::hash_of(member(*answer, "registration_access_token")).str());
    REQUIRE(stored.secrets.size() == 1);
    CHECK(stored.secrets[0].hash == oauth::hash_of(member(*answer, "client_secret")));
    CHECK(stored.removable_at == f.fixture.clock.now() + Seconds{7776000});  // REG-20
    CHECK_FALSE(stored.last_used_at);

    const auto of_public = f.ask(f.request("Bearer good", R"({"redirect_uris":["http://127.0.0.1/cb"],
        "token_endpoint_auth_method":"none"})"));
    REQUIRE(of_public);
    CHECK(of_public->find("client_secret") == nullptr);
    CHECK(of_public->find("client_secret_expires_at") == nullptr);
    CHECK(f.stored(*of_public).secrets.empty());
}

TEST_CASE("register_client: without a token in mode open, ten an hour of one address [REG-3, RFC 7591 §5]") {
    Fixture f(RegistrationMode::open);
    const auto first = f.ask(f.request(""));
    REQUIRE(first);
    CHECK(f.stored(*first).registered_by.empty());
    CHECK(f.stored(*first).removable_at == f.fixture.clock.now() + Seconds{3600});  // REG-30
    CHECK(f.verdict("", "{}") == "400 invalid_redirect_uri");                       // what is refused does not count
    for (int i = 0; i < 9; ++i) CHECK(f.verdict() == "201");
    CHECK(f.verdict() == "429 temporarily_unavailable +");
    CHECK(f.ask(f.request("")).error().retry_after == Seconds{3600});
    f.address = "192.0.2.2";
    CHECK(f.verdict() == "201");
    f.address = "192.0.2.1";
    f.add_token("good");
    CHECK(f.verdict("Bearer good") == "201");                // a token has no such limit
    CHECK(f.verdict("Bearer used") == "401 invalid_token");  // one that is sent must be good
    CHECK(f.verdict("Basic YTpi") == "401 invalid_token");
    f.advance(Seconds{3600});
    CHECK(f.verdict() == "201");
}

TEST_CASE("register_client: an IPv6 network counts as one address, and a /48 has a limit of its own [REG-3]") {
    Fixture f(RegistrationMode::open);
    f.fixture.settings.registration.max = 100000;
    int made = 0;
    for (int net = 0; net < 12; ++net)
        for (int host = 1; host <= 11; ++host) {
            f.address = "2001:db8:1:" + std::to_string(net) + "::" + std::to_string(host);
            if (f.verdict() == "201") ++made;
        }
    CHECK(made == 100);
    f.address = "2001:db8:2::1";
    CHECK(f.verdict() == "201");
    f.address = "";  // not known: those must not share a counter
    for (int i = 0; i < 20; ++i) CHECK(f.verdict() == "201");
}

TEST_CASE(
    "register_client: ten thousand registrations leave as many rows as the limit, and only old ones make room [REG-3, REG-30]") {
    Fixture f(RegistrationMode::open);
    f.fixture.settings.registration.max = 50;
    const auto kept = f.ask(f.request(""));
    REQUIRE(kept);
    f.change([&](auto& t) {
        store::touch_client(t, f.stored(*kept).id, f.fixture.clock.now(), f.fixture.clock.now() + Seconds{7776000});
        return 0;
    });
    int made = 0;
    std::set<std::string> answers;
    for (int i = 0; i < 10000; ++i) {
        f.address =
            "10." + std::to_string(i / 65536) + "." + std::to_string(i / 256 % 256) + "." + std::to_string(i % 256);
        const std::string verdict = f.verdict();
        made += verdict == "201" ? 1 : 0;
        answers.insert(verdict);
        if (i % 100 == 99) f.advance(Seconds{7});  // 700 seconds in all
    }
    CHECK(answers == std::set<std::string>{"201", "503 temporarily_unavailable +"});
    CHECK(f.clients() == 50);
    CHECK(made >= 49);
    CHECK(made < 200);
    CHECK(store::is_client(f.fixture.database, f.stored(*kept).id));  // a user has signed in to it
    CHECK(f.ask(f.request("")).error().error.http_status == 503);
    f.advance(Seconds{601});
    CHECK(f.verdict() == "201");
    CHECK(f.clients() == 50);
}

TEST_CASE("register_client: a refusal waits for no other writer, a full table's neither [REG-3, REG-30]") {
    const test::DatabaseFile file;
    Fixture f(RegistrationMode::open, db::Database(file.path, db::Access::read_write, std::chrono::milliseconds(50)));
    f.fixture.settings.registration.max = 11;
    for (int i = 0; i < 10; ++i) CHECK(f.verdict() == "201");
    f.address = "192.0.2.2";
    CHECK(f.verdict() == "201");

    db::Database writers(file.path, db::Access::read_write);
    const db::Transaction transaction(writers, db::Durability::full);
    CHECK(f.verdict() == "503 temporarily_unavailable +");
    f.address = "192.0.2.1";
    CHECK(f.verdict() == "429 temporarily_unavailable +");
}

TEST_CASE(
    "registrations: a client reads and deletes its own, all others are alike [REG-16, REG-18, REG-19, RFC 7592 §2]") {
    Fixture f;
    f.add_token("good", 10);
    const auto answer = f.ask(f.request("Bearer good"));
    const auto other = f.ask(f.request("Bearer good"));
    REQUIRE(answer);
    REQUIRE(other);
    const std::string id = member(*answer, "client_id"), token = member(*answer, "registration_access_token");
    const std::string query = "client_id=" + id;
    auto context = f.fixture.context();
    const auto status = [&](const http::Request& request) {
        const auto read = oauth::read_registration_of_caller(context, request);
        return read ? std::string("200")
                    : std::to_string(read.error().http_status) + " " + read.error().description + " " +
                          std::string(wire_name(read.error().code));
    };
    const auto read = oauth::read_registration_of_caller(context, managing(query, token));
    REQUIRE(read);
    json::Object without_secret = *answer;
    without_secret.erase("client_secret");
    without_secret.erase("client_secret_expires_at");
    CHECK(json::write(*read) == json::write(without_secret));

    const std::string alike = status(managing("", ""));
    CHECK(alike.starts_with("401 "));
    for (const auto& request :
         {managing(query, ""), managing(query, "x"), managing("client_id=unknown", token), managing("", token),
          managing("client_id=" + member(*other, "client_id"), token), managing(query + "&" + query, token),
          managing(query, member(*other, "registration_access_token")), managing(query, "good")}) {
        CHECK(status(request) == alike);
        CHECK(oauth::delete_client_of_caller(context, request).error().http_status == 401);
    }
    f.fixture.add_public("app", "https://app.example/cb");  // the operator's clients have no such token
    CHECK(status(managing("client_id=app", "")) == alike);
    CHECK(status(managing("client_id=app", "x")) == alike);

    auto client = f.stored(*answer);
    client.enabled = false;
    f.change([&](auto& t) { return store::update_client(t, client); });
    CHECK(status(managing(query, token)).starts_with("403 "));
    CHECK(oauth::delete_client_of_caller(context, managing(query, token)).error().http_status == 403);
    CHECK(status(managing(query, "x")) == alike);
    client.enabled = true;
    f.change([&](auto& t) { return store::update_client(t, client); });

    CHECK(oauth::delete_client_of_caller(context, managing(query, token)));
    CHECK_FALSE(store::is_client(f.fixture.database, client.id));
    CHECK(status(managing(query, token)) == alike);
    CHECK(oauth::delete_client_of_caller(context, managing(query, token)).error().http_status == 401);
}

TEST_CASE("registrations: without a token they are closed to their clients, too, when the mode is not open [REG-33]") {
    Fixture f(RegistrationMode::open);
    const auto answer = f.ask(f.request(""));
    REQUIRE(answer);
    const auto request =
        managing("client_id=" + member(*answer, "client_id"), member(*answer, "registration_access_token"));
    auto context = f.fixture.context();
    CHECK(oauth::read_registration_of_caller(context, request));
    f.fixture.settings.registration.mode = RegistrationMode::token;
    CHECK(oauth::read_registration_of_caller(context, request).error().http_status == 403);
}

namespace {

/// A process that disables the client whose id it is told, and holds the write lock for a while after it has said so.
/// A process, since the wait for that lock uses the timer and the signal handler of its process; it is made before
/// anything opens the database.
class Operator {
public:
    explicit Operator(const std::string& path) {
        REQUIRE(::pipe(told_) == 0);
        REQUIRE(::pipe(ready_) == 0);
        child_ = test::start_child([&] {
            ::close(told_[1]);
            ::close(ready_[0]);
            char id[128];
            const ssize_t size = ::read(told_[0], id, sizeof id);
            if (size <= 0) return 1;
            db::Database database(path, db::Access::read_write);
            db::Transaction transaction(database, db::Durability::full);
            auto client =
                store::find_client(database, model::ClientId(std::string(id, static_cast<std::size_t>(size))));
            client.value().enabled = false;
            if (!store::update_client(transaction, *client) || ::write(ready_[1], "x", 1) != 1) return 2;
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            transaction.commit();
            return 0;
        });
        ::close(told_[0]);
        ::close(ready_[1]);
    }
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;
    ~Operator() {
        for (const int end : {told_[1], ready_[0]}) ::close(end);
        CHECK(test::exit_code_of(child_) == 0);
    }
    void disable(const std::string& id) {
        REQUIRE(::write(told_[1], id.data(), id.size()) == static_cast<ssize_t>(id.size()));
        char byte = 0;
        REQUIRE(::read(ready_[0], &byte, 1) == 1);
    }

private:
    int told_[2]{};
    int ready_[2]{};
    pid_t child_ = -1;
};

}  // namespace

TEST_CASE("registrations: a client that is disabled while it deletes its registration stays [REG-18, REG-19]") {
    const test::DatabaseFile file;
    Operator operators(file.path);
    Fixture f(RegistrationMode::token, db::Database(file.path, db::Access::read_write));
    f.add_token("good");
    const auto answer = f.ask(f.request("Bearer good"));
    REQUIRE(answer);
    const std::string id = member(*answer, "client_id");
    auto context = f.fixture.context();
    const auto request = managing("client_id=" + id, member(*answer, "registration_access_token"));
    operators.disable(id);
    const auto deleted = oauth::delete_client_of_caller(context, request);  // it looks, and waits to write
    REQUIRE_FALSE(deleted);
    CHECK(deleted.error().http_status == 403);
    CHECK(store::is_client(f.fixture.database, model::ClientId(id)));
}
