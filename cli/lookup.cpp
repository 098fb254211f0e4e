// Finds the user or client that a typed name refers to.
#include "cli/lookup.h"

#include "cli/command.h"
#include "cli/output.h"
#include "store/clients.h"
#include "store/users.h"

namespace postern::cli {

model::User require_user(db::Database& database, const std::string& name) {
    auto user = store::find_user_by_name(database, name);
    if (!user) user = store::find_user(database, model::Subject(name));
    if (!user) throw Refused("there is no user " + in_quotes(name) + "; `postern user list` shows all");
    return *std::move(user);
}

model::Client require_client(db::Database& database, const std::string& id) {
    auto client = store::find_client(database, model::ClientId(id), util::SystemClock().now());
    if (!client) throw Refused("there is no client " + in_quotes(id) + "; `postern client list` shows all");
    return *std::move(client);
}

}  // namespace postern::cli
