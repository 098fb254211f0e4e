// Puts the words of a catalogue into a template.
#include "pages/template_language.h"

#include <optional>
#include <utility>

#include "pages/template_text.h"

namespace postern::pages {
namespace {

constexpr std::string_view kOpensText = "{{_}}";
constexpr std::string_view kEndsText = "{{/_}}";

/// A text that is to be translated, as it stands in a template.
struct Marked {
    std::size_t begin;         ///< of its opening tag
    std::size_t end;           ///< behind its end tag
    std::string_view english;  ///< between them
};

/// The first one; nullopt when there is none that is closed.
std::optional<Marked> next_marked(std::string_view text) {
    const auto begin = text.find(kOpensText);
    const auto end = begin == std::string_view::npos ? begin : text.find(kEndsText, begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto first = begin + kOpensText.size();
    return Marked{begin, end + kEndsText.size(), text.substr(first, end - first)};
}

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Values as catalogues have them.
std::string with_single_braces(std::string_view english) {
    return replace_all(replace_all(std::string(english), "{{", "{"), "}}", "}");
}

/// Words of a catalogue as a part of a template: its tags and values are kept, and it can be the value of an attribute.
std::string html_of(std::string words) {
    constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
        {"&", "&amp;"}, {"\"", "&quot;"}, {"<", "&lt;"}, {">", "&gt;"}};
    for (const auto& [sign, escape] : kEscapes) words = replace_all(std::move(words), sign, escape);
    for (const std::string_view tag : {"strong", "bdi", "code"})
        for (const std::string& open : {std::string(tag), "/" + std::string(tag)})
            words = replace_all(std::move(words), "&lt;" + open + "&gt;", "<" + open + ">");
    return replace_all(replace_all(std::move(words), "{", "{{"), "}", "}}");
}

}  // namespace

// English stands there already: a program that is started for each request looks for nothing in it but the marks.
std::string in_language(const std::string& file, std::string_view text, const text::Catalogue& language) {
    std::string translated;
    translated.reserve(text.size());
    for (auto marked = next_marked(text); marked; marked = next_marked(text)) {
        if (language.is_plain_english()) {
            translated.append(text.substr(0, marked->begin)).append(marked->english);
            text.remove_prefix(marked->end);
            continue;
        }
        const std::string english = with_single_braces(marked->english);
        if (!text::fault_of_translation(english, english).empty())
            throw_unusable_template(file, "{{_}}" + english +
                                              "{{/_}} cannot be translated: it may have values, <strong>, <bdi> and "
                                              "<code>, and no blank at its ends");
        const std::string words = html_of(language.translate(english));
        check_tags(file, words);
        translated.append(text.substr(0, marked->begin)).append(words);
        text.remove_prefix(marked->end);
    }
    return translated.append(text);
}

}  // namespace postern::pages
