// Decides which template texts are accepted, and turns them and their values into HTML.
#include "web/template.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <kainjow/mustache.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "crypto/digest.h"
#include "os/read_file.h"
#include "util/base64.h"
#include "util/text.h"
#include "web/branding.h"

namespace postern::web {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{256} * 1024;

[[noreturn]] void throw_unusable_template(const std::string& file, const std::string& why) {
    throw std::runtime_error("template " + file + ": " + why);
}

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

/// Looks at every "{{", those inside comments too: a stricter rule than mustache's own, so that no way around it is
/// left.
void check_tags(const std::string& file, std::string_view text) {
    for (auto at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 1)) {
        const auto mark = text.find_first_not_of(" \t\n\v\f\r", at + 2);
        if (mark == std::string_view::npos) return;  // unclosed: the parser says so
        for (const auto& refused : kRefusedTags) {
            if (text[mark] == refused.mark) throw_unusable_template(file, refused.why);
        }
    }
}

/// What the parser would refuse later, when the page is shown: a form may have changed something by then.
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

/// Splices in texts, not templates: mustache's own partials would be parsed again for every request.
std::string expand_partials(const std::string& file, std::string_view text, const Partials& partials) {
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

/// Where `tag`, such as "<style", is behind `from`; npos when it is not.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from = 0) {
    auto at = text.find('<', from);
    while (at != text.npos && !util::equal_ignoring_case(text.substr(at, tag.size()), tag)) at = text.find('<', at + 1);
    return at;
}

/// The content of the first element of that name. One with attributes or one with a tag in it could not be allowed by
/// one hash, and the browser would ignore it without a word; so would it a second one where there is one hash.
std::string_view find_element(const std::string& file, std::string_view text, const std::string& name,
                              bool more_may_follow = false) {
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

/// The template in that language. Its words are looked at as its own are: a catalogue brings in no other tag. English
/// stands there already: a program that is started for each request looks for nothing in it but the marks.
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

/// Under which the style and the scripts are given to mustache. They are most of a page and hold no tag, so that they
/// need be neither parsed nor put together line by line: a program that is started for each request does little else.
std::string name_of_constant(std::size_t which) { return "constant " + std::to_string(which); }

}  // namespace

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
    return parsed(language).mustache.render(data);
}

std::string read_template_file(const std::string& path) {
    const auto bytes = os::read_file(path, {.bytes = kMaxFileSize});
    if (!bytes) throw_unusable_template(path, bytes.error().meaning());
    if (!util::is_utf8(*bytes)) throw_unusable_template(path, "is not UTF-8");
    return with_plain_line_ends(*bytes);
}

namespace {

void read_into(Partials& partials, const std::string& directory, const std::vector<const char*>& names,
               TemplateReader::Missing missing) {
    for (const char* name : names) {
        const std::string path = directory + "/" + name;
        if (missing == TemplateReader::Missing::left_out && !std::filesystem::exists(path)) continue;
        partials[name] = read_template_file(path);
    }
}

/// Pages of an operator may be older than the last three.
Partials read_common(const std::string& directory, const oauth::Branding& branding) {
    Partials partials;
    read_into(partials, directory, {"head.html", "style.css", "mark.svg"}, TemplateReader::Missing::refused);
    read_into(partials, directory, {"press_once.js", "passkey_login.js", "languages.html"},
              TemplateReader::Missing::left_out);
    // A page has it behind an end tag, and is what it was where there is one language.
    std::string& languages = partials["languages.html"];
    while (languages.ends_with('\n')) languages.pop_back();
    apply_branding(branding, directory, partials);
    return partials;
}

}  // namespace

TemplateReader::TemplateReader(std::string directory, const oauth::Branding& branding,
                               std::shared_ptr<const text::Languages> languages, Parsing parsing)
    : directory_(std::move(directory)),
      partials_(std::make_shared<const Partials>(read_common(directory_, branding))),
      languages_(std::move(languages)),
      parsing_(parsing) {}

TemplateReader TemplateReader::with(const std::vector<const char*>& names, Missing missing) const {
    Partials partials = *partials_;
    read_into(partials, directory_, names, missing);
    TemplateReader more = *this;
    more.partials_ = std::make_shared<const Partials>(std::move(partials));
    return more;
}

Template TemplateReader::operator()(const std::string& name, Scripts scripts) const {
    const std::string path = directory_ + "/" + name;
    Template read(path, read_template_file(path), *partials_, scripts);
    if (parsing_ == Parsing::at_once) read.parse(languages_->last_resort());
    return read;
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

}  // namespace postern::web
