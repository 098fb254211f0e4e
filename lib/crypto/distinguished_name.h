// A distinguished name in the spelling of RFC 4514. Private to this module.
#pragma once

#include <openssl/x509.h>

#include <string_view>

#include "crypto/openssl.h"

namespace postern::crypto {

using X509Name = openssl::Owned<X509_NAME, X509_NAME_free>;

/// Reads a name, whose last RDN stands first (RFC 4514 §2.1). nullptr for another text, an attribute that OpenSSL does
/// not know by a name or by an OID, a value that the attribute cannot have, a value in hexadecimal (§2.4), and "".
X509Name parse_distinguished_name(std::string_view text);

}  // namespace postern::crypto
