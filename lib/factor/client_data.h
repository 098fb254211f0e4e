// The browser's data about a ceremony: clientDataJSON (WebAuthn §5.8.1).
#pragma once

#include <cstddef>
#include <string_view>

#include "factor/ceremony.h"
#include "factor/passkey_fault.h"
#include "util/result.h"

namespace postern::factor {

inline constexpr std::size_t kMaxClientData = 4096;  ///< bytes

/// The type, challenge and origin are the expected ones, and the page was not inside one of another origin. Members
/// that are not known are ignored, since browsers add some (§5.8.1).
util::Result<void, PasskeyFault> check_client_data(std::string_view json, Ceremony ceremony, const Expected& expected);

}  // namespace postern::factor
