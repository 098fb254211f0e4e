// `branding`: what its keys accept.
#include "config/keys.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "http/url.h"
#include "pages/settings.h"
#include "text/color.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::size_t kLongestLine = 64;
constexpr std::size_t kLongestUrl = 512;
constexpr std::size_t kMostLinks = 5;
constexpr std::size_t kMostLanguages = 64;
constexpr std::size_t kLongestTag = 35;  // RFC 5646 §4.4.1
constexpr double kLeastContrast = 3.0;

bool is_line(std::string_view text) {
    return !text.empty() && text.size() <= kLongestLine && util::is_utf8(text) && util::displayable(text) == text &&
           util::trim(text) == text;
}

bool is_https(std::string_view text) {
    const auto url = http::parse_url(text);
    return text.size() <= kLongestUrl && url && url->scheme == "https" && !url->host.empty() && !url->has_user_info;
}

/// RFC 6068 §2, of it the plain case.
bool is_mailto(std::string_view text) {
    constexpr std::string_view kScheme = "mailto:";
    if (!text.starts_with(kScheme) || text.size() > kLongestUrl) return false;
    const std::string_view address = text.substr(kScheme.size());
    const auto at = address.find('@');
    return at != 0 && at != address.npos && at + 1 < address.size() && address.find('@', at + 1) == address.npos &&
           std::ranges::all_of(address, [](char c) {
               return util::is_letter(c) || util::is_digit(c) ||
                      std::string_view("@.-_+").find(c) != std::string_view::npos;
           });
}

/// "" or letters, digits and hyphens, as language tags are (RFC 5646 §2.1).
bool is_tag(std::string_view tag) {
    return tag.size() <= kLongestTag && !tag.starts_with('-') && !tag.ends_with('-') &&
           std::ranges::all_of(tag, [](char c) { return util::is_letter(c) || util::is_digit(c) || c == '-'; });
}

Fault text_fault(const json::Value* value) {
    const json::Object* texts = value != nullptr ? value->if_object() : nullptr;
    if (texts == nullptr || texts->find("") == nullptr || texts->members().size() > kMostLanguages)
        return R"(needs "text": {"": "Imprint", "de": "Impressum"}: a text for each language tag, and one for "")";
    for (const auto& [tag, text] : texts->members()) {
        if (!is_tag(tag)) return "has a text for \"" + tag + "\", which is no language tag";
        if (text.if_string() == nullptr || !is_line(*text.if_string()))
            return "has a text that is not one line of 1 to 64 bytes";
    }
    return std::nullopt;
}

Fault link_fault(const json::Value& value) {
    const json::Object* link = value.if_object();
    if (link == nullptr) return R"(must be an object with "text" and "url")";
    for (const auto& [name, member] : link->members())
        if (name != "text" && name != "url") return "has \"" + name + "\", which is not a known key";
    if (Fault fault = text_fault(link->find("text"))) return fault;
    const json::Value* url = link->find("url");
    if (url == nullptr || url->if_string() == nullptr || !is_https(*url->if_string()))
        return R"(needs "url": an https URL)";
    return std::nullopt;
}

pages::BrandLink link_of(const json::Object& object) {
    pages::BrandLink link{.text = {}, .url = *object.find("url")->if_string()};
    for (const auto& [tag, text] : object.find("text")->if_object()->members())
        link.text[util::to_lower(tag)] = *text.if_string();
    return link;
}

/// A button stands on a card, and where the window is narrow on the page.
Fault contrast_fault(const std::string& color, const pages::Surfaces& behind, const char* scheme) {
    const auto parsed = text::parse_color(color);
    if (!parsed) return std::nullopt;  // said already
    const double ratio = std::min(text::contrast(*parsed, behind.page), text::contrast(*parsed, behind.card));
    if (ratio >= kLeastContrast) return std::nullopt;
    char number[16];
    // Cut, not rounded: 2.996 is not 3.
    std::snprintf(number, sizeof number, "%.2f", static_cast<int>(ratio * 100) / 100.0);
    return std::string("has a contrast of ") + number + " : 1 with the " + scheme + " page, and needs 3 : 1";
}

}  // namespace

Fault brand_name_fault(std::string_view name) {
    return is_line(name) ? Fault() : Fault("must be one line of 1 to 64 bytes that can be shown");
}

Fault color_fault(std::string_view color) {
    return text::parse_color(color) ? Fault() : Fault("must be a colour like \"#0c6857\"");
}

Fault help_fault(std::string_view help) {
    return is_https(help) || is_mailto(help) ? Fault() : Fault("must be an https URL, or \"mailto:\" and one address");
}

Problems read_brand_links(Config& config, const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->size() > kMostLinks) return wrong("must be a list of up to 5 links");
    Problems problems;
    std::vector<pages::BrandLink> links;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (const Fault fault = link_fault((*list)[i])) {
            problems.push_back({"[" + std::to_string(i) + "]", *fault});
        } else {
            links.push_back(link_of(*(*list)[i].if_object()));
        }
    }
    config.settings.branding.links = std::move(links);
    return problems;
}

void check_branding(const pages::Branding& branding, Problems& problems) {
    if (const Fault fault = contrast_fault(branding.color, pages::kLightSurfaces, "light"))
        problems.push_back({"branding.color", *fault});
    if (branding.color.empty() && !branding.color_dark.empty())
        problems.push_back({"branding.colorDark", "needs branding.color: the colour of the light page"});
    const bool is_one = branding.color_dark.empty();
    const std::string& dark = is_one ? branding.color : branding.color_dark;
    if (const Fault fault = contrast_fault(dark, pages::kDarkSurfaces, "dark"))
        problems.push_back({"branding.colorDark", is_one ? "is needed, because branding.color " + *fault : *fault});
    if (!branding.logo.empty() && branding.name.empty())
        problems.push_back({"branding.logo", "needs branding.name, which is read aloud in its place"});
}

}  // namespace postern::config
