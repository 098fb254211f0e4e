// `postern client` of a client with certificates: the name or the key is registered, shown and replaced, and it has no
// secret.
#include <doctest/doctest.h>

#include <string>

#include "robot.h"
#include "support/certificates.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kSubject = "CN=robot,O=Example\\, Inc.,C=DE";

struct WithMtls : WithRobot {
    WithMtls() { turn_on(std::string(certificates::kRoot) + certificates::kIntermediate); }

    void turn_on(const std::string& authorities) {
        installation.reconfigure(
            "mtls", json::Object{{"baseUrl", "https://mtls.id.example.org"}, {"ca", file("ca.pem", authorities)}});
    }
    std::string keys() const { return file("robot.jwks", certificates::kSelfSignedKeys); }
};

}  // namespace

TEST_CASE("client add, client set: a client with certificates of an authority [MTLS-4, MTLS-7, COM-7]") {
    const WithMtls s;
    const auto added = s.add({"--auth-method", "tls_client_auth", "--tls-client-auth-subject-dn", kSubject,
                              "--tls-client-certificate-bound-access-tokens"});
    CHECK(added.if_object()->find("client_secret") == nullptr);
    CHECK(s.secrets() == 0);
    auto shown = s.installation.must_json({"client", "show", "robot"});
    CHECK(text_of(shown, "token_endpoint_auth_method") == "tls_client_auth");
    CHECK(text_of(shown, "tls_client_auth_subject_dn") == kSubject);
    CHECK(*member_of(shown, "tls_client_certificate_bound_access_tokens").if_bool());
    CHECK(has(s.refusal({"client", "secret", "robot"}), "has a certificate and has no secret"));

    s.installation.must({"client", "set", "robot", "--tls-client-auth-san-dns", "robot.example",
                         "--no-tls-client-certificate-bound-access-tokens"});
    shown = s.installation.must_json({"client", "show", "robot"});
    CHECK(text_of(shown, "tls_client_auth_san_dns") == "robot.example");
    CHECK(shown.if_object()->find("tls_client_auth_subject_dn") == nullptr);
    CHECK_FALSE(*member_of(shown, "tls_client_certificate_bound_access_tokens").if_bool());
    CHECK(has(s.refusal({"client", "set", "robot", "--no-tls-client-auth-san-dns"}), "needs the one name"));

    s.installation.must({"client", "set", "robot", "--auth-method", "self_signed_tls_client_auth", "--jwks", s.keys()});
    shown = s.installation.must_json({"client", "show", "robot"});
    CHECK(shown.if_object()->find("tls_client_auth_san_dns") == nullptr);
    CHECK(member_of(member_of(shown, "jwks"), "keys").if_array()->size() == 1);
    const auto with_secret = s.installation.must_json({"client", "set", "robot", "--auth-method", "client_secret"});
    CHECK(text_of(with_secret, "client_secret").size() == 43);
    s.installation.must(
        {"client", "set", "robot", "--auth-method", "tls_client_auth", "--tls-client-auth-san-ip", "192.0.2.7"});
    CHECK(s.secrets() == 0);  // and no secret of before works again
}

TEST_CASE(
    "client add: certificates that could not authenticate are refused, each with its reason [MTLS-4, MTLS-5, COM-10]") {
    WithMtls s;
    const std::string keys = s.keys();
    s.check_refused({
        {{"--auth-method", "tls_client_auth"}, "needs the one name"},
        {{"--auth-method", "tls_client_auth", "--tls-client-auth-san-dns", "a.example", "--tls-client-auth-san-ip",
          "192.0.2.7"},
         "known by one name"},
        {{"--auth-method", "tls_client_auth", "--tls-client-auth-subject-dn", "/CN=robot"}, "RFC 4514"},
        {{"--auth-method", "tls_client_auth", "--tls-client-auth-san-dns", "*.example"}, "wildcards"},
        {{"--jwks", keys}, "keys go with"},
        {{"--tls-client-auth-san-dns", "a.example"}, "go with --auth-method tls_client_auth"},
        {{"--auth-method", "self_signed_tls_client_auth"}, "needs the public keys"},
        {{"--auth-method", "self_signed_tls_client_auth", "--jwks-uri", "https://a.example/jwks"}, "--jwks"},
        {{"--auth-method", "self_signed_tls_client_auth", "--jwks", keys, "--public"}, "public"},
        {{"--auth-method", "self_signed_tls_client_auth", "--jwks", keys, "--secret-stdin"}, "--secret-stdin"},
    });
    s.installation.reconfigure("mtls", json::Object{{"baseUrl", "https://mtls.id.example.org"}});
    CHECK(has(s.refusal({"client", "add", "x", "--auth-method", "tls_client_auth", "--tls-client-auth-san-dns",
                         "a.example", "--grant", "client_credentials"}),
              "mtls.ca"));
    s.installation.reconfigure("mtls", json::Value());
    CHECK(has(s.refusal({"client", "add", "x", "--tls-client-certificate-bound-access-tokens", "--grant",
                         "client_credentials"}),
              "configure \"mtls\""));
}

TEST_CASE(
    "doctor: clients whose method is off, and a client's own certificate among the authorities [MTLS-15, COM-10]") {
    WithMtls s;
    s.add({"--auth-method", "self_signed_tls_client_auth", "--jwks", s.keys(),
           "--tls-client-certificate-bound-access-tokens"});
    CHECK_FALSE(has(s.installation.findings("clients"), "robot"));
    s.turn_on(std::string(certificates::kRoot) + certificates::kSelfSigned);
    CHECK(has(s.installation.findings("clients"), "has a certificate of the client \"robot\""));
    CHECK(has(s.installation.findings("clients"), "has expired"));
    s.turn_on("no certificate");
    CHECK(has(s.installation.findings("clients"), "mtls.ca"));
    s.installation.reconfigure("mtls", json::Value());
    CHECK(has(s.installation.findings("clients"), "1 client with self_signed_tls_client_auth, which is switched off"));
    CHECK(has(s.installation.findings("clients"), "mtls is not configured"));
}
