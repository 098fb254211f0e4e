// Starts OpenSSL once per process and turns its errors into ours.
#include "crypto/openssl.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "crypto/start.h"

namespace postern::crypto {
namespace openssl {
namespace {

/// OPENSSL_CONF and openssl.cnf must not choose our algorithms; it also halves a CGI start. At the
/// end of the process the kernel frees faster.
bool start_once(std::uint64_t leave_out) {
    static const int started =
        OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT | leave_out, nullptr);
    return started == 1;
}

/// Clearing walks through the whole queue, which is nearly always empty.
void empty_error_queue() {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

/// What the library says about its last error: a text, or its number where the texts are not loaded.
std::string last_reason() {
    const unsigned long error = ERR_peek_last_error();
    if (error == 0) return {};
    if (const char* reason = ERR_reason_error_string(error)) return reason;
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "OpenSSL error %08lX", error);
    return number.data();
}

}  // namespace

Use::Use() {
    if (!start_once(0)) throw CryptoError("OpenSSL does not start");
    empty_error_queue();
}

Use::~Use() { empty_error_queue(); }

void fail(std::string_view what) {
    const std::string reason = last_reason();
    std::string message(what);
    if (!reason.empty()) message.append(": ").append(reason);
    throw CryptoError(message);
}

}  // namespace openssl

// Whether it has started is told at the first use.
void start_alone() {
    static_cast<void>(openssl::start_once(OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS |
                                          OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS));
}

void name_digests() {
    for (const EVP_MD* digest : {EVP_sha256(), EVP_sha384(), EVP_sha512()}) EVP_add_digest(digest);
}

}  // namespace postern::crypto
