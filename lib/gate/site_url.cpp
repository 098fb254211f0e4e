// Decides which URLs can be protected as a site: a table of rules about the parsed URL, behind those of redirect URIs.
#include "gate/site_url.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/redirect_rules.h"
#include "util/text.h"

namespace postern::gate {
namespace {

bool is_web(const http::UrlParts& url) { return url.scheme == "https" || url.scheme == "http"; }

/// Of a URL that http::normalize_url has written. Browsers and proxies know one spelling of an IPv6 address, and URLs
/// have many.
std::string origin_of(const http::UrlParts& url) {
    const std::string origin = url.scheme + "://" + http::canonical_host(url.host);
    return url.port.empty() ? origin : origin + ":" + url.port;
}

bool has_dot_segment(std::string_view path) {
    return std::ranges::any_of(util::split(path, '/'),
                               [](std::string_view segment) { return segment == "." || segment == ".."; });
}

/// Letters, digits and marks that no web server decodes, so that a path has one spelling.
bool is_plain(std::string_view path) {
    return std::ranges::all_of(path, [](char c) {
        return util::is_letter(c) || util::is_digit(c) || std::string_view("/-._~").find(c) != std::string_view::npos;
    });
}

bool names_own_segment(std::string_view path) {
    const auto segments = util::split(path, '/');
    return std::ranges::find(segments, kOwnSegment) != segments.end();
}

struct Asked {
    http::UrlParts url;
    std::optional<http::UrlParts> issuer;
};

struct Rule {
    bool (*broken)(const Asked&);
    const char* reason;
};

const Rule kRules[] = {
    {[](const Asked& asked) { return !is_web(asked.url); }, "is not an https URL; a site is a part of the web"},
    {[](const Asked& asked) { return asked.url.query.has_value(); },
     "has a query; write the URL below which the pages of the site are"},
    {[](const Asked& asked) { return has_dot_segment(asked.url.path); },
     "has a segment . or .. in its path, which browsers remove; write the path in full"},
    {[](const Asked& asked) { return asked.url.path.find("//") != asked.url.path.npos; },
     "has // in its path, which web servers read as /; write it once"},
    {[](const Asked& asked) { return !is_plain(asked.url.path); },
     "has a path with other characters than letters, digits and - . _ ~, which web servers and applications may read "
     "in several ways; protect the path above it"},
    {[](const Asked& asked) { return names_own_segment(asked.url.path); },
     "has the segment .postern in its path, below which the gate answers itself"},
    {[](const Asked& asked) { return asked.url.host.ends_with('.'); },
     "has a dot behind the host, which browsers take for another host; remove it"},
    {[](const Asked& asked) {
         return asked.url.scheme == "http" &&
                !(http::is_loopback_http(asked.url) && asked.issuer && http::is_loopback_http(*asked.issuer));
     },
     "is http, where everybody on the way can read the cookie; use https (http is for a loopback host whose issuer is "
     "http on a loopback host, too)"},
};

}  // namespace

std::string SiteUrl::own(std::string_view page) const { return str().append(kOwnSegment).append("/").append(page); }

std::string SiteUrl::cookie_path() const { return path == "/" ? path : path.substr(0, path.size() - 1); }

util::Result<SiteUrl, std::string> parse_site_url(std::string_view text, std::string_view issuer) {
    // Also what makes it no redirect URI: the callback is below it.
    if (const auto problem = oauth::redirect_uri_problem(text, false)) return *problem;
    const auto normalized = http::normalize_url(text);
    const auto url = normalized ? http::parse_url(*normalized) : std::nullopt;
    if (!url) return std::string("is not a URL");
    const Asked asked{*url, http::parse_url(issuer)};
    for (const Rule& rule : kRules)
        if (rule.broken(asked)) return std::string(rule.reason);
    SiteUrl site{origin_of(*url), asked.url.path};
    if (!site.path.ends_with('/')) site.path += '/';
    if (const auto problem = oauth::redirect_uri_problem(site.own("callback"), false)) return *problem;
    return site;
}

bool is_on_issuer_host(const SiteUrl& site, std::string_view issuer) {
    const auto ours = http::parse_url(issuer);
    const auto theirs = http::parse_url(site.origin);
    return ours && theirs && http::canonical_host(ours->host) == http::canonical_host(theirs->host);
}

std::optional<std::string> parse_origin(std::string_view text) {
    const auto normalized = http::normalize_url(text);
    const auto url = normalized ? http::parse_url(*normalized) : std::nullopt;
    if (!url || !is_web(*url) || url->host.empty() || url->has_user_info || url->query || url->fragment)
        return std::nullopt;
    if (url->path != "/" || text.ends_with('/')) return std::nullopt;
    if (url->has_port && !util::parse_port(url->port)) return std::nullopt;
    return origin_of(*url);
}

}  // namespace postern::gate
