#include "pages/renderer.h"

#include "http/url.h"

namespace postern::pages {
namespace {

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

std::string Renderer::say(const text::Message& message) const { return language_.say(message); }

http::Response Renderer::respond(const Template& page, Values values, int status) const {
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
    http::Response response = http::html(std::move(text), status, page.style_hash(), hashes, page.pictures());
    if (offered.size() > 1) {
        response.set("Content-Language", language_.tag());
        response.set("Vary", "Accept-Language, Cookie");
    }
    return response;
}

}  // namespace postern::pages
