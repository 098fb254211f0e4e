// Turns templates and their values into HTML.
#include "pages/template.h"

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <utility>

#include "crypto/digest.h"
#include "pages/isolates.h"
#include "pages/template_language.h"
#include "pages/template_text.h"
#include "util/base64.h"

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
