// The meaning of an SQLSTATE of PostgreSQL for the caller. Private to this module.
#pragma once

#include <string>
#include <string_view>

#include "db/postgres/libpq.h"

namespace postern::db {

/// The state of the connection after an error.
enum class After { usable, broken };

/// `state`: five characters, or "" for an error of the connection itself.
After after(std::string_view state);

/// Throws the error that `db/error.h` has for it. `text` is for the log.
[[noreturn]] void throw_postgres_error(std::string_view state, const std::string& text);

bool is_error(const Result& result);

/// The SQLSTATE of an error.
std::string_view state_of(const Result& error);
/// `role`: who has connected, for an error about its rights; nullptr when the connection is closed.
[[noreturn]] void throw_postgres_error(const Result& error, const char* doing, const char* role);

/// Writes a message of libpq on one line, for the log.
std::string one_line(std::string_view text);

}  // namespace postern::db
