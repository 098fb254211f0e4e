// Whether a body is a form, and in which encoding its sender says it is (RFC 9110 §8.3).
#pragma once

#include <string_view>

namespace postern::http {

enum class FormType {
    form,           ///< application/x-www-form-urlencoded that can be read as UTF-8
    other_charset,  ///< the same type, in an encoding in which these bytes may mean something else
    other,          ///< any other type, or none
};

/// Reads a Content-Type header. A form has no parameters, so those that clients add mean nothing (`boundary`), but for
/// `charset`: other names of UTF-8 and ASCII are accepted for every body; an encoding that contains ASCII is accepted
/// if the body has nothing but ASCII, also percent-encoded.
FormType form_type(std::string_view content_type, std::string_view body);

}  // namespace postern::http
