// Names of claims that say something for the server.
#pragma once

#include <string_view>

namespace postern::model {

/// Set by the server in tokens and answers (RFC 7519 §4.1, RFC 7662 §2.2, RFC 8693, OpenID Connect Core §2): a user's
/// attribute of that name could be mistaken for a statement of the server.
bool is_protocol_claim(std::string_view name);

/// Whether a user may have a claim of that name: 1 to 64 printable ASCII characters without space, quotation mark and
/// backslash.
bool is_claim_name(std::string_view name);

}  // namespace postern::model
