// Hands a change of the keys to the other nodes of an installation, and takes theirs.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "db/database.h"
#include "keys/key_directory.h"
#include "store/shared_keys.h"

namespace postern::cli {

/// A `rotate` with a shorter lead lets a node sign with a key that another one does not know yet: `key sync` runs each
/// minute.
inline constexpr util::Seconds kShortestSharedLead{180};

/// The keys of `config` on this node and in the database. An installation on a file shares nothing and opens nothing,
/// and neither does one without transport.key whose database has no keys, or does not answer.
class SharedKeys {
public:
    /// Throws Refused when the database has keys and this node cannot read them, and with transport.key what the
    /// database throws.
    SharedKeys(const config::Config& config, keys::KeyDirectory& directory);

    /// Runs `action`, which changes the directory, after the directory has taken the latest keys, and hands the result
    /// to the other nodes in one durable transaction. An action that changes nothing hands nothing on.
    /// Throws what `action` throws; Refused when the database is older than the directory, or when the change was made
    /// and the database did not take it.
    void change(const std::function<void()>& action);

    /// The nodes other than this one.
    std::vector<store::KeyNode> other_nodes();

    /// Waits until each other node that was seen lately has taken the change, at most for `longest`. Tells which have
    /// not, those that were not seen lately as well. False when one of those that were seen has not, or when that is
    /// unknown.
    bool wait_for_others(util::Seconds longest);

private:
    void require_alone() const;
    bool look_for_others(util::Seconds longest);
    void begin(const store::SealedKeys& current);

    const config::Config& config_;
    keys::KeyDirectory& directory_;
    std::optional<db::Database> database_;  ///< nullopt: nothing is shared
    util::Secret transport_;
    std::int64_t generation_ = 0;  ///< of the last change
};

/// Throws Refused for an installation on a file.
void require_server(const config::Config& config);

struct Share {
    bool renew = false;  ///< seal with a new transport.key, which a node without one needs where others share already
    bool force = false;  ///< even if the database has later keys
};

/// Makes the keys of the directory those of all nodes, whatever the database had; returns their generation. The first
/// time it makes transport.key. Throws Refused, and changes nothing, unless `share` allows it.
std::int64_t share_keys(const config::Config& config, const keys::KeyDirectory& directory, const Share& share);

/// The result of `take_shared_keys`.
struct TakenKeys {
    std::int64_t generation = 0;
    std::vector<std::string> changed;  ///< names of files
    std::chrono::milliseconds clock_offset{};
};

/// Makes the directory hold the keys that are in the database, and notes that this node has them. Throws Refused for
/// keys that are older than those of the node, unless `accept_older`.
TakenKeys take_shared_keys(const config::Config& config, keys::KeyDirectory& directory, bool accept_older);

}  // namespace postern::cli
