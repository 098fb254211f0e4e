// The exception for when the cryptography library, a key or the random source is broken: our fault, never the caller's.
#pragma once

#include <stdexcept>

namespace postern::crypto {

struct CryptoError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace postern::crypto
