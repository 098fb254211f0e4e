// Prints users: which members, and under which names.
#include "cli/user/view.h"

#include "cli/output.h"
#include "json/writer.h"

namespace postern::cli {
namespace {

using model::User;

std::string claim_text(const User& user, const char* name) {
    const json::Value* value = user.claims.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

}  // namespace

Listing listing_of(const User& user) {
    return {
        {"sub", "sub", user.subject.str()},
        {"username", "username", user.username},
        {"enabled", "enabled", user.enabled},
        {"claims", "", user.claims},
        time_field("created_at", "created", user.created_at),
        time_field("updated_at", "updated", user.updated_at),
    };
}

Listing listing_of(const store::ListedUser& listed) {
    Listing fields = listing_of(listed.user);
    fields.push_back({"source", "source", listed.origin.source});
    if (listed.origin.left_at) fields.push_back(time_field("left_at", "left source", listed.origin.left_at));
    return fields;
}

Listing listing_of(const ShownUser& shown) {
    Listing fields = listing_of(shown.listed);
    fields.push_back({"must_change_password", "", shown.must_change_password});
    fields.push_back({"groups", "groups", json::strings(shown.groups)});
    fields.push_back({"second_factor", "second factor", shown.second_factor});
    fields.push_back({"", "must change password", {}, shown.must_change_password ? "yes" : ""});
    for (const auto& [name, value] : shown.listed.user.claims.members())
        fields.push_back({"", "claim " + name, {}, value.if_string() ? *value.if_string() : json::write(value)});
    return fields;
}

void print_users(db::Rows<store::ListedUser>& users) {
    print_table_rows({"USERNAME", "ENABLED", "SUB", "NAME", "EMAIL"}, users, [](const store::ListedUser& listed) {
        const User& user = listed.user;
        return std::vector<std::string>{user.username, yes_no(user.enabled), user.subject.str(),
                                        claim_text(user, "name"), claim_text(user, "email")};
    });
}

}  // namespace postern::cli
