// `postern key list`: the signing keys and what each is for at this moment.
#include <CLI/CLI.hpp>

#include "command.h"
#include "output.h"
#include "store/keys.h"

namespace postern::cli {
namespace {

const char* to_string(store::KeyState state) {
    switch (state) {
        case store::KeyState::next:
            return "next";
        case store::KeyState::active:
            return "active";
        case store::KeyState::retired:
            break;
    }
    return "retired";
}

void list(const Invocation& invocation) {
    const auto keys = store::Keys::list(invocation.load_config().keys, util::SystemClock().now());
    json::Array array;
    std::vector<std::vector<std::string>> rows;
    for (const store::KeyInfo& key : keys) {
        const std::string algorithm(crypto::to_string(key.algorithm));
        array.emplace_back(json::Object{{"kid", key.kid},
                                        {"alg", algorithm},
                                        {"state", to_string(key.state)},
                                        {"signs_from", util::to_epoch(key.signs_from)}});
        rows.push_back({key.kid, algorithm, to_string(key.state), to_text(key.signs_from)});
    }
    if (invocation.json) return print_json(std::move(array));
    print_table({"KID", "ALG", "STATE", "SIGNS_FROM"}, rows);
}

}  // namespace

void add_key_commands(CLI::App& app, Invocation& invocation) {
    CLI::App& group = *app.add_subcommand("key", "Look at the signing keys");
    group.require_subcommand(1);
    add_command(group, invocation, "list",
                "List signing keys: next (published, not yet used), active, retired (still published)",
                "postern key list --json", [&invocation] { list(invocation); });
}

}  // namespace postern::cli
