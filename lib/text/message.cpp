#include "text/message.h"

namespace postern::text {

Message Message::of(Kind kind, std::string text) {
    Message message;
    message.kind_ = kind;
    message.text_ = std::move(text);
    return message;
}

Message Message::verbatim(std::string text) { return of(Kind::verbatim, std::move(text)); }

Message Message::data(std::string text) { return of(Kind::data, std::move(text)); }

Message Message::number(std::int64_t value) { return digits(std::to_string(value)); }

Message Message::digits(std::string text) { return of(Kind::digits, std::move(text)); }

Message Message::in_languages(std::map<std::string, std::string> texts) {
    Message message;
    message.kind_ = Kind::in_languages;
    message.by_language_ = std::move(texts);
    return message;
}

}  // namespace postern::text
