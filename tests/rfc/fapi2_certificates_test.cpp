// The FAPI 2.0 Security Profile for a client that authenticates by its certificate, which its tokens are bound to.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/certificates.h"
#include "support/pushed.h"

namespace {

using namespace postern;
using namespace postern::test;
using namespace postern::test::certificates;
using std::chrono::seconds;

constexpr const char* kBank = "bank";
constexpr const char* kBankRedirect = "https://bank.example/cb";
constexpr const char* kApi = "https://api.example/";

/// Shows that certificate, in PEM; nullptr: none.
CgiRequest with_certificate(CgiRequest request, const char* certificate) {
    if (certificate == nullptr) return request;
    request.variables["SSL_CLIENT_CERT"] = certificate;
    request.variables["SSL_CLIENT_VERIFY"] = "SUCCESS";
    return request;
}

/// A deployment with a client of profile fapi2 whose certificate an authority has issued, and alice.
struct WithBank {
    Deployment op{{.config = {{"idTokenAlgorithms", json::strings({"RS256", "ES256"})},
                              {"paths", json::Object{{"par", "/par"}}}}}};
    UserAgent alice{op};

    WithBank() {
        write_file(op.directory() / "clients-ca.pem", std::string(kRoot) + kIntermediate);
        op.configure("mtls", json::Object{{"baseUrl", "https://mtls.op.example"},
                                          {"ca", (op.directory() / "clients-ca.pem").string()}});
        op.must({"client",
                 "add",
                 kBank,
                 "--profile",
                 "fapi2",
                 "--auth-method",
                 "tls_client_auth",
                 "--tls-client-auth-san-dns",
                 "robot.example",
                 "--tls-client-certificate-bound-access-tokens",
                 "--grant",
                 "authorization_code",
                 "--grant",
                 "refresh_token",
                 "--grant",
                 "client_credentials",
                 "--scope",
                 "openid api",
                 "--redirect-uri",
                 kBankRedirect});
    }

    /// Sends the form with that certificate, in PEM; nullptr: without one.
    Answer send(const char* endpoint, const Query& form, const char* certificate = kRobot) const {
        return op.cgi(endpoint, with_certificate(post_form(form.with("client_id", kBank).text()), certificate));
    }
    std::string pushed() const {
        const Answer answer = send("par", authorization_request()
                                              .with("client_id", kBank)
                                              .with("redirect_uri", kBankRedirect)
                                              .with("scope", "openid"));
        REQUIRE(answer.status == 201);
        return answer.member("request_uri");
    }
    Answer ask_userinfo(const std::string& token, const char* certificate) const {
        CgiRequest request;
        request.headers = {{"Authorization", "Bearer " + token}};
        return op.cgi("userinfo", with_certificate(std::move(request), certificate));
    }
    std::string why(const Answer& answer) const { return op.must({"why", answer.header("X-Request-Id")}); }
};

std::string x5t_in(const json::Object& object) {
    const json::Value* cnf = object.find("cnf");
    return cnf && cnf->if_object() ? text_of(*cnf->if_object(), "x5t#S256") : "";
}

TEST_CASE(
    "fapi2: a certificate instead of a signature, from the push to UserInfo [F2-4, F2-5, F2-9, F2-16, F2-R4, MTLS-8]") {
    WithBank f;
    CHECK(f.send("par", authorization_request(), nullptr).verdict() == "401 invalid_client");
    CHECK(f.send("par", authorization_request(), kOtherRobot).verdict() == "401 invalid_client");
    const Query redemption{{"grant_type", "authorization_code"},
                           {"code", f.alice.obtain_code(opening(f.pushed(), kBank))},
                           {"redirect_uri", kBankRedirect},
                           {"code_verifier", kVerifier}};
    CHECK(f.send("token", redemption, nullptr).verdict() == "401 invalid_client");  // and the code stays good
    const Answer tokens = f.send("token", redemption);
    REQUIRE(tokens.verdict() == "200");
    CHECK(tokens.member("token_type") == "Bearer");
    const std::string access = tokens.member("access_token");
    CHECK(x5t_in(jwt_claims(access)) == kRobotThumbprint);
    CHECK(f.ask_userinfo(access, kRobot).verdict() == "200");
    CHECK(f.ask_userinfo(access, kOtherRobot).verdict() == "401 invalid_token");
    CHECK(f.ask_userinfo(access, nullptr).verdict() == "401 invalid_token");

    f.op.advance(seconds(30));
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}};
    const Answer again = f.send("token", refresh);
    REQUIRE(again.verdict() == "200");
    CHECK(again.member("refresh_token") == tokens.member("refresh_token"));
    CHECK(x5t_in(jwt_claims(again.member("access_token"))) == kRobotThumbprint);
}

TEST_CASE("fapi2: a token that is bound to a certificate is told to the API that it is for [F2-46, MTLS-8]") {
    const WithBank f;
    f.op.must({"resource", "add", kApi});
    for (const auto& [id, options] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"api", {"--resource-server", kApi}}, {"nobody", {}}}) {
        std::vector<std::string> command = {"client", "add",           id, "--grant", "client_credentials", "--scope",
                                            "",       "--secret-stdin"};
        command.insert(command.end(), options.begin(), options.end());
        f.op.must(command, secret_of(id) + "\n");
    }
    const std::string token =
        f.send("token", {{"grant_type", "client_credentials"}, {"scope", "api"}, {"resource", kApi}})
            .member("access_token");
    const json::Object told = as_client(f.op, "introspect", Query{{"token", token}}, "api").json();
    CHECK(x5t_in(told) == kRobotThumbprint);
    CHECK(as_client(f.op, "introspect", Query{{"token", token}}, "nobody").body == R"({"active":false})");
    CHECK(f.send("introspect", {{"token", token}}).body == R"({"active":false})");  // its own client, too
}

TEST_CASE("fapi2: where certificates are no longer looked at, its client gets nothing [F2-4, F2-S2, COM-10]") {
    WithBank f;
    const Query form{{"grant_type", "client_credentials"}, {"scope", "api"}};
    CHECK(f.send("token", form).verdict() == "200");
    f.op.configure("mtls", json::Value());
    CHECK(f.send("token", form).verdict() == "401 invalid_client");
}

}  // namespace
