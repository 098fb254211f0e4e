// Finds the user, client or group that a typed name refers to.
#include "cli/lookup.h"

#include "cli/command.h"
#include "cli/output.h"
#include "store/clients.h"
#include "store/groups.h"
#include "store/users.h"

namespace postern::cli {
namespace {

Refused no_user(const std::string& name) {
    return Refused("there is no user " + in_quotes(name) + "; `postern user list` shows all");
}

Refused no_client(const std::string& id) {
    return Refused("there is no client " + in_quotes(id) + "; `postern client list` shows all");
}

}  // namespace

model::User require_user(db::Database& database, const std::string& name) {
    auto user = store::find_user_by_name(database, name);
    if (!user) user = store::find_user(database, model::Subject(name));
    if (!user) throw no_user(name);
    return *std::move(user);
}

model::User require_user(db::Transaction& transaction, const std::string& name) {
    auto user = store::find_user_to_change(transaction, require_user(transaction.database(), name).subject);
    if (!user) throw no_user(name);
    return *std::move(user);
}

model::Client require_client(db::Database& database, const std::string& id) {
    auto client = store::find_client(database, model::ClientId(id), util::SystemClock().now());
    if (!client) throw no_client(id);
    return *std::move(client);
}

model::Client require_client(db::Transaction& transaction, const std::string& id) {
    auto client = store::find_client_to_change(transaction, model::ClientId(id), util::SystemClock().now());
    if (!client) throw no_client(id);
    return *std::move(client);
}

model::Group require_group(db::Database& database, const std::string& name) {
    auto group = store::find_group(database, name);
    if (!group)
        throw Refused("there is no group " + in_quotes(name) +
                      "; `postern group list` shows all, `postern group add` makes one");
    return *std::move(group);
}

}  // namespace postern::cli
