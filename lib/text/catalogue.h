// The words of one language: what pages say in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/message.h"
#include "text/mo_file.h"

namespace postern::text {

/// Messages are looked up in the operator's own catalogue, then in the shipped one, and are English where neither has
/// them.
class Catalogue {
public:
    /// English as it stands in the program and the templates.
    Catalogue() = default;
    /// Messages of `shipped`, where they have the language's tag as their context, and of `own`, which is of this
    /// language alone. Either may be nullptr; both must outlive the catalogue.
    Catalogue(std::string tag, const MoFile* shipped, const MoFile* own);

    /// No catalogue is asked.
    bool is_plain_english() const { return shipped_ == nullptr && own_ == nullptr; }
    const std::string& tag() const { return tag_; }  ///< "de", "pt-BR"
    const char* direction() const;                   ///< of `dir` in HTML: "ltr" or "rtl"
    std::string name() const;                        ///< what its speakers call it: "Deutsch"

    /// The translation of a text that is marked by tr() or stands between {{_}} and {{/_}}.
    std::string translate(std::string_view english) const;
    /// Values are shown as util::displayable has them. One that stands in a sentence, and would be drawn in another
    /// order or over the text around it, is between isolates (text/message.h).
    std::string say(const Message& message) const;

private:
    std::string value_in_sentence(const Message& value) const;

    std::string tag_ = "en";
    const MoFile* shipped_ = nullptr;
    const MoFile* own_ = nullptr;
};

/// Why that translation cannot be used, as words that go behind "the translation": it has other {placeholders} or tags
/// than the text, "{{", a "<" or ">" beside the tags, blanks at an end, controls that turn the direction of a text, or
/// is not UTF-8. "" for one that can be used.
std::string fault_of_translation(std::string_view english, std::string_view translation);

}  // namespace postern::text
