// One request for every endpoint, which it answers with success or with an OAuth error of its own.
#pragma once

#include <string>
#include <vector>

#include "support/flow.h"

namespace postern::test {

inline const std::vector<std::string> kEndpoints = {"authorize", "login",    "scopes",    "token", "introspect",
                                                    "revoke",    "userinfo", "discovery", "jwks",  "logout"};

inline CgiRequest usual(const std::string& endpoint) {
    if (endpoint == "authorize") return get_request(authorization_request().text());
    if (endpoint == "token") return with_basic("grant_type=authorization_code&code=x");
    if (endpoint == "introspect" || endpoint == "revoke") return with_basic("token=x");
    if (endpoint == "userinfo") return bearer("x");
    return {};
}

}  // namespace postern::test
