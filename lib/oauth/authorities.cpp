// Reads the authorities of clients.
#include "oauth/authorities.h"

#include <stdexcept>

#include "crypto/error.h"
#include "os/read_file.h"

namespace postern::oauth {

crypto::Authorities read_authorities(const std::string& path) {
    const auto text = os::read_file(path, {1 << 20, os::Links::followed});
    if (!text) throw std::runtime_error("mtls.ca: " + path + " " + text.error().meaning());
    try {
        return crypto::Authorities::from_pem(*text);
    } catch (const crypto::CryptoError& error) {
        throw std::runtime_error("mtls.ca: " + path + ": " + error.what());
    }
}

}  // namespace postern::oauth
