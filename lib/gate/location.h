// The page of a site to which a browser is led back: its path and query, as a `Location` can hold them.
#pragma once

#include <string>
#include <string_view>

namespace postern::gate {

/// The page that a browser asked for.
struct Target {
    std::string_view path;   ///< as the browser sent it
    std::string_view query;  ///< behind the `?`, which is part of neither; "": none
};

/// Splits a request target at its first `?`. The parts are views into it.
Target split_target(std::string_view text);

/// Returns the path as it can stand in a `Location`: everything that RFC 3986 §3.3 does not allow there is
/// percent-encoded, and encoded bytes stay as they are. Never begins with two slashes or a backslash, which browsers
/// would take for a host.
std::string encode_path(std::string_view path);

/// Returns a query that can stand in a `Location` (RFC 3986 §3.4), likewise.
std::string encode_query(std::string_view query);

/// Returns what stands behind the origin in a `Location` that leads to the page: the two of them, encoded.
std::string location_of(const Target& target);

}  // namespace postern::gate
