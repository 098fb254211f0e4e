// The request that introspection and revocation share: a form with one token, sent by POST (RFC 7662 §2.1, RFC 7009
// §2.1).
#pragma once

#include <string>
#include <vector>

#include "support/flow.h"

namespace postern::test {

inline constexpr const char* kFormType = "application/x-www-form-urlencoded";

struct TokenForm {
    std::string when;
    std::string body;
    std::string query = "";
    std::string type = kFormType;
    std::string expected = "400 invalid_request";
};

/// Returns the forms that both refuse, whatever the token.
inline std::vector<TokenForm> refused_token_forms(const std::string& token) {
    const std::string form = Query{{"token", token}}.text();
    return {
        {"no token", ""},
        {"empty token", "token="},
        {"token in the address", "", form},
        {"token in the address, an empty one in the body", "token=", form},
        {"token in the address, no content type", "", form, ""},
        {"token twice", form + "&" + form},
        {"hint twice", form + "&token_type_hint=access_token&token_type_hint=access_token"},
        {"two hints", form + "&token_type_hint=access_token&token_type_hint=refresh_token"},
        {"JSON", "{\"token\":\"" + token + "\"}", "", "application/json"},
        {"plain text", form, "", "text/plain"},
        {"multipart", form, "", "multipart/form-data; boundary=x"},
    };
}

inline Answer send(const Deployment& op, const std::string& endpoint, const TokenForm& form) {
    CgiRequest request = with_basic(form.body);
    request.query = form.query;
    request.content_type = form.type;
    return op.cgi(endpoint, request);
}

}  // namespace postern::test
