// Decides whether pages, redirects and cookies arrive unchanged, and whether the web server lets strangers sign
// in.
#include "cli/doctor/live/live.h"
#include "cli/files.h"
#include "http/url.h"
#include "store/refusals.h"
#include "util/base64.h"
#include "util/text.h"
#include "web/browser.h"

namespace postern::cli {
namespace {

constexpr const char* kSomeOrigin = "https://postern-doctor.invalid";

void expect_no_readers(Findings& findings, const Site& site, const std::string& path, const HttpResponse& answer) {
    if (!answer.has("Access-Control-Allow-Origin")) return;
    findings.error(
        "CORS", "pages of other sites can read " + path,
        fix_for(site, {"remove `Header set Access-Control-Allow-Origin` for the pages",
                       "remove `add_header Access-Control-Allow-Origin` for the pages",
                       "remove Access-Control-Allow-Origin from `setenv.add-response-header` for the pages"}));
}

/// The page about an unknown client: nothing but the request decides what is in it.
void evaluate_page(Findings& findings, const Site& site, const HttpResponse& answer) {
    const std::string path = site.settings().paths.authorize;
    if (!is_answered(findings, site, path, answer)) return;
    expect_common_headers(findings, site, path, answer, Caching::forbidden);
    expect_header(findings, site, path, answer, "X-Frame-Options", "DENY");
    expect_header(findings, site, path, answer, "Content-Type", "text/html; charset=utf-8");
    const auto policies = answer.all("Content-Security-Policy");
    const bool ours = policies.size() == 1 && policies.front().starts_with("default-src 'none'; ") &&
                      policies.front().ends_with("; frame-ancestors 'none'");
    if (!ours) expect_header(findings, site, path, answer, "Content-Security-Policy", "default-src 'none'; ...");
    expect_no_readers(findings, site, path, answer);
    if (answer.status == 400) return;
    findings.error(
        "endpoints",
        path + " answers " + std::to_string(answer.status) + " to an unknown application, not a page with 400",
        fix_for(site, {"remove `ErrorDocument` and `ProxyErrorOverride` for this path",
                       "remove `fastcgi_intercept_errors` and `error_page` for this path",
                       "remove `server.errorfile-prefix` and `server.error-handler` for this path"}));
}

/// Without its value, which is a browser's.
std::string attributes_of(const std::string& cookie) {
    const auto semicolon = cookie.find(';');
    return cookie.substr(0, cookie.find('=')) + "=..." + (semicolon == cookie.npos ? "" : cookie.substr(semicolon));
}

void evaluate_sign_in(Findings& findings, const Site& site, const HttpResponse& answer) {
    const auto& settings = site.settings();
    if (!is_answered(findings, site, settings.paths.authorize, answer)) return;
    const std::string wanted = settings.url(settings.paths.login) + "?resume=";
    if (answer.status != 303 || !answer.first("Location").starts_with(wanted))
        return findings.error("redirects",
                              "a sign-in gets " + std::to_string(answer.status) + " and leads to \"" +
                                  answer.first("Location").substr(0, wanted.size()) + "\", not to " + wanted,
                              fix_for(site, {"remove `ProxyPassReverse` and `Header edit Location` for the endpoints",
                                             "remove `proxy_redirect` for the endpoints",
                                             "remove what rewrites Location for the endpoints"}));
    const auto names = web::cookie_names(settings.issuer);
    const std::string sent = attributes_of(http::set_cookie(names.browser, "x", names.security));
    std::string arrived;
    int count = 0;
    for (const std::string& cookie : answer.all("Set-Cookie")) {
        if (attributes_of(cookie) == sent) ++count;
        if (cookie.find("postern") != cookie.npos || arrived.empty()) arrived = attributes_of(cookie);
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

/// The word by which `postern why` knows the refusal, "" when the web server refused before.
std::string refusal_of(const Site& site, const HttpResponse& answer) {
    const auto refusal = store::RefusalRing::find(ring_path(site.config.database), answer.first("X-Request-Id"));
    return refusal ? refusal->error : "";
}

/// Password pages have no use for the header; the web server must not ask for it before them.
void evaluate_login_page(Findings& findings, const Site& site, const HttpResponse& answer) {
    const std::string path = site.settings().paths.login;
    const auto names = web::cookie_names(site.settings().issuer);
    for (const std::string& cookie : answer.all("Set-Cookie"))
        if (cookie.starts_with(names.session + "="))
            findings.error("remote user", "made-up credentials at " + path + " start a session",
                           "stop the web server; another program answers there");
    if (answer.status == 401 && !answer.has("X-Request-Id"))
        return findings.error(
            "remote user", "the web server itself asks for a login at " + path + ", and then Postern for another one",
            "exclude the path from its authentication, or set \"login\": {\"method\": \"remote_user\"}");
    if (!is_answered(findings, site, path, answer)) return;
    expect_common_headers(findings, site, path, answer, Caching::forbidden);
    expect_no_readers(findings, site, path, answer);
}

/// Whoever is not known to the web server must not get as far as Postern with a name.
void evaluate_remote_login(Findings& findings, const Site& site, const HttpResponse& answer) {
    const std::string path = site.settings().paths.login;
    if (!answer.has("X-Request-Id")) {
        if (answer.status >= 300 && answer.status < 500 && answer.status != 404) return;
        return findings.error("endpoints",
                              path + " is answered by the web server itself (" + std::to_string(answer.status) + ")",
                              "protect the path and give it to the program `login`");
    }
    const std::string error = refusal_of(site, answer);
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
    const std::string origin = std::string("Origin: ") + kSomeOrigin;
    const std::string login = settings.url(settings.paths.login);
    const std::string basic = "Authorization: Basic " + util::base64_encode(site.stranger + ":" + site.stranger);
    const bool remote = settings.login.method == oauth::LoginMethod::remote_user;
    std::vector<Probe> probes = {
        {"headers", {http::with_query(authorize, {{"client_id", site.stranger}}), "GET", {origin}}, evaluate_page},
        {"remote user",
         {login, "GET", {basic, origin, "Remote-User: " + site.stranger}},
         remote ? evaluate_remote_login : evaluate_login_page},
        {"remote user",
         {login, "GET", {origin, "Remote-User: " + site.stranger, "REMOTE_USER: " + site.stranger}},
         remote ? evaluate_remote_login : evaluate_login_page},
    };
    if (!site.client) return probes;
    // RFC 7636 appendix B: the challenge of a verifier that everybody knows. Nothing is stored for it.
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
