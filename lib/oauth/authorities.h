// The file with the authorities that issue certificates of clients (`mtls.ca`; MTLS-15).
#pragma once

#include <string>

#include "crypto/certificate.h"

namespace postern::oauth {

/// Reads the file, of at most 1 MiB. Throws std::runtime_error, with the file's name, when it cannot be read or has no
/// certificate.
crypto::Authorities read_authorities(const std::string& path);

}  // namespace postern::oauth
