// Checks that the nodes of an installation have the same keys and the same time.
#include <unistd.h>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "db/maintenance.h"
#include "keys/keys.h"
#include "keys/shared_keys.h"
#include "store/shared_keys.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "shared keys";
constexpr std::chrono::seconds kWait{2};
constexpr const char* kSyncFix = "run `postern key sync` there, and see why its timer does not";

/// Compares the keys of this node with the shared ones. Throws KeyError.
void check_own(Findings& findings, const config::Config& config, const store::SealedKeys& shared) {
    const keys::Generation own = keys::read_generation(config.keys);
    if (shared.generation < own.number) {
        findings.error(kCheck,
                       "the database has generation " + std::to_string(shared.generation) +
                           " of the keys, and this node generation " + std::to_string(own.number) +
                           ": an older database was restored",
                       "`postern key share` keeps the keys of this node; `postern key sync --accept-older` takes the "
                       "older ones");
    } else if (own.is_changing) {
        findings.error(kCheck, "a change of the keys of this node did not reach the other nodes",
                       "run `postern key share`");
    } else if (own.number < shared.generation) {
        findings.warning(kCheck,
                         "this node has generation " + std::to_string(own.number) + " of the keys, the database " +
                             std::to_string(shared.generation),
                         "run `postern key sync`, each minute by a timer");
    }
}

/// Needs the rights of the owner of transport.key.
void check_content(Findings& findings, const config::Config& config, const store::SealedKeys& shared) {
    const auto files = keys::open_files(keys::read_transport_key(config.keys), shared.generation, shared.files);
    if (!files && files.error() == keys::SealFault::other_set) {
        return findings.error(kCheck,
                              "a row of key_files is missing, added or exchanged: the keys in the database are not "
                              "those that were sealed together",
                              "run `postern key share` on a node whose keys are right, and find out who can write to "
                              "the database");
    }
    if (!files) {
        return findings.error(kCheck, config.keys + "/transport.key does not open the keys in the database",
                              "run `postern key sync`; if it refuses, copy that file from another node");
    }
    const bool is_same = keys::are_same(keys::read_key_files(config.keys), *files);
    if (!is_same && keys::read_generation(config.keys).number == shared.generation)
        findings.warning(kCheck, config.keys + " differs from what the other nodes have", "run `postern key sync`");
}

void check_node(Findings& findings, const store::KeyNode& node, std::int64_t generation) {
    const std::string name = "node " + in_quotes(node.node);
    if (node.unseen_for > store::kLongUnseen) {
        findings.warning(kCheck, name + " was last seen at " + to_text(node.seen_at),
                         std::string(kSyncFix)
                             .append("; if it will not come back, ")
                             .append(util::ShellCommand("postern key nodes").option("--forget=", node.node).quoted()));
    } else if (node.generation < generation) {
        findings.warning(kCheck,
                         name + " has generation " + std::to_string(node.generation) + " of the keys, the database " +
                             std::to_string(generation),
                         kSyncFix);
    }
    if (std::chrono::abs(node.clock_offset) > db::kClockWarning) {
        findings.warning(kCheck,
                         "the clock of " + name + " differs from the database's by " +
                             std::to_string(node.clock_offset.count()) + " ms",
                         "let NTP set both");
    }
}

void check_sharing(Findings& findings, const config::Config& config) {
    db::Database database(config.database, db::Access::query_only, kWait);
    const store::SealedKeys shared = store::find_sealed_keys(database);
    const bool has_transport = keys::has_transport_key(config.keys);
    if (shared.generation == 0 && !has_transport) return;  // configuration management copies the keys, or nothing does
    if (!has_transport) {
        return findings.warning(kCheck, "the nodes share their keys, and " + config.keys + "/transport.key is missing",
                                "copy that file from another node, with mode 0600, and run `postern key sync`; or end "
                                "the sharing with `postern key share --stop`");
    }
    check_own(findings, config, shared);
    const bool may_read = ::access((config.keys + "/transport.key").c_str(), R_OK) == 0;
    if (shared.generation != 0 && may_read) check_content(findings, config, shared);
    for (const store::KeyNode& node : store::list_key_nodes(database)) check_node(findings, node, shared.generation);
    findings.ok_unless_found(kCheck, "generation " + std::to_string(shared.generation));
}

}  // namespace

void check_shared_keys(Findings& findings, const config::Config& config) {
    if (!db::is_uri(config.database)) return;
    try {
        check_sharing(findings, config);
    } catch (const db::StoreError&) {
        return;  // reported by check_database
    } catch (const keys::KeyError& error) {
        findings.error(kCheck, error.what(), kAsSaid);
    }
}

}  // namespace postern::cli
