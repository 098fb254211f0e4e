// Certificates of clients on the wire (RFC 8705): they authenticate, and they bind tokens. The test sets the variables
// that a web server would.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/certificates.h"
#include "support/client_endpoints.h"
#include "support/device.h"
#include "support/signer.h"
#include "util/percent.h"

namespace {

using namespace postern;
using namespace postern::test;
using namespace postern::test::certificates;

constexpr const char* kRobots = "robot";  ///< of an authority
constexpr const char* kOwn = "own";       ///< with a self-signed certificate
constexpr const char* kAlias = "https://mtls.op.example";

struct Shown {
    std::optional<std::string> certificate = {};
    std::optional<std::string> verify = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};
const Shown kByRobot{kRobot, "SUCCESS"};
const Shown kBySelf{kSelfSigned, "FAILED:self-signed certificate"};

CgiRequest with_certificate(CgiRequest request, const Shown& shown) {
    if (shown.certificate) request.variables["SSL_CLIENT_CERT"] = *shown.certificate;
    if (shown.verify) request.variables["SSL_CLIENT_VERIFY"] = *shown.verify;
    request.headers.insert(request.headers.end(), shown.headers.begin(), shown.headers.end());
    return request;
}

std::string member_of(const json::Object& object, const char* name) {
    const json::Value* cnf = object.find("cnf");
    return cnf && cnf->if_object() ? text_of(*cnf->if_object(), name) : "";
}
std::string x5t_in(const json::Object& object) { return member_of(object, "x5t#S256"); }

std::string why(const Deployment& op, const Answer& answer) { return op.must({"why", answer.header("X-Request-Id")}); }

/// A deployment with a client for each method, which have every grant.
struct WithCertificates {
    WithDevices devices;
    Deployment& op = devices.op;

    explicit WithCertificates(json::Object config = {}) : devices(std::move(config)) {
        turn_on_client_endpoints(op);
        write_file(op.directory() / "clients-ca.pem", std::string(kRoot) + kIntermediate);
        turn_on();
        write_file(op.directory() / "jwks.json", kSelfSignedKeys);
        add_robot(
            op, kRobots,
            {"--auth-method", "tls_client_auth", "--tls-client-auth-subject-dn", "CN=robot,O=Example\\, Inc.,C=DE"});
        add_robot(op, kOwn,
                  {"--auth-method", "self_signed_tls_client_auth", "--jwks", (op.directory() / "jwks.json").string()});
    }
    void turn_on() const { op.configure("mtls", settings()); }
    void turn_off() const { op.configure("mtls", json::Value()); }
    json::Object settings() const {
        return {{"baseUrl", kAlias}, {"ca", (op.directory() / "clients-ca.pem").string()}};
    }

    Answer ask(const char* endpoint, const Query& form, const Shown& shown) const {
        return op.cgi(endpoint, with_certificate(post_form(form.text()), shown));
    }
    Answer ask_for_token(const std::string& client, const Shown& shown) const {
        return ask("token", {{"grant_type", "client_credentials"}, {"scope", "api"}, {"client_id", client}}, shown);
    }
    Answer ask_userinfo(const std::string& token, const Shown& shown, const std::string& proof = "") const {
        CgiRequest request;
        request.headers = {{"Authorization", (proof.empty() ? "Bearer " : "DPoP ") + token}};
        if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
        return op.cgi("userinfo", with_certificate(request, shown));
    }
    json::Object introspected(const std::string& token) const {
        return as_client(op, "introspect", Query{{"token", token}}).json();
    }
};

TEST_CASE(
    "tls_client_auth, self_signed_tls_client_auth: a row per rule at each endpoint [RFC 8705 §2.1, §2.2, MTLS-1, MTLS-2, MTLS-3, MTLS-4, "
    "MTLS-5, MTLS-6, MTLS-15]") {
    const WithCertificates f;
    const std::string basic_web = basic(kRobots, "a secret of nobody");
    const std::string nothing = "401 invalid_client";
    struct Row {
        const char* rule;
        const char* when;
        std::string client;
        Shown shown;
        std::string expected;  ///< "": success
        Query more = {};
    };
    const std::string tabs = [] {
        std::string text = kRobot;
        for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 2))
            text.replace(at, 1, "\n\t");
        return text;
    }();
    const std::vector<Row> rows = {
        {"MTLS-4", "as it should be", kRobots, kByRobot, ""},
        {"MTLS-2", "as nginx writes it", kRobots, {tabs, "SUCCESS"}, ""},
        {"MTLS-2", "as nginx encodes it", kRobots, {util::percent_encode(kRobot), "SUCCESS"}, ""},
        {"MTLS-2", "cut", kRobots, {std::string(kRobot).substr(0, 300), "SUCCESS"}, nothing},
        {"MTLS-2", "a chain", kRobots, {std::string(kRobot) + kIntermediate, "SUCCESS"}, nothing},
        {"MTLS-3", "not verified", kRobots, {kRobot, "GENEROUS"}, nothing},
        {"MTLS-3", "failed", kRobots, {kRobot, "FAILED:unable to verify"}, nothing},
        {"MTLS-3", "none, and one in the other variable", kRobots, {kRobot, "NONE"}, nothing},
        {"MTLS-3", "empty", kRobots, {kRobot, ""}, nothing},
        {"MTLS-3", "no word", kRobots, {kRobot, std::nullopt}, nothing},
        {"MTLS-3", "a word without a certificate", kRobots, {std::nullopt, "SUCCESS"}, nothing},
        {"MTLS-4", "of another subject", kRobots, {kOtherRobot, "SUCCESS"}, nothing},
        {"MTLS-15", "of an authority of the same name", kRobots, {kForged, "SUCCESS"}, nothing},
        {"MTLS-15", "for servers", kRobots, {kServer, "SUCCESS"}, nothing},
        {"MTLS-15", "of itself", kRobots, {kSelfSigned, "SUCCESS"}, nothing},
        {"MTLS-1",
         "in headers",
         kRobots,
         {{}, {}, {{"SSL-Client-Cert", util::percent_encode(kRobot)}, {"SSL-Client-Verify", "SUCCESS"}}},
         nothing},
        {"MTLS-6", "none", kRobots, {}, nothing},
        {"MTLS-6", "without client_id", "", kByRobot, nothing},
        {"MTLS-6", "of another client", kOwn, kByRobot, nothing},
        {"MTLS-6", "of a client with a secret", kWeb, kByRobot, nothing},
        {"MTLS-6", "of nobody", "nobody", kByRobot, nothing},
        {"MTLS-6", "beside a secret", kRobots, kByRobot, nothing, {{"client_secret", "x"}}},
        {"MTLS-6",
         "beside an empty secret, which is none by RFC 6749 §3.2",
         kRobots,
         kByRobot,
         "",
         {{"client_secret", ""}}},
        {"MTLS-6",
         "beside an assertion that is not looked at",
         kRobots,
         kByRobot,
         nothing,
         {{"client_assertion", "x"}}},
        {"MTLS-5", "self-signed and expired", kOwn, kBySelf, ""},
        {"MTLS-5", "where no authority is known", kOwn, {kSelfSigned, "GENEROUS"}, ""},
        {"MTLS-5", "verified", kOwn, {kSelfSigned, "SUCCESS"}, ""},
        {"MTLS-3", "self-signed, and none", kOwn, {kSelfSigned, "NONE"}, nothing},
        {"MTLS-5", "another key", kOwn, {kOtherRobot, "GENEROUS"}, nothing},
    };
    for (const ClientEndpoint& endpoint : kClientEndpoints) {
        CAPTURE(std::string(endpoint.name));
        for (const Row& row : rows) {
            CAPTURE(std::string(row.rule));
            CAPTURE(std::string(row.when));
            std::string form = endpoint.parameters.text();
            if (!row.client.empty()) form += "&client_id=" + row.client;
            if (!row.more.text().empty()) form += "&" + row.more.text();
            const Answer answer = f.op.cgi(endpoint.name, with_certificate(post_form(form), row.shown));
            CHECK(answer.verdict() == (row.expected.empty() ? endpoint.success : row.expected));
            CHECK(answer.log.find("BEGIN CERTIFICATE") == std::string::npos);
        }
        CgiRequest both = with_certificate(post_form(endpoint.parameters.text()), kByRobot);
        both.headers.emplace_back("Authorization", basic_web);
        CHECK(f.op.cgi(endpoint.name, both).verdict() == nothing);  // MTLS-6
    }
}

TEST_CASE("tls_client_auth: each kind of name, and dates [MTLS-4, MTLS-15]") {
    WithCertificates f;
    const std::vector<std::pair<std::string, std::string>> names = {
        {"--tls-client-auth-san-dns", "robot.example"},
        {"--tls-client-auth-san-uri", "urn:robot:1"},
        {"--tls-client-auth-san-ip", "2001:db8::7"},
        {"--tls-client-auth-san-email", "robot@example.org"},
        {"--tls-client-auth-subject-dn", "CN=robot,O=Example\\, Inc.,C=DE"},
    };
    for (const auto& [option, value] : names) {
        CAPTURE(option);
        f.op.must({"client", "set", kRobots, option, value});
        CHECK(f.ask_for_token(kRobots, kByRobot).verdict() == "200");
        CHECK(f.ask_for_token(kRobots, {kOtherRobot, "SUCCESS"}).verdict() == "401 invalid_client");
    }
    f.op.advance(std::chrono::hours(24 * 365 * 80));
    CHECK(f.ask_for_token(kRobots, kByRobot).verdict() == "401 invalid_client");
}

TEST_CASE("mtls: a refusal says to the operator what came, and to the client nothing [COM-6, MTLS-4, MTLS-5]") {
    const WithCertificates f;
    const struct {
        const char* client;
        Shown shown;
        const char* told;
    } rows[] = {
        {kRobots, {kOtherRobot, "SUCCESS"}, "CN=other"}, {kRobots, {kForged, "SUCCESS"}, "mtls.ca"},
        {kRobots, {kRobot, "GENEROUS"}, "SUCCESS"},      {kRobots, {}, "mtls_endpoint_aliases"},
        {kOwn, {kOtherRobot, "GENEROUS"}, "jwks"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.told);
        const Answer answer = f.ask_for_token(row.client, row.shown);
        CHECK(answer.member("error_description") == "client authentication failed");
        CHECK(has(why(f.op, answer), row.told));
    }
}

TEST_CASE(
    "mtls: tokens that are bound to a certificate, and UserInfo [RFC 8705 §3, §3.1, §3.2, §3.4, MTLS-7, MTLS-8, F2-43]") {
    const WithCertificates f;
    CHECK(x5t_in(jwt_claims(f.ask_for_token(kRobots, kByRobot).member("access_token")))
              .empty());  // the method does not bind
    f.op.must({"client", "set", kRobots, "--tls-client-certificate-bound-access-tokens"});
    const Answer bound = f.ask_for_token(kRobots, kByRobot);
    CHECK(bound.member("token_type") == "Bearer");
    CHECK(x5t_in(jwt_claims(bound.member("access_token"))) == kRobotThumbprint);
    CHECK(x5t_in(f.introspected(bound.member("access_token"))) == kRobotThumbprint);
    CHECK(text_of(f.introspected(bound.member("access_token")), "token_type") == "Bearer");

    // A client with a secret, whose certificate binds alone.
    f.op.must({"client", "set", kWeb, "--tls-client-certificate-bound-access-tokens"});
    UserAgent alice(f.op);
    const auto redeem_by = [&](const std::string& code, const Shown& shown) {
        return f.op.cgi("token", with_certificate(with_basic(token_request(code).text()), shown));
    };
    const std::string code = alice.obtain_code(authorization_request());
    const std::string stored = f.op.stored();
    const Answer without = redeem_by(code, {});
    CHECK(without.verdict() == "400 invalid_request");
    CHECK(has(why(f.op, without), kAlias));
    CHECK(f.op.stored() == stored);  // and the code stays good
    const Answer tokens = redeem_by(code, kBySelf);
    REQUIRE(tokens.verdict() == "200");
    const std::string access = tokens.member("access_token");
    CHECK(x5t_in(jwt_claims(access)) == kSelfSignedThumbprint);
    const struct {
        const char* when;
        Shown shown;
        const char* verdict;
    } rows[] = {
        {"the same", kBySelf, "200"},
        {"none", {}, "401 invalid_token"},
        {"another", kByRobot, "401 invalid_token"},
        {"one that the web server does not vouch for", {kSelfSigned, "NONE"}, "401 invalid_token"},
        {"one without a word", {kSelfSigned, std::nullopt}, "401 invalid_token"},
        {"in headers",
         {{}, {}, {{"SSL-Client-Cert", util::percent_encode(kSelfSigned)}, {"SSL-Client-Verify", "GENEROUS"}}},
         "401 invalid_token"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        CHECK(f.ask_userinfo(access, row.shown).verdict() == row.verdict);
    }
    CHECK(has(f.ask_userinfo(access, {}).header("WWW-Authenticate"), "Bearer"));
    // A confidential client may have another certificate each time (MTLS-9).
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}};
    const Answer again = f.op.cgi("token", with_certificate(with_basic(refresh.text()), kByRobot));
    CHECK(x5t_in(jwt_claims(again.member("access_token"))) == kRobotThumbprint);
}

TEST_CASE("mtls: refresh tokens of a public client are bound to its certificate [RFC 8705 §4, MTLS-9, COM-10]") {
    const WithCertificates f;
    f.op.must({"client", "set", kSpa, "--tls-client-certificate-bound-access-tokens"});
    UserAgent alice(f.op);
    const auto ask = [&](const Query& form, const Shown& shown) {
        return f.ask("token", form.with("client_id", kSpa), shown);
    };
    const Answer first = ask(token_request(alice.obtain_code(authorization_request(kSpa)), kSpa), kBySelf);
    REQUIRE(first.verdict() == "200");
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", first.member("refresh_token")}};
    const Answer stolen = ask(refresh, kByRobot);
    CHECK(stolen.verdict() == "400 invalid_grant");
    CHECK(has(why(f.op, stolen), "certificate"));
    CHECK(ask(refresh, {}).verdict() == "400 invalid_request");
    f.op.must({"client", "set", kSpa, "--no-tls-client-certificate-bound-access-tokens"});
    CHECK(ask(refresh, {}).verdict() == "400 invalid_grant");  // what was bound stays bound
    f.turn_off();
    CHECK(ask(refresh, kBySelf).verdict() == "400 invalid_grant");
    f.turn_on();
    const Answer second = ask(refresh, kBySelf);  // and none of it was a reuse
    CHECK(second.verdict() == "200");
    CHECK(x5t_in(jwt_claims(second.member("access_token"))).empty());
    CHECK(
        ask({{"grant_type", "refresh_token"}, {"refresh_token", second.member("refresh_token")}}, kByRobot).verdict() ==
        "400 invalid_grant");
}

TEST_CASE("mtls: a token that is bound to a key and to a certificate needs both [MTLS-10, MTLS-13, DPOP-5]") {
    WithCertificates f;
    f.op.configure("dpop", "allowed");
    f.op.must({"client", "set", kWeb, "--tls-client-certificate-bound-access-tokens", "--dpop-bound-access-tokens"});
    UserAgent alice(f.op);
    const Signer key("", "");
    const auto at_alias = [&](const char* endpoint, const std::string& token, const std::string& method) {
        json::Object claims = key.proof_claims(f.op, endpoint, token, method);
        claims.set("htu", kAlias + f.op.path_of(endpoint));
        return key.sign(key.proof_header(), claims);
    };
    CgiRequest request =
        with_certificate(with_basic(token_request(alice.obtain_code(authorization_request())).text()), kBySelf);
    request.headers.emplace_back("DPoP", at_alias("token", "", "POST"));
    const Answer tokens = f.op.cgi("token", request);
    REQUIRE(tokens.verdict() == "200");
    CHECK(tokens.member("token_type") == "DPoP");
    const std::string access = tokens.member("access_token");
    for (const json::Object& told : {jwt_claims(access), f.introspected(access)}) {
        CHECK(x5t_in(told) == kSelfSignedThumbprint);
        CHECK(member_of(told, "jkt") == key.jkt());
    }
    CHECK(f.ask_userinfo(access, kBySelf, at_alias("userinfo", access, "GET")).verdict() == "200");
    CHECK(f.ask_userinfo(access, kBySelf, key.proof(f.op, "userinfo", access, "GET")).verdict() == "200");
    CHECK(f.ask_userinfo(access, {}, at_alias("userinfo", access, "GET")).verdict() == "401 invalid_token");
    CHECK(f.ask_userinfo(access, kByRobot, at_alias("userinfo", access, "GET")).verdict() == "401 invalid_token");
    CHECK(f.ask_userinfo(access, kBySelf).verdict() == "401 invalid_token");
}

TEST_CASE("mtls: an assertion may name the alias, where it may name endpoints [CA-9, MTLS-13, CA-1]") {
    WithCertificates f;
    f.op.configure("clientAssertions", true);
    const Signer signer("signer", "k1");
    write_file(f.op.directory() / "signer.json", json::write(signer.jwks()));
    f.op.must({"client", "add", "signer", "--auth-method", "private_key_jwt", "--jwks",
               (f.op.directory() / "signer.json").string(), "--grant", "client_credentials", "--scope", "api"});
    const auto ask = [&](const std::string& assertion, const Shown& shown) {
        return f
            .ask("token", with_assertion({{"grant_type", "client_credentials"}, {"scope", "api"}}, assertion), shown)
            .verdict();
    };
    const std::string alias = kAlias + f.op.path_of("token");
    CHECK(ask(signer.with_claim(f.op, "aud", alias), {}) == "401 invalid_client");
    f.op.configure("clientAssertionAudience", "issuer_or_endpoint");
    CHECK(ask(signer.with_claim(f.op, "aud", alias), {}) == "200");
    CHECK(ask(signer.with_claim(f.op, "aud", f.op.url("token")), {}) == "200");
    CHECK(ask(signer.assertion(f.op), kByRobot) == "200");  // a certificate beside it is no second proof
    CHECK(f.ask("token",
                with_assertion({{"grant_type", "client_credentials"}, {"client_id", kRobots}}, signer.assertion(f.op)),
                kByRobot)
              .verdict() == "401 invalid_client");
}

TEST_CASE("mtls: what discovery says [RFC 8705 §3.3, §5, MTLS-11, COM-2, COM-3]") {
    WithCertificates f;
    const auto document = [&] { return f.op.cgi("discovery").json(); };
    const json::Object on = document();
    const json::Object& aliases = *on.find("mtls_endpoint_aliases")->if_object();
    for (const char* name :
         {"token", "revocation", "introspection", "userinfo", "pushed_authorization_request", "device_authorization"}) {
        const std::string member = std::string(name) + "_endpoint";
        CAPTURE(member);
        const std::string plain = text_of(on, member.c_str());
        CHECK(text_of(aliases, member.c_str()) == kAlias + plain.substr(f.op.issuer().size()));
    }
    CHECK(aliases.size() == 6);
    CHECK(*on.find("tls_client_certificate_bound_access_tokens")->if_bool());
    const auto methods = [&] { return json::write(*document().find("token_endpoint_auth_methods_supported")); };
    CHECK(has(methods(), "\"tls_client_auth\""));
    CHECK(has(methods(), "self_signed_tls_client_auth"));
    f.op.configure("paths", json::Object{{"userinfo", json::Value()}});
    CHECK(document().find("mtls_endpoint_aliases")->if_object()->size() == 3);
    f.op.configure("mtls", json::Object{{"baseUrl", kAlias}});
    CHECK_FALSE(has(methods(), "\"tls_client_auth\""));
    CHECK(has(methods(), "self_signed_tls_client_auth"));
    f.turn_off();
    CHECK(document().find("mtls_endpoint_aliases") == nullptr);
    CHECK(document().find("tls_client_certificate_bound_access_tokens") == nullptr);
    CHECK_FALSE(has(methods(), "tls_client_auth"));
}

TEST_CASE("mtls off: no variable is looked at, and no demand is loosened [COM-10]") {
    const WithCertificates f;
    f.op.must({"client", "set", kWeb, "--tls-client-certificate-bound-access-tokens"});
    UserAgent alice(f.op);
    const auto redeem_by = [&](const Shown& shown) {
        return f.op.cgi(
            "token",
            with_certificate(with_basic(token_request(alice.obtain_code(authorization_request())).text()), shown));
    };
    const Answer tokens = redeem_by(kBySelf);
    REQUIRE(tokens.verdict() == "200");
    const std::string code = alice.obtain_code(authorization_request());
    f.turn_off();
    const std::string access = tokens.member("access_token");
    CHECK(f.ask_for_token(kRobots, kByRobot).verdict() == "401 invalid_client");
    CHECK(f.ask_for_token(kOwn, kBySelf).verdict() == "401 invalid_client");
    CHECK(has(why(f.op, f.ask_for_token(kOwn, kBySelf)), "\"mtls\""));
    CHECK(f.ask_userinfo(access, kBySelf).verdict() == "401 invalid_token");
    CHECK(x5t_in(f.introspected(access)) == kSelfSignedThumbprint);
    CHECK(f.op.cgi("token", with_certificate(with_basic(token_request(code).text()), kBySelf)).verdict() ==
          "400 unauthorized_client");
    CHECK(f.op.postern({"client", "add", "next", "--auth-method", "tls_client_auth", "--tls-client-auth-san-dns",
                        "a.example", "--grant", "client_credentials"})
              .exit_code != 0);
    CHECK(has(f.op.postern({"doctor"}).out, "mtls is not configured"));
}

}  // namespace
