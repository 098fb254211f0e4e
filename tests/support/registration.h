// Requests of clients that register themselves (RFC 7591), and the operator's tokens for them.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "json/reader.h"
#include "support/flow.h"

namespace postern::test {

/// Returns the request with that metadata, and with an initial access token unless it is empty.
inline CgiRequest registering(const std::string& metadata, const std::string& token = "") {
    CgiRequest request;
    request.method = "POST";
    request.content_type = "application/json";
    request.body = metadata;
    if (!token.empty()) request.headers = {{"Authorization", "Bearer " + token}};
    return request;
}

/// Makes an initial access token that is good for so many registrations.
inline std::string new_token(const Deployment& op, const std::string& uses = "1") {
    const auto made = json::parse(op.must({"registration", "token", "add", "--uses", uses, "--json"}));
    REQUIRE(made);
    return text_of(*made->if_object(), "initial_access_token");
}

}  // namespace postern::test
