// Makes the client of a site.
#include "gate/site.h"

namespace postern::gate {

model::Client new_site(const std::string& id, const SiteUrl& url) {
    model::Client client;
    client.id = model::ClientId(id);
    client.name = id;
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.grants = {model::GrantType::authorization_code};
    client.response_types = {model::ResponseType::code};
    client.first_party = true;
    client.access_token_profile = model::TokenProfile::interface;  // no token is made, so that none lacks an audience
    client.scope = *model::Scope::parse("openid profile email groups");
    client.site.emplace();
    set_site_url(client, url);
    return client;
}

void set_site_url(model::Client& client, const SiteUrl& url) {
    client.site->url = url.str();
    client.redirect_uris = {url.own("callback")};
    client.post_logout_redirect_uris = {url.own("logout?done")};
}

SiteUrl url_of(const model::Site& site) {
    const std::size_t path = site.url.find('/', site.url.find("://") + 3);
    return {site.url.substr(0, path), site.url.substr(path)};
}

}  // namespace postern::gate
