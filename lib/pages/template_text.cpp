// Reads the text of a template, and decides what may stand in it.
#include "pages/template_text.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "os/read_file.h"
#include "util/text.h"

namespace postern::pages {
namespace {

/// Marks behind "{{" that would take escaping away or make the text say something else than it seems to.
struct RefusedTag {
    char mark;
    const char* why;
};
constexpr RefusedTag kRefusedTags[] = {
    {'{', "{{{...}}} inserts a value unescaped; write {{...}}"},
    {'&', "{{&...}} inserts a value unescaped; write {{...}}"},
    {'=', "{{=...=}} changes the delimiters; templates here use {{ and }} only"},
    {'>', "a file spliced in by {{> ...}} cannot splice in another"},
};

constexpr std::size_t kMaxFileSize = std::size_t{256} * 1024;

/// "\r\n" and a lone "\r" become "\n", as the HTML standard's input preprocessing does.
std::string with_plain_line_ends(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r') {
            plain += text[i];
        } else if (i + 1 == text.size() || text[i + 1] != '\n') {
            plain += '\n';
        }
    }
    return plain;
}

}  // namespace

void throw_unusable_template(const std::string& file, const std::string& why) {
    throw std::runtime_error("template " + file + ": " + why);
}

std::string read_template_file(const std::string& path) {
    const auto bytes = os::read_file(path, {.bytes = kMaxFileSize});
    if (!bytes) throw_unusable_template(path, bytes.error().meaning());
    if (!util::is_utf8(*bytes)) throw_unusable_template(path, "is not UTF-8");
    return with_plain_line_ends(*bytes);
}

void check_tags(const std::string& file, std::string_view text) {
    for (auto at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 1)) {
        const auto mark = text.find_first_not_of(" \t\n\v\f\r", at + 2);
        if (mark == std::string_view::npos) return;  // unclosed: the parser says so
        for (const auto& refused : kRefusedTags) {
            if (text[mark] == refused.mark) throw_unusable_template(file, refused.why);
        }
    }
}

void check_sections(const std::string& file, std::string_view text) {
    std::vector<std::string_view> open;
    for (auto at = text.find("{{"); at != text.npos; at = text.find("{{", at)) {
        const auto end = text.find("}}", at);
        if (end == text.npos) throw_unusable_template(file, "Unclosed tag");
        const std::string_view tag = util::trim(text.substr(at + 2, end - at - 2));
        at = end + 2;
        if (tag.empty()) continue;
        const std::string_view name = util::trim(tag.substr(1));
        if (tag == "_") open.push_back(tag);
        if (tag.front() == '#' || tag.front() == '^') open.push_back(name);
        if (tag.front() != '/') continue;
        if (open.empty()) throw_unusable_template(file, "Unopened section {{/" + std::string(name) + "}}");
        if (open.back() != name) break;
        open.pop_back();
    }
    if (!open.empty()) throw_unusable_template(file, "Unclosed section {{#" + std::string(open.back()) + "}}");
}

std::string expand_partials(const std::string& file, std::string_view text, const PartialTexts& partials) {
    std::string expanded;
    for (auto at = text.find("{{>"); at != std::string_view::npos; at = text.find("{{>")) {
        const auto end = text.find("}}", at);
        if (end == std::string_view::npos) throw_unusable_template(file, "a tag is not closed");
        const auto name = util::trim(text.substr(at + 3, end - at - 3));
        const auto partial = partials.find(name);
        if (partial == partials.end())
            throw_unusable_template(file, "{{> " + std::string{name} + "}} names a file that is not known here");
        expanded.append(text.substr(0, at)).append(partial->second);
        text.remove_prefix(end + 2);
    }
    return expanded.append(text);
}

std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from) {
    auto at = text.find('<', from);
    while (at != text.npos && !util::equal_ignoring_case(text.substr(at, tag.size()), tag)) at = text.find('<', at + 1);
    return at;
}

std::string_view find_element(const std::string& file, std::string_view text, const std::string& name,
                              bool more_may_follow) {
    const std::string opening = "<" + name + ">";
    const auto open = find_tag(text, "<" + name);
    const auto begin = open + opening.size();
    const auto end = open == text.npos ? open : find_tag(text, "</" + name + ">", begin);
    const auto next = end == text.npos ? end : find_tag(text, "<" + name, begin);
    if (end == text.npos || !util::equal_ignoring_case(text.substr(open, opening.size()), opening) ||
        (next != text.npos && (!more_may_follow || next < end))) {
        throw_unusable_template(file, "must have exactly one " + opening + "...</" + name + ">, without attributes");
    }
    const auto content = text.substr(begin, end - begin);
    if (content.find("{{") != std::string_view::npos)
        throw_unusable_template(file, "the " + name + " element cannot hold values");
    return content;
}

}  // namespace postern::pages
