// How the key directory reaches the other nodes of an installation: its files, sealed with transport.key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crypto/random.h"
#include "util/result.h"
#include "util/secret.h"

namespace postern::keys {

/// A file of the key directory: jwks.json, a private key, seal.key or factor.key.
struct KeyFile {
    std::string name;
    util::Secret bytes;
};

/// Returns jwks.json, the private keys, seal.key and factor.key, as far as they are there. Throws KeyError for a file
/// that cannot be read.
std::vector<KeyFile> read_key_files(const std::string& directory);

/// Returns whether both lists have the same files with the same bytes, in any order.
bool are_same(const std::vector<KeyFile>& some, const std::vector<KeyFile>& others);

/// The sealed contents of files, by the name of the file.
using SealedKeyFiles = std::map<std::string, std::string>;

/// Returns whether the key is there; one that cannot be looked at is taken to be.
bool has_transport_key(const std::string& directory);

/// Throws KeyError when the file is missing or not regular, when anyone but its owner may read it, or when it does not
/// hold 32 bytes.
util::Secret read_transport_key(const std::string& directory);

/// A new key in a file that only its owner can read. As long as it is not known to be in use, it is beside a
/// transport.key that is there, so that a crash loses neither of them. The destructor removes it unless it was kept.
class NewTransportKey {
public:
    /// Throws KeyError when it cannot be written.
    NewTransportKey(std::string directory, crypto::Random& random);
    NewTransportKey(const NewTransportKey&) = delete;
    NewTransportKey& operator=(const NewTransportKey&) = delete;
    ~NewTransportKey();

    const util::Secret& key() const { return key_; }
    void put_in_place();               ///< it is transport.key from now on
    void leave() { is_kept_ = true; }  ///< whether it is in use is unknown: `settle_transport_key` finds out

private:
    std::string directory_;
    util::Secret key_;
    const char* name_;
    bool is_kept_ = false;
};

/// Puts a new key that a crash has left beside transport.key in its place, if it opens the files.
void settle_transport_key(const std::string& directory, std::int64_t generation, const SealedKeyFiles& sealed);

/// Removes the files of a directory that takes no more part: transport.key and the generation. They need not be there.
void remove_transport_key(const std::string& directory);

/// Seals the files. Name and generation are authenticated with the content: no copy opens under another name, and no
/// copy of an earlier generation among files of a later one. With jwks.json, which has to be there, a digest of all
/// other files is sealed, so that the set is authenticated as well.
SealedKeyFiles seal_files(const util::Secret& transport, std::int64_t generation, const std::vector<KeyFile>& files,
                          crypto::Random& random);

/// The reason why sealed files are not believed.
enum class SealFault {
    other_key,  ///< none of them was sealed with this key for this generation
    other_set,  ///< one is missing, added or exchanged
};

util::Result<std::vector<KeyFile>, SealFault> open_files(const util::Secret& transport, std::int64_t generation,
                                                         const SealedKeyFiles& sealed);

/// The generation of the shared keys that a directory holds. It is in a file of the directory and not in the database,
/// because a restored database must not bring old keys back.
struct Generation {
    std::int64_t number = 0;   ///< 0: none
    bool is_changing = false;  ///< a change was begun here that no other node may have
};

/// Throws KeyError for a file that is not one of ours.
Generation read_generation(const std::string& directory);
void write_generation(const std::string& directory, const Generation& generation);

}  // namespace postern::keys
