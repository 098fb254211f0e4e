// How files of the key directory are named, read and written. Private to this module.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key.h"
#include "store/keys.h"
#include "util/clock.h"
#include "util/secret.h"

namespace postern::store {

/// What the name of a private key's file says: `ALG.SIGNS_FROM.KID.pem`.
struct KeyFileName {
    crypto::Algorithm algorithm{};
    util::Time signs_from{};
    std::string kid;

    std::string to_string() const;
    /// nullopt for any other spelling: a name and what it says are one to one.
    static std::optional<KeyFileName> parse(std::string_view name);
};

/// By time, then by kid. Files that do not end in `.pem` are not looked at; one that does and is named otherwise is a
/// KeyError.
std::vector<KeyFileName> private_keys_in(const std::string& directory);

struct PublicFile {
    std::string bytes;
    std::string stamp;  ///< of exactly these bytes
};

/// Device, inode, size and time of the last change. Throws KeyError when the file is not there.
std::string stamp_of(const std::string& path);

/// A regular file that others cannot write: whoever writes it decides whose signatures are believed.
PublicFile read_public_file(const std::string& path);

/// A regular file that others can neither read nor write.
util::Secret read_private_file(const std::string& path);

/// By temporary file, fsync, rename and fsync of the directory, so that a reader sees all of it or nothing.
void write_key_file(const std::string& directory, const std::string& name, std::string_view bytes, mode_t mode);

}  // namespace postern::store
