// Decides whether the server can be reached, and whether its certificate, TLS and clock are right.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "cli/doctor/live/live.h"
#include "cli/output.h"
#include "http/url.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr util::Seconds kRenewBefore{14 * 24 * 3600};
constexpr util::Seconds kClockDoubtful{5};
constexpr util::Seconds kClockWrong{60};

/// The first row that fits an error of curl names its check and its fix.
struct CurlFailure {
    int exit_code;
    std::string_view contains;  ///< a part of curl's message; "": any message
    const char* check;
    const char* fix;
};

constexpr CurlFailure kFailures[] = {
    {6, "", "connection", "make the name of the issuer resolve, or name the server with --connect HOST:PORT"},
    {7, "", "connection", "start the web server, let it listen there, and open the firewall"},
    {28, "", "connection", "open the firewall; check whether the web server answers at all"},
    {60, "has expired", "certificate", "renew it (`certbot renew`), then reload the web server"},
    {60, "not yet valid", "certificate", "set the clock of this machine (`timedatectl set-ntp true`)"},
    {60, "self-signed", "certificate",
     "get one from a public certificate authority (`certbot`), or give your own authority's file with --ca"},
    {60, "self signed", "certificate",
     "get one from a public certificate authority (`certbot`), or give your own authority's file with --ca"},
    {60, "subject name", "certificate",
     "get one for the host of the issuer, or give the virtual host of that name its own certificate"},
    {60, "", "certificate",
     "let the web server send the intermediate certificates too: Apache `SSLCertificateFile`, nginx `ssl_certificate`, "
     "lighttpd `ssl.pemfile` name fullchain.pem; or give your own authority's file with --ca"},
    {77, "", "certificate", "name a readable PEM file with --ca"},
    {35, "", "tls", "let the port speak TLS: Apache `SSLEngine on`, nginx `listen 443 ssl;`, lighttpd `ssl.engine`"},
    {0, "", "connection", "see the web server's error log"},
};

void report_failure(Findings& findings, const HttpRequest& request, const HttpResponse& response) {
    const auto* row = std::find_if(std::begin(kFailures), std::end(kFailures) - 1, [&](const CurlFailure& candidate) {
        return candidate.exit_code == response.failure &&
               response.message.find(candidate.contains) != std::string::npos;
    });
    findings.error(row->check, request.url + ": " + response.message, row->fix);
}

/// "Nov 23 08:00:00 2026 GMT", "Mon, 23 Nov 2026 08:00:00 GMT" (RFC 9110 §5.6.7).
std::optional<util::Time> parse_date(const std::string& text, const char* format) {
    struct tm parts {};
    if (strptime(text.c_str(), format, &parts) == nullptr) return std::nullopt;
    return util::from_epoch(timegm(&parts));
}

/// The rest of the line after `label` in curl's trace.
std::string trace_value(const HttpResponse& response, std::string_view label) {
    const auto at = response.trace.find(label);
    if (at == std::string::npos) return "";
    const auto from = at + label.size();
    return std::string(
        util::trim(std::string_view(response.trace).substr(from, response.trace.find('\n', from) - from)));
}

void check_certificate(Findings& findings, const HttpResponse& response) {
    const auto expires = parse_date(trace_value(response, "expire date:"), "%b %d %H:%M:%S %Y GMT");
    if (!expires) return findings.ok("certificate", "verified");  // this build of curl does not log the dates
    if (*expires < response.received_at + kRenewBefore)
        findings.warning("certificate", "it expires at " + to_text(*expires),
                         "renew it (`certbot renew`), reload the web server, and let a timer do both from now on");
    else
        findings.ok("certificate", "verified and valid until " + to_text(*expires));
}

void check_server_clock(Findings& findings, const HttpResponse& response) {
    const auto date = parse_date(response.first("Date"), "%a, %d %b %Y %H:%M:%S GMT");
    if (!date) {
        return findings.warning("server clock", "the server sends no readable Date header",
                                "let the web server send it (RFC 9110 section 6.6.1)");
    }
    // Any time between sending the request and receiving the response is correct.
    const util::Seconds off = *date < response.sent_at       ? *date - response.sent_at
                              : *date > response.received_at ? *date - response.received_at
                                                             : util::Seconds{0};
    const std::string detail = "the server's clock is " + std::to_string(std::abs(off.count())) + " seconds " +
                               (off.count() < 0 ? "behind" : "ahead of") + " the clock here";
    const char* fix = "set both clocks by NTP (`timedatectl set-ntp true`)";
    if (std::chrono::abs(off) > kClockWrong) return findings.error("server clock", detail, fix);
    if (std::chrono::abs(off) > kClockDoubtful) return findings.warning("server clock", detail, fix);
    findings.ok("server clock", "agrees with the clock here");
}

/// RFC 8996. The cipher list allows curl itself to use such old versions.
void check_old_tls(Findings& findings, const Site& site, const WebClient& client) {
    HttpRequest request{site.settings().url(site.settings().paths.jwks)};
    request.options = {{"tlsv1.0", ""}, {"tls-max", "1.1"}, {"ciphers", "DEFAULT@SECLEVEL=0"}, {"insecure", ""}};
    if (client.send(request).failure != 0) return findings.ok("tls", "version 1.2 or later");
    findings.error("tls", "the server speaks TLS 1.1 or older",
                   fix_for(site, {"`SSLProtocol -all +TLSv1.2 +TLSv1.3`", "`ssl_protocols TLSv1.2 TLSv1.3;`",
                                  "`ssl.openssl.ssl-conf-cmd = (\"MinProtocol\" => \"TLSv1.2\")`"}));
}

/// Only if the issuer has the default port: otherwise port 80 may belong to another service.
void check_plain_http(Findings& findings, const Site& site, const WebClient& client) {
    const auto url = http::parse_url(site.settings().issuer);
    if (!url || url->has_port) return;
    const HttpResponse response = client.send({"http" + site.settings().url(site.settings().paths.jwks).substr(5)});
    const bool redirects = response.status / 100 == 3 && response.first("Location").starts_with("https://");
    if (response.failure != 0) return findings.ok("plain http", "closed");
    if (redirects) return findings.ok("plain http", "redirects to https");
    const std::string detail = "http://" + url->host + " answers " + std::to_string(response.status) + " at this path";
    // Debian's default site has no ServerName, so it uses the host name, which may be the issuer's, and it comes first.
    const std::string fix =
        fix_for(site, {"`Redirect permanent / " + site.origin +
                           "/` in the virtual host of port 80; if it is there, another site has the "
                           "same name (`apachectl -S`), often the default one (`a2dissite 000-default`)",
                       "`return 301 https://$host$request_uri;` in the server of port 80",
                       "`url.redirect = (\"\" => \"https://${url.authority}${url.path}${qsa}\")`"});
    if (response.status == 200)
        return findings.error("plain http", detail + ", where anyone on the network can read it", fix);
    findings.warning("plain http", detail + " instead of redirecting to https", fix);
}

}  // namespace

bool check_connection(Findings& findings, Site& site, const WebClient& client) {
    HttpRequest request{site.settings().url(site.settings().paths.jwks)};
    request.options = {{"verbose", ""}};
    const HttpResponse response = client.send(request);
    if (response.failure != 0) {
        report_failure(findings, request, response);
        return false;
    }
    site.software = response.first("Server");
    findings.ok("connection", request.url + " answers " + std::to_string(response.status));
    if (site.is_https()) {
        check_certificate(findings, response);
        check_old_tls(findings, site, client);
        check_plain_http(findings, site, client);
    }
    check_server_clock(findings, response);
    return true;
}

}  // namespace postern::cli
