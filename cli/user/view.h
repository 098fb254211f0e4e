// How a user is shown: everything but the password hash.
#pragma once

#include <string>
#include <vector>

#include "db/rows.h"
#include "json/value.h"
#include "model/user.h"

namespace postern::cli {

json::Object to_json(const model::User& user);
/// `groups`: the names of the user's groups.
void print_user(const model::User& user, const std::vector<std::string>& groups);
void print_users(db::Rows<model::User>& users);

}  // namespace postern::cli
