// A file of users, read as a whole before anything is written.
#pragma once

#include <string>
#include <vector>

#include "cli/user/import_line.h"

namespace postern::cli {

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

/// `path`, or standard input for "-". Throws Refused if it cannot be read or contains no users.
ImportFile read_import_file(const std::string& path);

}  // namespace postern::cli
