// `postern key sync`: makes the key directory of this node what it is on the others.
#include <iostream>
#include <memory>

#include "cli/audit.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

void require_node(const config::Config& config) {
    require_server(config);
    if (!config.node.empty()) return;
    throw UsageError("\"node\" is not set in the configuration: give each node a name of one or two characters");
}

void sync(const Invocation& invocation, bool accept_older) {
    const config::Config config = invocation.load_config();
    require_node(config);
    keys::KeyDirectory directory(config.keys);
    const TakenKeys taken = take_shared_keys(config, directory, accept_older);
    if (!taken.changed.empty()) note_done(invocation, {{"file", config.keys + "/jwks.json"}});
    if (invocation.json) {
        return print_json(json::Object{{"node", config.node},
                                       {"generation", taken.generation},
                                       {"changed", json::strings(taken.changed)},
                                       {"clock_offset_ms", std::int64_t{taken.clock_offset.count()}}});
    }
    std::cout << "generation " << taken.generation << ": "
              << (taken.changed.empty() ? "nothing to do" : "changed " + join(taken.changed, ", ")) << '\n';
}

}  // namespace

void add_sync_command(const Command& group, Invocation& invocation) {
    auto accept_older = std::make_shared<bool>(false);
    const Command command =
        add_command(group, invocation, "sync", "Take the keys over that another node has made or removed",
                    "postern key sync", [&invocation, accept_older] { sync(invocation, *accept_older); });
    command.explain(
        "For several nodes with one PostgreSQL, each minute on each node: examples/systemd has the timer. It makes the "
        "key directory what it is on the node that changed the keys last, jwks.json last of all; running processes "
        "follow. New files get the owner, group and mode of their neighbours. `postern key nodes` shows the result. It "
        "needs transport.key of that node in the key directory, and \"node\" in the configuration.\n"
        "Exits 1 and changes nothing when the keys in the database are older than those of the node, because a "
        "restored database must not bring stolen keys back. Where `postern publish` is used, run it after this.");
    command.flag("--accept-older", *accept_older,
                 "Take the keys of a restored database, and drop a change of this node that did not reach it");
}

}  // namespace postern::cli
