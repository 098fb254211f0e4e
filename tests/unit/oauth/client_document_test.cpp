// What a client's document says, and what no document may say.
#include "oauth/client_document.h"

#include <doctest/doctest.h>

using namespace postern;

namespace {

const std::string kUrl = "https://app.example/client.json";

oauth::Settings settings() {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.oidc = true;
    settings.client_documents.enabled = true;
    settings.client_documents.scope = *model::Scope::parse("openid profile notes:read offline_access");
    return settings;
}

/// A document with these members, as JSON without braces, behind those that each must have.
std::string with(const std::string& members, const std::string& uris = R"(["https://app.example/cb"])") {
    return R"({"client_id":")" + kUrl + R"(","redirect_uris":)" + uris + (members.empty() ? "" : "," + members) + "}";
}

util::Result<model::Client, oauth::DocumentFault> read(const std::string& body,
                                                       const std::string& content_type = "application/json") {
    return oauth::read_client_document({content_type, body}, kUrl, settings());
}

std::string fault_of(const std::string& body) {
    const auto client = read(body);
    return client ? "" : client.error().reason;
}

using Uris = std::vector<std::string>;

}  // namespace

TEST_CASE("read_client_document: a public client with PKCE, never first-party [CIMD-5, CIMD-7, CIMD-8, CIMD-11, A30]") {
    const auto client = read(with(R"("client_name":"Notes","grant_types":["authorization_code","refresh_token"])"));
    REQUIRE(client);
    CHECK(client->id.str() == kUrl);
    CHECK(client->name == "Notes");
    CHECK(client->origin == model::Origin::document);
    CHECK(client->type == model::ClientType::public_);
    CHECK(client->auth_method == model::AuthMethod::none);
    CHECK(client->pkce == model::Pkce::required);
    CHECK_FALSE(client->first_party);
    CHECK_FALSE(client->id_token_claims);
    CHECK_FALSE(client->native);
    CHECK(client->enabled);
    CHECK(client->secrets.empty());
    CHECK(client->resources.empty());
    CHECK(client->redirect_uris == Uris{"https://app.example/cb"});
    CHECK(client->grants == std::set{model::GrantType::authorization_code, model::GrantType::refresh_token});
}

TEST_CASE(
    "read_client_document: one that prefers a key and offers none is as public as one that has none [CIMD-7, RFC 7591 §2]") {
    const auto prefers_key = read(with(
        R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],
                "jwks_uri":"https://app.example/keys")"));
    REQUIRE(prefers_key);
    CHECK(prefers_key->type == model::ClientType::public_);
    CHECK(prefers_key->auth_method == model::AuthMethod::none);
    CHECK(prefers_key->pkce == model::Pkce::required);
    CHECK(oauth::digest_of(*prefers_key) == oauth::digest_of(*read(with(""))));
}

TEST_CASE("read_client_document: documents that clients publish are read [CIMD-8, CIMD-9, MCP-6, REG-4, REG-8]") {
    const auto of_two_kinds = read(with(
        R"("client_name":"Editor","application_type":"native","client_uri":"https://app.example/",
           "grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],
           "response_types":["code"],"token_endpoint_auth_method":"none")",
        R"(["http://127.0.0.1:33418/","https://app.example/redirect"])"));
    REQUIRE(of_two_kinds);
    CHECK(of_two_kinds->native);
    CHECK(of_two_kinds->grants == std::set{model::GrantType::authorization_code, model::GrantType::refresh_token});

    const auto of_a_tool =
        read(with(R"("client_name":"Tool","logo_uri":"https://app.example/logo.png","x":{"y":[1,null]})",
                  R"(["http://localhost/callback","http://127.0.0.1/callback"])"));
    REQUIRE(of_a_tool);
    CHECK(of_a_tool->native);
    CHECK(of_a_tool->grants == std::set{model::GrantType::authorization_code});  // RFC 7591 §2, the default

    const auto without_name = read(with(""));
    REQUIRE(without_name);
    CHECK(without_name->name == "app.example");
}

TEST_CASE("read_client_document: the type is JSON, whatever its parameters and case [CIMD-5]") {
    for (const char* good : {"application/json", "Application/JSON", "application/json; charset=utf-8",
                             " application/json ", "application/oauth-client+json"}) {
        CAPTURE(good);
        CHECK(read(with(""), good));
    }
    for (const char* bad : {"", "text/html", "text/json", "application/jsonp", "application/+json", "json",
                            "application/javascript", "text/plain; application/json"}) {
        CAPTURE(bad);
        const auto client = read(with(""), bad);
        REQUIRE_FALSE(client);
        CHECK(client.error().reason.starts_with("has the Content-Type"));
    }
}

TEST_CASE(
    "read_client_document: every refused neighbour of a good document [CIMD-5, CIMD-6, CIMD-7, CIMD-8, REG-4, "
    "REG-5, REG-6, REG-7, REG-8, REG-9, REG-10, REG-11, REG-12]") {
    struct Row {
        const char* when;
        std::string body;
        const char* fault;  ///< "" for a good one
    };
    const auto uris = [](const std::string& list) { return with("", list); };
    std::string twenty_one = "[";
    for (int i = 0; i < 21; ++i)
        twenty_one += (i ? "," : "") + std::string("\"https://app.example/") + std::to_string(i) + "\"";
    // clang-format off
    const Row rows[] = {
        {"good", with(""), ""},
        {"nothing", "", "is not strict JSON"},
        {"cut", with("").substr(0, 40), "is not strict JSON"},
        {"text behind it", with("") + "x", "is not strict JSON"},
        {"a member twice", with(R"("client_id":"https://evil.example/")"), "is not strict JSON"},
        {"a comment", "/**/" + with(""), "is not strict JSON"},
        {"a list", "[" + with("") + "]", "is not a JSON object"},
        {"too deep", with(R"("x":[[[[[[[[[1]]]]]]]]])"), "is not strict JSON"},
        {"too long", with(R"("x":")" + std::string(16384, 'x') + "\""), "is not strict JSON"},
        // CIMD-6
        {"no client_id", R"({"redirect_uris":["https://app.example/cb"]})", "has another client_id"},
        {"another client_id", R"({"client_id":"https://app.example/other","redirect_uris":["https://app.example/cb"]})", "has another client_id"},
        {"the same one, spelled otherwise", R"({"client_id":"https://APP.example/client.json","redirect_uris":["https://app.example/cb"]})", "has another client_id"},
        {"a slash behind it", R"({"client_id":"https://app.example/client.json/","redirect_uris":["https://app.example/cb"]})", "has another client_id"},
        {"no text as client_id", R"({"client_id":["https://app.example/client.json"],"redirect_uris":["https://app.example/cb"]})", "has a member client_id"},
        // CIMD-7
        {"a secret", with(R"("client_secret":"x")"), "has a member client_secret "},
        {"a secret that is null", with(R"("client_secret":null)"), "has a member client_secret "},
        {"a secret's end", with(R"("client_secret_expires_at":0)"), "has a member client_secret_expires_at"},
        {"none", with(R"("token_endpoint_auth_method":"none")"), ""},
        {"private_key_jwt", with(R"("token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example/keys")"), "has the token_endpoint_auth_method private_key_jwt"},
        {"client_secret_basic", with(R"("token_endpoint_auth_method":"client_secret_basic")"), "has the token_endpoint_auth_method client_secret_basic"},
        {"no text as method", with(R"("token_endpoint_auth_method":1)"), "has a member token_endpoint_auth_method"},
        // RP Metadata Choices §2: the list says what it can do beside what it prefers
        {"a key preferred, none offered", with(R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],"token_endpoint_auth_signing_alg":"RS256","jwks_uri":"https://app.example/keys")"), ""},
        {"a secret preferred, none offered last", with(R"("token_endpoint_auth_method":"client_secret_basic","token_endpoint_auth_methods_supported":["private_key_jwt","none"])"), ""},
        {"none offered alone", with(R"("token_endpoint_auth_methods_supported":["none"])"), ""},
        {"none offered, nothing preferred", with(R"("token_endpoint_auth_methods_supported":["private_key_jwt","none"])"), ""},
        {"none preferred, not offered", with(R"("token_endpoint_auth_method":"none","token_endpoint_auth_methods_supported":["private_key_jwt"])"), ""},
        {"a key preferred and offered alone", with(R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["private_key_jwt"])"), "has the token_endpoint_auth_method private_key_jwt"},
        {"a key preferred, nothing offered", with(R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":[])"), "has the token_endpoint_auth_method private_key_jwt"},
        {"a key offered alone", with(R"("token_endpoint_auth_methods_supported":["private_key_jwt"])"), "does not offer none"},
        {"nothing offered", with(R"("token_endpoint_auth_methods_supported":[])"), "does not offer none"},
        {"none in another spelling", with(R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["None"," none","none "])"), "has the token_endpoint_auth_method private_key_jwt"},
        {"an empty method, none offered", with(R"("token_endpoint_auth_method":"","token_endpoint_auth_methods_supported":["none"])"), ""},
        {"none as a text instead of a list", with(R"("token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":"none")"), "has a member token_endpoint_auth_methods_supported that is not a list"},
        {"none among other things than texts", with(R"("token_endpoint_auth_methods_supported":["none",1])"), "has a member token_endpoint_auth_methods_supported that holds"},
        {"a list that is null", with(R"("token_endpoint_auth_methods_supported":null)"), "has a member token_endpoint_auth_methods_supported that is not a list"},
        {"none offered, and a secret", with(R"("token_endpoint_auth_methods_supported":["none"],"client_secret":"x")"), "has a member client_secret "},
        {"none offered, and tokens bound to a certificate", with(R"("token_endpoint_auth_methods_supported":["none","tls_client_auth"],"tls_client_certificate_bound_access_tokens":true)"), "has a member tls_client"},
        {"keys twice", with(R"("jwks":{"keys":[]},"jwks_uri":"https://app.example/keys")"), "has both"},
        {"keys that are not used", with(R"("jwks":{"keys":[]})"), ""},
        // what would be weaker than demanded
        {"PAR", with(R"("require_pushed_authorization_requests":true)"), "has a member require_pushed"},
        {"no PAR", with(R"("require_pushed_authorization_requests":false)"), ""},
        {"DPoP", with(R"("dpop_bound_access_tokens":true)"), "has a member dpop_bound"},
        {"DPoP in quotes", with(R"("dpop_bound_access_tokens":"false")"), "has a member dpop_bound"},
        {"mTLS", with(R"("tls_client_certificate_bound_access_tokens":true)"), "has a member tls_client"},
        {"request objects", with(R"("require_signed_request_object":true)"), "has a member require_signed"},
        {"encryption", with(R"("id_token_encrypted_response_alg":"RSA-OAEP")"), "has a member id_token_encrypted_response_alg"},
        {"our algorithm", with(R"("id_token_signed_response_alg":"RS256")"), ""},
        {"another algorithm", with(R"("id_token_signed_response_alg":"ES256")"), "has a member id_token_signed_response_alg"},
        {"signed UserInfo", with(R"("userinfo_signed_response_alg":"RS256")"), "has a member userinfo_signed"},
        {"pairwise", with(R"("subject_type":"pairwise")"), "has a member subject_type"},
        {"public", with(R"("subject_type":"public")"), ""},
        // REG-5, REG-6, REG-8
        {"no addresses", R"({"client_id":"https://app.example/client.json"})", "names no redirect_uris"},
        {"an empty list", uris("[]"), "names no redirect_uris"},
        {"no list", uris(R"("https://app.example/cb")"), "has a member redirect_uris"},
        {"no texts", uris("[1]"), "has a member redirect_uris"},
        {"21 addresses", uris(twenty_one + "]"), "has a member redirect_uris"},
        {"the same 21 times", uris(R"(["https://app.example/cb","https://app.example/cb"])"), ""},
        {"an empty address", uris(R"([""])"), "has an address in redirect_uris that is empty"},
        {"a fragment", uris(R"(["https://app.example/cb#"])"), "has an address in redirect_uris that has a fragment"},
        {"a query", uris(R"(["https://app.example/cb?a=b"])"), ""},
        {"a wildcard", uris(R"(["https://*.app.example/cb"])"), "has an address in redirect_uris that contains a wildcard"},
        {"plain http", uris(R"(["http://app.example/cb"])"), "has an address in redirect_uris that is plain http"},
        {"javascript", uris(R"x(["javascript:alert(1)"])x"), "has an address in redirect_uris that has a scheme"},
        {"a user name", uris(R"(["https://app.example@evil.example/cb"])"), "has an address in redirect_uris that has a user name"},
        {"another host", uris(R"(["https://elsewhere.example/cb"])"), ""},
        {"this server", uris(R"(["https://op.example/cb"])"), "has an address in redirect_uris that is this server's own"},
        {"web and loopback", with(R"("application_type":"web")", R"(["http://127.0.0.1/cb"])"), "has an address in redirect_uris that only a native"},
        {"web and https", with(R"("application_type":"web")"), ""},
        {"native and https", with(R"("application_type":"native")"), ""},
        {"native and private-use", with(R"("application_type":"native")", R"(["com.example.app:/cb"])"), ""},
        // RFC 8252 §7.1
        {"a scheme of the system", uris(R"(["search-ms:query=x"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"any program of Android", uris(R"(["intent:x"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"a scheme around another", uris(R"x(["feed:javascript:alert(1)"])x"), "has an address in redirect_uris that has a scheme without a dot"},
        {"jar", uris(R"(["jar:https://app.example/x!/y"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"ms-settings", uris(R"(["ms-settings:display"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"an app's own word", uris(R"(["myapp://callback"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"nothing behind the dot", uris(R"(["myapp.:/cb"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"one among good ones", uris(R"(["com.example.app:/cb","myapp:/cb"])"), "has an address in redirect_uris that has a scheme without a dot"},
        {"logout to a program", with(R"("application_type":"native","post_logout_redirect_uris":["intent:x"])"), "has an address in post_logout_redirect_uris that has a scheme without a dot"},
        {"logout to a program by its domain", with(R"("application_type":"native","post_logout_redirect_uris":["com.example.app:/out"])"), ""},
        // RFC 3986 §3.2.2: what browsers decode would be shown as it is spelled
        {"an encoded host", uris(R"(["https://%65vil.example/cb"])"), "has an address in redirect_uris that has a percent-encoded host"},
        {"a host that is a number", uris(R"(["https://2130706433/cb"])"), "has an address in redirect_uris that has a host that browsers read"},
        {"private-use", uris(R"(["com.example.app:/cb"])"), ""},
        {"of two kinds, without a type", uris(R"(["http://127.0.0.1/cb","https://app.example/cb"])"), "has an address in redirect_uris that only a native"},
        {"a type that there is not", with(R"("application_type":"desktop")"), "has a member application_type"},
        {"a bad logout address", with(R"("post_logout_redirect_uris":["http://app.example/"])"), "has an address in post_logout_redirect_uris"},
        {"logout to loopback, of the web", with(R"("post_logout_redirect_uris":["https://app.example/out"])"), ""},
        // REG-7
        {"no code grant", with(R"("grant_types":["refresh_token"])"), "does not name authorization_code"},
        {"no grant", with(R"("grant_types":[])"), "does not name authorization_code"},
        {"grants that are no list", with(R"("grant_types":"authorization_code")"), "has a member grant_types"},
        {"other grants, too", with(R"("grant_types":["authorization_code","client_credentials","implicit"])"), ""},
        {"no code", with(R"("response_types":["token"])"), "does not name code"},
        {"code and more", with(R"("response_types":["code","token"])"), ""},
        // REG-12
        {"a logo over http", with(R"("logo_uri":"http://app.example/logo.png")"), "has a member logo_uri"},
        {"a relative logo", with(R"("logo_uri":"/logo.png")"), "has a member logo_uri"},
        {"a site of javascript", with(R"x("client_uri":"javascript:alert(1)")x"), "has a member client_uri"},
        {"a site that is no text", with(R"("client_uri":1)"), "has a member client_uri"},
        {"terms of 2049 bytes", with(R"("tos_uri":"https://app.example/)" + std::string(2029, 'x') + "\""), "has a member tos_uri"},
        {"terms of 2048 bytes", with(R"("tos_uri":"https://app.example/)" + std::string(2028, 'x') + "\""), ""},
        {"a policy", with(R"("policy_uri":"https://app.example/policy")"), ""},
        {"a login over http", with(R"("initiate_login_uri":"http://app.example/")"), "has a member initiate_login_uri"},
        {"a name of 256 bytes", with(R"("client_name":")" + std::string(256, 'n') + "\""), ""},
        {"a name of 257 bytes", with(R"("client_name":")" + std::string(257, 'n') + "\""), "has a member client_name"},
        {"a blank name", with(R"("client_name":" ")"), "has a member client_name"},
        {"a name of a zero width space", with(R"("client_name":"\u200b")"), "has a member client_name that has no character"},
        {"a name of soft hyphens", with(R"("client_name":"\u00ad\u00ad")"), "has a member client_name that has no character"},
        {"a name of the Hangul filler", with(R"("client_name":"\u3164")"), "has a member client_name that has no character"},
        {"a name of the braille blank", with(R"("client_name":"\u2800 \u2800")"), "has a member client_name that has no character"},
        {"a name with a letter among them", with(R"("client_name":"\u200bN\u3164")"), ""},
        {"an empty name", with(R"("client_name":"")"), "has a member client_name"},
        {"a name of two lines", with(R"("client_name":"a\nb")"), "has a member client_name"},
        {"a name that turns round", with(R"("client_name":"a\u202eb")"), "has a member client_name"},
        // scope
        {"a scope of ours", with(R"("scope":"openid notes:read")"), ""},
        {"no scope of ours", with(R"("scope":"admin")"), "asks for no scope"},
        {"two spaces", with(R"("scope":"openid  profile")"), "has a member scope"},
        {"a list as scope", with(R"("scope":["openid"])"), "has a member scope"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string fault = fault_of(row.body);
        CAPTURE(fault);
        CHECK(fault.empty() == std::string(row.fault).empty());
        CHECK(fault.starts_with(row.fault));
    }
}

TEST_CASE("read_client_document: only another method is told apart, since it ends grants [CIMD-13]") {
    CHECK(read(with(R"("token_endpoint_auth_method":"private_key_jwt")")).error().has_other_method);
    CHECK(read(with(R"("token_endpoint_auth_methods_supported":["private_key_jwt"])")).error().has_other_method);
    CHECK_FALSE(read(with(R"("token_endpoint_auth_method":1)")).error().has_other_method);
    CHECK_FALSE(read(with(R"("token_endpoint_auth_methods_supported":"none")")).error().has_other_method);
    CHECK_FALSE(read(with(R"("client_secret":"x")")).error().has_other_method);
    CHECK_FALSE(read("").error().has_other_method);
}

TEST_CASE(
    "read_client_document: no scope beyond clientDocuments.scope, and all of it for one that names none [CIMD-11]") {
    CHECK(read(with(R"("scope":"admin openid notes:write notes:read")"))->scope.to_string() == "openid notes:read");
    CHECK(read(with(""))->scope.to_string() == "openid profile notes:read offline_access");
    CHECK(read(with(R"("scope":"")"))->scope.empty());
}

TEST_CASE("digest_of: two documents that say the same are one, and whatever is read makes two [CIMD-10]") {
    const std::string digest = oauth::digest_of(*read(with("")));
    CHECK(digest == oauth::digest_of(*read(with(R"("contacts":["a@app.example"])"))));
    const std::string others[] = {
        with(R"("client_name":"N")"),
        with(R"("scope":"openid")"),
        with(R"("application_type":"native")"),
        with(R"("grant_types":["authorization_code","refresh_token"])"),
        with("", R"(["https://app.example/cb2"])"),
        with("", R"(["https://app.example/cb","https://app.example/cb2"])"),
        with(R"("post_logout_redirect_uris":["https://app.example/cb"])"),
    };
    for (const std::string& other : others) {
        CAPTURE(other);
        CHECK(digest != oauth::digest_of(*read(other)));
    }
}

TEST_CASE("described_again: what the operator has decided stays, the rest is the document's [CIMD-13]") {
    model::Client stored = *read(with(R"("client_name":"Old")"));
    stored.restricted = true;
    stored.resources = {"https://api.example/"};
    stored.access_token_profile = model::TokenProfile::rfc9068;
    const model::Client now = *read(with(R"("client_name":"New","scope":"openid")", R"(["https://app.example/new"])"));
    const model::Client again = oauth::described_again(stored, now);
    CHECK(again.restricted);
    CHECK(again.resources == stored.resources);
    CHECK(again.access_token_profile == stored.access_token_profile);
    CHECK(oauth::digest_of(again) == oauth::digest_of(now));
    CHECK_FALSE(oauth::looks_the_same(stored, again));
    CHECK(oauth::looks_the_same(now, again));
}

TEST_CASE("read_client_document: a demand for pushed requests is kept where they can be pushed [PAR-17, CIMD-11]") {
    const std::string demands = with(R"("require_pushed_authorization_requests":true)");
    oauth::Settings pushing = settings();
    pushing.paths.par = "/par";
    const auto read_while_on = [&](const std::string& body) {
        return oauth::read_client_document({"application/json", body}, kUrl, pushing);
    };
    const auto client = read_while_on(demands);
    REQUIRE(client);
    CHECK(client->require_par);
    const auto before = read_while_on(with(""));
    REQUIRE(before);
    CHECK_FALSE(before->require_par);
    CHECK(oauth::digest_of(*client) != oauth::digest_of(*before));
    CHECK(oauth::described_again(*before, *client).require_par);
    CHECK_FALSE(oauth::described_again(*client, *before).require_par);
    CHECK_FALSE(read(demands));
    pushing.par_public_clients = false;  // a client of a document is one
    CHECK_FALSE(read_while_on(demands));
    CHECK(read_while_on(with("")));
}

TEST_CASE("read_client_document: response modes that are offered, and the algorithm that signs [JARM-6, CIMD-11]") {
    oauth::Settings signing = settings();
    signing.jarm = true;
    const auto read_while_on = [&](const std::string& members) {
        return oauth::read_client_document({"application/json", with(members)}, kUrl, signing);
    };
    const auto client = read_while_on(R"("response_modes":["jwt","web_message"])");
    REQUIRE(client);
    CHECK(client->response_modes == std::set<std::string>{"jwt"});
    const auto before = read_while_on("");
    REQUIRE(before);
    CHECK(oauth::digest_of(*client) != oauth::digest_of(*before));
    CHECK(oauth::described_again(*before, *client).response_modes == client->response_modes);
    CHECK_FALSE(read_while_on(R"("response_modes":["web_message"])"));
    CHECK_FALSE(read(with(R"("response_modes":["jwt"])")));
    CHECK(read_while_on(R"("authorization_signed_response_alg":"RS256")"));
    CHECK_FALSE(read_while_on(R"("authorization_signed_response_alg":"ES256")"));
    CHECK_FALSE(read(with(R"("authorization_signed_response_alg":"RS256")")));
}
