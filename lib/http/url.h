// The few URL operations this server needs, on strings that were checked when they were saved.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace postern::http {

struct UrlParts {
    std::string scheme;      ///< lower case
    std::string user_info;   ///< without "@"; "" when there is none
    bool has_user_info = false;
    std::string host;        ///< as written; IPv6 with its brackets
    std::string port;        ///< digits, or "" when there is none
    bool has_port = false;   ///< true for "host:" too
    std::string path;
    std::optional<std::string> query;
    std::optional<std::string> fragment;
    bool has_authority = false;  ///< "//" was there
};

/// Strict RFC 3986 (uriparser): an absolute URI with a scheme, or nullopt. Refuses blanks, control bytes, backslashes, non-ASCII
/// and more than 8192 bytes.
std::optional<UrlParts> parse_url(std::string_view text);

/// http on 127.0.0.1, [::1] or localhost.
bool is_loopback_http(const UrlParts& url);

/// Appends parameters to the query, keeping one that is there (RFC 6749 §3.1.2). Values are percent-encoded; pairs whose
/// value is nullopt are left out.
std::string with_query(std::string_view url, std::initializer_list<std::pair<std::string_view, std::optional<std::string>>> pairs);

}  // namespace postern::http
