// Users and groups of this machine, by name and by number.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace postern::cli {

std::optional<uid_t> user_id(const std::string& name);
std::optional<gid_t> group_id(const std::string& name);
/// Returns false for a user that does not exist.
bool is_member(const std::string& user, gid_t group);
std::string user_name(uid_t id);  ///< the number when it has no name
std::string group_name(gid_t id);

/// Returns "on this machine", or the files that a static program reads.
const char* where_accounts_are();

}  // namespace postern::cli
