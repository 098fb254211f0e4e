// The few URL operations this server needs, on strings that were checked when they were saved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::http {

struct UrlParts {
    std::string scheme;     ///< lower case
    std::string user_info;  ///< without "@"; "" when there is none
    bool has_user_info = false;
    std::string host;       ///< as written; IPv6 with its brackets
    std::string port;       ///< digits, or "" when there is none
    bool has_port = false;  ///< true for "host:" too
    std::string path;
    std::optional<std::string> query;
    std::optional<std::string> fragment;
    bool has_authority = false;  ///< "//" was there
};

/// Reads an absolute URI by the grammar of RFC 3986 appendix A: no blank, control byte, backslash or non-ASCII byte is
/// in it. Refuses more than 8192 bytes, and hosts in brackets that are not IPv6 addresses.
std::optional<UrlParts> parse_url(std::string_view text);

/// Returns one spelling for all of an absolute URI: scheme and host in lower case, no default port, `/` for an empty
/// path behind a host (RFC 3986 §6.2.2.1, §6.2.3). Nothing else is changed: `/mcp` and `/mcp/` stay two. nullopt for
/// text that parse_url refuses.
std::optional<std::string> normalize_url(std::string_view text);

/// Returns the spelling of normalize_url, or the text itself when it is no URL.
std::string one_spelling(std::string_view text);

/// Returns the one spelling of a host as UrlParts has it, to compare hosts: in lower case, and an IPv6 address as RFC
/// 5952 §4 writes it. normalize_url leaves addresses alone.
std::string canonical_host(std::string_view host);

/// Accepts http on 127.0.0.1, [::1] or localhost.
bool is_loopback_http(const UrlParts& url);

/// Names and values; one whose value is nullopt is left out wherever parameters are written.
using Parameters = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Appends parameters to the query, keeping one that is there (RFC 6749 §3.1.2). Values are percent-encoded.
std::string with_query(std::string_view url, const Parameters& parameters);

/// Returns the URL with the parameters as its fragment, encoded as in a query (RFC 6749 §4.2.2). A query stays; a
/// fragment that is there would be mixed up with them and is replaced.
std::string with_fragment(std::string_view url, const Parameters& parameters);

/// Returns the raw paths under which `relative` ones are reached: below the issuer's base path, and without it (a proxy
/// may strip it).
std::vector<std::string> served_paths(std::string_view issuer, const std::vector<std::string>& relative);

}  // namespace postern::http
