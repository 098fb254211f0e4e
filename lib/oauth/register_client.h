// Registers clients that ask for it: who may, how many, and what is stored (RFC 7591 §3).
#pragma once

#include "http/message.h"
#include "json/value.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxRegistrationBytes = 32768;

struct RegistrationRefusal {
    OAuthError error;
    util::Seconds retry_after{0};  ///< 0: trying again does not help
};

/// Registers the client of a POST: the initial access token is looked at first, then the body. Returns the members of
/// the answer (RFC 7591 §3.2.1), with the client's secret and its registration access token in clear, once. Durable:
/// a client that was told its secret exists.
/// The last use of a token serves one of two parallel requests. In mode `open`, registrations without a token are
/// limited for each address and in all; at `registration.max`, the oldest client that no user has signed in to is
/// deleted.
util::Result<json::Object, RegistrationRefusal> register_client(Context& context, const http::Request& request);

}  // namespace postern::oauth
