// Where the parts of a URL begin and end (RFC 3986); the only place that includes uriparser.
#include "http/url.h"

#include <uriparser/Uri.h>

#include "util/percent.h"
#include "util/text.h"

namespace postern::http {
namespace {

/// More than any redirect URI or issuer needs.
constexpr std::size_t kMaxLength = 8192;

/// Whether the text is a URI by the grammar of RFC 3986 appendix A.
bool is_uri_reference(std::string_view text) {
    UriUriA uri;
    const char* error_position = nullptr;
    if (uriParseSingleUriExA(&uri, text.data(), text.data() + text.size(), &error_position) != URI_SUCCESS)
        return false;
    uriFreeUriMembersA(&uri);
    return true;
}

/// Takes what stands before `end` off the front of `rest`; everything when `end` is npos.
std::string_view take_until(std::string_view& rest, std::size_t end) {
    const std::string_view front = rest.substr(0, end);
    rest.remove_prefix(front.size());
    return front;
}

/// [user_info@]host[:port] (RFC 3986 §3.2). The grammar allows one "@" and, outside of brackets, one ":" after it.
void split_authority(std::string_view authority, UrlParts& parts) {
    if (const std::size_t at = authority.find('@'); at != std::string_view::npos) {
        parts.has_user_info = true;
        parts.user_info = take_until(authority, at);
        authority.remove_prefix(1);
    }
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    parts.host = take_until(authority, colon);
    if (authority.empty()) return;
    parts.has_port = true;
    parts.port = authority.substr(1);
}

/// application/x-www-form-urlencoded, with blanks as %20, which every decoder reads (RFC 6749 appendix B).
std::string encode(const Parameters& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
        if (!value) continue;
        if (!out.empty()) out += '&';
        out += util::percent_encode(name) + '=' + util::percent_encode(*value);
    }
    return out;
}

}  // namespace

std::optional<UrlParts> parse_url(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return std::nullopt;
    // The grammar has none of these either; said here so that it does not hang on one library.
    if (!util::is_vschar(text) || text.find_first_of(" \\") != std::string_view::npos) return std::nullopt;
    if (!is_uri_reference(text)) return std::nullopt;

    // RFC 3986 appendix B: on a text that follows the grammar, the first delimiters decide.
    const std::size_t colon = text.find_first_of(":/?#");
    if (colon == std::string_view::npos || text[colon] != ':') return std::nullopt;  // a relative reference
    UrlParts parts;
    parts.scheme = util::to_lower(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (text.starts_with("//")) {
        parts.has_authority = true;
        text.remove_prefix(2);
        split_authority(take_until(text, text.find_first_of("/?#")), parts);
    }
    parts.path = take_until(text, text.find_first_of("?#"));
    if (text.starts_with('?')) parts.query = take_until(text, text.find('#')).substr(1);
    if (text.starts_with('#')) parts.fragment = text.substr(1);
    return parts;
}

bool is_loopback_http(const UrlParts& url) {
    const std::string host = util::to_lower(url.host);
    return url.scheme == "http" && (host == "127.0.0.1" || host == "[::1]" || host == "localhost");
}

std::string with_query(std::string_view url, const Parameters& parameters) {
    std::string out(take_until(url, url.find('#')));
    const std::string added = encode(parameters);
    const std::size_t question_mark = out.find('?');  // a later one belongs to the query
    const bool at_start = question_mark + 1 == out.size() || out.ends_with('&');
    if (added.empty()) return out += url;
    if (question_mark == std::string::npos)
        out += '?';
    else if (!at_start)
        out += '&';
    return out.append(added).append(url);  // a fragment stays at the end
}

std::string with_fragment(std::string_view url, const Parameters& parameters) {
    return std::string(url.substr(0, url.find('#'))) + '#' + encode(parameters);
}

}  // namespace postern::http
