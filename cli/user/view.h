// How a user is shown: everything but the password hash.
#pragma once

#include "db/rows.h"

#include "json/value.h"
#include "model/user.h"

namespace postern::cli {

json::Object to_json(const model::User& user);
void print_user(const model::User& user);
void print_users(db::Rows<model::User>& users);

}  // namespace postern::cli
