// `postern client` of a client with certificates: the name or the key is registered, shown and replaced, and it has no
// secret.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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

TEST_CASE("doctor: who can write the authorities of clients can be any of them [MTLS-4]") {
    const WithMtls s;
    const std::string file = (s.installation.directory() / "ca.pem").string();
    constexpr const char* kCheck = "client authorities";
    CHECK(has(s.installation.findings(kCheck), "ok: " + file));  // also of a user to whom all of it belongs
    if (::geteuid() != 0) return;
    REQUIRE(::chmod(file.c_str(), 0646) == 0);
    CHECK(has(s.installation.findings(kCheck), "error: " + file +
                                                   " (mode 0646) can be written by every user of this "
                                                   "machine"));
    const std::string fix = s.installation.findings(kCheck);
    CAPTURE(fix);
    CHECK(has(fix, "chown root:root"));
    CHECK(has(fix, "; chmod 0644"));
    constexpr uid_t kEndpoints = 4711;
    const std::string state = s.installation.database_file().parent_path().string();
    REQUIRE(::chown(state.c_str(), 0, kEndpoints) == 0);
    struct Row {
        uid_t user;
        gid_t group;
        mode_t mode;
        const char* found;
    };
    for (const Row& row :
         {Row{0, kEndpoints, 0640, "ok: "}, Row{0, kEndpoints, 0660, "can be written by the endpoints' group 4711"},
          Row{0, 0, 0660, "cannot be read by the owners of the state and key directories"}, Row{0, 0, 0644, "ok: "}}) {
        CAPTURE(row.found);
        REQUIRE(::chown(file.c_str(), row.user, row.group) == 0);
        REQUIRE(::chmod(file.c_str(), row.mode) == 0);
        CHECK(has(s.installation.findings(kCheck), row.found));
    }
    REQUIRE(::chown(state.c_str(), kEndpoints, kEndpoints) == 0);
    REQUIRE(::chown(file.c_str(), kEndpoints, 0) == 0);
    CHECK(has(s.installation.findings(kCheck), "can be written by the endpoints' user 4711"));
    REQUIRE(::chown(file.c_str(), 0, 0) == 0);
    REQUIRE(::chmod(s.installation.directory().c_str(), 0777) == 0);
    CHECK(has(s.installation.findings(kCheck), ", where ca.pem is, can be written by every user of this machine"));
    REQUIRE(::chmod(s.installation.directory().c_str(), 0755) == 0);
    // The link is in a directory of the endpoints, the file is not.
    const std::string link = state + "/link.pem";
    std::filesystem::create_symlink(file, link);
    s.installation.reconfigure("mtls", json::Object{{"baseUrl", "https://mtls.id.example.org"}, {"ca", link}});
    CHECK(has(s.installation.findings(kCheck), ", where link.pem is, can be written by the endpoints' user 4711"));
    s.installation.reconfigure("mtls", json::Object{{"baseUrl", "https://mtls.id.example.org"}, {"ca", file}});
    std::filesystem::remove(file);
    CHECK(has(s.installation.findings("clients"), "error: mtls.ca: " + file));
    CHECK(s.installation.findings(kCheck).empty());
}

TEST_CASE("client set --auth-method: no algorithm of assertions stays behind [CA-14, MTLS-7]") {
    const WithMtls s;
    s.installation.reconfigure("clientAssertions", true);
    s.add({"--auth-method", "private_key_jwt", "--jwks", s.keys(), "--token-endpoint-auth-signing-alg", "ES256"});
    s.installation.must({"client", "set", "robot", "--auth-method", "self_signed_tls_client_auth"});
    s.installation.must({"client", "set", "robot", "--auth-method", "private_key_jwt"});
    CHECK_FALSE(has(s.installation.must({"client", "show", "robot", "--json"}), "ES256"));
    {
        auto database = s.installation.open();
        db::Transaction transaction(database, db::Durability::full);
        transaction.queue("UPDATE client_keys SET jwks = '', jwks_uri = 'https://robot.example/jwks'");
        transaction.commit();
    }
    s.installation.must(
        {"client", "set", "robot", "--auth-method", "tls_client_auth", "--tls-client-auth-san-dns", "robot.example"});
    CHECK_FALSE(has(s.installation.must({"client", "show", "robot", "--json"}), "https://robot.example/jwks"));
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
