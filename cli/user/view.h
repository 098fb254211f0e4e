// How a user is shown: everything but the password hash.
#pragma once

#include <vector>

#include "json/value.h"
#include "model/user.h"

namespace postern::cli {

json::Object to_json(const model::User& user);
void print_user(const model::User& user);
void print_users(const std::vector<model::User>& users);

}  // namespace postern::cli
