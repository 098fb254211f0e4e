// The syntax of the Authorization header (RFC 9110 §11.6.2).
#pragma once

#include <string_view>

namespace postern::http {

/// The two parts of a header's value, as views into it.
struct SchemeAndCredentials {
    std::string_view scheme;       ///< in the sender's spelling; compare it without case
    std::string_view credentials;  ///< "" if the scheme came alone
};

/// Splits at the blanks behind the scheme, of which there may be several: 1*SP (RFC 9110 §11.4). White space around the
/// value is not part of it (§5.5). Checks neither part.
SchemeAndCredentials split_credentials(std::string_view value);

}  // namespace postern::http
