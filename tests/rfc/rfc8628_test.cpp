// The device grant on the wire (RFC 8628): the two requests of the device, and what stands beside them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/writer.h"
#include "support/audit_log.h"
#include "support/device.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

TEST_CASE(
    "device authorization: the answer of RFC 8628 §3.2, and nothing kept by anyone [DEV-5, RFC 8628 §3.2ab, §5.2]") {
    const WithDevices f;
    const Device device(f);
    CHECK(device.asked.header("Cache-Control") == "no-store");
    CHECK(device.asked.header("Content-Type").starts_with("application/json"));
    const json::Object answer = device.asked.json();
    CHECK(answer.size() == 7);
    CHECK(device.member("device_code").size() == 43);
    CHECK(device.user_code().size() == 9);
    CHECK(device.member("verification_uri") == f.op.url("device"));
    CHECK(device.url() == f.op.url("device") + "?user_code=" + device.user_code());
    CHECK(number_of(answer, "expires_in") == 600);
    CHECK(number_of(answer, "interval") == 5);
    CHECK(device.member("message").find(device.user_code()) != std::string::npos);
    CHECK(f.op.stored().find(device.user_code()) == std::string::npos);
    const auto issued = audit_line(device.asked.log, "device_code_issued");
    CHECK(text_of(issued, "client_id") == kCli);
}

TEST_CASE("device authorization: which requests get a code [DEV-1, DEV-2, DEV-3, RFC 8628 §3.1ab]") {
    const WithDevices f;
    struct Row {
        const char* when;
        std::string client;
        Query form;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"a public client, by its id alone", kCli, {}, "200"},
        {"a confidential one, with its secret", kService, {}, "200"},
        {"a scope", kCli, {{"scope", "openid"}}, "200"},
        {"a scope that is not registered", kCli, {{"scope", "admin"}}, "400 invalid_scope"},
        {"a resource", kCli, {{"resource", "https://api.example/"}}, "200"},
        {"two resources", kCli, Query{{"resource", "https://a.example/"}}.and_also("resource", "https://b.example/"),
         "200"},
        {"not a resource", kCli, {{"resource", "api"}}, "400 invalid_target"},
        {"more than an authorization request may ask for",
         kCli,
         {{"scope", "api"}, {"resource", "https://api.example/" + std::string(4850, 'a')}},
         "400 invalid_request"},
        {"a client without the grant", kSpa, {}, "400 unauthorized_client"},
        {"a confidential one without the grant", kWeb, {}, "400 unauthorized_client"},
        {"scope twice", kCli, Query{{"scope", "api"}}.and_also("scope", "api"), "400 invalid_request"},
        {"what nobody knows", kCli, {{"nonce", "n"}, {"state", "s"}}, "200"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto before = f.op.count_rows("device_codes");
        CHECK(f.ask(row.form, row.client).verdict() == row.expected);
        CHECK(f.op.count_rows("device_codes") - before == (row.expected == "200" ? 1 : 0));
    }
    // A word that nobody knows is left out beside openid, and logged, as at the authorization endpoint.
    CHECK(f.ask({{"scope", "openid news"}}).log.find("\"event\":\"scope_ignored\"") != std::string::npos);
    const auto send = [&](const std::string& body) {
        return f.op.cgi("device_authorization", post_form(body)).verdict();
    };
    CHECK(send("") == "401 invalid_client");
    CHECK(send("client_id=nobody") == "401 invalid_client");
    CHECK(send("client_id=cli&client_secret=x") == "401 invalid_client");
    CHECK(send("client_id=service") == "401 invalid_client");
    CHECK(send("client_id=cli&client_id=cli") == "400 invalid_request");
    CHECK(f.op.cgi("device_authorization", get_request("client_id=cli")).status == 405);
}

TEST_CASE("device authorization: too many of one address are told to wait [DEV-4]") {
    const WithDevices f;
    Answer last;
    for (int i = 0; i < 11; ++i) last = f.ask();
    CHECK(last.verdict() == "429 slow_down");
    CHECK(last.header("Retry-After") == "60");
    CHECK(f.op.must({"why", last.header("X-Request-Id")}).find("device codes") != std::string::npos);
}

TEST_CASE("device grant: polls until the user has answered [DEV-13, DEV-16, RFC 8628 §3.4, §3.5ab]") {
    WithDevices f;
    const Device device(f);
    const Answer pending = device.poll();
    CHECK(pending.verdict() == "400 authorization_pending");
    CHECK(pending.header("Cache-Control") == "no-store");
    CHECK(device.poll().verdict() == "400 slow_down");
    f.op.advance(seconds(5));
    CHECK(device.poll().verdict() == "400 authorization_pending");
    CHECK(f.poll(device.member("device_code"), kService).verdict() == "400 invalid_grant");
    CHECK(f.poll("another").verdict() == "400 invalid_grant");
    const Query without{{"grant_type", kDeviceGrant}};
    CHECK(f.send("token", without, kCli).verdict() == "400 invalid_request");
    CHECK(f.send("token", Query{{"grant_type", kDeviceGrant}, {"device_code", "x"}}.and_also("device_code", "x"), kCli)
              .verdict() == "400 invalid_request");
    CHECK(f.poll(device.member("device_code"), kSpa).verdict() == "400 unauthorized_client");
    // A device that waits is no refusal: `postern why` has room for those.
    CHECK(f.op.postern({"why", pending.header("X-Request-Id")}).exit_code != 0);
    f.op.advance(seconds(595));
    CHECK(device.poll().verdict() == "400 expired_token");
    f.op.advance(seconds(601));
    CHECK(device.poll().verdict() == "400 expired_token");
}

TEST_CASE("device grant: off until both paths are named [COM-1, COM-10, DEV-17, RFC 8628 §4]") {
    const Deployment off;
    CHECK(off.cgi("device_authorization", post_form("client_id=spa")).status == 404);
    CHECK(off.cgi("device").status == 404);
    CHECK(off.cgi("discovery").json().find("device_authorization_endpoint") == nullptr);
    CHECK(redeem(off, Query{{"grant_type", kDeviceGrant}, {"device_code", "x"}}, kSpa).verdict() ==
          "400 unsupported_grant_type");
    CHECK(off.postern({"client", "add", kCli, "--public", "--grant", "device_code"}).err.find("paths.device") !=
          std::string::npos);

    const WithDevices f;
    const auto metadata = f.op.cgi("discovery").json();
    CHECK(text_of(metadata, "device_authorization_endpoint") == f.op.url("device_authorization"));
    CHECK(json::write(metadata).find(kDeviceGrant) != std::string::npos);
}

}  // namespace
