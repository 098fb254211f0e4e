// Which URLs, paths and names the configuration accepts; the faults of a key's value, and how those of a list's items
// and an object's members are named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/values.h"
#include "json/value.h"

namespace postern::config {

/// The fault of a value, as the words after the key's name ("must be ..."); nullopt: it is accepted.
using Fault = std::optional<std::string>;

/// Accepts an absolute https URL (http on a loopback host only) in its one canonical spelling, without query, fragment,
/// user information or trailing slash (RFC 8414 §2): clients compare issuers byte by byte.
Fault issuer_fault(std::string_view issuer);

/// Accepts a host's name in lower case, without port, of two labels at least or `localhost`: a browser has passkeys for
/// no more than one site (WebAuthn §5.1.2), and for no IP address.
Fault rp_id_fault(std::string_view rp_id);

/// Returns whether a URL's host is an IPv4 or IPv6 address rather than a name: a last label that is a number makes it
/// one (URL Standard §3.5).
bool is_address(std::string_view host);

/// Accepts a path below the issuer: "/" first and not last, segments of unreserved characters (RFC 3986 §2.3), so that
/// it has one spelling in REQUEST_URI.
Fault path_fault(std::string_view path);

/// Accepts an absolute file name: the working directory of a CGI program is the web server's choice.
Fault file_fault(std::string_view name);

/// Accepts the name of a CGI variable that the web server's own modules set. Refuses every one that a client can fill:
/// headers (HTTP_*), the variables of the request itself (RFC 3875 §4.1), and Apache's REDIRECT_ copies of both
/// (docs/decisions/0018-remote-user.md).
Fault variable_fault(std::string_view name);

/// Accepts what variable_fault accepts, and the web server's word about the certificate.
Fault verify_variable_fault(std::string_view name);

/// Accepts an https URL as issuer_fault does.
Fault alias_fault(std::string_view url);

/// Accepts a claim that a variable can hold: of OpenID Connect Core §5.1 those that are text, true or false.
Fault environment_claim_fault(std::string_view claim);

/// Accepts an absolute https URL (http on a loopback host only) without fragment and user information. `{return}` may
/// occur in its query, once.
Fault logout_redirect_fault(std::string_view url);

/// Accepts "http://HOST:PORT": the TLS is that of the host behind the proxy.
Fault proxy_fault(std::string_view proxy);

/// Accepts a language tag such as "de" or "pt-BR".
Fault language_fault(std::string_view tag);

/// Returns the number of edits (insert, delete, replace; case is ignored) between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the known word that is nearest to `word` by edits, when it is near enough to be a slip of the pen.
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

/// The problems of one value. Their keys are relative to the key that was read: "" is that key itself, "[1]" and
/// ".name" are items of its value.
using Problems = std::vector<ConfigProblem>;

/// Puts a value into the configuration, or returns the problems of that value.
using Apply = std::function<Problems(Config&, const json::Value&)>;

inline Problems wrong(std::string reason) { return {{"", std::move(reason)}}; }

/// Calls `read`, which returns a Fault, with each item of a list.
template <class Read>
Problems read_each(const json::Array& list, Read read) {
    Problems problems;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (const Fault fault = read(list[i])) problems.push_back({"[" + std::to_string(i) + "]", *fault});
    return problems;
}

/// Calls `read`, which returns a Fault, with the name and the value of each member of an object.
template <class Read>
Problems read_each(const json::Object& object, Read read) {
    Problems problems;
    for (const auto& [name, value] : object.members())
        if (const Fault fault = read(name, value)) problems.push_back({"." + name, *fault});
    return problems;
}

}  // namespace postern::config
