#include "text/message.h"

namespace postern::text {

Message Message::verbatim(std::string text) {
    Message message;
    message.kind_ = Kind::verbatim;
    message.text_ = std::move(text);
    return message;
}

Message Message::number(std::int64_t value) { return verbatim(std::to_string(value)); }

Message Message::in_languages(std::map<std::string, std::string> texts) {
    Message message;
    message.kind_ = Kind::in_languages;
    message.by_language_ = std::move(texts);
    return message;
}

}  // namespace postern::text
