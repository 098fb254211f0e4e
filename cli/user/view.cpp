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

json::Object to_json(const User& user) {
    return json::Object{
        {"sub", user.subject.str()},
        {"username", user.username},
        {"enabled", user.enabled},
        {"claims", user.claims},
        {"created_at", util::to_epoch(user.created_at)},
        {"updated_at", util::to_epoch(user.updated_at)},
    };
}

json::Object to_json(const store::ListedUser& listed) {
    json::Object object = to_json(listed.user);
    object.set("source", listed.origin.source);
    if (listed.origin.left_at) object.set("left_at", util::to_epoch(*listed.origin.left_at));
    return object;
}

void print_user(const store::ListedUser& listed, const std::vector<std::string>& groups,
                const std::string& second_factor, bool must_change_password) {
    const User& user = listed.user;
    std::vector<std::pair<std::string, std::string>> fields = {
        {"sub", user.subject.str()},
        {"username", user.username},
        {"enabled", yes_no(user.enabled)},
        {"created", to_text(user.created_at)},
        {"updated", to_text(user.updated_at)},
        {"source", listed.origin.source},
        {"left source", listed.origin.left_at ? to_text(*listed.origin.left_at) : ""},
        {"groups", join(groups)},
        {"second factor", second_factor},
        {"must change password", must_change_password ? "yes" : ""},
    };
    for (const auto& [name, value] : user.claims.members()) {
        fields.emplace_back("claim " + name, value.if_string() ? *value.if_string() : json::write(value));
    }
    print_fields(fields);
}

void print_users(db::Rows<store::ListedUser>& users) {
    print_table_rows({"USERNAME", "ENABLED", "SUB", "NAME", "EMAIL"}, users, [](const store::ListedUser& listed) {
        const User& user = listed.user;
        return std::vector<std::string>{user.username, yes_no(user.enabled), user.subject.str(),
                                        claim_text(user, "name"), claim_text(user, "email")};
    });
}

}  // namespace postern::cli
