// The words of one language: what pages say in it, read from GNU gettext's compiled catalogues (.mo).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/message.h"

namespace postern::text {

/// A view of a compiled catalogue (.mo). No number in it is believed before it is known to lie within the bytes.
class MoFile {
public:
    /// `bytes` must outlive it. Throws std::runtime_error, which says what is wrong, for bytes that are not such a file
    /// of revision 0. Its strings are looked at when they are asked for.
    explicit MoFile(std::string_view bytes);

    /// Returns the translation of the message with that key, which is its context, the byte 4 and its text, or the text
    /// alone. nullopt: the file has no such message, or the translation does not lie within the file. A binary search,
    /// because the keys are sorted.
    std::optional<std::string_view> find(std::string_view key) const;

    std::size_t size() const { return count_; }
    /// Returns the `index`-th key; nullopt: it does not lie within the file.
    std::optional<std::string_view> key(std::size_t index) const { return string_at(keys_, index); }

private:
    std::uint32_t number_at(std::size_t offset) const;
    std::optional<std::string_view> string_at(std::size_t table, std::size_t index) const;

    std::string_view bytes_;
    bool big_endian_ = false;
    std::size_t count_ = 0;
    std::size_t keys_ = 0;          ///< offset of the table of keys
    std::size_t translations_ = 0;  ///< of that of translations
};

/// The messages of one language. Each is looked up in the operator's own catalogue, then in the shipped one; a message
/// that both lack is English.
class Catalogue {
public:
    /// Makes the catalogue of English, as it stands in the program and the templates.
    Catalogue() = default;
    /// Makes a catalogue of the messages of `shipped` that have the language's tag as their context, and of `own`,
    /// which is of this language alone. Either may be nullptr; both must outlive the catalogue.
    Catalogue(std::string tag, const MoFile* shipped, const MoFile* own);

    /// Returns true when no catalogue is asked.
    bool is_plain_english() const { return shipped_ == nullptr && own_ == nullptr; }
    const std::string& tag() const { return tag_; }  ///< "de", "pt-BR"
    const char* direction() const;                   ///< of `dir` in HTML: "ltr" or "rtl"
    std::string name() const;                        ///< what its speakers call it: "Deutsch"

    /// Returns the translation of a text that is marked by tr() or stands between {{_}} and {{/_}}.
    std::string translate(std::string_view english) const;
    /// Returns the sentence of a message. Values are shown as util::displayable has them. A value that stands in a
    /// sentence, and would be drawn in another order or over the text around it, is between isolates (text/message.h).
    std::string say(const Message& message) const;

private:
    std::string value_in_sentence(const Message& value) const;

    std::string tag_ = "en";
    const MoFile* shipped_ = nullptr;
    const MoFile* own_ = nullptr;
};

/// Returns why that translation cannot be used, as words that go behind "the translation": it has other {placeholders}
/// or tags than the text, "{{", a "<" or ">" beside the tags, blanks at an end, controls that turn the direction of a
/// text, or is not UTF-8. "" for a translation that can be used.
std::string fault_of_translation(std::string_view english, std::string_view translation);

}  // namespace postern::text
