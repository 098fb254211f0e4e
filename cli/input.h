// Where secrets and claims come from: standard input or a terminal, never the command line, which every user of the
// machine can read.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "util/secret.h"

namespace postern::cli {

/// One line of standard input without its line end. Throws UsageError when there is none.
util::Secret read_secret_line(const char* what);

/// The rest of standard input as one JSON object. Throws Refused with line and column if it is not one.
json::Object read_json_object(const char* what);

/// A new password: one line of standard input, or typed twice. Throws Refused for one that could not be typed into the
/// login form.
util::Secret read_new_password(bool from_stdin);

/// Why a password could not be used at the login form; nullptr: it could.
const char* password_problem(std::string_view password);

}  // namespace postern::cli
