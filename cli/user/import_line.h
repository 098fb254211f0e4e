// One line of a file of users: htpasswd (`name:hash`) or JSON Lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "util/secret.h"

namespace postern::cli {

/// An empty optional was not given.
struct ImportedUser {
    std::size_t line = 0;
    std::string username;
    std::optional<std::string> password_hash;  ///< as a login verifies it
    std::optional<util::Secret> password;      ///< not both
    std::optional<json::Object> claims;
    std::optional<bool> enabled;
    std::optional<std::vector<std::string>> groups;  ///< all that the user is to be in
};

enum class ImportFormat { htpasswd, json_lines };

/// Decided by the first line that is not blank.
ImportFormat format_of(std::string_view line);

/// True for an empty line or a comment of the format.
bool is_blank_line(ImportFormat format, std::string_view line);

/// Throws Refused with what is wrong in the line, never with a password or a hash; `user` then has what was read
/// before.
void parse_import_line(ImportFormat format, std::string_view line, ImportedUser& user);

}  // namespace postern::cli
