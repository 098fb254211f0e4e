// A message of a page to a person, before its language is known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "util/tr.h"

namespace postern::text {

using util::tr;

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

    /// Whether it is data(), without a sentence around.
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

}  // namespace postern::text
