// A name by which a certificate is known: its subject, or one entry of its subject alternative names (RFC 5280).
#pragma once

#include <optional>
#include <string>

namespace postern::crypto {

/// The kinds of names that a client can be registered with (RFC 8705 §2.1.2).
enum class NameKind { subject_dn, san_dns, san_uri, san_ip, san_email };

struct CertificateName {
    NameKind kind = NameKind::subject_dn;
    std::string value;  ///< a subject as RFC 4514 writes it

    bool operator==(const CertificateName&) const = default;
};

/// Returns why no certificate can have the name, as the words after it ("must be ..."); nullopt: one can.
std::optional<std::string> fault_of(const CertificateName& name);

}  // namespace postern::crypto
