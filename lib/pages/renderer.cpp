#include "pages/renderer.h"

#include <filesystem>
#include <utility>

#include "http/url.h"
#include "pages/branding.h"
#include "pages/template_text.h"

namespace postern::pages {
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
Partials read_common(const std::string& directory, const Branding& branding) {
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

std::string link_to(const Values& page, const std::string& tag) {
    const auto text = [&](const char* name) {
        const auto found = page.texts.find(name);
        return found == page.texts.end() ? "" : found->second;
    };
    http::Parameters parameters;
    if (const std::string resume = text("resume"); !resume.empty()) parameters.emplace_back("resume", resume);
    if (const std::string state = text("state_parameter"); !state.empty()) parameters.emplace_back(state, "yes");
    parameters.emplace_back(kLanguageParameter, tag);
    return http::with_query("", parameters);
}

}  // namespace

TemplateReader::TemplateReader(std::string directory, const Branding& branding,
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

std::string Renderer::say(const text::Message& message) const { return language_.say(message); }

http::Response Renderer::respond(const Template& page, Values values, int status,
                                 const std::vector<std::string>& frame_sources) const {
    const auto& offered = languages_.offered();
    if (offered.size() > 1) {
        auto& links = values.lists["languages"];
        for (const text::Catalogue& other : offered)
            links.push_back({.texts = {{"tag", other.tag()},
                                       {"name", other.name()},
                                       {"url", link_to(values, other.tag())},
                                       {"is_this", other.tag() == language_.tag() ? "yes" : ""}}});
        values.texts["has_languages"] = "yes";
    }
    std::string text = page.render(values, language_);
    const std::string hashes = page.script_hashes(text);
    http::Response response =
        http::html(std::move(text), status, page.style_hash(), hashes, page.pictures(), frame_sources);
    if (offered.size() > 1) {
        response.set("Content-Language", language_.tag());
        response.set("Vary", "Accept-Language, Cookie");
    }
    return response;
}

}  // namespace postern::pages
