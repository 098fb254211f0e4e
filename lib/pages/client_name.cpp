#include "pages/client_name.h"

namespace postern::pages {

text::Message client_name(const model::Client& client) {
    auto names = client.names;
    names[""] = client.name;
    return text::Message::in_languages(std::move(names));
}

}  // namespace postern::pages
