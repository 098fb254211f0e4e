// Decides which of two versions of the keys counts: that of this node, or that of the database.
#include "cli/key/sharing.h"

#include <algorithm>
#include <thread>

#include "cli/command.h"
#include "cli/output.h"
#include "db/maintenance.h"
#include "db/write.h"
#include "store/shared_keys.h"

namespace postern::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

Refused is_older(std::int64_t database, std::int64_t own) {
    return Refused("the database has generation " + std::to_string(database) +
                   " of the keys and this node generation " + std::to_string(own) +
                   ": an older database was restored, and its keys may be stolen ones; run `postern key share` here to "
                   "keep the keys of this node, or `postern key sync --accept-older` on each node to go back to the "
                   "older ones");
}

Refused is_unshared(const std::string& directory) {
    return Refused(
        "a change of the keys in " + directory +
        " did not reach the database; run `postern key share` on this node to hand its keys to the others, or " +
        "`postern key sync --accept-older` to drop the change");
}

Refused is_newer(std::int64_t database, std::int64_t own) {
    return Refused("the database has generation " + std::to_string(database) +
                   " of the keys and this node generation " + std::to_string(own) +
                   "; run `postern key sync` to take it, or give --force to end the keys that this node lacks");
}

Refused not_taken(const db::StoreError& error) {
    return Refused("the keys of this node were changed, and the database did not take them (" +
                   std::string(error.what()) + "); run `postern key share` here to hand them to the other nodes");
}

Refused is_shared_already(const config::Config& config) {
    return Refused("other nodes share their keys already; copy " + config.keys +
                   "/transport.key from one of them and run `postern key sync`, or give --renew if no node has it");
}

Refused lacks_transport_key(const config::Config& config) {
    return Refused("the nodes of this installation share their keys, and " + config.keys +
                   "/transport.key is missing; copy that file from another node and run `postern key sync`, or end the "
                   "sharing with `postern key share --stop` if configuration management copies the keys");
}

util::Secret own_transport_key(const config::Config& config, const store::SealedKeys& sealed) {
    keys::settle_transport_key(config.keys, sealed.generation, sealed.files);
    return keys::read_transport_key(config.keys);
}

void save_node(db::Transaction& transaction, const config::Config& config, std::int64_t generation) {
    if (config.node.empty()) return;
    store::save_key_node(transaction, config.node, generation);
}

/// Opens the key files of a set. Throws Refused when transport.key does not open them, or when a row of the set is
/// missing, added or exchanged.
std::vector<keys::KeyFile> open_sealed(const config::Config& config, const util::Secret& transport,
                                       const store::SealedKeys& sealed) {
    if (sealed.generation == 0) return {};
    auto files = keys::open_files(transport, sealed.generation, sealed.files);
    if (files) return std::move(*files);
    const std::string generation = "generation " + std::to_string(sealed.generation) + " of the keys ";
    if (files.error() == keys::SealFault::other_set)
        throw Refused(generation +
                      "is not in the database as it was sealed: a row of key_files is missing, added or exchanged, so "
                      "nothing was changed; run `postern key share` on a node whose keys are right, and find out who "
                      "can write to the database");
    throw Refused(generation + "was not sealed with " + config.keys +
                  "/transport.key, so nothing was changed; copy that file from a node whose `postern key sync` works");
}

void put_sealed(db::Transaction& transaction, const config::Config& config, const util::Secret& transport,
                std::int64_t generation, const std::vector<keys::KeyFile>& files) {
    crypto::SystemRandom random;
    store::replace_sealed_keys(transaction, {generation, keys::seal_files(transport, generation, files, random)},
                               now());
    save_node(transaction, config, generation);
}

/// The keys of the database, when this node may take them. A change that was begun here and that the database has, too,
/// was cut off after its commit.
std::vector<keys::KeyFile> require_newer(const config::Config& config, const util::Secret& transport,
                                         const store::SealedKeys& current) {
    const keys::Generation own = keys::read_generation(config.keys);
    if (current.generation < own.number) throw is_older(current.generation, own.number);
    auto files = open_sealed(config, transport, current);
    if (own.is_changing && !keys::are_same(files, keys::read_key_files(config.keys))) throw is_unshared(config.keys);
    return files;
}

/// They are not waited for.
void note_unseen(const std::vector<std::string>& nodes) {
    if (nodes.empty()) return;
    print_note("not seen for more than ten minutes, and without the new keys: " + join(nodes, ", ") +
               "; if such a node still answers requests, it believes the old keys: run `postern key sync` on it, or "
               "`postern key nodes --forget NODE` if it will not come back");
}

}  // namespace

void require_server(const config::Config& config) {
    if (db::is_uri(config.database)) return;
    throw Refused("the database is a file, so there are no other nodes; keys are shared where \"database\" is a URI");
}

SharedKeys::SharedKeys(const config::Config& config, keys::KeyDirectory& directory)
    : config_(config), directory_(directory) {
    if (!db::is_uri(config.database)) return;
    if (!keys::has_transport_key(config.keys)) {
        require_alone();
        return;
    }
    database_.emplace(open_database(config, db::Access::read_write));
    transport_ = own_transport_key(config, store::find_sealed_keys(*database_));
}

/// Stolen keys can be replaced here while no database answers. The generation keeps a node that took part from taking
/// the stolen ones again.
void SharedKeys::require_alone() const {
    try {
        db::Database database = open_database(config_, db::Access::query_only);
        if (store::find_sealed_keys(database).generation != 0) throw lacks_transport_key(config_);
    } catch (const db::StoreError& error) {
        print_note("whether other nodes share their keys is unknown (" + std::string(error.what()) +
                   "); without transport.key the keys of this node change alone");
        const std::int64_t own = keys::read_generation(config_.keys).number;
        if (own > 0) keys::write_generation(config_.keys, {own, true});
    }
}

/// Takes over the changes of another node first, so that they are not undone.
void SharedKeys::begin(const store::SealedKeys& current) {
    const auto files = require_newer(config_, transport_, current);
    if (current.generation > 0) directory_.take(files);
    keys::write_generation(config_.keys, {current.generation, true});
}

void SharedKeys::change(const std::function<void()>& action) {
    if (!database_) return action();
    bool is_changed = false;
    std::int64_t base = 0;
    const auto run = [&](db::Transaction& transaction) {
        store::lock_sealed_keys(transaction);
        const store::SealedKeys current = store::find_sealed_keys(transaction.database());
        // The directory is changed once, however often the transaction has to be run.
        if (is_changed && current.generation != base) throw is_unshared(config_.keys);
        if (!is_changed) {
            begin(current);
            base = current.generation;
            const auto before = keys::read_key_files(config_.keys);
            const auto is_same = [&] { return keys::are_same(before, keys::read_key_files(config_.keys)); };
            try {
                action();
            } catch (...) {
                if (is_same()) keys::write_generation(config_.keys, {base, false});
                throw;
            }
            if (is_same()) {
                generation_ = base;  // which other nodes may lack
                return keys::write_generation(config_.keys, {base, false});
            }
            is_changed = true;
        }
        put_sealed(transaction, config_, transport_, base + 1, directory_.usable_files());
        transaction.commit();
    };
    try {
        db::write(*database_, db::Durability::full, run);
    } catch (const db::CommitUnknown& error) {
        throw not_taken(error);
    } catch (const db::StoreUnsynced&) {
        if (is_changed) keys::write_generation(config_.keys, {base + 1, false});
        throw;
    } catch (const db::StoreError& error) {
        if (!is_changed) throw;
        throw not_taken(error);
    }
    if (!is_changed) return;
    generation_ = base + 1;
    keys::write_generation(config_.keys, {generation_, false});
}

std::vector<store::KeyNode> SharedKeys::other_nodes() {
    if (!database_) return {};
    auto nodes = store::list_key_nodes(*database_);
    std::erase_if(nodes, [&](const store::KeyNode& node) { return node.node == config_.node; });
    return nodes;
}

bool SharedKeys::wait_for_others(util::Seconds longest) {
    if (generation_ == 0) return true;
    try {
        return look_for_others(longest);
    } catch (const db::StoreError& error) {
        print_note("which nodes have taken the keys over is unknown (" + std::string(error.what()) +
                   "); `postern key nodes` shows it");
        return false;
    }
}

bool SharedKeys::look_for_others(util::Seconds longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
        std::vector<std::string> behind;
        std::vector<std::string> unseen;
        for (const store::KeyNode& node : other_nodes()) {
            if (node.generation < generation_)
                (node.unseen_for <= store::kLongUnseen ? behind : unseen).push_back(node.node);
        }
        if (behind.empty()) {
            note_unseen(unseen);
            return true;
        }
        if (std::chrono::steady_clock::now() >= end) {
            print_note(
                "not taken over yet by " + join(behind, ", ") +
                ": such a node believes the old keys and rejects the new ones until `postern key sync` runs on it");
            note_unseen(unseen);
            return false;
        }
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

std::int64_t share_keys(const config::Config& config, const keys::KeyDirectory& directory, const Share& share) {
    db::Database database = open_database(config, db::Access::read_write);
    const std::int64_t own = keys::read_generation(config.keys).number;
    const bool has_key = keys::has_transport_key(config.keys);
    crypto::SystemRandom random;
    std::optional<keys::NewTransportKey> made;
    std::int64_t generation = 0;
    const auto put = [&](db::Transaction& transaction) {
        store::lock_sealed_keys(transaction);
        const store::SealedKeys sealed = store::find_sealed_keys(database);
        if (!made) keys::settle_transport_key(config.keys, sealed.generation, sealed.files);
        if (sealed.generation != 0 && !has_key && !share.renew) throw is_shared_already(config);
        if (sealed.generation > own && !share.force) throw is_newer(sealed.generation, own);
        if (!made && (share.renew || !has_key)) made.emplace(config.keys, random);
        generation = std::max(sealed.generation, own) + 1;
        const util::Secret old = made ? util::Secret() : keys::read_transport_key(config.keys);
        put_sealed(transaction, config, made ? made->key() : old, generation, directory.usable_files());
        transaction.commit();
    };
    const auto finish = [&] {
        if (made) made->put_in_place();
        keys::write_generation(config.keys, {generation, false});
    };
    try {
        db::write(database, db::Durability::full, put);
    } catch (const db::CommitUnknown&) {
        if (made) made->leave();
        throw;
    } catch (const db::StoreUnsynced&) {
        finish();
        throw;
    }
    finish();
    return generation;
}

TakenKeys take_shared_keys(const config::Config& config, keys::KeyDirectory& directory, bool accept_older) {
    db::Database database = open_database(config, db::Access::read_write);
    const store::SealedKeys current = store::find_sealed_keys(database);
    const util::Secret transport = own_transport_key(config, current);
    const keys::Generation own = keys::read_generation(config.keys);
    if (current.generation == 0)
        throw Refused("the database has no keys of other nodes; run `postern key share` on the node that has them");
    const auto files =
        accept_older ? open_sealed(config, transport, current) : require_newer(config, transport, current);
    TakenKeys taken;
    taken.generation = current.generation;
    taken.changed = directory.take(files);
    if (own.is_changing || own.number != taken.generation)
        keys::write_generation(config.keys, {taken.generation, false});
    taken.clock_offset = db::clock_offset(database);
    db::write(database, db::Durability::lazy, [&](db::Transaction& transaction) {
        store::save_key_node(transaction, config.node, taken.generation);
        transaction.commit();
    });
    return taken;
}

}  // namespace postern::cli
