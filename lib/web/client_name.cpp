#include "web/client_name.h"

namespace postern::web {

text::Message client_name(const model::Client& client) {
    auto names = client.names;
    names[""] = client.name;
    return text::Message::in_languages(std::move(names));
}

}  // namespace postern::web
