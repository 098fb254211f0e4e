// X.509 certificates that clients show, and the authorities that issue them (RFC 5280).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/certificate_name.h"
#include "crypto/key_parts.h"
#include "util/clock.h"

struct x509_st;
struct x509_store_st;

namespace postern::crypto {

/// A certificate. It never changes once made, so copies share one X509. Whether it is to be trusted is another
/// question.
class Certificate {
public:
    /// Reads one certificate in DER; nullopt for all other bytes.
    static std::optional<Certificate> from_der(std::string_view der);

    /// Returns the SHA-256 of its DER bytes, 32 bytes.
    std::string digest() const;
    /// Returns whether its public key is that one. False for a key that ForeignKey refuses.
    bool has_key(const PublicMembers& members) const;
    /// Returns whether it has the name: a subject is compared as a name (RFC 5280 §7.1), a DNS name without regard to
    /// case, every other byte by byte; a wildcard, on either side, is no name.
    bool has_name(const CertificateName& name) const;
    /// Returns the last second of its validity.
    util::Time not_after() const;
    /// Returns its subject as RFC 4514 writes it, for the operator.
    std::string subject() const;

private:
    friend class Authorities;
    explicit Certificate(std::shared_ptr<x509_st> certificate) : x509_(std::move(certificate)) {}
    std::shared_ptr<x509_st> x509_;
};

/// The authorities whose certificates are trusted.
class Authorities {
public:
    /// Reads certificates in PEM, whatever text is around them. Throws CryptoError for a text without a certificate,
    /// and for one that cannot be read.
    static Authorities from_pem(std::string_view pem);

    /// Returns whether one of them has issued the certificate, for clients of TLS, and the chain is good at `now`
    /// (RFC 5280 §6): each issuer is in the file, up to one that signed itself, keys and digests have 112 bits of
    /// strength, and the certificate is none of the authorities.
    bool have_issued(const Certificate& certificate, util::Time now) const;
    const std::vector<Certificate>& certificates() const { return certificates_; }

private:
    Authorities() = default;
    std::shared_ptr<x509_store_st> store_;
    std::vector<Certificate> certificates_;
};

}  // namespace postern::crypto
