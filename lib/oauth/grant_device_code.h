// The device grant: when a device that polls gets its tokens, once (RFC 8628 §3.4, §3.5).
#pragma once

#include <optional>

#include "model/client.h"
#include "model/device_code.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/target.h"
#include "oauth/token_request.h"
#include "store/device_codes.h"

namespace postern::oauth {

/// Returns unauthorized_client for a client that is not registered for the grant.
Outcome<void> check_device_grant(const model::Client& client);

/// The most seconds that a device has to wait between two polls, however often it polls too soon.
inline constexpr util::Seconds kMaxPollInterval{30};

/// The meaning of the time of a poll (RFC 8628 §3.5, slow_down).
struct Poll {
    bool too_soon = false;
    std::optional<util::Seconds> interval = std::nullopt;  ///< the new one; nullopt: as it was
};
/// Judges a poll at `now`. One after exactly `interval` is never too soon, with a second of tolerance. The first poll
/// that is too soon makes the interval longer; further ones, and a poll that was sent twice, change nothing.
Poll judge_poll(const model::DeviceCode& code, util::Time now);

/// The effect of a refused poll on what is stored.
enum class PollConsequence {
    none,
    audit_foreign,  ///< another client's code: it keeps working for its own client
    revoke_yield,   ///< used before: the grant ends, as for a replayed code (RFC 6749 §4.1.2)
    slow,           ///< the interval grows
    record,         ///< the poll was in time
};

struct PollRefusal {
    OAuthError error;
    PollConsequence consequence = PollConsequence::none;
    std::optional<model::DeviceCode> code = std::nullopt;  ///< there unless the consequence is `none`
    util::Seconds interval{};                              ///< of `slow`
};

/// An approved code, with the grant that its user gave, and what the token is for.
struct UsableDeviceCode {
    model::DeviceCode code;
    model::Grant grant;
    std::string username;
    Target target;
    model::Scope granted;  ///< what of the grant's scope the client is still registered for
    model::Scope scope;    ///< of the access token
};

/// Reads only: the caller passes a refusal on to `settle`. User, right to use the client and grant are looked at again.
util::Result<UsableDeviceCode, PollRefusal> find_usable_device_code(Context& context, const model::Client& client,
                                                                    const DeviceCodeGrant& grant);

/// Carries out the consequence of a refusal, and returns the error to answer with.
OAuthError settle(Context& context, const model::Client& client, const PollRefusal& refusal);

/// Uses the code and records the tokens in one durable transaction: exactly one of any number of parallel polls
/// succeeds, the others end the grant, as any replay does.
Outcome<void> redeem_device_code(Context& context, const UsableDeviceCode& usable, const model::AccessToken& access,
                                 const std::optional<model::RefreshToken>& refresh);

}  // namespace postern::oauth
