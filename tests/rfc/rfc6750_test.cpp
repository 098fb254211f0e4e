// Bearer tokens at the UserInfo endpoint (RFC 6750, OpenID Connect Core §5.3, the interface specification's section on
// it).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/listener.h"
#include "util/base64.h"
#include "util/text.h"

namespace {

using namespace postern::test;
using postern::util::base64url_encode;
using std::chrono::seconds;

/// 401 with a Bearer challenge that names the error and says why; nothing else is told.
void check_invalid_token(const Answer& answer) {
    CHECK(answer.status == 401);
    const std::string challenge = answer.header("WWW-Authenticate");
    CHECK(challenge.starts_with("Bearer "));
    CHECK(has(challenge, "error=\"invalid_token\""));
    CHECK(has(challenge, "error_description=\""));
    CHECK(challenge.find('\\') == std::string::npos);
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(has(answer.header("Vary"), "Authorization"));
    CHECK(answer.header("X-Content-Type-Options") == "nosniff");
    CHECK_FALSE(has(answer.body, "\"sub\""));
}

TEST_CASE(
    "userinfo: a valid token is answered with claims that must not be cached [IF5, IF52, IF153, IF156, OIDC Core §5.3b, §5.3.2ab, U10]") {
    const SignedIn ready;
    const Answer answer = userinfo(ready.op, ready.access_token());
    CHECK(answer.status == 200);
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("X-Content-Type-Options") == "nosniff");
    CHECK(has(answer.header("Vary"), "Authorization"));
    CHECK(answer.header("Content-Length") == std::to_string(answer.body.size()));
    CHECK(answer.member("sub") == subject_of(ready.op, kAlice));
    CHECK(answer.member("sub") == text_of(jwt_claims(text_of(ready.tokens, "id_token")), "sub"));
    CHECK_FALSE(answer.has("WWW-Authenticate"));
    CgiRequest post = post_form("");
    post.headers = bearer(ready.access_token()).headers;
    CHECK(ready.op.cgi("userinfo", post).body == answer.body);
}

TEST_CASE("userinfo: the header's scheme is Bearer in any case, then blanks and a b64token [RFC 6750 §2.1, U02]") {
    const SignedIn ready;
    const std::string token = ready.access_token();
    constexpr const char* kNoToken = "401 invalid_token";
    constexpr const char* kMalformed = "400 invalid_request";
    struct Row {
        std::string when;
        std::string header;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"as it should be", "Bearer " + token, "200"},
        {"lower case", "bearer " + token, "200"},
        {"upper case", "BEARER " + token, "200"},
        {"no scheme", token, kNoToken},
        {"another scheme", "Token " + token, kNoToken},
        {"Basic", "Basic " + token, kNoToken},
        {"a client's Basic", basic(kWeb, secret_of(kWeb)), kNoToken},
        {"DPoP", "DPoP " + token, kNoToken},
        {"scheme alone", "Bearer", kNoToken},
        {"scheme and a blank", "Bearer ", kNoToken},
        {"two blanks", "Bearer  " + token, "200"},
        {"five blanks", "bearer     " + token, "200"},
        {"blanks around", "  Bearer " + token + " ", "200"},
        {"a tab behind", "Bearer " + token + "\t", "200"},
        {"blanks alone behind the scheme", "Bearer    ", kNoToken},
        {"tab", "Bearer\t" + token, kMalformed},
        {"blank and tab", "Bearer \t" + token, kMalformed},
        {"no blank", "Bearer" + token, kNoToken},
        {"an equals sign for the blank", "Bearer=" + token, kNoToken},
        {"quoted", "Bearer \"" + token + "\"", kNoToken},
        {"two tokens", "Bearer " + token + " " + token, kNoToken},
        {"a word behind the token", "Bearer " + token + " x", kNoToken},
        {"an unknown token", "Bearer bad", kNoToken},
        {"joined headers", "Bearer " + token + ", Bearer " + token, kMalformed},
        {"joined with Basic", "Basic eDp5, Bearer " + token, kMalformed},
        {"named", "Bearer access_token=" + token, kNoToken},
        {"non-ASCII", "Bearer caf\xc3\xa9", kNoToken},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        // A token in the body does not change what the header decides.
        for (const char* body : {"", "access_token=bad", "access_token="}) {
            CAPTURE(std::string(body));
            const bool is_good = std::string(body) == "access_token=";
            CgiRequest request = *body == '\0' ? CgiRequest{} : post_form(body + (is_good ? token : std::string()));
            request.headers = {{"Authorization", row.header}};
            const Answer answer = ready.op.cgi("userinfo", request);
            CHECK(answer.verdict() == row.expected);
            if (row.expected == kNoToken) check_invalid_token(answer);
        }
    }
}

TEST_CASE(
    "userinfo: without a header the token may stand in a form body, never in the address [IF151, IF152, RFC 6750 §2.2, "
    "§2.3, U01, U03, X11, OIDC Core §5.3c, F2-40]") {
    const SignedIn ready;
    const std::string form = Query{{"access_token", ready.access_token()}}.text();
    const Answer posted = ready.op.cgi("userinfo", post_form(form));
    CHECK(posted.status == 200);

    const auto of_type = [&](const std::string& type, const std::string& body) {
        CgiRequest request = post_form(body);
        request.content_type = type;
        return ready.op.cgi("userinfo", request);
    };
    CHECK(of_type("application/x-www-form-urlencoded;charset=UTF-8", form).status == 200);
    for (const Answer& answer : {of_type("application/json", "{\"access_token\":\"" + ready.access_token() + "\"}"),
                                 of_type("application/json", form), of_type("text/plain", form), of_type("", form),
                                 of_type("multipart/form-data; boundary=x", form),
                                 of_type("multipart/form-data; boundary=x",
                                         "--x\r\nContent-Disposition: form-data; name=\"access_token\"\r\n\r\n" +
                                             ready.access_token() + "\r\n--x--\r\n")}) {
        CHECK((answer.status == 401 || answer.status == 415));
        CHECK_FALSE(has(answer.body, "\"sub\""));
    }

    CgiRequest get_with_body = post_form(form);
    get_with_body.method = "GET";
    check_invalid_token(ready.op.cgi("userinfo", get_with_body));
    check_invalid_token(ready.op.cgi("userinfo", get_request(form)));
    CgiRequest query_and_post = post_form("");
    query_and_post.query = form;
    check_invalid_token(ready.op.cgi("userinfo", query_and_post));
    check_invalid_token(ready.op.cgi("userinfo", post_form(form + "&" + form)));
    check_invalid_token(ready.op.cgi("userinfo", post_form("access_token=")));
}

TEST_CASE(
    "userinfo: the header decides, with any body [IF150, IF163, the interface specification, U01, U02, RFC 6750 §2]") {
    const SignedIn ready;
    CgiRequest good_header = post_form("access_token=bad");
    good_header.headers = bearer(ready.access_token()).headers;
    CHECK(ready.op.cgi("userinfo", good_header).status == 200);
    CgiRequest bad_header = post_form(Query{{"access_token", ready.access_token()}}.text());
    bad_header.headers = bearer("bad").headers;
    check_invalid_token(ready.op.cgi("userinfo", bad_header));
    CgiRequest other_scheme = post_form(Query{{"access_token", ready.access_token()}}.text());
    other_scheme.headers = {{"Authorization", basic(kWeb, secret_of(kWeb))}};
    check_invalid_token(ready.op.cgi("userinfo", other_scheme));
    CgiRequest query_too = bearer(ready.access_token());
    query_too.query = "access_token=bad";
    CHECK(ready.op.cgi("userinfo", query_too).status == 200);
    CgiRequest query_only = bearer("x");
    query_only.query = Query{{"access_token", ready.access_token()}}.text();
    check_invalid_token(ready.op.cgi("userinfo", query_only));
}

TEST_CASE("userinfo: without a token the challenge says invalid_token, as specified [the interface specification]") {
    const Deployment op;
    check_invalid_token(op.cgi("userinfo"));
    check_invalid_token(op.cgi("userinfo", post_form("")));
}

/// header.payload.signature with one part exchanged.
std::string forged(const std::string& token, std::size_t part, const std::string& text) {
    std::string result;
    std::size_t index = 0;
    for (const auto piece : postern::util::split(token, '.')) {
        if (index != 0) result += '.';
        result += index++ == part ? text : std::string(piece);
    }
    return result;
}

std::string segment(const std::string& token, std::size_t part) {
    return std::string(postern::util::split(token, '.')[part]);
}

TEST_CASE(
    "userinfo: a header that this server does not emit is refused before anything is parsed [IF35, IF36, IF154, RFC "
    "8725 §3.1, J01-J10, RFC 6749 §10.3b, OIDC Core §16.3]") {
    const SignedIn ready;
    const Listener listener;
    const std::string kid = text_of(jwt_header(ready.access_token()), "kid");
    const std::string id_kid = text_of(jwt_header(text_of(ready.tokens, "id_token")), "kid");
    struct Row {
        std::string clause;
        std::string header;
    };
    const std::vector<Row> rows = {
        {"J01 none", R"({"alg":"none","typ":"at+jwt"})"},
        {"J01 none with kid", R"({"alg":"none","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J01 nOnE", R"({"alg":"nOnE","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J02 HS256", R"({"alg":"HS256","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J03 ES384", R"({"alg":"ES384","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J03 RS256 with the EC key's kid", R"({"alg":"RS256","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J03 ES256 with the RSA key's kid", R"({"alg":"ES256","typ":"at+jwt","kid":")" + id_kid + "\"}"},
        {"J04 path", R"({"alg":"ES256","typ":"at+jwt","kid":"../../dev/null"})"},
        {"J04 SQL", R"({"alg":"ES256","typ":"at+jwt","kid":"' OR 1=1--"})"},
        {"J04 NUL", R"({"alg":"ES256","typ":"at+jwt","kid":"\u0000"})"},
        {"J04 number", R"({"alg":"ES256","typ":"at+jwt","kid":1})"},
        {"J04 missing", R"({"alg":"ES256","typ":"at+jwt"})"},
        {"J05 jwk", R"({"alg":"ES256","typ":"at+jwt","kid":")" + kid + R"(","jwk":{"kty":"oct","k":"AA"}})"},
        {"J05 jku", R"({"alg":"ES256","typ":"at+jwt","kid":")" + kid + R"(","jku":"http://127.0.0.1:1/"})"},
        {"J05 jku of a server",
         R"({"alg":"ES256","typ":"at+jwt","kid":")" + kid + R"(","jku":")" + listener.url() + "\"}"},
        {"J05 x5u of a server",
         R"({"alg":"ES256","typ":"at+jwt","kid":")" + kid + R"(","x5u":")" + listener.url() + "\"}"},
        {"J06 crit", R"({"alg":"ES256","typ":"at+jwt","kid":")" + kid + R"(","crit":["b64"]})"},
        {"J09 alg twice", R"({"alg":"none","alg":"ES256","typ":"at+jwt","kid":")" + kid + "\"}"},
        {"J09 an array", R"(["ES256"])"},
        {"J09 deep", std::string(5000, '[')},
        {"J10 typ JWT", R"({"alg":"ES256","typ":"JWT","kid":")" + kid + "\"}"},
        {"J10 typ AT+JWT", R"({"alg":"ES256","typ":"AT+JWT","kid":")" + kid + "\"}"},
        {"J10 no typ", R"({"alg":"ES256","kid":")" + kid + "\"}"},
        {"J10 application/at+jwt", R"({"alg":"ES256","typ":"application/at+jwt","kid":")" + kid + "\"}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        check_invalid_token(userinfo(ready.op, forged(ready.access_token(), 0, base64url_encode(row.header))));
        check_invalid_token(
            userinfo(ready.op, forged(forged(ready.access_token(), 0, base64url_encode(row.header)), 2, "")));
    }
    CHECK_FALSE(listener.was_contacted());
}

TEST_CASE(
    "userinfo: a token has one spelling [RFC 7515 §2, §7.1, J07, J08, J15, J17, RFC 6749 §10.3b, RFC 6750 §5.2a]") {
    const SignedIn ready;
    const std::string token = ready.access_token();
    const std::string signature = segment(token, 2);
    std::string other_bits = signature;  // the last character's unused bits
    other_bits.back() = other_bits.back() == 'A' ? 'B' : static_cast<char>(other_bits.back() + 1);
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"a word", "x"},
        {"dots", ".."},
        {"two segments", segment(token, 0) + "." + segment(token, 1)},
        {"four segments", token + ".x"},
        {"five segments", token + ".x.y"},
        {"leading dot", "." + token},
        {"trailing dot", token + "."},
        {"no signature", forged(token, 2, "")},
        {"zero signature", forged(token, 2, std::string(86, 'A'))},
        {"padded", token + "=="},
        {"left-over bits", forged(token, 2, other_bits)},
        {"short signature", forged(token, 2, signature.substr(4))},
        {"DER instead of r and s", forged(token, 2, base64url_encode("\x30\x06\x02\x01\x01\x02\x01\x01"))},
        {"long signature", forged(token, 2, signature + "AAAA")},
        {"other payload", forged(token, 1, base64url_encode(R"({"sub":"x","scope":"openid"})"))},
        {"changed payload", forged(token, 1, "e" + segment(token, 1).substr(1, segment(token, 1).size() - 2) + "A")},
        {"16 000 characters", std::string(16000, 'A')},
        {"standard alphabet", forged(token, 2, "+/" + signature.substr(2))},
    };
    for (const auto& [when, bad] : rows) {
        CAPTURE(when);
        check_invalid_token(userinfo(ready.op, bad));
    }
    check_invalid_token(ready.op.cgi("userinfo", post_form("access_token=" + std::string(60000, 'A'))));
    CHECK(ready.op.cgi("userinfo", post_form("access_token=" + std::string(1 << 20, 'A'))).status == 413);
    CHECK(userinfo(ready.op, std::string(100000, 'A')).status == 431);
    CHECK(userinfo(ready.op, token).status == 200);
}

TEST_CASE("userinfo: an ID token is not an access token, nor is another server's [RFC 8725 §3.12, J11, J13, J14]") {
    const SignedIn ready;
    check_invalid_token(userinfo(ready.op, text_of(ready.tokens, "id_token")));
    check_invalid_token(userinfo(ready.op, ready.refresh_token()));
    Deployment::Options options;
    options.config = {{"accessTokenAlgorithm", "ES256"}};  // keys of its own
    const Deployment other(options);
    UserAgent bob(other);
    const auto tokens = obtain_tokens(other, bob, authorization_request());
    check_invalid_token(userinfo(ready.op, text_of(tokens, "access_token")));
    CHECK(userinfo(other, text_of(tokens, "access_token")).status == 200);
}

TEST_CASE("userinfo: the issuer is compared [IF37, IF154, J13]") {
    SignedIn ready;
    ready.op.configure("issuer", "https://renamed.example");
    check_invalid_token(userinfo(ready.op, ready.access_token()));
    ready.op.configure("issuer", "https://op.example");
    CHECK(userinfo(ready.op, ready.access_token()).status == 200);
}

TEST_CASE("userinfo: a token dies at its expiry, without leeway [IF60, J12, U07, RFC 6750 §3.1b, OIDC Core §16.9]") {
    for (const auto& [age, status] : std::vector<std::pair<int, int>>{{899, 200}, {900, 401}, {901, 401}}) {
        CAPTURE(age);
        SignedIn ready;
        ready.op.advance(seconds(age));
        const Answer answer = userinfo(ready.op, ready.access_token());
        CHECK(answer.status == status);
        if (status == 401) check_invalid_token(answer);
    }
    Deployment op({.config = {{"accessTokenTTL", 5}}});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    CHECK(number_of(tokens, "expires_in") == 5);
    op.advance(seconds(4));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    op.advance(seconds(1));
    check_invalid_token(userinfo(op, text_of(tokens, "access_token")));
}

TEST_CASE("userinfo: the scope openid is required as a whole word [IF149, RFC 6750 §3d, §3.1c, U04]") {
    const Deployment op;
    op.must({"client", "set", kWeb, "--scope", "openid openidx OPENID xopenid api profile email"});
    UserAgent alice(op);
    for (const std::string scope : {"api", "openidx profile", "OPENID", "xopenid", "profile", "profile email"}) {
        CAPTURE(scope);
        const auto tokens = obtain_tokens(op, alice, authorization_request().with("scope", scope));
        CHECK(tokens.find("id_token") == nullptr);
        const Answer answer = userinfo(op, text_of(tokens, "access_token"));
        CHECK(answer.status == 403);
        CHECK(answer.header("WWW-Authenticate") ==
              R"(Bearer error="insufficient_scope", error_description="openid scope required", scope="openid")");
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK_FALSE(has(answer.body, "Alice"));
        CHECK_FALSE(has(answer.body, subject_of(op, kAlice)));
    }
    const auto tokens = obtain_tokens(op, alice, authorization_request().with("scope", "openid openidx"));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
}

TEST_CASE("userinfo: a disabled or removed user and a disabled or removed client have no claims [U07, U08, A27]") {
    struct Row {
        std::string when;
        std::vector<std::string> command;
        std::vector<std::string> back;
    };
    const Row rows[] = {
        {"user disabled", {"user", "disable", kAlice}, {}},
        {"user removed", {"user", "remove", kAlice}, {}},
        {"client disabled", {"client", "disable", kWeb}, {"client", "enable", kWeb}},
        {"client removed", {"client", "remove", kWeb}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const SignedIn ready;
        CHECK(userinfo(ready.op, ready.access_token()).status == 200);
        ready.op.must(row.command);
        check_invalid_token(userinfo(ready.op, ready.access_token()));
        if (row.back.empty()) continue;
        ready.op.must(row.back);
        CHECK(userinfo(ready.op, ready.access_token()).status == 200);
    }
}

TEST_CASE(
    "userinfo: answers GET and POST only, and nothing at all without OpenID Connect [IF78, IF148, OIDC Core §5.3b]") {
    SignedIn ready;
    for (const std::string method : {"PUT", "DELETE", "PATCH", "HEAD"}) {
        CAPTURE(method);
        CgiRequest request = bearer(ready.access_token());
        request.method = method;
        const Answer answer = ready.op.cgi("userinfo", request);
        CHECK(answer.status == 405);
        CHECK(has(answer.header("Allow"), "GET"));
        CHECK(has(answer.header("Allow"), "POST"));
    }
    auto config = ready.op.config();
    config.erase("oidc");
    ready.op.write_config(postern::json::write_pretty(config));
    CHECK(userinfo(ready.op, ready.access_token()).status == 404);
}

}  // namespace
