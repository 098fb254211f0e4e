// How files of the key directory are named, read and written. Private to this module.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key.h"
#include "jose/jwk.h"
#include "keys/key_error.h"
#include "util/clock.h"
#include "util/secret.h"

namespace postern::os {
class NewFiles;
}

namespace postern::keys {

[[noreturn]] void throw_key_error(const std::string& path, const std::string& meaning, const std::string& fix);

/// The name of a private key's file: `ALG.SIGNS_FROM.KID.pem`.
struct KeyFileName {
    crypto::Algorithm algorithm{};
    util::Time signs_from{};
    std::string kid;

    std::string to_string() const;
    /// Returns nullopt for any other spelling: each key has exactly one name.
    static std::optional<KeyFileName> parse(std::string_view name);
};

/// Throws KeyError for a time that does not fit a file name: the clock is wrong.
void require_sane_clock(const std::string& directory, util::Time now);

/// Returns the names of the private keys, by time, then by kid. Files that do not end in `.pem` are not looked at.
/// Throws KeyError for a file that ends in `.pem` and is named otherwise.
std::vector<KeyFileName> private_keys_in(const std::string& directory);

struct KeyPair {
    crypto::PrivateKey key;
    jose::Jwk jwk;  ///< its public half; the kid is its thumbprint (RFC 7638)
};

/// Makes a new key whose kid does not begin with a dash: a command line would take that for an option.
KeyPair make_key_pair(crypto::Algorithm algorithm);

/// The content of a file of the key directory when it was read.
struct FileContent {
    std::string bytes;
    FileVersion version;  ///< of exactly these bytes
};

/// Throws KeyError when the file is not there.
FileVersion version_of(const std::string& path);

/// Refuses a file that is not regular or that others can write, because its writer decides which signatures are valid.
FileContent read_public_file(const std::string& path);

/// Returns the keys in the content of jwks.json in `directory`. Throws KeyError when it is not a set of public keys.
jose::JwkSet parse_published(const std::string& directory, const std::string& bytes);

/// Refuses a file that is not regular or that others can read or write.
util::Secret read_private_file(const std::string& path);

/// Returns the private key of that name. Throws KeyError, naming `path`, when `pem` holds another key, or none.
crypto::PrivateKey parse_private_key(const std::string& path, const KeyFileName& name, const util::Secret& pem);

/// Returns the private key in the file of that name. Throws KeyError when the file holds another key, or none.
crypto::PrivateKey read_private_key(const std::string& directory, const KeyFileName& name);

/// Writes the file as a whole (`replace_file`). `like` names the file of the directory whose mode and group the new
/// file gets; `mode` is for when that file is not there.
void write_key_file(const std::string& directory, const std::string& name, std::string_view bytes, mode_t mode,
                    const std::string& like = {});

/// Makes a file that must not be there (`make_whole_file`), and notes it in `made`.
void make_key_file(os::NewFiles& made, const std::string& directory, const std::string& name, std::string_view bytes,
                   mode_t mode);

/// Throws the KeyError for a file that a new one would replace.
[[noreturn]] void throw_existing_key(const std::string& path);

/// Returns whether a file is there; one that cannot be looked at is taken to be.
bool is_there(const std::string& path);

/// Removes the file, which need not be there.
void remove_key_file(const std::string& directory, const std::string& name);

inline constexpr const char* kMissingDirectoryFix =
    "restore it from a backup; without one, `postern key repair` makes it, or `postern init` where there is no "
    "database yet";
inline constexpr const char* kPublishedFile = "jwks.json";
inline constexpr const char* kSealFile = "seal.key";
inline constexpr const char* kFactorFile = "factor.key";
inline constexpr mode_t kPublicMode = 0644;
inline constexpr mode_t kPrivateMode = 0640;
inline constexpr mode_t kOwnerMode = 0600;

}  // namespace postern::keys
