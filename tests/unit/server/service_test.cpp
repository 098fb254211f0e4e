#include "server/service.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "db/error.h"
#include "db/sqlite/write_lock.h"
#include "refusal/reason.h"
#include "store/login_attempts.h"
#include "support/files.h"
#include "support/variables.h"
#include "util/clock.h"

namespace postern::server {
namespace {

/// A directory with keys, and a process of an endpoint in it that needs nothing else.
class ServiceFixture {
public:
    explicit ServiceFixture(OnFailure on_failure = OnFailure::json, Handler handler = {}, StoreUse use = StoreUse::none,
                            oauth::CorsPolicy readers = oauth::CorsPolicy::none)
        : handler_(handler ? std::move(handler) : [](App&, const http::Request& request) {
              return http::json(json::Object{{"id", request.id}, {"a", request.form.find("a").value_or("")}});
          }) {
        keys::Keys::create(keys_directory(), {crypto::Algorithm::EdDSA}, util::SystemClock().now());
        endpoint_.name = "probe";
        endpoint_.paths = [](const oauth::Settings&) { return std::vector<std::string>{"/probe"}; };
        endpoint_.methods = [](const oauth::Settings&) { return std::vector<http::Method>{http::Method::post}; };
        endpoint_.on_failure = on_failure;
        endpoint_.store = use;
        endpoint_.cors = readers;
        config::Config config;
        config.settings.issuer = "https://login.example.org";
        config.database = directory_ / "postern.db";
        config.keys = keys_directory();
        config.log_target = log_file();
        config.log_level = util::LogLevel::debug;
        config.trusted_proxies = {"192.0.2.1"};
        if (use != StoreUse::none) db::Database::create(config.database);
        app_.emplace(config, endpoint_);
        service_.emplace(*app_, endpoint_, handler_);
    }

    Service& service() { return *service_; }
    App& app() { return *app_; }
    std::string ring() const { return directory_ / "refusals.ring"; }
    std::string keys_directory() const { return directory_ / "keys"; }
    std::string log() const { return test::read_file(log_file()); }

private:
    std::string log_file() const { return directory_ / "log"; }
    test::TemporaryDirectory directory_;
    Handler handler_;
    Endpoint endpoint_;
    std::optional<App> app_;
    std::optional<Service> service_;
};

class FakeExchange final : public gateway::Exchange {
public:
    explicit FakeExchange(std::string path = "/probe", std::string form = "a=b")
        : body_{gateway::BodyState::whole, std::move(form)} {
        with("REQUEST_METHOD", "POST");
        with("REQUEST_URI", path + "?secret-query");
        with("QUERY_STRING", "secret-query");
        with("HTTP_COOKIE", "c=secret-cookie");
        with("HTTP_AUTHORIZATION", "Bearer secret-token");
        with("CONTENT_TYPE", "application/x-www-form-urlencoded");
    }
    FakeExchange& with(const std::string& variable, const std::string& value) {
        const auto& [name, kept] = *memory_.insert_or_assign(variable, value).first;
        test::set(variables_, name, kept);
        return *this;
    }
    const gateway::Variables& variables() const override { return variables_; }
    void read_variables(const std::vector<std::string>&) override {}
    gateway::Body receive(std::size_t) override { return body_; }
    void send(std::string_view wire) noexcept override {
        sent += wire;
        ++times_sent;
    }

    std::string header(const std::string& name) const {
        const std::size_t start = sent.find("\r\n" + name + ": ");
        if (start == std::string::npos) return "";
        const std::size_t value = start + name.size() + 4;
        return sent.substr(value, sent.find("\r\n", value) - value);
    }
    std::string text() const { return sent.substr(sent.find("\r\n\r\n") + 4); }

    std::string sent;
    int times_sent = 0;

private:
    std::map<std::string, std::string> memory_;
    gateway::Variables variables_;
    gateway::Body body_;
};

/// A handler that refuses every request.
Handler refusing(refusal::Reason reason, const std::string& client_id, int status = 401) {
    return [=](App&, const http::Request&) {
        http::Response response = http::json(json::Object{{"error", refusal::error_word(reason)}}, status);
        response.refusal = http::Refusal{reason, "words", "unknown scope: x", client_id};
        return response;
    };
}

TEST_CASE("make_request_id: twelve characters that are hard to misread, never the same, behind the name of the node") {
    crypto::SeededRandom random("ids");
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = make_request_id(random);
        CHECK(id.size() == 12);
        CHECK(id.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz") == std::string::npos);
        ids.insert(id);
    }
    CHECK(ids.size() == 1000);
    const std::string of_node = make_request_id(random, "b7");
    CHECK(of_node.starts_with("b7"));
    CHECK(of_node.size() == 14);
}

TEST_CASE("Service: the handler's answer is sent once, under the id that the handler saw") {
    ServiceFixture fixture;
    FakeExchange exchange;
    fixture.service().run(exchange);
    CHECK(exchange.times_sent == 1);
    CHECK(exchange.sent.starts_with("Status: 200 OK\r\n"));
    CHECK(exchange.text() == "{\"id\":\"" + exchange.header("X-Request-Id") + "\",\"a\":\"b\"}");
}

TEST_CASE(
    "Service: every exception of a handler ends as a fixed answer, and the next request is served normally [X29]") {
    struct Row {
        const char* when;
        std::function<void()> fail;
        const char* status;
        const char* body;
        const char* retry_after;
    };
    const char* const busy =
        R"({"error":"temporarily_unavailable","error_description":"The server is busy. Try again in a moment."})";
    const char* const ours =
        R"({"error":"server_error","error_description":"The server could not answer this request."})";
    const Row rows[] = {
        {"storage", [] { throw db::StoreError("disk I/O error in /secret/path"); }, "503", busy, "5"},
        {"a busy gate", [] { throw db::StoreBusy("busy"); }, "503", busy, "5"},
        {"any other exception", [] { throw std::runtime_error("SELECT secret"); }, "500", ours, ""},
        {"something that is no exception", [] { throw 5; }, "500", ours, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        bool fail_now = true;
        ServiceFixture fixture(OnFailure::json, [&](App&, const http::Request&) {
            if (fail_now) row.fail();
            return http::Response{};
        });
        FakeExchange exchange;
        fixture.service().run(exchange);
        CHECK(exchange.sent.starts_with("Status: " + std::string(row.status)));
        CHECK(exchange.text() == row.body);
        CHECK(exchange.header("Retry-After") == row.retry_after);
        CHECK(exchange.header("Cache-Control") == "no-store");
        fail_now = false;
        FakeExchange next;
        fixture.service().run(next);
        CHECK(next.sent.starts_with("Status: 200 "));
    }
}

TEST_CASE("Service: pages that may read the answers may read failures too [Fetch §3.3]") {
    struct Row {
        const char* when;
        std::function<void()> fail;
    };
    const Row rows[] = {{"busy", [] { throw db::StoreBusy("busy"); }}, {"broken", [] { throw 5; }}};
    for (const Row& row : rows) {
        CAPTURE(row.when);
        ServiceFixture fixture(
            OnFailure::json,
            [&](App&, const http::Request&) {
                row.fail();
                return http::Response{};
            },
            StoreUse::none, oauth::CorsPolicy::any_origin);
        FakeExchange exchange;
        fixture.service().run(exchange);
        CHECK(exchange.sent.starts_with("Status: 50"));
        CHECK(exchange.header("Access-Control-Allow-Origin") == "*");
    }
    ServiceFixture lost(OnFailure::json, {}, StoreUse::none,
                        oauth::CorsPolicy::client_origins);  // nowhere to look an origin up
    FakeExchange exchange;
    lost.service().run(exchange.with("HTTP_ORIGIN", "https://app.example"));
    CHECK(exchange.sent.starts_with("Status: 200 "));
    CHECK(exchange.header("Access-Control-Allow-Origin").empty());
    CHECK(lost.log().find("origin_unknown") != std::string::npos);
}

TEST_CASE("Service: whose request it was is told to the log once, and to the record of each refusal [RFC 7239 §6]") {
    ServiceFixture fixture;
    const auto ask = [&](const std::string& forwarded_for) {
        FakeExchange exchange("/absent");
        exchange.with("REMOTE_ADDR", "192.0.2.1").with("HTTP_X_FORWARDED_FOR", forwarded_for);
        fixture.service().run(exchange);
        const auto refusal = RefusalRing::find(fixture.ring(), exchange.header("X-Request-Id"));
        REQUIRE(refusal);
        return refusal->address_unknown;
    };
    const std::string why =
        "the proxy 192.0.2.1 of trustedProxies writes \"unknown\" into X-Forwarded-For, not an IP address";
    CHECK(ask("198.51.100.7:51234") == "");
    CHECK(fixture.log().find("client_address_unknown") == std::string::npos);
    CHECK(ask("unknown") == why);
    CHECK(ask("unknown") == why);
    CHECK(ask("198.51.100.7") == "");
    const std::string log = fixture.log();
    const std::size_t first = log.find("client_address_unknown");
    REQUIRE(first != std::string::npos);
    CHECK(log.find("client_address_unknown", first + 1) == std::string::npos);
}

TEST_CASE("Service: OPTIONS is answered where other sites' pages may read, and the handler is not asked") {
    const Handler never = [](App&, const http::Request&) -> http::Response { throw std::runtime_error("asked"); };
    ServiceFixture open(OnFailure::json, never, StoreUse::none, oauth::CorsPolicy::any_origin);
    FakeExchange preflight;
    open.service().run(preflight.with("REQUEST_METHOD", "OPTIONS")
                           .with("HTTP_ORIGIN", "https://app.example")
                           .with("HTTP_ACCESS_CONTROL_REQUEST_METHOD", "POST")
                           .with("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "traceparent"));
    CHECK(preflight.sent.starts_with("Status: 204 No Content\r\n"));
    CHECK(preflight.header("Access-Control-Allow-Headers") == "Authorization, Content-Type, traceparent");
    CHECK(preflight.header("Allow") == "POST, OPTIONS");
    CHECK(preflight.header("Access-Control-Allow-Methods") == "POST, OPTIONS");
    FakeExchange question;
    open.service().run(question.with("REQUEST_METHOD", "OPTIONS"));
    CHECK(question.sent.starts_with("Status: 204 No Content\r\n"));
    CHECK(question.header("Allow") == "POST, OPTIONS");
    CHECK(question.header("Access-Control-Allow-Methods").empty());

    ServiceFixture closed(OnFailure::json, never);
    FakeExchange refused;
    closed.service().run(refused.with("REQUEST_METHOD", "OPTIONS").with("HTTP_ORIGIN", "https://app.example"));
    CHECK(refused.sent.starts_with("Status: 405 "));
    CHECK(refused.header("Allow") == "POST");
    CHECK(refused.header("Vary").empty());
    CHECK(refused.sent.find("Access-Control") == std::string::npos);
}

TEST_CASE("Service: an answer that may not leave becomes 500, and nothing of it is sent") {
    ServiceFixture fixture(OnFailure::json, [](App&, const http::Request&) { return http::see_other("/secret"); });
    FakeExchange exchange;
    fixture.service().run(exchange);
    CHECK(exchange.sent.starts_with("Status: 500 "));
    CHECK(exchange.sent.find("secret") == std::string::npos);
}

TEST_CASE("Service: endpoints for browsers fail with a page, in plain text when there are no templates") {
    ServiceFixture fixture(OnFailure::page,
                           [](App&, const http::Request&) -> http::Response { throw std::runtime_error("secret"); });
    FakeExchange exchange;
    fixture.service().run(exchange);
    CHECK(exchange.sent.starts_with("Status: 500 "));
    CHECK(exchange.header("Content-Type") == "text/plain; charset=utf-8");
    CHECK(exchange.text().find(exchange.header("X-Request-Id")) != std::string::npos);
    CHECK(exchange.sent.find("secret") == std::string::npos);
}

TEST_CASE("Service: a refusal can be looked up by the id that its answer carries") {
    ServiceFixture fixture(OnFailure::json, refusing(refusal::Reason::invalid_scope_unknown, "shop", 400));
    FakeExchange exchange;
    fixture.service().run(exchange);
    const auto record = server::RefusalRing::find(fixture.ring(), exchange.header("X-Request-Id"));
    REQUIRE(record);
    CHECK(record->endpoint == "probe");
    CHECK(record->status == 400);
    CHECK(record->error == "invalid_scope");
    CHECK(record->reason == "invalid_scope_unknown");
    CHECK(record->detail == "unknown scope: x");
    CHECK(fixture.log().find("\"error\":\"invalid_scope\"") != std::string::npos);
    CHECK(record->client_id == "shop");

    FakeExchange lost("/elsewhere");
    fixture.service().run(lost);
    CHECK(lost.sent.starts_with("Status: 404 "));
    const auto misdirected = server::RefusalRing::find(fixture.ring(), lost.header("X-Request-Id"));
    REQUIRE(misdirected);
    CHECK(misdirected->detail == "paths of this endpoint: /probe; the request's path: /elsewhere");
}

TEST_CASE("Service: of a client_id that is none, such as a token in the wrong field, only the beginning is noted") {
    const std::string token = std::string(128, 'h') + "signature";
    ServiceFixture fixture(OnFailure::json, refusing(refusal::Reason::invalid_client, token));
    FakeExchange exchange;
    fixture.service().run(exchange);
    const auto record = server::RefusalRing::find(fixture.ring(), exchange.header("X-Request-Id"));
    REQUIRE(record);
    CHECK(record->client_id == std::string(12, 'h') + "...");
    CHECK(fixture.log().find(record->client_id) != std::string::npos);
    CHECK(fixture.log().find(std::string(13, 'h')) == std::string::npos);
    CHECK(fixture.log().find("signature") == std::string::npos);
}

TEST_CASE("Service: the URL of a document is noted whole, but not one that holds a password [CIMD-1]") {
    const struct {
        std::string sent, noted;
    } rows[] = {
        {"https://app.example/client.json", "https://app.example/client.json"},
        {"https://ann:secret@app.example/client.json", "https://ann:..."},
        {"https://app.example:22/client.json", "https://app...."},
    };
    for (const auto& row : rows) {
        CAPTURE(row.sent);
        ServiceFixture fixture(OnFailure::json, refusing(refusal::Reason::invalid_client, row.sent));
        FakeExchange exchange;
        fixture.service().run(exchange);
        const auto record = server::RefusalRing::find(fixture.ring(), exchange.header("X-Request-Id"));
        REQUIRE(record);
        CHECK(record->client_id == row.noted);
        CHECK(fixture.log().find("\"client_id\":\"" + row.noted + "\"") != std::string::npos);
    }
}

TEST_CASE("Service: one access line per request, and nothing that a client keeps secret in any line [CWE-532]") {
    ServiceFixture fixture(OnFailure::json, [](App&, const http::Request& request) -> http::Response {
        if (request.form.find("a") == "fail") throw std::runtime_error("failed");
        return http::Response{};
    });
    for (const char* form : {"a=secret-form", "a=fail"}) {
        FakeExchange exchange("/probe", form);
        fixture.service().run(exchange);
        CHECK(fixture.log().find("\"event\":\"request\",\"id\":\"" + exchange.header("X-Request-Id") + "\"") !=
              std::string::npos);
    }
    FakeExchange lost("/elsewhere");
    fixture.service().run(lost);
    const std::string log = fixture.log();
    std::size_t lines = 0;
    for (std::size_t at = log.find("\"event\":\"request\""); at != std::string::npos;
         at = log.find("\"event\":\"request\"", at + 1)) {
        ++lines;
    }
    CHECK(lines == 3);
    CHECK(log.find("\"status\":\"500\"") != std::string::npos);
    CHECK(log.find("secret") == std::string::npos);
}

TEST_CASE("App: what an endpoint did not declare is not there") {
    ServiceFixture fixture;
    CHECK_THROWS_AS(fixture.app().context(), std::logic_error);
    CHECK_THROWS_AS(fixture.app().pages(), std::logic_error);
    CHECK(fixture.app().database_if_open() == nullptr);
    CHECK(fixture.app().keys().published().size() == 1);
    fixture.service().tidy_up();
}

/// A row that ends a minute after `at`.
void fail_once(db::Database& database, const char* key, util::Time at) {
    db::Transaction transaction(database, db::Durability::lazy);
    store::count_failures(transaction, {key}, at, util::Seconds(60));
    transaction.commit();
}

TEST_CASE(
    "Service: now and then the time after an answer is used to delete what has expired, by endpoints that write") {
    constexpr int kAnswers = 600;  // one in 16 sweeps: all of them without is less likely than 1 in 10^16
    ServiceFixture fixture(OnFailure::json, {}, StoreUse::write);
    db::Database& database = fixture.app().context().store;
    const util::Time long_ago = util::from_epoch(1'000'000'000);
    fail_once(database, "key", long_ago);
    REQUIRE(store::find_attempts(database, {"key"}, long_ago)[0].failures == 1);
    for (int i = 0; i < kAnswers; ++i) fixture.service().tidy_up();
    CHECK(store::find_attempts(database, {"key"}, long_ago)[0].failures == 0);
    CHECK(fixture.log().find("sweep_failed") == std::string::npos);
}

TEST_CASE("Service: what has ended stays for a minute, so that it is distinguished from what never existed") {
    constexpr int kAnswers = 600;
    ServiceFixture fixture(OnFailure::json, {}, StoreUse::write);
    db::Database& database = fixture.app().context().store;
    const util::Time now = util::SystemClock().now();
    fail_once(database, "ended just now", now - util::Seconds(61));
    fail_once(database, "ended before", now - util::Seconds(150));
    for (int i = 0; i < kAnswers; ++i) fixture.service().tidy_up();
    CHECK(store::find_attempts(database, {"ended just now"}, now - util::Seconds(61))[0].failures == 1);
    CHECK(store::find_attempts(database, {"ended before"}, now - util::Seconds(150))[0].failures == 0);
}

TEST_CASE(
    "Service: nothing is deleted, and no request waits for long, while another process holds the write lock [S03]") {
    constexpr int kAnswers = 600;
    ServiceFixture fixture(OnFailure::json, {}, StoreUse::write);
    db::Database& database = fixture.app().context().store;
    const util::Time long_ago = util::from_epoch(1'000'000'000);
    fail_once(database, "key", long_ago);
    {
        db::WriteLock held(fixture.app().config().database + db::kWriteLockSuffix);
        REQUIRE(held.try_lock());
        for (int i = 0; i < kAnswers; ++i)
            fixture.service().tidy_up();  // some forty would have waited for five seconds
    }
    CHECK(store::find_attempts(database, {"key"}, long_ago)[0].failures == 1);
    CHECK(fixture.log().find("sweep_failed") == std::string::npos);
}

TEST_CASE("Service: keys that have become unusable are the server's failure, not a stale answer") {
    ServiceFixture fixture;
    test::write_file(fixture.keys_directory() + "/jwks.json", "{}");
    FakeExchange exchange;
    fixture.service().run(exchange);
    CHECK(exchange.sent.starts_with("Status: 500 "));
}

}  // namespace
}  // namespace postern::server
