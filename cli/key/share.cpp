// `postern key share`: hands the keys of this node to the others, or ends that.
#include <iostream>
#include <memory>

#include "cli/audit.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "db/write.h"

namespace postern::cli {
namespace {

struct ShareOptions {
    bool renew = false;
    bool force = false;
    bool stop = false;
};

void stop(const Invocation& invocation, const config::Config& config) {
    db::Database database = open_database(config, db::Access::read_write);
    db::write(database, db::Durability::full, [](db::Transaction& transaction) {
        store::remove_sealed_keys(transaction);
        transaction.commit();
    });
    keys::remove_transport_key(config.keys);
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"generation", 0}});
    std::cout << "keys are no longer shared; remove transport.key from the other nodes, too\n";
}

void share(const Invocation& invocation, const ShareOptions& options) {
    const config::Config config = invocation.load_config();
    require_server(config);
    if (options.stop) return stop(invocation, config);
    const keys::KeyDirectory directory(config.keys);
    const std::int64_t generation = share_keys(config, directory, {options.renew, options.force});
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"generation", generation}});
    std::cout << "generation " << generation << " is shared; other nodes need " << config.keys << "/transport.key\n";
}

}  // namespace

void add_share_command(const Command& group, Invocation& invocation) {
    auto options = std::make_shared<ShareOptions>();
    const Command command = add_command(group, invocation, "share",
                                        "Hand the keys of this node to the other nodes of a PostgreSQL database",
                                        "postern key share", [&invocation, options] { share(invocation, *options); });
    command.explain(
        "Puts the key directory into the database, sealed with transport.key (AES-256-GCM), which is made if it is "
        "missing. `postern init` does this by itself. It is needed after a file was moved to a server, after a change "
        "of the keys that could not reach the database, and when the keys of this node are to be kept after an older "
        "database was restored. Carry transport.key to each other node once, with mode 0600.");
    const Option renew = command.flag("--renew", options->renew,
                                      "Make a new transport.key, if it was disclosed or lost: the other nodes need it");
    const Option force = command.flag("--force", options->force,
                                      "Even if the database has later keys than this node: those that it lacks end");
    command
        .flag("--stop", options->stop,
              "Remove the keys from the database and transport.key from this node: configuration management copies the "
              "key directory")
        .excludes(renew)
        .excludes(force);
}

}  // namespace postern::cli
