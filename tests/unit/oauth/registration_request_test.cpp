// What a client may register, with an initial access token and without: a row per clause.
#include "oauth/registration_request.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/reader.h"

using namespace postern;
using model::ApplicationType;
using model::AuthMethod;
using model::Client;
using model::GrantType;
using model::ResponseType;
using oauth::Registrant;

namespace {

using Uris = std::vector<std::string>;

oauth::Settings settings() {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.oidc = true;
    settings.registration.mode = oauth::RegistrationMode::open;
    settings.registration.hosts = {"app.example", "*.apps.example"};
    settings.id_token_algorithms = {crypto::Algorithm::RS256, crypto::Algorithm::ES256};
    return settings;
}

/// Members without braces. `uris` stands before them unless it is "".
std::string with(const std::string& members, const std::string& uris = R"(["https://app.example/cb"])") {
    const std::string first = uris.empty() ? "" : R"("redirect_uris":)" + uris;
    return "{" + first + (first.empty() || members.empty() ? "" : ",") + members + "}";
}
std::string uris(const std::string& list) { return with("", list); }

oauth::Outcome<Client> read(const std::string& body, Registrant registrant = Registrant::token_holder,
                            const oauth::Settings& configured = settings()) {
    const auto value = json::parse(body);
    REQUIRE_MESSAGE(value, body);
    return oauth::read_registration(*value->if_object(), configured, registrant);
}
Client good(const std::string& body, Registrant registrant = Registrant::token_holder,
            const oauth::Settings& configured = settings()) {
    const auto client = read(body, registrant, configured);
    REQUIRE_MESSAGE(client, (client ? "" : client.error().description + " | " + client.error().log_detail));
    return *client;
}
std::string error_of(const oauth::Outcome<Client>& client) {
    if (client) return "";
    const auto& error = client.error();
    CHECK(error.http_status == 400);
    CHECK(error.description.find_first_of("\"\\") == std::string::npos);  // RFC 6749 §5.2
    CHECK(std::ranges::all_of(error.description, [](char c) { return c >= ' ' && c <= '~'; }));
    return std::string(oauth::wire_name(error.code));
}

constexpr const char* kUri = "invalid_redirect_uri";
constexpr const char* kMetadata = "invalid_client_metadata";

struct Row {
    const char* when;
    std::string body;
    std::string error;  ///< "" for a good one
};
void check(const std::vector<Row>& rows, Registrant registrant, const oauth::Settings& configured = settings()) {
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CAPTURE(row.body);
        CHECK(error_of(read(row.body, registrant, configured)) == row.error);
    }
}

std::string many_uris(int count) {
    std::string list = "[";
    for (int i = 0; i < count; ++i)
        list += (i ? "," : "") + std::string("\"https://app.example/") + std::to_string(i) + "\"";
    return list + "]";
}

}  // namespace

TEST_CASE(
    "read_registration: the least that a client can say, and what it gets [REG-7, REG-8, REG-9, REG-13, REG-21]") {
    const Client client = good(uris(R"(["https://app.example/cb?x=%41&y"])"));
    CHECK(client.origin == model::Origin::dynamic);
    CHECK(client.type == model::ClientType::confidential);
    CHECK(client.auth_method == AuthMethod::client_secret);  // either way, as for operators' clients
    CHECK(client.pkce == model::Pkce::optional);
    CHECK(client.grants == std::set{GrantType::authorization_code});
    CHECK(client.response_types == std::set{ResponseType::code});
    CHECK(client.redirect_uris == Uris{"https://app.example/cb?x=%41&y"});  // byte for byte
    CHECK(client.metadata.application_type == ApplicationType::web);
    CHECK_FALSE(client.native);
    CHECK(client.scope.to_string() == "openid profile email address phone offline_access");
    CHECK(client.name.empty());
    CHECK(client.id.empty());
    CHECK(client.secrets.empty());
}

TEST_CASE("read_registration: everything that a client can say is kept [REG-12, REG-14, 3PI-1, RFC 7591 §2]") {
    const Client client = good(with(R"("client_name":"Wiki","application_type":"web","grant_types":
        ["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"client_secret_post",
        "scope":"openid profile","initiate_login_uri":"https://app.example/login?x=1","policy_uri":
        "https://app.example/policy#privacy","tos_uri":"https://app.example/terms#de","id_token_signed_response_alg":"ES256",
        "post_logout_redirect_uris":["https://app.example/bye"],"subject_type":"public")"));
    CHECK(client.name == "Wiki");
    CHECK(client.auth_method == AuthMethod::client_secret_post);
    CHECK(client.grants == std::set{GrantType::authorization_code, GrantType::refresh_token});
    CHECK(client.scope.to_string() == "openid profile");
    CHECK(client.metadata.initiate_login_uri == "https://app.example/login?x=1");
    CHECK(client.metadata.policy_uri == "https://app.example/policy#privacy");
    CHECK(client.metadata.tos_uri == "https://app.example/terms#de");
    CHECK(client.id_token_algorithm == crypto::Algorithm::ES256);
    CHECK(client.post_logout_redirect_uris == Uris{"https://app.example/bye"});
}

TEST_CASE(
    "read_registration: members that are not known, keys and the operator's own have no effect [REG-4, REG-10, REG-18]") {
    const Client plain = good(with(""));
    const Client client = good(with(R"("software_statement":"e.e.e","request_uris":["https://app.example/r"],
        "sector_identifier_uri":"https://app.example/s","logo_uri":"javascript:alert","client_uri":"http://app.example",
        "contacts":["a@b.example"],"jwks":{"keys":[]},"jwks_uri":"https://app.example/keys","x":{"y":[1,null]},
        "token_endpoint_auth_signing_alg":"ES256","request_object_signing_alg":"none",
        "client_id":"web","client_secret":"x","registration_access_token":"x","first_party":true,"enabled":false,
        "profile":"fapi2","resources":["https://api.example/"],"acr":"mfa","groups":"all","restricted":false,"pkce":"optional",
        "access_token_profile":"rfc9068","introspection_claims":["email"],"client_name":null,"scope":null)"));
    CHECK(client == plain);
}

TEST_CASE("read_registration: redirect URIs, and every refused neighbour [REG-5, REG-6, RFC 7591 §3.2.2]") {
    check(
        {
            {"none", with("", ""), kUri},
            {"an empty list", uris("[]"), kUri},
            {"null", uris("null"), kUri},
            {"no list", uris(R"("https://app.example/cb")"), kUri},
            {"a number in it", uris(R"(["https://app.example/cb",1])"), kUri},
            {"twenty", uris(many_uris(20)), ""},
            {"twenty-one", uris(many_uris(21)), kUri},
            {"one bad of two", uris(R"(["https://app.example/cb","http://app.example/cb"])"), kUri},
            {"a fragment", uris(R"(["https://app.example/cb#x"])"), kUri},
            {"an empty fragment", uris(R"(["https://app.example/cb#"])"), kUri},
            {"relative", uris(R"(["/cb"])"), kUri},
            {"a wildcard", uris(R"(["https://*.app.example/cb"])"), kUri},
            {"javascript", uris(R"(["javascript:alert"])"), kUri},
            {"javascript in capitals", uris(R"(["JavaScript:alert"])"), kUri},
            {"data", uris(R"(["data:text/html,x"])"), kUri},
            {"file", uris(R"(["file:///etc/passwd"])"), kUri},
            {"vbscript", uris(R"(["vbscript:x"])"), kUri},
            {"a user name", uris(R"(["https://app.example@evil.example/cb"])"), kUri},
            {"a user name that is empty", uris(R"(["https://@evil.example/cb"])"), kUri},
            {"an encoded host", uris(R"(["https://app%2eexample/cb"])"), kUri},
            {"a host beyond ASCII", uris("[\"https://\xc3\xa4pp.example/cb\"]"), kUri},
            {"a line end", uris(R"(["https://app.example/\ncb"])"), kUri},
            {"a backslash", uris(R"(["https://app.example\\cb"])"), kUri},
            {"plain http", uris(R"(["http://app.example/cb"])"), kUri},
            {"a short loopback address", uris(R"(["http://127.1/cb"])"), kUri},
            {"another loopback address", uris(R"(["http://127.0.0.2/cb"])"), kUri},
            {"a mapped loopback address", uris(R"(["http://[::ffff:127.0.0.1]/cb"])"), kUri},
            {"localhost with a dot", uris(R"(["http://localhost./cb"])"), kUri},
            {"a name below localhost", uris(R"(["http://app.localhost/cb"])"), kUri},
            {"a loopback address as a number", uris(R"(["http://2130706433/cb"])"), kUri},
            {"zero", uris(R"(["http://0.0.0.0/cb"])"), kUri},
            {"an address as one number", uris(R"(["https://134744072/cb"])"), kUri},
            {"this server", uris(R"(["https://op.example/cb"])"), kUri},
            {"this server in capitals", uris(R"(["https://OP.example:443/x/../login"])"), kUri},
            {"2048 bytes", uris("[\"https://app.example/" + std::string(2028, 'a') + "\"]"), ""},
            {"2049 bytes", uris("[\"https://app.example/" + std::string(2029, 'a') + "\"]"), kUri},
        },
        Registrant::token_holder);
    CHECK(good(uris(R"(["https://app.example/cb","https://app.example/cb"])")).redirect_uris.size() == 1);
}

TEST_CASE(
    "read_registration: the kind of application decides about addresses, or they about it [REG-8, OIDC Registration §2]") {
    const std::string web = R"("application_type":"web")", native = R"("application_type":"native")";
    const std::string https = R"(["https://app.example/cb"])", loopback = R"(["http://127.0.0.1/cb"])",
                      own = R"(["com.example.app:/cb"])", https_loopback = R"(["https://localhost/cb"])",
                      both = R"(["https://app.example/cb","http://localhost:8080/cb"])";
    check(
        {
            {"web, https", with(web, https), ""},
            {"web, loopback", with(web, loopback), kUri},
            {"web, a scheme of its own", with(web, own), kUri},
            {"web, https of a loopback host", with(web, https_loopback), kUri},
            {"web, https of another loopback address", with(web, R"(["https://127.0.0.2/cb"])"), kUri},
            {"native, https", with(native, https), ""},
            {"native, loopback", with(native, loopback), ""},
            {"native, IPv6 loopback", with(native, R"(["http://[::1]:4711/cb"])"), ""},
            {"native, a scheme of its own", with(native, own), ""},
            {"native, plain http", with(native, R"(["http://app.example/cb"])"), kUri},
            {"neither", with(R"("application_type":"service")", https), kMetadata},
            {"no string", with(R"("application_type":1)", https), kMetadata},
            {"a scheme without a dot", with(native, R"(["cursor://anysphere.cursor/oauth"])"), ""},
        },
        Registrant::token_holder);
    CHECK(good(uris(https)).metadata.application_type == ApplicationType::web);
    CHECK(good(uris(both)).metadata.application_type == ApplicationType::native);
    CHECK(good(uris(loopback)).native);
    CHECK(good(uris(own)).native);
    CHECK(good(uris(https_loopback)).native);
}

TEST_CASE("read_registration: grants and response types fit each other [REG-7, RFC 7591 §2.1]") {
    auto open = settings();
    open.response_types = {ResponseType::code, ResponseType::id_token, ResponseType::code_id_token};
    const auto members = [](const std::string& grants, const std::string& types, const std::string& more = "") {
        return with((grants.empty() ? "" : R"("grant_types":)" + grants + (types.empty() ? "" : ",")) +
                    (types.empty() ? "" : R"("response_types":)" + types) + more);
    };
    const std::string code = R"(["authorization_code"])", implicit = R"(["implicit"])",
                      both = R"(["authorization_code","implicit"])";
    check(
        {
            {"a type without its grant", members(code, R"(["id_token"])"), kMetadata},
            {"a type without the default grant", members("", R"(["id_token"])"), kMetadata},
            {"a code without its grant", members(implicit, R"(["code"])"), kMetadata},
            {"half of a type without its grant", members(code, R"(["code id_token"])"), kMetadata},
            {"the same with it", members(both, R"(["code id_token"])"), ""},
            {"words in another order", members(both, R"(["id_token code"])"), ""},
            {"implicit alone", members(implicit, R"(["id_token"])"), ""},
            {"implicit without a type", members(implicit, ""), kMetadata},
            {"no grant", members("[]", ""), kMetadata},
            {"no type", members(code, "[]"), kMetadata},
            {"refresh_token alone", members(R"(["refresh_token"])", ""), kMetadata},
            {"grants that nobody knows", members(R"(["password","urn:x"])", ""), kMetadata},
            {"one of them beside a good one", members(R"(["password","authorization_code"])", ""), ""},
            {"types that nobody knows", members(code, R"(["none"])"), kMetadata},
            {"one of them beside a good one", members(code, R"(["none","code"])"), ""},
            {"a type that is off", members(both, R"(["token"])"), kMetadata},
            {"a grant that is not for registration", members(R"(["client_credentials"])", ""), kMetadata},
            {"no list", members(R"("authorization_code")", ""), kMetadata},
            {"no string in it", members(R"([1])", ""), kMetadata},
        },
        Registrant::token_holder, open);

    // What is left out: REG-7, RFC 7591 §3.2.1.
    const Client hybrid = good(members(R"(["authorization_code","implicit","refresh_token","client_credentials"])",
                                       R"(["code","token","id_token token"])"),
                               Registrant::token_holder, open);
    CHECK(hybrid.grants == std::set{GrantType::authorization_code, GrantType::refresh_token});
    CHECK(hybrid.response_types == std::set{ResponseType::code});
    const Client implicit_alone = good(members(both, R"(["id_token"])"), Registrant::token_holder, open);
    CHECK(implicit_alone.grants == std::set{GrantType::implicit});
    CHECK(implicit_alone.response_types == std::set{ResponseType::id_token});

    // `implicit` is there as soon as a type needs it, unless registration.grants says otherwise.
    CHECK(error_of(read(members(implicit, R"(["id_token"])"))) == kMetadata);
    open.registration.grants = {GrantType::authorization_code, GrantType::client_credentials};
    CHECK(error_of(read(members(implicit, R"(["id_token"])"), Registrant::token_holder, open)) == kMetadata);
    const Client machine = good(R"({"grant_types":["client_credentials"]})", Registrant::token_holder, open);
    CHECK(machine.redirect_uris.empty());  // REG-5: only for code and implicit types
    CHECK(machine.response_types.empty());
    CHECK(error_of(read(R"({"grant_types":["client_credentials"],"token_endpoint_auth_method":"none"})",
                        Registrant::token_holder, open)) == kMetadata);
}

TEST_CASE("read_registration: a method that is named is enforced, and one that is not there refused [REG-9]") {
    const auto method = [](const std::string& name) { return with(R"("token_endpoint_auth_method":)" + name); };
    CHECK(good(method(R"("client_secret_basic")")).auth_method == AuthMethod::client_secret_basic);
    CHECK(good(method(R"("client_secret_post")")).auth_method == AuthMethod::client_secret_post);
    const Client public_client = good(method(R"("none")"));
    CHECK(public_client.auth_method == AuthMethod::none);
    CHECK(public_client.type == model::ClientType::public_);
    CHECK(public_client.pkce == model::Pkce::required);  // REG-21
    for (const char* name :
         {R"("private_key_jwt")", R"("client_secret_jwt")", R"("tls_client_auth")", R"("self_signed_tls_client_auth")",
          R"("client_secret")", R"("")", R"("NONE")", "1", "[]"}) {
        CAPTURE(name);
        CHECK(error_of(read(method(name))) == kMetadata);
        CHECK(error_of(read(method(name), Registrant::stranger)) == kMetadata);
    }
}

TEST_CASE(
    "read_registration: a client that signs registers its keys, with clientAssertions and a token [REG-9, REG-10]") {
    oauth::Settings on = settings();
    on.assertions.enabled = true;
    const std::string jwks =
        R"("jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"AKP"}]})";
    const std::string signs = R"("token_endpoint_auth_method":"private_key_jwt",)";
    const Client client = good(with(signs + jwks), Registrant::token_holder, on);
    CHECK(client.auth_method == AuthMethod::private_key_jwt);
    CHECK(client.type == model::ClientType::confidential);
    REQUIRE(client.keys);
    CHECK(client.keys->jwks.find("AKP") == std::string::npos);  // what can verify is kept
    CHECK(client.keys->alg.empty());
    CHECK(good(with(signs + jwks + R"(,"token_endpoint_auth_signing_alg":"EdDSA")"), Registrant::token_holder, on)
              .keys->alg == "EdDSA");
    for (const std::string& members :
         {signs + R"("client_name":"x")", signs + R"("jwks":{"keys":[]})", signs + R"("jwks":"x")",
          signs + R"("jwks_uri":"https://client.example/jwks")",  // outbound is off
          signs + jwks + R"(,"jwks_uri":"https://client.example/jwks")",
          signs + jwks + R"(,"token_endpoint_auth_signing_alg":"HS256")",
          signs + jwks + R"(,"token_endpoint_auth_signing_alg":"ES256")",
          jwks + R"(,"jwks_uri":"https://client.example/jwks")",
          std::string(R"("jwks":{"keys":[{"kty":"oct","k":"AA"}]})")}) {
        CAPTURE(members);
        CHECK(error_of(read(with(members), Registrant::token_holder, on)) == kMetadata);
    }
    CHECK_FALSE(good(with(jwks), Registrant::token_holder, on).keys);  // nothing would read them
    CHECK(error_of(read(with(signs + jwks), Registrant::stranger, on)) == kMetadata);
    on.outbound.enabled = true;
    CHECK(good(with(signs + R"("jwks_uri":"https://client.example/jwks")"), Registrant::token_holder, on)
              .keys->jwks_uri == "https://client.example/jwks");
    CHECK(error_of(read(with(signs + R"("jwks_uri":"http://client.example/jwks")"), Registrant::token_holder, on)) ==
          kMetadata);
}

TEST_CASE(
    "read_registration: clients with certificates, and tokens that are bound to them [MTLS-4, MTLS-5, REG-9, REG-10]") {
    oauth::Settings with_mtls = settings();
    with_mtls.mtls.emplace().base_url = "https://mtls.op.example";
    oauth::Settings with_ca = with_mtls;
    with_ca.mtls->ca = "/etc/ca.pem";
    const std::string key =
        R"("jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";
    const std::string of_authority = R"("token_endpoint_auth_method":"tls_client_auth")";
    const std::string self_signed = R"("token_endpoint_auth_method":"self_signed_tls_client_auth")";
    const std::string bound = R"("tls_client_certificate_bound_access_tokens":true)";
    const std::string name = R"("tls_client_auth_san_dns":"robot.example")";
    const struct {
        const char* when;
        std::string members;
        const oauth::Settings& configured;
        bool is_taken;
    } rows[] = {
        {"of an authority", of_authority + "," + name, with_ca, true},
        {"without authorities", of_authority + "," + name, with_mtls, false},
        {"without a name", of_authority, with_ca, false},
        {"with two names", of_authority + "," + name + R"(,"tls_client_auth_san_ip":"192.0.2.1")", with_ca, false},
        {"with a name that is none", of_authority + R"(,"tls_client_auth_san_ip":"robot")", with_ca, false},
        {"with a wildcard", of_authority + R"(,"tls_client_auth_san_dns":"*.example")", with_ca, false},
        {"with a name of another type", of_authority + R"(,"tls_client_auth_san_dns":1)", with_ca, false},
        {"self-signed", self_signed + "," + key, with_mtls, true},
        {"self-signed, without a key", self_signed, with_mtls, false},
        {"self-signed, while it is off", self_signed + "," + key, settings(), false},
        {"self-signed, keys at a URL", self_signed + R"(,"jwks_uri":"https://app.example/jwks")", with_mtls, false},
        {"bound", bound, with_mtls, true},
        {"bound, while it is off", bound, settings(), false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        const auto client = read(with(row.members), Registrant::token_holder, row.configured);
        CHECK(bool(client) == row.is_taken);
        if (!client) CHECK(error_of(client) == "invalid_client_metadata");
    }
    const Client client = good(with(of_authority + "," + name + "," + bound), Registrant::token_holder, with_ca);
    CHECK(client.auth_method == AuthMethod::tls_client_auth);
    CHECK(client.certificate_name == crypto::CertificateName{crypto::NameKind::san_dns, "robot.example"});
    CHECK(client.tls_bound);
    CHECK(good(with(self_signed + "," + key), Registrant::token_holder, with_mtls).keys);
    CHECK_FALSE(read(with(of_authority + "," + name), Registrant::stranger, with_ca));
    CHECK(good(with(R"("token_endpoint_auth_method":"none",)" + bound), Registrant::token_holder, with_mtls).tls_bound);
}

TEST_CASE("read_registration: no client gets less than it demands, a stranger neither [REG-10, REG-11, REG-25]") {
    struct Demand {
        const char* members;
        bool is_refused;
        bool is_refused_of_stranger;
    };
    const Demand rows[] = {
        {R"("require_pushed_authorization_requests":true)", true, true},
        {R"("require_pushed_authorization_requests":false)", false, false},
        {R"("dpop_bound_access_tokens":true)", true, true},
        {R"("dpop_bound_access_tokens":"false")", true, true},
        {R"("dpop_bound_access_tokens":null)", false, false},
        {R"("tls_client_certificate_bound_access_tokens":true)", true, true},
        {R"("require_signed_request_object":true)", true, true},
        {R"("id_token_encrypted_response_alg":"RSA-OAEP")", true, true},
        {R"("userinfo_encrypted_response_enc":"A128GCM")", true, true},
        {R"("request_object_encryption_alg":"RSA-OAEP")", false, false},  // what it would send, and this server refuses
        {R"("userinfo_signed_response_alg":"RS256")", true, true},
        {R"("introspection_signed_response_alg":"RS256")", true, true},
        {R"("authorization_signed_response_alg":"ES256")", true, true},
        {R"("id_token_signed_response_alg":"RS256")", false, false},
        {R"("id_token_signed_response_alg":"ES256")", false, true},  // of a stranger nothing is kept
        {R"("id_token_signed_response_alg":"none")", true, true},
        {R"("id_token_signed_response_alg":"HS256")", true, true},
        {R"("id_token_signed_response_alg":1)", true, true},
        {R"("default_max_age":60)", true, true},
        {R"("default_acr_values":["1"])", true, true},
        {R"("require_auth_time":true)", false, false},  // every login here has a time
        {R"("require_auth_time":1)", true, true},
        {R"("subject_type":"public")", false, false},
        {R"("subject_type":"pairwise")", true, true},
        {R"("subject_type":["public"])", true, true},
    };
    const std::string native = R"(["http://127.0.0.1/cb"])";
    for (const Demand& row : rows) {
        CAPTURE(row.members);
        CHECK(error_of(read(with(row.members, native))) == (row.is_refused ? kMetadata : ""));
        CHECK(error_of(read(with(row.members, native), Registrant::stranger)) ==
              (row.is_refused_of_stranger ? kMetadata : ""));
    }
    auto pushing = settings();
    pushing.paths.par = "/par";
    for (const Registrant registrant : {Registrant::token_holder, Registrant::stranger}) {
        CHECK(good(with(R"("require_pushed_authorization_requests":true)", native), registrant, pushing).require_par);
        CHECK_FALSE(
            good(with(R"("require_pushed_authorization_requests":false)", native), registrant, pushing).require_par);
        CHECK(error_of(read(with(R"("require_pushed_authorization_requests":"true")", native), registrant, pushing)) ==
              kMetadata);
    }
    auto signing = settings();
    signing.jarm = true;
    for (const Registrant registrant : {Registrant::token_holder, Registrant::stranger}) {
        const auto modes = [&](const char* list, const oauth::Settings& configured) {
            return read(with(std::string(R"("response_modes":)") + list, native), registrant, configured);
        };
        CHECK(modes(R"(["jwt","query","web_message"])", signing)->response_modes ==
              std::set<std::string>{"jwt", "query"});
        CHECK(modes(R"(["jwt","query"])", settings())->response_modes == std::set<std::string>{"query"});
        CHECK(error_of(modes(R"(["jwt"])", settings())) == kMetadata);
        CHECK(error_of(modes("[]", signing)) == kMetadata);
        CHECK(error_of(modes(R"("jwt")", signing)) == kMetadata);
        const std::string usual = with(R"("authorization_signed_response_alg":"RS256")", native);
        CHECK(error_of(read(usual, registrant, signing)) == "");
        CHECK(error_of(read(usual, registrant)) == kMetadata);
        CHECK(error_of(read(with(R"("authorization_signed_response_alg":"EdDSA")", native), registrant, signing)) ==
              kMetadata);
    }
    const std::string other = with(R"("authorization_signed_response_alg":"ES256")", native);
    CHECK(good(other, Registrant::token_holder, signing).response_algorithm == crypto::Algorithm::ES256);
    CHECK(error_of(read(other, Registrant::stranger, signing)) == kMetadata);
    auto remote = settings();
    remote.login.method = login::Method::remote_user;
    CHECK(error_of(read(with(R"("require_auth_time":true)"), Registrant::token_holder, remote)) == kMetadata);
}

TEST_CASE("read_registration: links are https, and lead where they seem to [REG-12, 3PI-1, FETCH-4]") {
    struct Link {
        const char* uri;
        bool good;
    };
    const std::string long_host = "https://app.example/";
    const std::vector<std::pair<std::string, bool>> rows = {
        {"https://app.example", true},
        {"https://app.example:8443/x?y=1", true},
        {"https://APP.example/x", true},
        {"https://[2001:db8::1]/x", true},
        {"https://192.0.2.1/x", true},
        {long_host + std::string(2048 - long_host.size(), 'a'), true},
        {long_host + std::string(2049 - long_host.size(), 'a'), false},
        {"", false},
        {"http://app.example/x", false},  // oidcc-3rd_party-init-login-nohttps
        {"javascript:alert(1)", false},
        {"data:text/html,x", false},
        {"//app.example/x", false},
        {"https:///x", false},
        {"https://app.example@evil.example/", false},
        {"https://app%2eexample/", false},
        {"https://app.example./", false},
        {"https://127.1/", false},
        {"https://0x7f000001/", false},
        {"https://[::ffff:192.0.2.1%25eth0]/", false},
        {"https://app.example:/x", false},
        {"https://app.example:65536/x", false},
        {"https://app_.example/", false},
        {"https://\xc3\xa4pp.example/", false},
        {"https://app.example/ x", false},
    };
    for (const char* member : {"initiate_login_uri", "policy_uri", "tos_uri"}) {
        CAPTURE(member);
        for (const auto& [uri, is_good] : rows) {
            CAPTURE(uri);
            CHECK(error_of(read(with("\"" + std::string(member) + "\":\"" + uri + "\""))) ==
                  (is_good ? "" : kMetadata));
        }
        CHECK(error_of(read(with("\"" + std::string(member) + "\":[\"https://app.example\"]"))) == kMetadata);
    }
    CHECK(error_of(read(with(R"("initiate_login_uri":"https://app.example/#x")"))) == kMetadata);
    CHECK(error_of(read(with(R"("policy_uri":"https://app.example/#x")"))).empty());
}

TEST_CASE("read_registration: where a client is told of logouts, if that is on [BCL-1, FCL-1, REG-12]") {
    oauth::Settings on = settings();
    on.backchannel_logout = on.frontchannel_logout = true;
    on.outbound.enabled = true;
    const Client client = good(with(R"("backchannel_logout_uri":"https://app.example/back",
        "backchannel_logout_session_required":true,"frontchannel_logout_uri":"https://app.example/front",
        "frontchannel_logout_session_required":false)"),
                               Registrant::token_holder, on);
    CHECK(client.logout == model::LogoutUris{"https://app.example/back", true, "https://app.example/front", false});
    const std::string back = R"("backchannel_logout_uri":"https://app.example/back")";
    const std::string front = R"("frontchannel_logout_uri":"https://app.example/front")";
    check({{"back, off", with(back), kMetadata}, {"front, off", with(front), kMetadata}, {"neither", with(""), ""}},
          Registrant::token_holder);
    check(
        {
            {"back", with(back), ""},
            {"front", with(front), ""},
            {"http", with(R"("backchannel_logout_uri":"http://app.example/back")"), kMetadata},
            {"inside", with(R"("backchannel_logout_uri":"https://10.0.0.1/back")"), kMetadata},
            {"another port", with(R"("backchannel_logout_uri":"https://app.example:444/back")"), kMetadata},
            {"no text", with(R"("backchannel_logout_uri":["https://app.example/back"])"), kMetadata},
            {"no flag", with(back + R"(,"backchannel_logout_session_required":"true")"), kMetadata},
            {"a flag alone", with(R"("backchannel_logout_session_required":true)"), ""},
            {"of another origin", with(R"("frontchannel_logout_uri":"https://evil.example/front")"), kMetadata},
        },
        Registrant::token_holder, on);
}

TEST_CASE("read_registration: addresses for logout are as those of operators' clients [REG-12]") {
    const auto logout = [](const std::string& list, const std::string& redirect = R"(["https://app.example/cb"])") {
        return with(R"("post_logout_redirect_uris":)" + list, redirect);
    };
    check(
        {
            {"https", logout(R"(["https://app.example/bye"])"), ""},
            {"none", logout("[]"), ""},
            {"plain http", logout(R"(["http://app.example/bye"])"), kMetadata},
            {"a fragment", logout(R"(["https://app.example/bye#x"])"), kMetadata},
            {"this server", logout(R"(["https://op.example/bye"])"), kMetadata},
            {"a loopback host of a web client", logout(R"(["http://localhost/bye"])"), kMetadata},
            {"that of a native one", logout(R"(["http://localhost/bye"])", R"(["http://localhost/cb"])"), ""},
            {"twenty-one", logout(many_uris(21)), kMetadata},
        },
        Registrant::token_holder);
}

TEST_CASE("read_registration: scopes beyond the policy are left out [REG-13]") {
    const auto scope = [](const std::string& text) { return with(R"("scope":)" + text); };
    CHECK(good(scope(R"("openid admin email")")).scope.to_string() == "openid email");
    CHECK(good(scope(R"("openid  email ")")).scope.to_string() == "openid email");  // as at other endpoints
    for (const char* none : {R"("")", R"(" ")", "null"})
        CHECK(good(scope(none)).scope.to_string() == settings().registration.scope.to_string());
    check(
        {
            {"nothing is left", scope(R"("admin")"), kMetadata},
            {"nothing but others, with blanks", scope(R"("  admin  ")"), kMetadata},
            {"a tab", scope(R"("openid\temail")"), kMetadata},
            {"a list", scope(R"(["openid"])"), kMetadata},
            {"a quotation mark", scope(R"("a\"b")"), kMetadata},
        },
        Registrant::token_holder);
    auto api = settings();
    api.registration.scope = *model::Scope::parse("files");
    CHECK(good(with(""), Registrant::token_holder, api).scope.to_string() == "files");
}

TEST_CASE("read_registration: a stranger gets a public client with code and PKCE [REG-21, REG-25, REG-26, REG-28]") {
    const Client client =
        good(with(R"("client_name":"Tool","grant_types":["authorization_code","refresh_token","implicit"],
        "response_types":["code","id_token"],"scope":"openid","policy_uri":"javascript:x","tos_uri":1,
        "initiate_login_uri":"http://x","post_logout_redirect_uris":["http://evil.example"],"jwks_uri":"http://169.254.169.254/",
        "subject_type":"public","backchannel_logout_uri":"http://10.0.0.1/","token_endpoint_auth_method":"client_secret_post")",
                  R"(["http://localhost:8080/cb"])"),
             Registrant::stranger);
    CHECK(client.type == model::ClientType::public_);
    CHECK(client.auth_method == AuthMethod::none);
    CHECK(client.pkce == model::Pkce::required);
    CHECK(client.grants == std::set{GrantType::authorization_code, GrantType::refresh_token});
    CHECK(client.response_types == std::set{ResponseType::code});
    CHECK(client.native);
    CHECK(client.post_logout_redirect_uris.empty());
    CHECK(client.metadata == model::RegisteredMetadata{.application_type = ApplicationType::native});
    CHECK_FALSE(client.first_party);

    const std::string here = R"(["http://localhost:8080/cb"])";
    check(
        {
            {"no code", with(R"("grant_types":["refresh_token"])", here), kMetadata},
            {"implicit alone", with(R"("grant_types":["implicit"],"response_types":["id_token"])", here), kMetadata},
            {"client_credentials", with(R"("grant_types":["client_credentials"])", here), kMetadata},
            {"a code by half", with(R"("grant_types":["authorization_code"],"response_types":["token"])", here),
             kMetadata},
            {"the method none", with(R"("token_endpoint_auth_method":"none")", here), ""},
            {"the method basic", with(R"("token_endpoint_auth_method":"client_secret_basic")", here), ""},
        },
        Registrant::stranger);
    auto machines = settings();
    machines.registration.grants = {GrantType::authorization_code, GrantType::client_credentials};
    CHECK(error_of(read(with(R"("grant_types":["client_credentials"])", here), Registrant::stranger, machines)) ==
          kMetadata);
}

TEST_CASE("read_registration: addresses of strangers are on the user's device, or on named hosts [REG-27]") {
    const auto row = [](const char* when, const std::string& uri, const char* error) {
        return Row{when, uris("[\"" + uri + "\"]"), error};
    };
    check(
        {
            row("127.0.0.1", "http://127.0.0.1:33418/", ""),
            row("::1", "http://[::1]:8080/cb", ""),
            row("localhost", "http://localhost/cb", ""),
            row("LOCALHOST", "http://LOCALHOST/cb", kUri),
            row("http in capitals", "HTTP://localhost/cb", kUri),
            row("https in capitals", "HTTPS://app.example/cb", kUri),
            row("a scheme of its own in capitals", "com.Example.app:/cb", kUri),
            row("below a named end in capitals", "https://EVIL.apps.example/cb", kUri),
            row("below a named end, not a name", "https://a_b!.apps.example/cb", kUri),
            row("localhost with a dot", "http://localhost./cb", kUri),
            row("a long ::1", "http://[0:0:0:0:0:0:0:1]/cb", kUri),
            row("a mapped address", "http://[::ffff:127.0.0.1]/cb", kUri),
            row("127.1", "http://127.1/cb", kUri),
            row("a user name", "http://127.0.0.1@evil.example/cb", kUri),
            row("a user name before it", "http://evil.example@127.0.0.1/cb", kUri),
            row("an encoded digit", "http://127.0.0.%31/cb", kUri),
            row("https of a loopback host", "https://localhost/cb", kUri),
            row("a scheme of its own", "com.example.app:/cb", ""),
            row("one without a dot", "cursor://anysphere.cursor/cb", kUri),
            row("one that ends in a dot", "example.:/cb", kUri),
            row("a scheme that starts programs", "ms-msdt:/x", kUri),
            row("a named host", "https://app.example/cb", ""),
            row("the same with a port", "https://app.example:8443/cb", ""),
            row("the same in capitals", "https://App.example/cb", kUri),
            row("the same with a dot", "https://app.example./cb", kUri),
            row("below a named end", "https://one.apps.example/cb", ""),
            row("far below it", "https://a.b.apps.example/cb", ""),
            row("the named end itself", "https://apps.example/cb", kUri),
            row("one that only looks so", "https://evilapps.example/cb", kUri),
            row("one that begins so", "https://app.example.evil.example/cb", kUri),
            row("another host", "https://other.example/cb", kUri),
            row("plain http to a named host", "http://app.example/cb", kUri),
        },
        Registrant::stranger);
    const std::string long_one = "https://app.example/" + std::string(512 - 20, 'a');
    check(
        {
            {"eight", uris(many_uris(8)), ""},
            {"nine", uris(many_uris(9)), kUri},
            row("512 bytes", long_one, ""),
            row("513 bytes", long_one + "a", kUri),
        },
        Registrant::stranger);
    check({{"nine", uris(many_uris(9)), ""}, row("513 bytes", long_one + "a", "")}, Registrant::token_holder);
    CHECK(error_of(read(uris(R"(["http://127.0.0.1/cb","https://evil.example/cb"])"), Registrant::stranger)) == kUri);
    auto none = settings();
    none.registration.hosts.clear();
    CHECK(error_of(read(with(""), Registrant::stranger, none)) == kUri);
}
