// Proof Key for Code Exchange (RFC 7636), S256 only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/client.h"
#include "oauth/error.h"

namespace postern::oauth {

/// Returns the challenge to bind to the code; nullopt when the client need not and did not send one. invalid_request
/// for a method other than S256 (an absent one means `plain`, §4.3), a method alone, a challenge that is not 43
/// base64url characters, and a missing challenge where one is required (RFC 9700 §2.1.1).
Outcome<std::optional<std::string>> parse_code_challenge(const model::Client& client,
                                                         std::optional<std::string_view> challenge,
                                                         std::optional<std::string_view> method);

/// Checks the verifier against the challenge (RFC 7636 §4.6). A verifier without a challenge is refused as well: an
/// attacker may have removed the challenge from the authorization request (RFC 9700 §4.8.2).
Outcome<void> check_code_verifier(const std::optional<std::string>& challenge,
                                  const std::optional<std::string>& verifier);

}  // namespace postern::oauth
