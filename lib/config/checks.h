// What a URL, path or file name of the configuration may look like.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::config {

/// What is wrong, as the words after the key's name ("must be ..."), or nullopt.
using Fault = std::optional<std::string>;

/// An absolute https URL (http on a loopback host only) in its one canonical spelling, without query, fragment, user
/// information or trailing slash (RFC 8414 §2): clients compare issuers byte by byte.
Fault issuer_fault(std::string_view issuer);

/// A host's name in lower case, without port, of two labels at least or `localhost`: a browser has passkeys for no more
/// than one site (WebAuthn §5.1.2), and for no IP address.
Fault rp_id_fault(std::string_view rp_id);

/// An IPv4 or IPv6 address in the place of a host's name, as URLs have it. What ends in a number is one, or nothing
/// (URL Standard §3.5).
bool is_address(std::string_view host);

/// A path below the issuer: "/" first and not last, segments of unreserved characters (RFC 3986 §2.3), so that it has
/// one spelling in REQUEST_URI.
Fault path_fault(std::string_view path);

/// An absolute file name: the working directory of a CGI program is the web server's choice.
Fault file_fault(std::string_view name);

/// The known word that is nearest to `word` by edits, when it is near enough to be a slip of the pen.
template <class Words>
std::optional<std::string> nearest(std::string_view word, const Words& known);

/// Edits (insert, delete, replace; case is ignored) between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Words>
std::optional<std::string> nearest(std::string_view word, const Words& known) {
    std::optional<std::string> best;
    std::size_t limit = word.size() / 2 + 1;
    for (const auto& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < limit) {
            limit = distance;
            best = std::string(candidate);
        }
    }
    return best;
}

}  // namespace postern::config
