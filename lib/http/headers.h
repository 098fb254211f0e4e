// The syntax of the headers Authorization and Content-Type.
#pragma once

#include <string_view>

namespace postern::http {

/// The two parts of an Authorization header's value, as views into it.
struct SchemeAndCredentials {
    std::string_view scheme;       ///< in the sender's spelling; compare it without case
    std::string_view credentials;  ///< "" if the scheme came alone
};

/// Splits an Authorization header at the blanks behind the scheme, of which there may be several: 1*SP (RFC 9110
/// §11.4). White space around the value is not part of it (§5.5). Checks neither part.
SchemeAndCredentials split_credentials(std::string_view value);

enum class FormType {
    form,           ///< application/x-www-form-urlencoded that can be read as UTF-8
    other_charset,  ///< the same type, in an encoding in which these bytes may mean something else
    other,          ///< any other type, or none
};

/// Reads a Content-Type header (RFC 9110 §8.3). Parameters of a form mean nothing (clients add `boundary`), except
/// `charset`: other names of UTF-8 and ASCII are accepted for every body, an encoding that contains ASCII for a body
/// that is all ASCII, also where it is percent-encoded.
FormType form_type(std::string_view content_type, std::string_view body);

}  // namespace postern::http
