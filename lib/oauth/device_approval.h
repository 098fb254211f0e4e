// The user's answer to a device that asked for access (RFC 8628 §3.3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/authorization.h"
#include "model/client.h"
#include "model/device_code.h"
#include "model/session.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// Counts a code that the user has sent, right or wrong. Returns the time for which no other one is looked at: after 20
/// in ten minutes.
std::optional<util::Seconds> count_typed_code(Context& context, const model::Subject& subject);

/// Finds the code by its letters: pending and not expired, of a client that is enabled and has the device grant.
struct AskingDevice {
    model::DeviceCode code;
    model::Client client;
};
std::optional<AskingDevice> find_asking_device(Context& context, std::string_view letters);

/// Returns whether this user has given that answer to the code before, and it has not been deleted since.
bool was_answered(Context& context, std::string_view letters, const model::Subject& subject, bool approved);

/// Returns the authorization request that the code stands for, as next_step decides about it: consent is always asked.
model::AuthorizationRequest request_of(const model::DeviceCode& code);

enum class NotApproved {
    session_ended,  ///< the user was disabled, changed the password or logged out while we waited to write
    may_not_use,    ///< the user lost the right to use the client meanwhile
    answered,       ///< the code was answered before, or has expired
};

/// Approves the code and makes the grant, in one transaction that looks at the session and the right to use the client
/// again. `address` is that of the browser, for the user's activity. The grant belongs to no browser session.
util::Result<void, NotApproved> approve_device(Context& context, const AskingDevice& device,
                                               const model::Session& session, const std::string& address);

/// Denies the code. Returns false when it was answered before, or has expired.
bool deny_device(Context& context, const AskingDevice& device, const model::Session& session);

}  // namespace postern::oauth
