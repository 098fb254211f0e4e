// The operator's name for something, in one language or several.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "text/message.h"

namespace postern::text {

/// By language tag; "" has the words for every other language.
struct Words {
    Words() = default;
    Words(std::string text) : by_language{{"", std::move(text)}} {}  // NOLINT(google-explicit-constructor)
    Words(const char* text) : Words(std::string(text)) {}            // NOLINT(google-explicit-constructor)
    explicit Words(std::map<std::string, std::string> texts) : by_language(std::move(texts)) {}

    bool operator==(const Words&) const = default;
    Message message() const { return Message::in_languages(by_language); }

    std::map<std::string, std::string> by_language;
};

}  // namespace postern::text
