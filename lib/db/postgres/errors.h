// The meaning of an SQLSTATE of PostgreSQL for the caller. Private to this module.
#pragma once

#include <string>
#include <string_view>

#include "db/postgres/libpq.h"

namespace postern::db {

/// The state of the connection after an error.
enum class After { usable, broken };

/// Returns the state of the connection after an error. `state` has five characters, or is "" for an error of the
/// connection itself.
After after(std::string_view state);

/// Throws the exception that `db/error.h` has for `state`. `text` is for the log.
[[noreturn]] void throw_postgres_error(std::string_view state, const std::string& text);

bool is_error(const Result& result);

/// The SQLSTATE of an error.
std::string_view state_of(const Result& error);
/// Throws the exception for the server's error. `role` is the role that has connected, for an error about its rights;
/// nullptr when the connection is closed.
[[noreturn]] void throw_postgres_error(const Result& error, const char* doing, const char* role);

/// Writes a message of libpq on one line, for the log.
std::string one_line(std::string_view text);

}  // namespace postern::db
