// Where secrets and claims come from: standard input or a terminal, never the command line, which every user of the
// machine can read.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "util/secret.h"

namespace postern::cli {

/// Reads one line of standard input and returns it without its line end. Throws UsageError when standard input has no
/// line.
util::Secret read_secret_line(const char* what);

/// Reads the rest of standard input as one JSON object. Throws Refused with line and column if the text is not an
/// object.
json::Object read_json_object(const char* what);

/// Reads a new password: one line of standard input, or typed twice. Throws Refused for a password that could not be
/// typed into the login form.
util::Secret read_new_password(bool from_stdin);

/// Returns why a password could not be used at the login form; nullptr if it could.
const char* password_problem(std::string_view password);

}  // namespace postern::cli
