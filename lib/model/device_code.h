// A code for a device without a browser, until a user approves it in one (RFC 8628 §3.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/resource.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::model {

enum class DeviceCodeState : std::uint8_t {
    pending,   ///< the user has not answered
    approved,  ///< the next poll gets the tokens
    denied,
    used,  ///< the tokens were given
};

std::string_view to_string(DeviceCodeState state);
std::optional<DeviceCodeState> parse_device_code_state(std::string_view name);

/// The least time between two polls of a device that has not polled too soon (RFC 8628 §3.2).
inline constexpr util::Seconds kPollInterval{5};

struct DeviceCode {
    ValueHash device_hash;     ///< of the code that the device polls with
    ValueHash user_code_hash;  ///< of the letters that the user types
    ClientId client_id;
    Scope scope;
    Scope ignored_scope;     ///< words of the request that are not in `scope`
    ResourceUris resources;  ///< RFC 8707 §2.1
    DeviceCodeState state = DeviceCodeState::pending;
    Subject subject;      ///< who approved or denied it; empty: no user yet
    GrantId grant_id;     ///< of the approval; empty before
    std::string address;  ///< from which the code was asked for; "": not known
    std::string network;  ///< digest of the address or its /64; "": not known, or the client has authenticated
    util::Time created_at{};
    util::Time expires_at{};
    std::optional<util::Time> last_poll_at;  ///< the latest poll that was not too soon
    util::Seconds interval = kPollInterval;
    bool slowed = false;  ///< `interval` grew since then

    bool operator==(const DeviceCode&) const = default;
};

}  // namespace postern::model
