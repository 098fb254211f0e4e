// Values that look like one of this server's tokens and are not (RFC 8725 §3): to everybody but UserInfo they are
// simply unknown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/flow.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::test {

/// The fault of a forged value, and the value.
using Forgery = std::pair<std::string, std::string>;

inline std::string with_segment(const std::string& token, std::size_t index, const std::string& text) {
    std::string result;
    std::size_t at = 0;
    for (const auto piece : util::split(token, '.')) {
        if (at != 0) result += '.';
        result += at++ == index ? text : std::string(piece);
    }
    return result;
}

/// Returns the forgeries of a live token. Most keep its `jti`, and many its whole payload.
inline std::vector<Forgery> forgeries_of(const std::string& token) {
    const auto segments = util::split(token, '.');
    const std::string payload(segments[1]);
    const std::string signature(segments[2]);
    const std::string kid = text_of(jwt_header(token), "kid");
    const std::string typ = text_of(jwt_header(token), "typ");
    const auto head = [&](const std::string& json) { return with_segment(token, 0, util::base64url_encode(json)); };
    const std::string tail = R"(","typ":")" + typ + R"(","kid":")" + kid + "\"";
    const std::string none = head(R"({"alg":"none)" + tail + "}");
    std::string last_bits = signature;
    last_bits.back() = last_bits.back() == 'A' ? 'B' : static_cast<char>(last_bits.back() + 1);
    return {
        {"J01 alg none", none},
        {"J01 alg none, no signature", with_segment(none, 2, "")},
        {"J01 alg None", head(R"({"alg":"None)" + tail + "}")},
        {"J01 no signature", with_segment(token, 2, "")},
        {"J02 HS256", head(R"({"alg":"HS256)" + tail + "}")},
        {"J03 ES384", head(R"({"alg":"ES384)" + tail + "}")},
        {"J04 no kid", head(R"({"alg":"ES256","typ":")" + typ + "\"}")},
        {"J04 a path as kid", head(R"({"alg":"ES256","typ":")" + typ + R"(","kid":"../../dev/null"})")},
        {"J05 a key inside", head(R"({"alg":"ES256)" + tail + R"(,"jwk":{"kty":"oct","k":"AA"}})")},
        {"J06 crit", head(R"({"alg":"ES256)" + tail + R"(,"crit":["b64"]})")},
        {"J07 two segments", token.substr(0, token.rfind('.'))},
        {"J07 four segments", token + ".x"},
        {"J07 five segments", token + ".x.y"},
        {"J07 leading dot", "." + token},
        {"J07 a blank behind", token + " "},
        {"J08 padding", token + "=="},
        {"J08 left-over bits", with_segment(token, 2, last_bits)},
        {"J10 typ JWT", head(R"({"alg":"ES256","typ":"JWT","kid":")" + kid + "\"}")},
        {"J15 zero signature", with_segment(token, 2, std::string(86, 'A'))},
        {"J15 signature cut", with_segment(token, 2, signature.substr(4))},
        {"I01 another payload", with_segment(token, 1, util::base64url_encode(R"({"scope":"admin"})"))},
        {"I01 payload changed", with_segment(token, 1, "e" + payload.substr(1, payload.size() - 2) + "A")},
        {"I03 a dot", "."},
        {"I03 two dots", ".."},
        {"I03 letters", "a.b.c"},
        {"I03 random", std::string(43, 'x')},
        {"I03 text", "it's a token"},
        {"I03 SQL", "' OR 1=1 --"},
        {"I03 a blank", " "},
        {"I03 a percent sign", "%"},
        {"I03 NUL", std::string("a\0b", 3)},
        {"I03 not UTF-8", "\xff\xfe"},
        {"J17 over limits.token", std::string(8193, 'A')},
        {"J17 60 000 bytes", token + std::string(60000 - token.size(), 'A')},
    };
}

}  // namespace postern::test
