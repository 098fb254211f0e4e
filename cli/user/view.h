// How a user is shown: everything but the password hash.
#pragma once

#include <string>
#include <vector>

#include "db/rows.h"
#include "json/value.h"
#include "store/users.h"

namespace postern::cli {

json::Object to_json(const model::User& user);
json::Object to_json(const store::ListedUser& listed);
/// `groups`: the names of the user's groups.
void print_user(const store::ListedUser& listed, const std::vector<std::string>& groups,
                const std::string& second_factor, bool must_change_password);
void print_users(db::Rows<store::ListedUser>& users);

}  // namespace postern::cli
