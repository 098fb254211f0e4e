// The URL of a site: which ones can be protected, and what follows from it (origin, path, callback).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace postern::gate {

/// The path behind a site's URL below which the gate answers itself.
inline constexpr std::string_view kOwnSegment = ".postern";

/// The URL of a site in its one spelling: scheme and host in lower case, an IPv6 address as RFC 5952 writes it, no
/// default port, `/` at the end.
struct SiteUrl {
    std::string origin;  ///< "https://wiki.example.org", with the port unless it is the scheme's own
    std::string path;    ///< begins and ends with "/"

    std::string str() const { return origin + path; }
    /// Returns the URL of a page of the gate for this site, such as "callback".
    std::string own(std::string_view page) const;
    /// Returns the path of cookies: without the last `/`, so that browsers send them for the path without it, too (RFC
    /// 6265 §5.1.4).
    std::string cookie_path() const;
    bool operator==(const SiteUrl&) const = default;
};

/// Reads the URL of a site, to which the last `/` is added. The error is the reason, as words behind the URL, and what
/// to write instead. http is accepted only where `issuer` is http, too, and both hosts are loopback (GATE-2).
util::Result<SiteUrl, std::string> parse_site_url(std::string_view text, std::string_view issuer);

/// Returns whether the site has the issuer's host, whatever the ports: cookies do not know ports (GATE-3).
bool is_on_issuer_host(const SiteUrl& site, std::string_view issuer);

/// Returns the one spelling of an origin: scheme, host and port of an http or https URL without anything behind them.
/// nullopt for all other text.
std::optional<std::string> parse_origin(std::string_view text);

}  // namespace postern::gate
