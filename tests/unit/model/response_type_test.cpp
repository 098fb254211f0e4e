// The words of response types, in any order (RFC 6749 §3.1.1, OAuth 2.0 Multiple Response Types §3, §5).
#include "model/response_type.h"

#include <doctest/doctest.h>

using namespace postern::model;

TEST_CASE("response type: words in any order, each once [HYB-1, Multiple Response Types §5a, RFC 6749 §3.1.1c]") {
    using enum ResponseType;
    struct Row {
        const char* text;
        ResponseType type;
        const char* spelled;
        bool has_code, has_token, has_id_token;
    };
    const Row rows[] = {
        {"code", code, "code", true, false, false},
        {"token", token, "token", false, true, false},
        {"id_token", id_token, "id_token", false, false, true},
        {"token id_token", id_token_token, "id_token token", false, true, true},
        {"id_token code", code_id_token, "code id_token", true, false, true},
        {"token code", code_token, "code token", true, true, false},
        {"token code id_token", code_id_token_token, "code id_token token", true, true, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(parse_response_type(row.text) == row.type);
        CHECK(to_string(row.type) == row.spelled);
        CHECK(parse_response_type(row.spelled) == row.type);
        CHECK(yields_code(row.type) == row.has_code);
        CHECK(yields_token(row.type) == row.has_token);
        CHECK(yields_id_token(row.type) == row.has_id_token);
        CHECK(yields_any_token(row.type) == (row.has_token || row.has_id_token));
    }
    CHECK(kResponseTypes.size() == std::size(rows));
}

TEST_CASE("response type: nothing else is one") {
    for (const char* text : {"", " ", "none", "Code", "code ", " code", "code  token", "code code", "id_token id_token",
                             "code,token", "code none", "id_token\ttoken", "code id_token token code"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_response_type(text));
    }
}
