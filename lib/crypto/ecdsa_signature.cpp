// Converts P-256 signatures between DER and r||s (RFC 7518 §3.4), and refuses numbers that cannot be part of one.
#include "crypto/ecdsa_signature.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>

#include "crypto/openssl.h"

namespace postern::crypto {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHalf = 32;

/// The order n of P-256 (FIPS 186-4 D.1.2.3), big-endian like r and s, so that bytes compare as numbers do.
constexpr std::string_view kOrder =
    "\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
    "\xBC\xE6\xFA\xAD\xA7\x17\x9E\x84\xF3\xB9\xCA\xC2\xFC\x63\x25\x51"sv;

using Signature = openssl::Owned<ECDSA_SIG, ECDSA_SIG_free>;
using Number = openssl::Owned<BIGNUM, BN_free>;

bool in_range(std::string_view number) {
    return number.find_first_not_of('\0') != std::string_view::npos && number < kOrder;
}

Number number_of(std::string_view bytes) {
    return Number(openssl::require(BN_bin2bn(openssl::bytes(bytes), openssl::to_int(bytes.size()), nullptr), "number"));
}

}  // namespace

std::optional<std::string> ecdsa_raw_to_der(std::string_view raw) {
    if (raw.size() != 2 * kHalf) return std::nullopt;
    if (!in_range(raw.substr(0, kHalf)) || !in_range(raw.substr(kHalf))) return std::nullopt;

    Number r = number_of(raw.substr(0, kHalf));
    Number s = number_of(raw.substr(kHalf));
    const Signature signature(openssl::require(ECDSA_SIG_new(), "signature"));
    openssl::require(ECDSA_SIG_set0(signature.get(), r.get(), s.get()), "signature");
    static_cast<void>(r.release());  // set0 has taken both
    static_cast<void>(s.release());

    unsigned char* encoded = nullptr;
    const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
    if (size <= 0) openssl::fail("signature");
    std::string der(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
    OPENSSL_free(encoded);
    return der;
}

std::string ecdsa_der_to_raw(std::string_view der) {
    const unsigned char* at = openssl::bytes(der);
    const Signature signature(
        openssl::require(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), "not an ECDSA signature"));
    std::string raw(2 * kHalf, '\0');
    unsigned char* out = openssl::bytes(raw.data());
    constexpr int kWidth = static_cast<int>(kHalf);
    if (BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kWidth) != kWidth ||
        BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kHalf, kWidth) != kWidth) {
        openssl::fail("not a P-256 signature");
    }
    return raw;
}

}  // namespace postern::crypto
