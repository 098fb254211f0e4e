// A deployment at which clients push their authorization requests (RFC 9126).
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "support/flow.h"

namespace postern::test {

inline constexpr const char* kRequestUriPrefix = "urn:ietf:params:oauth:request_uri:";

inline Deployment::Options with_par(json::Object config = {}) {
    if (config.find("paths") == nullptr) config.set("paths", json::Object{{"par", "/par"}});
    return {.config = std::move(config)};
}

/// Returns the answer to the push of a request by the client that it names.
inline Answer push(const Deployment& op, const Query& request, const std::string& client = kWeb) {
    return as_client(op, "par", request, client);
}

/// Returns the address of a request that was pushed; fails the test when it was refused.
inline std::string pushed_address(const Deployment& op, const Query& request, const std::string& client = kWeb) {
    const Answer answer = push(op, request, client);
    REQUIRE(answer.status == 201);
    return answer.member("request_uri");
}

/// The parameters with which a browser opens it.
inline Query opening(const std::string& address, const std::string& client = kWeb) {
    return {{"client_id", client}, {"request_uri", address}};
}

}  // namespace postern::test
