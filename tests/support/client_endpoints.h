// The endpoints at which clients authenticate, and a client that may use them all.
#pragma once

#include <string>
#include <vector>

#include "support/flow.h"

namespace postern::test {

inline constexpr const char* kRobotCallback = "https://robot.example/cb";

/// An authorization request of a client that `add_robot` has added.
inline Query robots_request(const std::string& id) {
    return authorization_request()
        .with("client_id", id)
        .with("redirect_uri", kRobotCallback)
        .with("scope", "openid api");
}

struct ClientEndpoint {
    const char* name;
    Query parameters;             ///< without the client's authentication
    std::string success = "200";  ///< the verdict on a client that authenticates
};
inline const std::vector<ClientEndpoint> kClientEndpoints = {
    {"token", {{"grant_type", "client_credentials"}, {"scope", "api"}}},
    {"introspect", {{"token", "x"}}},
    {"revoke", {{"token", "x"}}},
    {"device_authorization", {{"scope", "api"}}},
    {"par", robots_request("").without("client_id"), "201"},
};

/// Switches on those of the endpoints that are off by default.
inline void turn_on_client_endpoints(Deployment& op) {
    op.configure(
        "paths",
        json::Object{{"deviceAuthorization", "/device_authorization"}, {"device", "/device"}, {"par", "/par"}});
}

/// Adds a client that has every grant, with more options.
inline void add_robot(const Deployment& op, const std::string& id, const std::vector<std::string>& more) {
    std::vector<std::string> line = {"client", "add", id, "--scope", "openid api", "--redirect-uri", kRobotCallback};
    for (const char* grant : {"authorization_code", "refresh_token", "client_credentials", "device_code"})
        line.insert(line.end(), {"--grant", grant});
    line.insert(line.end(), more.begin(), more.end());
    op.must(line);
}

}  // namespace postern::test
