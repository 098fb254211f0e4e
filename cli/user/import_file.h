// A file of users, htpasswd (`name:hash`) or JSON Lines, read as a whole before anything is written.
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

/// Returns the format of a file whose first line is `line`, blank lines aside.
ImportFormat format_of(std::string_view line);

/// Returns true for an empty line or a comment of the format.
bool is_blank_line(ImportFormat format, std::string_view line);

/// Throws Refused with what is wrong in the line, never with a password or a hash; `user` then has what was read
/// before.
void parse_import_line(ImportFormat format, std::string_view line, ImportedUser& user);

/// A malformed line, or a user who cannot be imported.
struct FaultyLine {
    std::size_t line = 0;
    std::string username;  ///< "" when it is not known
    std::string reason;
};

struct ImportFile {
    ImportFormat format = ImportFormat::htpasswd;
    std::vector<ImportedUser> users;  ///< no name twice
    std::vector<FaultyLine> faulty;

    std::size_t size() const { return users.size() + faulty.size(); }
};

/// Reads `path`, or standard input for "-". Throws Refused if it cannot be read or contains no users.
ImportFile read_import_file(const std::string& path);

}  // namespace postern::cli
