// Which request objects are good, and what is in them (JAR-5 to JAR-10, F2-61 to F2-63).
#include "oauth/request_object.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/reader.h"
#include "json/writer.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;
using oauth::RequiredClaims;
using util::Seconds;

namespace {

constexpr std::int64_t kNow = 1'800'000'000;

// RFC 9101 §4.
const std::string kObject =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsyYmRjIn0.ewogICAgImlzcyI6ICJzNkJoZF"
    "JrcXQzIiwKICAgICJhdWQiOiAiaHR0cHM6Ly9zZXJ2ZXIuZXhhbXBsZS5jb20iLAog"
    "ICAgInJlc3BvbnNlX3R5cGUiOiAiY29kZSBpZF90b2tlbiIsCiAgICAiY2xpZW50X2"
    "lkIjogInM2QmhkUmtxdDMiLAogICAgInJlZGlyZWN0X3VyaSI6ICJodHRwczovL2Ns"
    "aWVudC5leGFtcGxlLm9yZy9jYiIsCiAgICAic2NvcGUiOiAib3BlbmlkIiwKICAgIC"
    "JzdGF0ZSI6ICJhZjBpZmpzbGRraiIsCiAgICAibm9uY2UiOiAibi0wUzZfV3pBMk1q"
    "IiwKICAgICJtYXhfYWdlIjogODY0MDAKfQ.Nsxa_18VUElVaPjqW_ToI1yrEJ67BgK"
    "b5xsuZRVqzGkfKrOIX7BCx0biSxYGmjK9KJPctH1OC0iQJwXu5YVY-vnW0_PLJb1C2"
    "HG-ztVzcnKZC2gE4i0vgQcpkUOCpW3SEYXnyWnKzuKzqSb1wAZALo5f89B_p6QA6j6"
    "JwBSRvdVsDPdulW8lKxGTbH82czCaQ50rLAg3EYLYaCb4ik4I1zGXE4fvim9FIMs8O"
    "CMmzwIB5S-ujFfzwFjoyuPEV4hJnoVUmXR_W9typPf846lGwA8h9G9oNTIuX8Ft2jf"
    "pnZdFmLg3_wr3Wa5q3a-lfbgF3S9H_8nN3j1i7tLR_5Nz-g";
const std::string kKeys = R"({"keys":[{"kty":"RSA","kid":"k2bdc","e":"AQAB","n":")"
                          "x5RbkAZkmpRxia65qRQ1wwSMSxQUnS7gcpVTV_cdHmfmG2ltd2yabEO9XadD8"
                          "pJNZubINPpmgHh3J1aD9WRwS05ucmFq3CfFsluLt13_7oX5yDRSKX7poXmT_5"
                          "ko8k4NJZPMAO8fPToDTH7kHYbONSE2FYa5GZ60CUsFhSonI-dcMDJ0Ary9lxI"
                          "w5k2z4TAdARVWcS7sD07VhlMMshrwsPHBQgTatlkxyIHXbYdtak8fqvNAwr7O"
                          "lVEvM_Ipf5OfmdB8Sd-wjzaBsyP4VhJKoi_qdgSzpC694XZeYPq45Sw-q51iF"
                          "UlcOlTCI7z6jltUtnR6ySn6XDGFnzH5Fe5ypw"
                          R"("}]})";

json::Object object(const std::string& text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return std::move(*value->if_object());
}

/// Returns `from` with those members; null takes one away.
json::Object changed(json::Object from, const std::string& changes) {
    const json::Object members = object(changes);
    for (const auto& [name, value] : members.members()) value.is_null() ? from.erase(name) : from.set(name, value);
    return from;
}

/// Returns what is wrong with the claims, with "clock: " before what a clock may explain; "": nothing.
std::string fault_of(const json::Object& claims, RequiredClaims required) {
    const auto good = oauth::check_request_claims(
        claims, {model::ClientId("app"), "https://op.example", Seconds(30), util::from_epoch(kNow), required});
    return good ? "" : (good.error().is_of_clocks ? "clock: " : "") + good.error().detail;
}

std::string at(const char* claim, std::int64_t seconds) {
    return "{\"" + std::string(claim) + "\":" + std::to_string(kNow + seconds) + "}";
}

}  // namespace

TEST_CASE("request objects: the first claim that breaks a rule [JAR-5, JAR-6, JAR-7, JAR-8, JAR-9, KEY-7, KEY-8]") {
    struct Row {
        const char* when;
        std::string changes;
        const char* fault;  ///< a part of the sentence; "": they are good
    };
    const Row rows[] = {
        {"client_id alone", "{}", ""},
        {"no client_id", R"({"client_id":null})", "\"client_id\" is missing"},
        {"client_id is no string", R"({"client_id":["app"]})", "\"client_id\" is missing"},
        {"of another client", R"({"client_id":"other"})", "\"client_id\" is other, and client app"},
        {"in another spelling", R"({"client_id":"App"})", "\"client_id\" is App"},
        {"iss", R"({"iss":"app"})", ""},
        {"another iss", R"({"iss":"other"})", "\"iss\" is not the client id"},
        {"iss is no string", R"({"iss":["app"]})", "\"iss\" is not the client id"},
        {"sub", R"({"sub":"app"})", "\"sub\""},
        {"sub of a user", R"({"sub":"alice"})", "\"sub\""},
        {"aud", R"({"aud":"https://op.example"})", ""},
        {"aud in an array", R"({"aud":["https://op.example"]})", ""},
        {"aud and another", R"({"aud":["https://other.example","https://op.example"]})", ""},
        {"another aud", R"({"aud":"https://other.example"})", "must be or have https://op.example"},
        {"aud with a slash", R"({"aud":"https://op.example/"})", "must be or have https://op.example"},
        {"no aud in the array", R"({"aud":[]})", "neither a string"},
        {"a number in the array", R"({"aud":["https://op.example",1]})", "neither a string"},
        {"expired nine seconds ago", at("exp", -9), ""},
        {"expired ten seconds ago", at("exp", -10), "clock: it expired 10 s ago"},
        {"exp is a string", R"({"exp":"1800000060"})", "\"exp\" is not a time"},
        {"nbf ahead", at("nbf", 30), ""},
        {"nbf farther ahead", at("nbf", 31), "clock: \"nbf\" is 31 s ahead"},
        {"nbf long ago", R"({"nbf":1})", ""},
        {"iat ahead", at("iat", 31), "clock: \"iat\" is 31 s ahead"},
        {"exp an hour ahead", at("exp", 3630), ""},
        {"exp farther ahead", at("exp", 3631), "clock: its \"exp\" is 3631 s ahead"},
        {"a request inside", R"({"request":"e.e.e"})", "\"request\" inside"},
        {"an address inside", R"({"request_uri":"https://app.example/r"})", "\"request_uri\" inside"},
        {"jti, which is no single use", R"({"jti":"1"})", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string fault = fault_of(changed({{"client_id", "app"}}, row.changes), RequiredClaims::none);
        CAPTURE(fault);
        CHECK(fault.empty() == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
        CHECK(fault.starts_with("clock: ") == std::string(row.fault).starts_with("clock: "));
    }
}

TEST_CASE("request objects: what a profile may demand of them [JAR-6, JAR-7, F2-61, F2-62, F2-63]") {
    struct Row {
        const char* when;
        std::string changes;
        const char* fault;
    };
    const Row rows[] = {
        {"all three", "{}", ""},
        {"no aud", R"({"aud":null})", "it has no \"aud\""},
        {"no nbf", R"({"nbf":null})", "it has no \"nbf\""},
        {"no exp", R"({"exp":null})", "it has no \"exp\""},
        {"nbf an hour ago", R"({"nbf":1799996400,"exp":1800000000})", ""},
        {"a second longer ago", R"({"nbf":1799996399,"exp":1799999999})", "clock: its \"nbf\" is 3601 s ago"},
        {"nbf eight seconds ahead", at("nbf", 8), ""},
        {"exp an hour behind nbf", at("exp", 3600), ""},
        {"exp a second farther", at("exp", 3601), "\"exp\" is 3601 s behind its \"nbf\""},
        {"expired", R"({"nbf":1799999000,"exp":1799999900})", "clock: it expired"},
    };
    const json::Object good =
        changed({{"client_id", "app"}, {"aud", "https://op.example"}}, R"({"nbf":1800000000,"exp":1800000060})");
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string fault = fault_of(changed(good, row.changes), RequiredClaims::bounded);
        CAPTURE(fault);
        CHECK(fault.empty() == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
        CHECK(fault.starts_with("clock: ") == std::string(row.fault).starts_with("clock: "));
    }
}

TEST_CASE("request objects: the parameters inside [JAR-10, JAR-11, RFC 9101 §9.1]") {
    struct Row {
        const char* when;
        const char* claims;
        const char* name;
        std::vector<std::string> values;  ///< of that parameter
    };
    const Row rows[] = {
        {"a string", R"({"state":"a&b=c+d"})", "state", {"a&b=c+d"}},
        {"text", R"({"state":"Grüße"})", "state", {"Grüße"}},
        {"an empty one, which is absent", R"({"state":""})", "state", {}},
        {"max_age as a number", R"({"max_age":3600})", "max_age", {"3600"}},
        {"max_age as a string", R"({"max_age":"3600"})", "max_age", {"3600"}},
        {"claims as an object", R"({"claims":{"id_token":{"acr":null}}})", "claims", {R"({"id_token":{"acr":null}})"}},
        {"claims as a string", R"({"claims":"{}"})", "claims", {"{}"}},
        {"one resource", R"({"resource":"https://a.example/"})", "resource", {"https://a.example/"}},
        {"two resources",
         R"({"resource":["https://a.example/","https://b.example/"]})",
         "resource",
         {"https://a.example/", "https://b.example/"}},
        {"the audience of the object, which is no parameter", R"({"aud":"https://op.example"})", "aud", {}},
        {"the parameter audience", R"({"aud":["x"],"audience":"api"})", "audience", {"api"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto parameters = oauth::parameters_inside(object(row.claims));
        REQUIRE(parameters);
        const auto values = parameters->find_all(row.name);
        REQUIRE(values);
        CHECK(*values == row.values);
    }
    for (const char* refused :
         {R"({"state":1})", R"({"state":null})", R"({"state":true})", R"({"scope":["openid"]})", R"({"claims":[]})",
          R"({"max_age":true})", R"({"max_age":null})", R"({"resource":[1]})", R"({"resource":{}})",
          R"({"redirect_uri":["https://app.example/cb"]})", R"({"foo":{}})"}) {
        CAPTURE(std::string(refused));
        CHECK_FALSE(oauth::parameters_inside(object(refused)));
    }
    json::Object many;
    for (int i = 0; i < 129; ++i) many.set("p" + std::to_string(i), "x");
    CHECK_FALSE(oauth::parameters_inside(many));
    many.erase("p0");
    CHECK(oauth::parameters_inside(many));
    // What no form may contain is no parameter, as in a form.
    const auto odd = oauth::parameters_inside(object("{\"state\":\"a\\u0007b\"}"));
    REQUIRE(odd);
    CHECK(odd->fault_of("state") == http::ParamFault::malformed);
}

TEST_CASE("request objects: the example of the standard verifies with the key that is printed there [RFC 9101 §4c]") {
    test::RulesFixture f;
    f.settings.issuer = "https://server.example.com";
    model::Client client = f.add_confidential("s6BhdRkqt3", "https://client.example.org/cb", std::string(43, 's'));
    client.auth_method = model::AuthMethod::private_key_jwt;
    const auto save = [&] {
        db::Transaction transaction(f.database, db::Durability::lazy);
        REQUIRE(store::update_client(transaction, client));
        store::remove_client_keys(transaction, client.id);
        store::insert_client_keys(transaction, client.id, {.jwks = kKeys});
        transaction.commit();
    };
    auto context = f.context();
    const auto word = [&](const std::string& text) -> std::string {
        const auto opened = oauth::open_request_object(context, client.id, text);
        return opened ? "" : refusal::row_of(opened.error().reason).word;
    };
    CHECK(word(kObject) == "invalid_request_object");  // no keys
    save();
    const auto opened = oauth::open_request_object(context, client.id, kObject);
    REQUIRE(opened);
    CHECK(opened->parameters.find("response_type") == "code id_token");
    CHECK(opened->parameters.find("redirect_uri") == "https://client.example.org/cb");
    CHECK(opened->parameters.find("max_age") == "86400");
    CHECK(opened->parameters.find("nonce") == "n-0S6_WzA2Mj");
    CHECK_FALSE(opened->parameters.find("iss"));
    CHECK(opened->digest.size() == 16);
    std::string bent = kObject;
    bent[bent.size() - 10] = bent[bent.size() - 10] == 'A' ? 'B' : 'A';
    CHECK(word(bent) == "invalid_request_object");
    CHECK(word("e.e.e") == "invalid_request_object");
    client.request_object_alg = "ES256";  // JAR-2
    save();
    CHECK(word(kObject) == "invalid_request_object");
    client.request_object_alg = "RS256";
    save();
    CHECK(word(kObject).empty());
}
