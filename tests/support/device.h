// A deployment with the device grant (RFC 8628): its clients, the device that polls, and the page that its user opens.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "support/flow.h"

namespace postern::test {

inline constexpr const char* kCli = "cli";          ///< public, device_code and refresh_token
inline constexpr const char* kService = "service";  ///< confidential, device_code alone
inline constexpr const char* kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

inline Deployment::Options with_devices(json::Object config = {}) {
    config.set("paths", json::Object{{"deviceAuthorization", "/device_authorization"}, {"device", "/device"}});
    return {.config = std::move(config)};
}

/// Such a deployment, with the clients.
struct WithDevices {
    Deployment op;

    explicit WithDevices(json::Object config = {}) : op(with_devices(std::move(config))) {
        op.must({"client", "add", kCli, "--name", "Our tool", "--public", "--grant", "device_code", "--grant",
                 "refresh_token", "--scope", "openid profile api"});
        op.must({"client", "add", kService, "--grant", "device_code", "--scope", "api", "--secret-stdin"},
                secret_of(kService) + "\n");
    }

    /// Sends what the client sends, which authenticates unless it is public.
    Answer send(const std::string& endpoint, const Query& form, const std::string& client) const {
        if (client == kCli) return op.cgi(endpoint, post_form(form.with("client_id", client).text()));
        return as_client(op, endpoint, form, client);
    }
    Answer ask(const Query& form = {}, const std::string& client = kCli) const {
        return send("device_authorization", form, client);
    }
    Answer poll(const std::string& device_code, const std::string& client = kCli) const {
        return send("token", Query{{"grant_type", kDeviceGrant}, {"device_code", device_code}}, client);
    }
};

/// A device that has asked for a code.
struct Device {
    const WithDevices& at;
    Answer asked;

    explicit Device(const WithDevices& with, const Query& form = {{"scope", "openid profile api"}})
        : at(with), asked(with.ask(form)) {
        REQUIRE(asked.verdict() == "200");
    }
    std::string member(const char* name) const { return asked.member(name); }
    std::string user_code() const { return member("user_code"); }
    std::string url() const { return member("verification_uri_complete"); }
    Answer poll() const { return at.poll(member("device_code")); }
};

}  // namespace postern::test
