#include "pages/isolates.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "pages/template_text.h"
#include "text/isolate.h"
#include "util/text.h"

namespace postern::pages {
namespace {

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

}  // namespace postern::pages
