// `postern key`: lists, rotates, retires and repairs keys, and shares them with other nodes.
#include "cli/key/key.h"

#include "cli/key/view.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

void list(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    const auto keys = keys::Keys::list(config.keys, util::SystemClock().now());
    if (!invocation.json) return print_keys(keys, config.settings);
    json::Array array;
    for (const keys::KeyInfo& key : keys) array.emplace_back(to_json(key, config.settings));
    print_json(std::move(array));
}

}  // namespace

void add_key_commands(const Command& app, Invocation& invocation) {
    const Command group =
        app.add_group("key", "List, rotate, retire, repair and share the signing keys; renew seal.key");
    const Command command = add_command(group, invocation, "list", "List the signing keys and their states",
                                        "postern key list --json", [&invocation] { list(invocation); });
    command.explain(
        "next: published, waits for its time to sign. active: signs. retired: no longer signs, but stays published so "
        "that its tokens verify; NEEDED_UNTIL is when the last of them expires and `postern key retire` may delete "
        "it.");
    add_rotate_command(group, invocation);
    add_retire_command(group, invocation);
    add_repair_command(group, invocation);
    add_share_command(group, invocation);
    add_sync_command(group, invocation);
    add_nodes_command(group, invocation);
}

}  // namespace postern::cli
