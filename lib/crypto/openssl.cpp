// Starts OpenSSL once per process and turns its errors into ours.
#include "crypto/openssl.h"

#include <openssl/crypto.h>
#include <openssl/err.h>

#include <string>

namespace postern::crypto::openssl {

namespace {

/// Whoever can set OPENSSL_CONF or edit openssl.cnf must not choose our algorithms; it also halves a CGI start. At the
/// end of the process the kernel frees faster.
void start_once() {
    static const int started = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
    if (started != 1) throw CryptoError("OpenSSL does not start");
}

}  // namespace

Use::Use() {
    start_once();
    ERR_clear_error();
}

Use::~Use() { ERR_clear_error(); }

void fail(std::string_view what) {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    std::string message(what);
    if (reason != nullptr) message.append(": ").append(reason);
    throw CryptoError(message);
}

}  // namespace postern::crypto::openssl
