// Reads the pages of this server: well-formed tags with quoted attributes.
#include "support/html.h"

#include <array>
#include <cctype>

#include "util/text.h"

namespace postern::test {
namespace {

std::string unescape(std::string_view text) {
    struct Reference {
        std::string_view name;
        char character;
    };
    static constexpr std::array<Reference, 8> kReferences = {{{"&amp;", '&'},
                                                              {"&lt;", '<'},
                                                              {"&gt;", '>'},
                                                              {"&quot;", '"'},
                                                              {"&apos;", '\''},
                                                              {"&#39;", '\''},
                                                              {"&#x27;", '\''},
                                                              {"&#34;", '"'}}};
    std::string plain;
    while (!text.empty()) {
        std::size_t taken = 1;
        char character = text.front();
        for (const Reference& reference : kReferences) {
            if (!text.starts_with(reference.name)) continue;
            taken = reference.name.size();
            character = reference.character;
        }
        plain += character;
        text.remove_prefix(taken);
    }
    return plain;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view skip_spaces(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    return text;
}

/// `text` begins behind the tag's name and is consumed up to its end.
Attributes read_attributes(std::string_view& text) {
    Attributes attributes;
    for (text = skip_spaces(text); !text.empty() && text.front() != '>'; text = skip_spaces(text)) {
        const auto end = text.find_first_of("= \t\r\n>");
        const std::string name(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end);
        std::string value;
        if (text.starts_with("=\"") || text.starts_with("='")) {
            const char quote = text[1];
            text.remove_prefix(2);
            const auto close = text.find(quote);
            value = unescape(text.substr(0, close));
            text.remove_prefix(close == std::string_view::npos ? text.size() : close + 1);
        } else if (name.empty()) {
            text.remove_prefix(1);
        }
        attributes[name] = value;
    }
    return attributes;
}

}  // namespace

std::vector<Attributes> find_tags(std::string_view html, std::string_view tag) {
    std::vector<Attributes> tags;
    const std::string open = "<" + std::string(tag);
    for (auto at = html.find(open); at != std::string_view::npos; at = html.find(open, at + 1)) {
        std::string_view rest = html.substr(at + open.size());
        if (rest.empty() || (!is_space(rest.front()) && rest.front() != '>')) continue;
        tags.push_back(read_attributes(rest));
    }
    return tags;
}

std::optional<Form> find_form(std::string_view html) {
    const auto forms = find_tags(html, "form");
    if (forms.size() != 1) return std::nullopt;
    Form form;
    if (const auto method = forms.front().find("method"); method != forms.front().end()) form.method = method->second;
    if (const auto action = forms.front().find("action"); action != forms.front().end()) form.action = action->second;
    for (const Attributes& input : find_tags(html, "input")) {
        const auto name = input.find("name");
        const auto value = input.find("value");
        if (name == input.end()) continue;
        const auto type = input.find("type");
        const bool is_box = type != input.end() && type->second == "checkbox";
        auto& fields = is_box && !input.contains("checked") ? form.boxes : form.fields;
        fields[name->second] = value == input.end() ? "" : value->second;
    }
    form.buttons = find_tags(html, "button");
    return form;
}

std::optional<Form> find_form_with(std::string_view html, std::string_view button) {
    constexpr std::string_view kEnd = "</form>";
    for (auto begin = html.find("<form"); begin != std::string_view::npos; begin = html.find("<form", begin + 1)) {
        const auto end = html.find(kEnd, begin);
        const std::string_view part = html.substr(begin, end == std::string_view::npos ? end : end - begin);
        if (auto form = find_form(part))
            for (const Attributes& each : form->buttons)
                if (const auto id = each.find("id"); id != each.end() && id->second == button) return form;
    }
    return std::nullopt;
}

bool has_id(std::string_view html, std::string_view id) {
    for (const std::string_view tag : {"input", "button", "code", "p", "h2", "ul"})
        for (const Attributes& attributes : find_tags(html, tag))
            if (const auto found = attributes.find("id"); found != attributes.end() && found->second == id) return true;
    return false;
}

std::string link_in(std::string_view html, std::string_view id) {
    for (const Attributes& link : find_tags(html, "a"))
        if (const auto found = link.find("id"); found != link.end() && found->second == id) return link.at("href");
    return "";
}

std::string visible_text(std::string_view html) {
    if (const auto body = html.find("<body"); body != std::string_view::npos) html.remove_prefix(body);
    std::string text;
    bool in_tag = false;
    for (const char c : html) {
        if (c == '<') in_tag = true;
        if (!in_tag && !(is_space(c) && (text.empty() || text.back() == ' '))) text += is_space(c) ? ' ' : c;
        if (c == '>') in_tag = false;
    }
    return unescape(text);
}

}  // namespace postern::test
