// What an SQLSTATE of PostgreSQL means for the caller. Private to this module.
#pragma once

#include <string>
#include <string_view>

namespace postern::db {

/// What is left of the connection after an error.
enum class After { usable, broken };

/// `state`: five characters, or "" for an error of the connection itself.
After after(std::string_view state);

/// Throws the error that `db/error.h` has for it. `text` is for the log.
[[noreturn]] void throw_postgres_error(std::string_view state, const std::string& text);

}  // namespace postern::db
