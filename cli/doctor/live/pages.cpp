// Decides whether pages, redirects and cookies arrive unchanged, and whether the web server lets strangers sign
// in.
#include "cli/doctor/live/live.h"
#include "cli/files.h"
#include "http/url.h"
#include "login/browser.h"
#include "server/refusal_ring.h"
#include "util/base64.h"

namespace postern::cli {
namespace {

const std::string kForeignOrigin = "https://postern-doctor.invalid";

void expect_no_cors(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    if (!response.has("Access-Control-Allow-Origin")) return;
    findings.error(
        "CORS", "pages of other sites can read " + path,
        fix_for(site, {"remove `Header set Access-Control-Allow-Origin` for the pages",
                       "remove `add_header Access-Control-Allow-Origin` for the pages",
                       "remove Access-Control-Allow-Origin from `setenv.add-response-header` for the pages"}));
}

/// The page for an unknown client: its content depends on the request only.
void evaluate_page(Findings& findings, const Site& site, const HttpResponse& response) {
    const std::string path = site.settings().paths.authorize;
    if (!is_from_postern(findings, site, path, response)) return;
    expect_common_headers(findings, site, path, response, Caching::forbidden);
    expect_header(findings, site, path, response, "X-Frame-Options", "DENY");
    expect_header(findings, site, path, response, "Content-Type", "text/html; charset=utf-8");
    const auto policies = response.all("Content-Security-Policy");
    const bool ours = policies.size() == 1 && policies.front().starts_with("default-src 'none'; ") &&
                      policies.front().ends_with("; frame-ancestors 'none'");
    if (!ours) expect_header(findings, site, path, response, "Content-Security-Policy", "default-src 'none'; ...");
    expect_no_cors(findings, site, path, response);
    if (response.status == 400) return;
    findings.error(
        "endpoints",
        path + " answers " + std::to_string(response.status) + " to an unknown application, not a page with 400",
        fix_for(site, {"remove `ErrorDocument` and `ProxyErrorOverride` for this path",
                       "remove `fastcgi_intercept_errors` and `error_page` for this path",
                       "remove `server.errorfile-prefix` and `server.error-handler` for this path"}));
}

/// The cookie without its value, and `browser` for the name of a browser's, which ends in the second it was planted.
std::string attributes_of(const std::string& cookie, const std::string& browser) {
    const auto semicolon = cookie.find(';');
    const std::string name = cookie.substr(0, cookie.find('='));
    return (login::is_browser_cookie(name, browser) ? browser : name) + "=..." +
           (semicolon == cookie.npos ? "" : cookie.substr(semicolon));
}

void evaluate_sign_in(Findings& findings, const Site& site, const HttpResponse& response) {
    const auto& settings = site.settings();
    if (!is_from_postern(findings, site, settings.paths.authorize, response)) return;
    const std::string wanted = settings.url(settings.paths.login) + "?resume=";
    if (response.status != 303 || !response.first("Location").starts_with(wanted))
        return findings.error("redirects",
                              "a sign-in gets " + std::to_string(response.status) + " and leads to \"" +
                                  response.first("Location").substr(0, wanted.size()) + "\", not to " + wanted,
                              fix_for(site, {"remove `ProxyPassReverse` and `Header edit Location` for the endpoints",
                                             "remove `proxy_redirect` for the endpoints",
                                             "remove what rewrites Location for the endpoints"}));
    const auto names = login::cookie_names(settings);
    const std::string sent = attributes_of(http::set_cookie(names.browser, "x", names.security), names.browser);
    std::string arrived;
    int count = 0;
    for (const std::string& cookie : response.all("Set-Cookie")) {
        const std::string attributes = attributes_of(cookie, names.browser);
        if (attributes == sent) ++count;
        if (cookie.find("postern") != cookie.npos || arrived.empty()) arrived = attributes;
    }
    if (count == 1) return;
    findings.error(
        "cookies",
        "the cookie " + sent + " arrives " +
            (count > 1         ? "twice"
             : arrived.empty() ? "not at all"
                               : "as " + arrived),
        fix_for(
            site,
            {"remove `Header unset/edit Set-Cookie` and `ProxyPassReverseCookiePath` for the endpoints",
             "remove `fastcgi_hide_header Set-Cookie;`, `proxy_cookie_flags` and `proxy_cookie_path` for the endpoints",
             "remove what changes Set-Cookie for the endpoints"}));
}

/// The recorded error code, or "" if the web server refused the request first.
std::string refusal_of(const Site& site, const HttpResponse& response) {
    const auto refusal = server::RefusalRing::find(site.config.ring_path(), response.first("X-Request-Id"));
    return refusal ? refusal->error : "";
}

/// The password page ignores the Authorization header; the web server must not require one in front of it.
void evaluate_login_page(Findings& findings, const Site& site, const HttpResponse& response) {
    const std::string path = site.settings().paths.login;
    const auto names = login::cookie_names(site.settings());
    for (const std::string& cookie : response.all("Set-Cookie"))
        if (cookie.starts_with(names.session + "="))
            findings.error("remote user", "made-up credentials at " + path + " start a session",
                           "stop the web server; another program answers there");
    if (response.status == 401 && !response.has("X-Request-Id"))
        return findings.error(
            "remote user", "the web server itself asks for a login at " + path + ", and then Postern for another one",
            "exclude the path from its authentication, or set \"login\": {\"method\": \"remote_user\"}");
    if (!is_from_postern(findings, site, path, response)) return;
    expect_common_headers(findings, site, path, response, Caching::forbidden);
    expect_no_cors(findings, site, path, response);
}

/// A request that the web server did not authenticate must not reach Postern with a user name.
void evaluate_remote_login(Findings& findings, const Site& site, const HttpResponse& response) {
    const std::string path = site.settings().paths.login;
    if (!response.has("X-Request-Id")) {
        if (response.status >= 300 && response.status < 500 && response.status != 404) return;
        return findings.error("endpoints",
                              path + " is answered by the web server itself (" + std::to_string(response.status) + ")",
                              "protect the path and give it to the program `login`");
    }
    const std::string error = refusal_of(site, response);
    if (error == "remote_user_missing")
        return findings.error(
            "remote user",
            "the web server does not require authentication at " + path +
                "; Postern rejects the request, so nobody can sign in",
            fix_for(site, {"`AuthType ...` and `Require valid-user` for the path",
                           "`auth_request` for the path, and `fastcgi_param` with the name that it returns",
                           "`auth.require` for the path"}));
    findings.error(
        "remote user", "a made-up name with a made-up password is accepted at " + path,
        "stop the web server now, then require a verified login: " +
            fix_for(site, {"`Require valid-user` with an `AuthBasicProvider` that checks passwords (no `anon`)",
                           "remove `fastcgi_param REMOTE_USER $remote_user;` and AUTH_TYPE for the path: nginx has not "
                           "checked that name",
                           "`auth.require` with an `auth.backend` for the path"}));
}

}  // namespace

std::vector<Probe> page_probes(const Site& site) {
    const auto& settings = site.settings();
    const std::string authorize = settings.url(settings.paths.authorize);
    const std::string origin = "Origin: " + kForeignOrigin;
    const std::string login = settings.url(settings.paths.login);
    const std::string basic =
        "Authorization: Basic " + util::base64_encode(site.unknown_name + ":" + site.unknown_name);
    const bool remote = settings.login.method == login::Method::remote_user;
    std::vector<Probe> probes = {
        {"headers", {http::with_query(authorize, {{"client_id", site.unknown_name}}), "GET", {origin}}, evaluate_page},
        {"remote user",
         {login, "GET", {basic, origin, "Remote-User: " + site.unknown_name}},
         remote ? evaluate_remote_login : evaluate_login_page},
        {"remote user",
         {login, "GET", {origin, "Remote-User: " + site.unknown_name, "REMOTE_USER: " + site.unknown_name}},
         remote ? evaluate_remote_login : evaluate_login_page},
    };
    if (!site.client) return probes;
    // RFC 7636 appendix B: a published challenge. The request stores nothing.
    const std::string sign_in =
        http::with_query(authorize, {{"response_type", "code"},
                                     {"client_id", site.client->id.str()},
                                     {"redirect_uri", site.client->redirect_uris.front()},
                                     {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
                                     {"code_challenge_method", "S256"}});
    probes.push_back({"cookies", {sign_in}, evaluate_sign_in});
    probes.push_back({"redirects", {sign_in}, evaluate_sign_in});
    return probes;
}

}  // namespace postern::cli
