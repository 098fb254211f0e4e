// Changes to the key directory while processes work with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crypto/seal.h"
#include "keys/keys.h"
#include "keys/shared_keys.h"
#include "os/file.h"

namespace postern::keys {

/// The algorithm of a key to make, and how long the key is published before it signs.
struct NewKey {
    crypto::Algorithm algorithm{};
    util::Seconds lead{};
};

struct KeyFileName;

/// The files that `KeyDirectory::restore` has made.
struct Restored {
    std::optional<std::size_t> published;  ///< jwks.json, of so many private keys
    bool seal = false;
    bool factors = false;  ///< factor.key
    std::vector<KeyInfo> keys;
};

/// The key directory, held alone: of two changes at the same time the later one would undo the earlier. Each change is
/// a row of steps that are atomic by themselves; every process can work with what is there between two of them, and
/// takes over what was done when jwks.json has been written for the last time.
class KeyDirectory {
public:
    /// Throws KeyError when another process is changing the directory. Removes what a killed one left half-written.
    explicit KeyDirectory(std::string directory);

    /// Returns the keys of the directory, by algorithm and time (Keys::list).
    std::vector<KeyInfo> list(util::Time now) const { return Keys::list(directory_, now); }

    /// Makes keys that sign when they have been published for their lead (OpenID Connect Core §10.1.1), and takes away
    /// those that still wait for their time: they never sign. One that might have signed already, because its time is
    /// near or the clock was set back, stays published as a retired one.
    std::vector<KeyInfo> add(const std::vector<NewKey>& wanted, const util::Clock& clock);

    /// Takes the private half of `kid` away, then its public half: nothing that it signed is believed any more.
    void remove(const std::string& kid);

    /// Makes what is missing: jwks.json of the private keys that are there, seal.key, factor.key, and a key that signs
    /// at once for each of `algorithms` that has none. What is there is left as it is, damaged or not.
    Restored restore(const std::vector<crypto::Algorithm>& algorithms, const util::Clock& clock);

    /// Makes a factor.key where there is none; false: there is one.
    bool add_factor_key();

    /// Throws KeyError when factor.key is missing or cannot be used.
    crypto::FactorKeys factor_keys() const;

    /// Replaces the keys of factor.key, which is there. Processes take the new ones over with their next request.
    void put_factor_keys(const crypto::FactorKeys& keys);

    /// Replaces seal.key. No process opens a seal of the old key afterwards.
    void renew_seal();

    /// Returns jwks.json, the private keys, seal.key and factor.key. Throws KeyError when a file is missing or cannot
    /// be used.
    std::vector<KeyFile> usable_files() const;

    /// Makes the directory hold exactly `files`, in an order that every process can work with. Returns the names of
    /// those that were written or removed. Throws KeyError, and changes nothing, when processes could not use them.
    std::vector<std::string> take(const std::vector<KeyFile>& files);

private:
    bool has(const char* name) const;
    void write_factor_key(const util::Secret& key) const;
    void make_factor_key() const;
    bool has_never_signed(const KeyFileName& name, util::Time now) const;
    jose::JwkSet published_of_private_keys() const;
    jose::JwkSet read_published() const;
    void publish(const jose::JwkSet& keys) const;
    std::string directory_;
    os::Descriptor lock_;
};

}  // namespace postern::keys
