// Which password hashes may be brought in from elsewhere: those that a login here verifies, at a cost that it can bear.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace postern::crypto {

/// A password hash in the form that verify_password takes.
struct ImportedHash {
    std::string text;
};

/// The error says why the hash is not taken and what to do instead, without a word of the hash itself. Taken are
/// yescrypt (`$y$`) up to 128 MiB, bcrypt (`$2b$`, `$2y$`, and `$2a$` as the `$2y$` that it is) up to cost 14, and
/// SHA-512 (`$6$`) up to 1 000 000 rounds, also behind the scheme of another program (`{CRYPT}`, `{BLF-CRYPT}`, in any
/// case), which is not kept; each complete and spelled as crypt(5) writes it: another spelling would
/// never equal what is computed at a login.
util::Result<ImportedHash, std::string> parse_imported_hash(std::string_view hash);

}  // namespace postern::crypto
