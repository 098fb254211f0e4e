#include "web/shown_name.h"

#include "oauth/client_id_url.h"
#include "pages/page.h"
#include "web/destination.h"

namespace postern::web {

text::Message shown_name(const model::Client& client, const std::string& address) {
    if (client.origin == model::Origin::document) return text::Message::data(oauth::host_of_id(client.id));
    if (!model::is_of_stranger(client)) return pages::client_name(client);
    if (!address.empty()) return text::Message::data(destination(address));
    return client.redirect_uris.empty() ? pages::client_name(model::Client())
                                        : text::Message::data(destination(client.redirect_uris.front()));
}

}  // namespace postern::web
