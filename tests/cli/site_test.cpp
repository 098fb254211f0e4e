// `postern site`: applications that know no OpenID Connect.
#include <doctest/doctest.h>

#include <string>

#include "installation.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kUrl = "https://wiki.example.net/";

struct Fixture : Installation {
    Fixture() {
        reconfigure("paths", json::Object{{"gate", "/gate"}});
        reconfigure("oidc", json::Object{{"userClaims", "database"}});
    }
    void add_wiki(const Words& more = {}) const { must(joined({"site", "add", "wiki", "--url", kUrl}, more)); }
};

}  // namespace

TEST_CASE("site: registered as a client of its own type, changed, listed, disabled and removed [GATE-1]") {
    const Fixture f;
    const auto added = f.must_json({"site", "add", "wiki", "--url", "HTTPS://Wiki.example.net", "--name", "The wiki"});
    CHECK(text_of(added, "client_id") == "wiki");
    CHECK(text_of(added, "client_type") == "site");
    CHECK(text_of(added, "site_url") == kUrl);
    CHECK(words_of(added, "grant_types") == "authorization_code");
    CHECK(words_of(added, "response_types") == "code");
    CHECK(text_of(added, "pkce") == "required");
    CHECK(text_of(added, "scope") == "openid profile email groups");
    CHECK(flag_of(added, "first_party"));
    CHECK(words_of(added, "redirect_uris") == "https://wiki.example.net/.postern/callback");
    CHECK(text_of(added, "user_header") == "name");
    CHECK(member_of(added, "max_age").is_null());

    CHECK(has(f.must({"client", "list"}), "site"));
    CHECK(has(f.must({"site", "list"}), kUrl));
    CHECK(has(f.must({"site", "show", "wiki"}), kUrl));

    f.must({"site", "set", "wiki", "--url", "https://other.example.net/wiki", "--acr", "mfa", "--max-age", "900",
            "--session-ttl", "3600", "--user-header", "email", "--bearer", "--groups", "all"});
    const auto changed = f.must_json({"site", "show", "wiki"});
    CHECK(text_of(changed, "site_url") == "https://other.example.net/wiki/");
    CHECK(words_of(changed, "redirect_uris") == "https://other.example.net/wiki/.postern/callback");
    CHECK(text_of(changed, "acr") == "mfa");
    CHECK(integer_of(changed, "max_age") == 900);
    CHECK(integer_of(changed, "session_ttl") == 3600);
    CHECK(text_of(changed, "user_header") == "email");
    CHECK(flag_of(changed, "bearer"));
    f.must({"site", "set", "wiki", "--max-age", "0", "--no-bearer"});
    CHECK(member_of(f.must_json({"site", "show", "wiki"}), "max_age").is_null());

    f.must({"site", "disable", "wiki"});
    CHECK_FALSE(flag_of(f.must_json({"site", "show", "wiki"}), "enabled"));
    f.must({"site", "enable", "wiki"});
    f.must({"site", "remove", "wiki"});
    CHECK(f.must_json({"site", "list"}).if_array()->empty());
}

TEST_CASE("site: URLs that are refused, and the reason [GATE-2, GATE-3]") {
    const Fixture f;
    f.add_wiki();
    const auto refused = [&](const char* url) { return f.refused({"site", "add", "second", "--url", url}); };
    CHECK(has(refused("http://wiki.example.net/"), "https"));
    CHECK(has(refused("https://wiki.example.net/?a"), "query"));
    CHECK(has(refused("https://wiki.example.net/a%2fb"), "characters"));
    CHECK(has(refused(kUrl), "is that of the site \"wiki\""));
    CHECK(has(refused("HTTPS://WIKI.example.net:443"), "is that of the site \"wiki\""));
    f.must({"site", "add", "address", "--url", "https://[2001:0DB8::0:1]/"});
    CHECK(has(refused("https://[2001:db8:0:0::1]:443/"), "is that of the site \"address\""));
    const std::string issuer = text_of(f.least_config(), "issuer");
    CHECK(has(refused((issuer + "/app").c_str()), "--on-issuer-host"));
    CHECK(has(f.noted({"site", "add", "second", "--url", "https://wiki.example.net/admin/"}), "trust each other"));
    CHECK(has(f.noted({"site", "add", "third", "--url", "https://wiki.example.net:8443/"}), "trust each other"));
    f.must({"site", "add", "own", "--url", issuer + "/app", "--on-issuer-host"});
}

TEST_CASE("site set: without a change it is misused; --on-issuer-host is about --url, and none by itself [GATE-3]") {
    const Fixture f;
    f.add_wiki();
    const Words set = {"site", "set", "wiki"};
    const auto before = f.must({"site", "show", "wiki", "--json"});
    for (const Words& options : {Words{}, Words{"--on-issuer-host"}}) {
        const auto result = f.postern(joined(set, options));
        CHECK(result.exit_code == 2);
        CHECK(has(result.err, "nothing to change"));
    }
    CHECK(f.must({"site", "show", "wiki", "--json"}) == before);
    const std::string on_issuer = text_of(f.least_config(), "issuer") + "/app/";
    CHECK(has(f.refused({"site", "set", "wiki", "--url", on_issuer}), "--on-issuer-host"));
    CHECK(text_of(f.must_json(joined(set, {"--url", on_issuer, "--on-issuer-host"})), "site_url") == on_issuer);
}

TEST_CASE("site: whose a URL is that has no site of its own any more [GATE-2]") {
    const Fixture f;
    f.add_wiki();
    f.must({"site", "add", "admin", "--url", "https://wiki.example.net/admin/"});
    f.must({"site", "add", "deep", "--url", "https://wiki.example.net/admin/deep/"});
    CHECK(
        has(f.noted({"site", "remove", "deep"}), "the site \"admin\" covers https://wiki.example.net/admin/deep/ now"));
    CHECK(has(f.noted({"site", "set", "admin", "--url", "https://wiki.example.net/b/"}),
              "the site \"wiki\" covers https://wiki.example.net/admin/ now"));
    f.must({"site", "disable", "wiki"});
    CHECK_FALSE(has(f.noted({"site", "remove", "admin"}), "covers"));
}

TEST_CASE("site: what follows from its URL is not changed as that of another client [GATE-1]") {
    const Fixture f;
    f.add_wiki();
    for (const Words& options : {Words{"--redirect-uri", "https://evil.example/"}, Words{"--grant", "refresh_token"},
                                 Words{"--confidential"}, Words{"--pkce", "optional"}, Words{"--no-first-party"},
                                 Words{"--auth-method", "client_secret_basic"}, Words{"--no-redirect-uri"}})
        CHECK(has(f.refused(joined({"client", "set", "wiki"}, options)), "postern site set"));
    CHECK(has(f.refused({"client", "secret", "wiki"}), "is a site"));
    CHECK(has(f.refused({"client", "remove", "wiki"}), "postern site remove"));
    f.must({"client", "set", "wiki", "--name", "Wiki"});
    f.must({"client", "add", "app", "--redirect-uri", "https://app.example.net/"});
    CHECK(has(f.refused({"site", "set", "app", "--acr", "mfa"}), "is no site"));
    CHECK(has(f.refused({"site", "remove", "app"}), "is no site"));
    CHECK(has(f.refused({"site", "set", "wiki", "--max-age", "59"}), "60 seconds"));
    CHECK(has(f.refused({"site", "set", "wiki", "--user-header", "email", "--scope", "openid"}), "scope email"));
    f.must({"site", "set", "wiki", "--user-header", "email"});
    CHECK(has(f.refused({"client", "set", "wiki", "--scope", "openid"}), "scope email"));
}

TEST_CASE("site: none without paths.gate [GATE-5]") {
    const Installation op;
    CHECK(has(op.refused({"site", "add", "wiki", "--url", kUrl}), "paths.gate"));
}

TEST_CASE("site: for some users alone, as any client [GATE-1]") {
    const Fixture f;
    f.must({"group", "add", "staff"});
    f.add_wiki({"--allow-group", "staff", "--groups", "own"});
    const auto shown = f.must_json({"site", "show", "wiki"});
    CHECK(flag_of(shown, "restricted"));
    CHECK(words_of(shown, "allowed_groups") == "staff");
    CHECK(text_of(shown, "groups") == "own");
    f.must({"site", "set", "wiki", "--allow-everyone", "--groups", "all"});
    CHECK_FALSE(flag_of(f.must_json({"site", "show", "wiki"}), "restricted"));
}

TEST_CASE("doctor: a site on the issuer's host, and sites without a gate [GATE-3, GATE-32]") {
    const Fixture f;
    f.add_wiki();
    CHECK_FALSE(has(f.findings("sites"), "wiki"));
    f.must({"site", "add", "own", "--url", "https://id.example.org/app", "--on-issuer-host"});
    CHECK(has(f.findings("sites"), "the site \"own\" has the issuer's host"));
    f.reconfigure("paths", json::Object{{"gate", nullptr}});
    CHECK(has(f.findings("sites"), "no gate"));
}
