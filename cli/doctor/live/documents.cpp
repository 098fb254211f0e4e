// Checks that key set and discovery documents arrive unchanged at their locations, whatever the request contains.
#include <algorithm>

#include "cli/doctor/live/live.h"
#include "cli/related_origin.h"
#include "jose/jwk.h"
#include "json/reader.h"
#include "json/writer.h"
#include "keys/keys.h"
#include "oidc/discovery.h"

namespace postern::cli {
namespace {

const std::string kForeign = "postern-doctor.invalid";
const std::string kForeignOrigin = "https://" + kForeign;

std::string expected_metadata(const Site& site) {
    return json::write(oidc::discovery(site.settings(), site.config.offered_languages()));
}

std::string jwks_path(const Site& site) { return site.settings().paths.jwks; }

void expect_open_document(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    expect_common_headers(findings, site, path, response, Caching::allowed);
    const auto readers = response.all("Access-Control-Allow-Origin");
    // "*" comes from a file that the web server sends itself.
    if (readers.size() == 1 && (readers.front() == kForeignOrigin || readers.front() == "*")) return;
    findings.error(
        "CORS",
        path + ": Access-Control-Allow-Origin arrives " +
            (readers.size() == 1 ? "as \"" + readers.front() + "\"" : std::to_string(readers.size()) + " times") +
            ", so applications in the browser cannot read it",
        fix_for(
            site,
            {"remove `Header set/unset Access-Control-Allow-Origin` for this path: Postern sends it",
             "remove `add_header`/`fastcgi_hide_header Access-Control-Allow-Origin` for this path: Postern sends it",
             "remove it from `setenv.add-response-header` for this path: Postern sends it"}));
}

void expect_length(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    if (response.first("Content-Length") == std::to_string(response.body.size()) || response.has("Content-Encoding"))
        return;
    findings.warning(
        "content length", path + " arrives without its Content-Length",
        fix_for(site, {"`SetEnv ap_trust_cgilike_cl 1` for the programs, and no output filters (`SetEnv no-gzip 1`; no "
                       "mod_substitute)",
                       "remove `sub_filter`, `ssi` and `gzip` for this path",
                       "set `server.stream-response-body = 0` for this path"}));
}

void evaluate_keys(Findings& findings, const Site& site, const HttpResponse& response) {
    const std::string path = jwks_path(site);
    if (!is_from_postern(findings, site, path, response)) return;
    try {
        const keys::Keys keys(site.config.keys, keys::KeyUse::publish, false);
        if (response.body != json::write(jose::to_json(keys.published())))
            findings.error(
                "key set", path + " differs from " + site.config.keys + "/jwks.json",
                "another installation answers there, or a cache keeps an old one: compare POSTERN_CONFIG of the "
                "serving processes with --config of this command, and run `postern publish` again where files are "
                "served");
    } catch (const std::exception&) {  // reported by check_keys
    }
    expect_open_document(findings, site, path, response);
    expect_length(findings, site, path, response);
}

void evaluate_metadata(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    const std::string said = text_member(response, "issuer");
    if (response.status == 200 && said.empty())
        return findings.error("well-known", path + " is not a discovery document",
                              "serve it with the program `discovery`");
    if (response.status != 200) {
        return findings.error(
            "well-known", path + " answers " + std::to_string(response.status),
            fix_for(site, {"`ScriptAlias \"" + path + "\"` to the program `discovery`, as in apache-example.conf",
                           "`location = " + path + "` for the program `discovery`, as in examples/nginx",
                           "`\"" + path + "\"` for the program `discovery`, as in examples/lighttpd"}) +
                "; another application on this host must not claim all of /.well-known/");
    }
    if (said != site.settings().issuer)
        return findings.error(
            "issuer",
            path + " says that the issuer is " + said + ", the configuration here says " + site.settings().issuer,
            "let both be the same, byte for byte: `issuer` in the configuration, then restart the serving "
            "processes; or give this path to the program of this installation");
    findings.ok_unless_found("issuer", said);
    if (response.body != expected_metadata(site))
        findings.warning("well-known", path + " differs from the configuration here",
                         "restart the serving processes, or run `postern publish` again where files are served");
    expect_open_document(findings, site, path, response);
}

/// Clients of RFC 8414 §5 that know only OpenID Connect ask there, and then at the appended address.
auto second_metadata_check(std::string path) {
    return [path = std::move(path)](Findings& findings, const Site& site, const HttpResponse& response) {
        if (response.status == 200 && response.body == expected_metadata(site)) return;
        findings.warning("well-known",
                         path + " does not answer with the discovery document (" + std::to_string(response.status) +
                             "); some clients ask there first",
                         fix_for(site, {"serve it with the program `discovery`, as in apache-example.conf",
                                        "`location = " + path + "` for the program `discovery`, as in examples/nginx",
                                        "`\"" + path + "\"` for the program `discovery`, as in examples/lighttpd"}));
    };
}

auto metadata_check(std::string path) {
    return [path = std::move(path)](Findings& findings, const Site& site, const HttpResponse& response) {
        evaluate_metadata(findings, site, path, response);
    };
}

/// RFC 9700 §4.13: URLs are never built from the request's Host. Another virtual host may respond.
void evaluate_foreign(Findings& findings, const Site&, const HttpResponse& response) {
    std::string all = response.body;
    for (const auto& header : response.headers) all += header.second + "\n";
    if (all.find(kForeign) == all.npos) return;
    findings.error(
        "host header", "the server trusts the Host or X-Forwarded-Host header of the request",
        "refuse unknown hosts in the web server: Apache `UseCanonicalName On` and a default virtual host, nginx "
        "`server { listen 443 ssl default_server; return 444; }`, lighttpd `$HTTP[\"host\"]`");
}

/// RFC 3875 §4.4: some web servers pass a query without "=" as program arguments.
void expect_same_metadata(Findings& findings, const Site& site, const HttpResponse& response, const char* check,
                          const char* what, const std::string& fix) {
    if (response.status == 200 && response.body == expected_metadata(site)) return;
    if (text_member(response, "issuer") != site.settings().issuer || response.status != 200)
        findings.error(check,
                       "the discovery document does not arrive when " + std::string(what) + " (" +
                           std::to_string(response.status) + ")",
                       fix);
}

void evaluate_arguments(Findings& findings, const Site& site, const HttpResponse& response) {
    expect_same_metadata(findings, site, response, "arguments", "its URL has a query of one word",
                         "let the web server start the program without arguments");
}

void evaluate_compression(Findings& findings, const Site& site, const HttpResponse& response) {
    expect_same_metadata(findings, site, response, "compression", "the client accepts compression",
                         fix_for(site, {"`SetEnv no-gzip 1` for the endpoints", "`gzip off;` for the endpoints",
                                        "`deflate.mimetypes = ()` for the endpoints"}));
}

void evaluate_sendfile(Findings& findings, const Site& site, const HttpResponse& response) {
    expect_same_metadata(findings, site, response, "sendfile headers", "a request has X-Sendfile or X-Accel-Redirect",
                         "let the web server honour these headers only in responses of the programs");
}

/// The program refuses paths other than its own (the class of CVE-2019-11043); the web server may refuse them first.
void evaluate_subpath(Findings& findings, const Site& site, const HttpResponse& response) {
    if (response.status == 404) return;
    findings.error(
        "subpaths",
        "a path below " + jwks_path(site) + " answers " + std::to_string(response.status) + " instead of 404",
        fix_for(site, {"`AcceptPathInfo` must not be met by another handler: remove what else serves this path",
                       "remove `try_files` that leads unknown paths elsewhere (SPA fallback)",
                       "remove `url.rewrite-if-not-file` that leads unknown paths elsewhere"}));
}

/// WebAuthn §5.11: without it browsers refuse the passkeys of the former host at this one.
void evaluate_related_origin(Findings& findings, const Site& site, const HttpResponse& response) {
    const std::string fix = "`postern publish DIR --related-origin`, and let the web server of that host send the file";
    const std::string url = *former_host(site.settings()) + "/.well-known/webauthn";
    if (response.status != 200)
        return findings.error("related origin",
                              url + " answers " + std::to_string(response.status) +
                                  ": browsers refuse passkeys here that were made for that host",
                              fix);
    const auto document = json::parse(response.body);
    const json::Object* object = document ? document->if_object() : nullptr;
    const json::Value* origins = object != nullptr ? object->find("origins") : nullptr;
    const json::Array* listed = origins != nullptr ? origins->if_array() : nullptr;
    const bool is_listed = listed != nullptr && std::ranges::any_of(*listed, [&](const json::Value& origin) {
                               return origin.if_string() != nullptr && *origin.if_string() == site.origin;
                           });
    if (!is_listed)
        return findings.error(
            "related origin",
            url + " does not list " + site.origin + ": browsers refuse passkeys here that were made for that host",
            fix);
    if (!response.first("Content-Type").starts_with("application/json"))
        findings.error("related origin", url + " is not sent as application/json, which browsers demand",
                       "add that type for this path in the web server of that host");
}

}  // namespace

std::vector<Probe> document_probes(const Site& site) {
    const auto& settings = site.settings();
    const std::string reader = "Origin: " + kForeignOrigin;
    const std::string appended = settings.url(settings.paths.discovery);
    const auto inserted = oidc::inserted_paths(settings);
    HttpRequest gzip{appended};
    gzip.options = {{"compressed", ""}};
    std::vector<Probe> probes = {
        {"key set", {settings.url(settings.paths.jwks), "GET", {reader}}, evaluate_keys},
        {"well-known", {appended, "GET", {reader}}, metadata_check(appended.substr(site.origin.size()))},
        {"well-known", {site.origin + inserted[0], "GET", {reader}}, metadata_check(inserted[0])},
        {"host header", {appended, "GET", {"Host: " + kForeign}}, evaluate_foreign},
        {"host header",
         {appended, "GET", {"X-Forwarded-Host: " + kForeign, "Forwarded: host=" + kForeign}},
         evaluate_foreign},
        {"sendfile headers",
         {appended, "GET", {"X-Sendfile: /etc/hostname", "X-Accel-Redirect: /"}},
         evaluate_sendfile},
        {"arguments", {appended + "?--version"}, evaluate_arguments},
        {"compression", gzip, evaluate_compression},
        {"subpaths", {settings.url(settings.paths.jwks) + "/postern-doctor"}, evaluate_subpath},
    };
    if (inserted.size() > 1)
        probes.push_back({"well-known", {site.origin + inserted[1]}, second_metadata_check(inserted[1])});
    if (const auto former = former_host(settings))
        probes.push_back(
            {"related origin", {"https://" + *former + "/.well-known/" + kRelatedOriginName}, evaluate_related_origin});
    return probes;
}

}  // namespace postern::cli
