// A message of a page to a person, before its language is known; and a time as pages show it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/clock.h"
#include "util/tr.h"

namespace postern::text {

using util::tr;

// The characters around a value that has its own direction in a sentence (UAX #9 §2.4.2).
inline constexpr std::string_view kLeftToRight = "\xE2\x81\xA6";   // U+2066
inline constexpr std::string_view kOwnDirection = "\xE2\x81\xA8";  // U+2068: that of its first letter
inline constexpr std::string_view kEndsIsolate = "\xE2\x81\xA9";   // U+2069

/// A sentence of the catalogues with the values of its {placeholders}, or a text that is the same in every language.
class Message {
public:
    Message() = default;
    /// `english` is marked by tr().
    Message(const char* english) : text_(english) {}  // NOLINT(google-explicit-constructor): a sentence is a message
    Message(const char* english, std::vector<std::pair<std::string, Message>> values)
        : text_(english), values_(std::move(values)) {}

    /// A name, in a direction of its own: no catalogue is asked.
    static Message verbatim(std::string text);
    /// Text that is written from left to right in every language: a code, an address, a host, a scope.
    static Message data(std::string text);
    static Message number(std::int64_t value);
    static Message digits(std::string text);  ///< "05"
    /// The operator's own words, by language tag; "" has those for every other language. Without that one, a language
    /// that is not there has the first.
    static Message in_languages(std::map<std::string, std::string> texts);

    /// Returns true for a message that data() made, without a sentence around it.
    bool is_data() const { return kind_ == Kind::data; }
    bool empty() const { return text_.empty() && by_language_.empty(); }

private:
    friend class Catalogue;
    enum class Kind { translated, verbatim, data, digits, in_languages };

    static Message of(Kind kind, std::string text);

    Kind kind_ = Kind::translated;
    std::string text_;
    std::vector<std::pair<std::string, Message>> values_;
    std::map<std::string, std::string> by_language_;
};

/// The operator's name for something, by language tag; "" has the words for every other language.
struct Words {
    Words() = default;
    Words(std::string text) : by_language{{"", std::move(text)}} {}  // NOLINT(google-explicit-constructor)
    Words(const char* text) : Words(std::string(text)) {}            // NOLINT(google-explicit-constructor)
    explicit Words(std::map<std::string, std::string> texts) : by_language(std::move(texts)) {}

    bool operator==(const Words&) const = default;
    Message message() const { return Message::in_languages(by_language); }

    std::map<std::string, std::string> by_language;
};

text::Message shown_day(util::Time time);   ///< "3 May 2026"
text::Message shown_time(util::Time time);  ///< "3 May 2026, 14:05 UTC"

}  // namespace postern::text
