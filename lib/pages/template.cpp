// Turns templates and their values into HTML.
#include "pages/template.h"

#include <algorithm>
#include <iterator>
#include <kainjow/mustache.hpp>
#include <optional>
#include <utility>

#include "crypto/digest.h"
#include "pages/template_text.h"
#include "text/message.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::pages {
namespace {

std::string csp_hash(std::string_view content) { return "sha256-" + util::base64_encode(crypto::sha256(content)); }

kainjow::mustache::data to_mustache(const Values& values, const text::Catalogue& language);

void add_to(kainjow::mustache::data& data, const Values& values, const text::Catalogue& language) {
    for (const auto& [name, text] : values.texts) {
        // An empty string is true in mustache; here it means "none".
        data.set(name, text.empty() ? kainjow::mustache::data{false} : kainjow::mustache::data{text});
    }
    for (const auto& [name, items] : values.lists) {
        kainjow::mustache::data list{kainjow::mustache::data::type::list};
        for (const auto& item : items) list.push_back(to_mustache(item, language));
        data.set(name, list);
    }
    for (const auto& [name, message] : values.messages) data.set(name, language.say(message));
}

kainjow::mustache::data to_mustache(const Values& values, const text::Catalogue& language) {
    kainjow::mustache::data data;
    add_to(data, values, language);
    return data;
}

std::string with_title_end(std::string text, const std::string& end) {
    const auto at = end.empty() ? std::string::npos : text.find("</title>");
    return at == std::string::npos ? text : text.insert(at, end);
}

/// Under which the style and the scripts are given to mustache. They are most of a page and hold no tag, so that they
/// need be neither parsed nor put together line by line: a program that is started for each request does little else.
std::string name_of_constant(std::size_t which) { return "constant " + std::to_string(which); }

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

/// The text of the template in that language, without the marks. Words of a catalogue are looked at as the template's
/// own are: a catalogue brings in no other tag. English stands there already: a program that is started for each
/// request looks for nothing in it but the marks.
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

struct Replacement {
    std::string_view isolate;
    std::string_view tag;
};
constexpr Replacement kReplacements[] = {
    {text::kLeftToRight, "<bdi dir=\"ltr\">"}, {text::kOwnDirection, "<bdi>"}, {text::kEndsIsolate, "</bdi>"}};
constexpr std::string_view kLead = text::kLeftToRight.substr(0, 2);  // of each of the three

/// Elements whose content is text alone, whatever it looks like.
constexpr std::string_view kTextElements[] = {"title", "style", "script", "textarea"};

/// Behind the tag at the start: a value of an attribute may have ">" in it.
std::size_t end_of_tag(std::string_view html) {
    char quote = 0;
    for (std::size_t at = 0; at < html.size(); ++at) {
        const char c = html[at];
        if (quote == 0 && c == '>') return at + 1;
        if (quote != 0 ? c == quote : c == '"' || c == '\'') quote = quote != 0 ? '\0' : c;
    }
    return html.size();
}

/// Behind the markup at the start: a comment, a tag, or an element of text alone up to its end tag.
std::size_t end_of_markup(std::string_view html) {
    if (html.starts_with("<!--")) return std::min(html.find("-->"), html.size());
    const std::size_t end = end_of_tag(html);
    for (const std::string_view name : kTextElements)
        if (util::equal_ignoring_case(html.substr(1, name.size()), name))
            return std::min(find_tag(html, "</" + std::string(name), end), html.size());
    return end;
}

std::string with_elements(std::string_view text) {
    std::string written;
    for (auto at = text.find(kLead); at != text.npos; at = text.find(kLead)) {
        written.append(text.substr(0, at));
        text.remove_prefix(at);
        const auto* found =
            std::ranges::find_if(kReplacements, [&](const auto& each) { return text.starts_with(each.isolate); });
        const bool is_isolate = found != std::end(kReplacements);
        written.append(is_isolate ? found->tag : kLead);
        text.remove_prefix(is_isolate ? found->isolate.size() : kLead.size());
    }
    return written.append(text);
}

}  // namespace

std::string isolates_as_elements(std::string html) {
    // Most pages have none: a program that is started for each request looks once.
    if (html.find(text::kEndsIsolate) == html.npos) return html;
    std::string written;
    std::string_view rest = html;
    while (!rest.empty()) {
        const std::size_t markup = std::min(rest.find('<'), rest.size());
        written.append(with_elements(rest.substr(0, markup)));
        rest.remove_prefix(markup);
        if (rest.empty()) break;
        const std::size_t end = end_of_markup(rest);
        written.append(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return written;
}

struct Template::Parsed {
    kainjow::mustache::mustache mustache;
};

Template::Constant::Constant(std::string_view content, std::size_t opening)
    : element_(content.data() - opening, opening + content.size()), opening_(opening) {}

const std::string& Template::Constant::hash() const {
    if (hash_.empty()) hash_ = csp_hash(content());
    return hash_;
}

Template::Template(const std::string& file, std::string_view text, const Partials& partials, Scripts scripts)
    : file_(file), common_(partials.common) {
    const std::string expanded = with_title_end(expand_partials(file, text, partials), partials.title_end);
    check_tags(file, expanded);
    check_sections(file, expanded);
    const std::string_view style = find_element(file, expanded, "style");
    std::vector<std::string_view> contents = {style};
    for (std::string_view rest = expanded; find_tag(rest, "<script") != rest.npos;) {
        if (scripts == Scripts::none)
            throw_unusable_template(file, "has a script, which browsers will not run on this page; remove it");
        const std::string_view script = find_element(file, rest, "script", scripts == Scripts::several);
        contents.push_back(script);
        rest.remove_prefix(static_cast<std::size_t>(script.data() - rest.data()) + script.size());
    }
    std::ranges::sort(contents, {}, &std::string_view::data);
    const char* begin = expanded.data();
    for (const std::string_view content : contents) {
        if (content.data() < begin) throw_unusable_template(file, "has a script in its style");
        const bool is_style = content.data() == style.data();
        if (is_style) style_ = constants_.size();
        text_.append(begin, content.data()).append("{{{" + name_of_constant(constants_.size()) + "}}}");
        constants_.emplace_back(content, std::string_view(is_style ? "<style>" : "<script>").size());
        begin = content.data() + content.size();
    }
    text_.append(begin, expanded.data() + expanded.size());
}

Template::Template(Template&&) noexcept = default;
Template::~Template() = default;

void Template::parse(const text::Catalogue& language) const { parsed(language); }

Template::Parsed& Template::parsed(const text::Catalogue& language) const {
    std::unique_ptr<Parsed>& parsed = parsed_[language.tag()];
    if (parsed) return *parsed;
    auto fresh = std::make_unique<Parsed>(Parsed{kainjow::mustache::mustache(in_language(file_, text_, language))});
    if (!fresh->mustache.is_valid()) throw_unusable_template(file_, fresh->mustache.error_message());
    parsed = std::move(fresh);
    return *parsed;
}

std::string Template::render(const Values& values, const text::Catalogue& language) const {
    auto data = to_mustache(common_, language);
    add_to(data, values, language);
    for (std::size_t i = 0; i < constants_.size(); ++i) data.set(name_of_constant(i), constants_[i].content());
    data.set("lang", language.tag());
    data.set("dir", language.direction());
    return isolates_as_elements(parsed(language).mustache.render(data));
}

http::Pictures Template::pictures() const {
    constexpr std::string_view kData = "data:";
    const bool has_one = text_.find(kData) != text_.npos || constants_[style_].element().find(kData) != text_.npos;
    return has_one ? http::Pictures::data : http::Pictures::none;
}

std::string Template::script_hashes(std::string_view page) const {
    std::string hashes;
    for (const Constant& constant : constants_) {
        // A value cannot be taken for one, because its "<" is escaped.
        if (&constant == &constants_[style_] || page.find(constant.element() + "</") == page.npos) continue;
        hashes.append(hashes.empty() ? "" : " ").append(constant.hash());
    }
    return hashes;
}

}  // namespace postern::pages
