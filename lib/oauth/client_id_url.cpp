// Can this URL be the id of a client that a document describes? A list of rules about its text, one about its parts.
#include "oauth/client_id_url.h"

#include <arpa/inet.h>

#include <algorithm>

#include "fetch/allowed.h"
#include "http/url.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr std::size_t kLongestHost = 253;  // RFC 1035 §2.3.4

/// An address in its one spelling: what inet_ntop writes.
bool is_address(int family, const std::string& text) {
    unsigned char bytes[sizeof(in6_addr)];
    char written[INET6_ADDRSTRLEN];
    return ::inet_pton(family, text.c_str(), bytes) == 1 &&
           ::inet_ntop(family, bytes, written, sizeof written) != nullptr && text == written;
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
           std::ranges::all_of(label, [](char c) { return (c >= 'a' && c <= 'z') || util::is_digit(c) || c == '-'; });
}

bool is_name(std::string_view name) {
    return name.size() <= kLongestHost && !fetch::ends_in_number(name) &&
           std::ranges::all_of(util::split(name, '.'), is_label);
}

bool has_dot_segment(std::string_view decoded_path) {
    return std::ranges::any_of(util::split(decoded_path, '/'),
                               [](std::string_view segment) { return segment == "." || segment == ".."; });
}

/// Returns the path as a server that decodes it would see it.
std::string decoded(const std::string& path) { return util::form_decode(path).value_or(std::string(1, '\0')); }

struct TextRule {
    bool (*broken)(std::string_view);
    const char* reason;
};
constexpr TextRule kTextRules[] = {
    {[](std::string_view url) { return url.size() > kMaxClientIdUrlBytes; }, "is longer than 512 bytes"},
    {[](std::string_view url) { return !is_client_id_url(url); }, "does not begin with https://, in lower case"},
    {[](std::string_view url) { return !util::is_vschar(url) || url.find_first_of(" \\") != url.npos; },
     "has a control character, a space, a backslash or a character beyond ASCII"},
};

struct UrlRule {
    bool (*broken)(const http::UrlParts&);
    const char* reason;
};
constexpr UrlRule kUrlRules[] = {
    {[](const http::UrlParts& url) { return url.fragment.has_value(); }, "has a fragment (#...)"},
    {[](const http::UrlParts& url) { return url.has_user_info; }, "has a user name before the host (...@host)"},
    {[](const http::UrlParts& url) { return !is_lower_case_host(url.host); },
     "has a host that is not a name in lower case, nor an IP address in its usual spelling"},
    {[](const http::UrlParts& url) { return url.path.empty(); }, "has no path behind the host"},
    {[](const http::UrlParts& url) { return has_dot_segment(url.path) || has_dot_segment(decoded(url.path)); },
     "has a segment . or .. in its path"},
    {[](const http::UrlParts& url) {
         const std::string path = decoded(url.path);
         return util::has_control_bytes(path) || path.find('\\') != path.npos;
     },
     "has an encoded control character or backslash in its path"},
};

bool has_other_port(const http::UrlParts& url, const std::vector<std::uint16_t>& ports) {
    const auto port = url.has_port ? util::parse_port(url.port) : 443;
    return !port || std::ranges::find(ports, *port) == ports.end();
}

bool matches(const std::string& pattern, std::string_view host) {
    return pattern.starts_with("*.") ? host.ends_with(pattern.substr(1)) : host == pattern;
}

bool is_of_allowed_host(const ClientDocuments& documents, const model::ClientId& id) {
    const std::string host = host_of_id(id);
    return documents.enabled && is_named_host(documents.allow, host) && !is_named_host(documents.deny, host);
}

}  // namespace

bool is_lower_case_host(const std::string& host) {
    if (host.starts_with('[')) return is_address(AF_INET6, host.substr(1, host.size() - 2));
    return is_name(host) || is_address(AF_INET, host);
}

bool is_named_host(const std::vector<std::string>& patterns, std::string_view host) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, host); });
}

std::optional<std::string> client_id_url_problem(std::string_view url, const std::vector<std::uint16_t>& ports) {
    for (const TextRule& rule : kTextRules)
        if (rule.broken(url)) return rule.reason;
    const auto parts = http::parse_url(url);
    if (!parts) return "is not a URL";
    for (const UrlRule& rule : kUrlRules)
        if (rule.broken(*parts)) return rule.reason;
    if (has_other_port(*parts, ports)) return "has a port that outbound.ports does not name";
    return std::nullopt;
}

std::optional<HostProblem> client_id_host_problem(const Settings& settings, std::string_view host) {
    const auto issuer = http::parse_url(settings.issuer);
    if (issuer && util::to_lower(issuer->host) == host)
        return HostProblem{Reason::client_document_refused_url, "is on the host of this server itself"};
    const ClientDocuments& documents = settings.client_documents;
    if (is_named_host(documents.deny, host))
        return HostProblem{Reason::client_document_refused_denied, "is on a host that clientDocuments.deny names"};
    if (!documents.allow.empty() && !is_named_host(documents.allow, host))
        return HostProblem{Reason::client_document_refused_not_allowed,
                           "is on a host that clientDocuments.allow does not name"};
    return std::nullopt;
}

std::string host_of_id(const model::ClientId& id) { return http::parse_url(id.str()).value().host; }

bool is_known_to_operator(const Settings& settings, const model::Client& client, std::string_view address) {
    if (client.origin == model::Origin::document) return is_of_allowed_host(settings.client_documents, client.id);
    if (!model::is_of_stranger(client)) return true;
    const auto url = http::parse_url(address);
    return url && url->scheme == "https" && is_named_host(settings.registration.hosts, util::to_lower(url->host));
}

std::optional<std::string> host_pattern_problem(std::string_view pattern) {
    const std::string host(pattern.starts_with("*.") ? pattern.substr(2) : pattern);
    if (is_name(host) || (host == pattern && is_lower_case_host(host))) return std::nullopt;
    return "must be a host in lower case, without scheme, port and path, or \"*.\" and the end of hosts, such as "
           "\"*.example.org\"";
}

}  // namespace postern::oauth
