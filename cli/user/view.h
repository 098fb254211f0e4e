// How a user is shown: everything but the password hash.
#pragma once

#include <string>
#include <vector>

#include "cli/listing.h"
#include "db/rows.h"
#include "store/users.h"

namespace postern::cli {

/// A user with what other tables say.
struct ShownUser {
    store::ListedUser listed;
    std::vector<std::string> groups;  ///< their names
    std::string second_factor;
    bool must_change_password = false;
};

Listing listing_of(const model::User& user);
Listing listing_of(const store::ListedUser& listed);
Listing listing_of(const ShownUser& shown);
void print_users(db::Rows<store::ListedUser>& users);

}  // namespace postern::cli
