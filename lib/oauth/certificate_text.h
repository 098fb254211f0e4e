// The text in which a web server passes the certificate of a TLS connection (MTLS-2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::oauth {

inline constexpr std::size_t kMaxCertificateText = 16384;

/// Returns the DER bytes of one certificate in PEM: with line ends (Apache, lighttpd), with blanks or tabs in their
/// place (nginx's $ssl_client_cert), or percent-encoded (nginx's $ssl_client_escaped_cert), where a `+` is a plus sign.
/// nullopt for everything else, a chain and a key included. Whether the bytes are a certificate is not looked at.
std::optional<std::string> read_certificate_text(std::string_view text);

}  // namespace postern::oauth
