// The device authorization request (RFC 8628 §3.1, §3.2): a device asks for a code that its user approves elsewhere.
#pragma once

#include <string>

#include "http/message.h"
#include "json/value.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/credentials.h"
#include "oauth/error.h"

namespace postern::oauth {

/// Reads the credentials of the request. invalid_request for another body than a form, and for a parameter twice.
Outcome<Credentials> parse_device_authorization_request(const http::Request& request);

/// The answer (RFC 8628 §3.2).
struct DeviceAuthorization {
    std::string device_code;
    std::string user_code;         ///< as people read it
    std::string verification_uri;  ///< the address of the page on which it is typed
    util::Seconds expires_in{};

    /// Returns the members of the answer, also `interval`, the complete address, and `message`, which is not of RFC
    /// 8628: mutt_oauth2.py shows it.
    json::Object to_json() const;
};

/// A refusal, and after how many seconds another try makes sense.
struct DeviceRefusal {
    OAuthError error;
    util::Seconds retry_after{0};  ///< 0: at no time
};

/// Issues a code to an authenticated client, and records it. In this order: the client's registration for the grant,
/// scope and resources, then the limits: how often a public client's address or an authenticated client may ask, and
/// how many codes are open (`device.max`).
util::Result<DeviceAuthorization, DeviceRefusal> authorize_device(Context& context, const model::Client& client,
                                                                  const http::Request& request);

}  // namespace postern::oauth
