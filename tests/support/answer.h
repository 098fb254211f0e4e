// The answer of a CGI program, read as a web server would read it (RFC 3875 §6).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"

namespace postern::test {

struct Answer {
    int status = 0;  ///< of the Status line; 0: there was none
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    int exit_code = 0;
    std::string log;  ///< what the program wrote to standard error
    std::string raw;  ///< headers and body as written

    /// The header's value, or "" (names compare without case). Fails the test when it is there twice.
    std::string header(std::string_view name) const;
    bool has(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;
    std::string location() const { return header("Location"); }

    /// The body as a JSON object; an empty one when it is none.
    json::Object json() const;
    /// A text member of the JSON body, or "".
    std::string member(std::string_view name) const;
    /// "400 invalid_grant": status and registered error of a JSON answer, "200" without an error.
    std::string verdict() const;
};

/// Headers end at the first empty line; both line ends are taken, as web servers do.
Answer parse_answer(std::string_view output);

/// A text member of an object, or "".
std::string text_of(const json::Object& object, std::string_view name);
/// A whole number, or -1.
std::int64_t number_of(const json::Object& object, std::string_view name);

}  // namespace postern::test
