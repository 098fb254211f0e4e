// A file of users, read as a whole before anything is done.
#pragma once

#include <string>
#include <vector>

#include "cli/user/import_line.h"

namespace postern::cli {

/// A line that is no user, or a user who cannot be taken.
struct FaultyLine {
    std::size_t line = 0;
    std::string username;  ///< "" when it is not known
    std::string reason;
};

struct ImportFile {
    std::vector<ImportedUser> users;  ///< no name twice
    std::vector<FaultyLine> faulty;

    std::size_t size() const { return users.size() + faulty.size(); }
};

/// `path`, or standard input for "-". Throws Refused when it cannot be read or holds no user at all.
ImportFile read_import_file(const std::string& path);

}  // namespace postern::cli
