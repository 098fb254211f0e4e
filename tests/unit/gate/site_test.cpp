// The client that a site is.
#include "gate/site.h"

#include <doctest/doctest.h>

#include "model/client.h"

using namespace postern;

TEST_CASE("new_site: code grant and PKCE alone, no consent, one redirect URI that follows from the URL [GATE-1]") {
    const gate::SiteUrl url{"https://x.example", "/admin/"};
    const model::Client site = gate::new_site("admin", url);
    CHECK(site.type == model::ClientType::public_);
    CHECK(site.auth_method == model::AuthMethod::none);
    CHECK(site.pkce == model::Pkce::required);
    CHECK(site.grants == std::set{model::GrantType::authorization_code});
    CHECK(model::response_types_of(site) == std::set{model::ResponseType::code});
    CHECK(site.first_party);
    CHECK(site.scope.to_string() == model::Scope::parse("openid profile email groups")->to_string());
    CHECK(site.redirect_uris == std::vector<std::string>{"https://x.example/admin/.postern/callback"});
    REQUIRE(site.site);
    CHECK(site.site->url == "https://x.example/admin/");
    CHECK(site.site->user_header == model::UserHeader::name);
    CHECK_FALSE(site.site->bearer);
    CHECK(gate::url_of(*site.site) == url);
}

TEST_CASE("set_site_url: what follows from the URL follows it [GATE-1]") {
    model::Client site = gate::new_site("wiki", {"https://x.example", "/"});
    site.site->bearer = true;
    gate::set_site_url(site, {"https://y.example:8443", "/"});
    CHECK(site.redirect_uris == std::vector<std::string>{"https://y.example:8443/.postern/callback"});
    CHECK(site.post_logout_redirect_uris == std::vector<std::string>{"https://y.example:8443/.postern/logout?done"});
    CHECK(site.site->url == "https://y.example:8443/");
    CHECK(site.site->bearer);
    CHECK(gate::url_of(*site.site) == gate::SiteUrl{"https://y.example:8443", "/"});
}
