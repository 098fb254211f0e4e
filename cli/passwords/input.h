// Which passwords are in the lines of standard input?
#pragma once

#include <cstdint>
#include <functional>

#include "factor/password_list.h"

namespace postern::cli {

struct ReadLines {
    std::uint64_t lines = 0;     ///< that are not empty
    std::uint64_t too_long = 0;  ///< of them: passwords that no user can have
};

/// A line is the hash of a password (40 hexadecimal digits, which a colon and a count may follow, as in collections of
/// breaches), or else a password. Line ends are LF or CR LF. Throws Refused when it cannot be read, and for a line that
/// looks like another hash: its digits would be taken for a password.
ReadLines read_passwords(const std::function<void(factor::PasswordEntry)>& visit);

}  // namespace postern::cli
