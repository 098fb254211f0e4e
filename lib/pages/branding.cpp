// The operator's name, colours, logo and links in the pages.
#include "pages/branding.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "os/read_file.h"
#include "pages/template_text.h"
#include "text/color.h"
#include "text/png_size.h"
#include "text/svg_logo.h"
#include "util/base64.h"

namespace postern::pages {
namespace {

constexpr std::size_t kMaxLogoSize = std::size_t{64} * 1024;
constexpr double kTextContrast = 4.5;  // WCAG 2.2, 1.4.3
constexpr std::string_view kNoIcon = R"(<link rel="icon" href="data:,">)";
constexpr const char* kFoot = "foot.html";

/// Whether text of that colour can be read wherever there is a link.
bool is_text_color(const text::Color& accent, const Surfaces& behind) {
    return std::ranges::all_of(std::initializer_list{behind.page, behind.card, behind.soft},
                               [&](const auto& surface) { return text::contrast(accent, surface) >= kTextContrast; });
}

/// For a place in the text of a template: neither markup nor a tag of a template.
std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view("&<>\"'{}").find(c) == std::string_view::npos) {
            safe += c;
        } else {
            safe += "&#" + std::to_string(static_cast<int>(c)) + ";";
        }
    }
    return safe;
}

/// A hover goes away from the text on the button, so that it can be read as well.
std::string accent_rules(const text::Color& accent, const Surfaces& behind) {
    const text::Color on = text::best_on(accent);
    const text::Color away = on == text::kWhite ? text::kBlack : text::kWhite;
    std::string rules = ":root { --accent: " + text::to_text(accent) +
                        "; --accent-hover: " + text::to_text(text::mix(accent, away, 0.2)) +
                        "; --on-accent: " + text::to_text(on) + "; --wall: " + text::to_text(accent) +
                        "; --door: " + text::to_text(text::mix(accent, text::kBlack, 0.35)) +
                        "; --glow: " + text::to_text(text::mix(behind.page, accent, 0.12)) + "; }\n";
    // What is enough for a button is not enough for text.
    if (!is_text_color(accent, behind)) rules += "a:not(.button), .done { color: var(--ink); }\n";
    return rules;
}

/// Behind those of style.css, so that they count, whatever an operator has changed there.
std::string color_rules(const Branding& branding) {
    const auto light = text::parse_color(branding.color);
    const auto dark = text::parse_color(branding.color_dark.empty() ? branding.color : branding.color_dark);
    if (!light || !dark) return "";
    return "\n@media not all and (prefers-color-scheme: dark) {\n" + accent_rules(*light, kLightSurfaces) +
           "}\n@media (prefers-color-scheme: dark) {\n" + accent_rules(*dark, kDarkSurfaces) + "}\n";
}

constexpr const char* kLogoRules = R"(
.logo { display: block; width: auto; max-width: 100%; height: auto; max-height: 4rem; margin: 0 0 1.25rem; }
svg.logo { height: 3.5rem; }
)";
constexpr const char* kFootRules = R"(
.foot { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-top: 1rem; padding: 0 2.5rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--card); }
.foot a { padding: .625rem 0; }
@media (max-width: 30rem) { .foot { margin: 0; padding: 0 1.25rem 1rem; border: 0; border-radius: 0; } }
@media print { .foot { display: none; } }
)";

[[noreturn]] void throw_unusable_logo(const std::string& file, const std::string& why) {
    throw std::runtime_error("branding.logo " + file + ": " + why);
}

struct Logo {
    std::string element;
    std::string icon;  ///< an address for <link rel="icon">, or ""
};

Logo png_logo(const Branding& branding, const std::string& file, const text::PngSize& size) {
    const std::string address = "data:image/png;base64," + util::base64_encode(file);
    return {R"(<img class="logo" width=")" + std::to_string(size.width) + R"(" height=")" +
                std::to_string(size.height) + R"(" alt=")" + escaped(branding.name) + R"(" src=")" + address + "\">\n",
            address};
}

Logo svg_logo(const Branding& branding, const std::string& file) {
    const auto logo = text::read_svg_logo(file);
    if (!logo) {
        const text::SvgFault& fault = logo.error();
        throw_unusable_logo(branding.logo, "line " + std::to_string(fault.line) + " " + fault.reason);
    }
    return {R"(<svg class="logo" role="img" aria-label=")" + escaped(branding.name) +
                R"(" focusable="false" viewBox=")" + logo->view_box + "\">" + logo->content + "</svg>\n",
            ""};
}

Logo read_logo(const Branding& branding) {
    const auto file = os::read_file(branding.logo, {.bytes = kMaxLogoSize});
    if (!file) throw_unusable_logo(branding.logo, file.error().meaning());
    if (const auto size = text::png_size(*file)) return png_logo(branding, *file, *size);
    if (file->starts_with("\x89PNG"))
        throw_unusable_logo(branding.logo, "is a damaged PNG, or larger than 8192 pixels");
    return svg_logo(branding, *file);
}

/// Puts the line in the place that head.html has for the icon; "" takes that away.
void put_icon(const std::string& line, Partials& partials) {
    std::string& head = partials["head.html"];
    const auto at = head.find(kNoIcon);
    if (at == std::string::npos) return;
    const bool ends_line = head.compare(at + kNoIcon.size(), 1, "\n") == 0;
    head.replace(at, kNoIcon.size() + (ends_line ? 1 : 0), line);
}

void put_logo(const Branding& branding, Partials& partials) {
    Logo logo = read_logo(branding);
    partials["mark.svg"] = std::move(logo.element);
    partials["style.css"] += kLogoRules;
    if (!logo.icon.empty()) put_icon(R"(<link rel="icon" type="image/png" href=")" + logo.icon + "\">\n", partials);
}

bool has_foot(const Branding& branding) { return !branding.help.empty() || !branding.links.empty(); }

void put_foot(const Branding& branding, const std::string& directory, Partials& partials) {
    const std::string path = directory + "/" + kFoot;
    if (!std::filesystem::exists(path)) return;
    std::string foot = read_template_file(path);
    while (foot.ends_with('\n')) foot.pop_back();
    partials[kFoot] = "\n" + foot;  // a page has it behind an end tag
    partials["style.css"] += kFootRules;
    partials.common.texts["help"] = branding.help;
    auto& links = partials.common.lists["links"];
    for (const BrandLink& link : branding.links)
        links.push_back({.texts = {{"url", link.url}}, .messages = {{"text", text::Message::in_languages(link.text)}}});
}

bool says(const std::string& text, std::string_view tag) { return text.find(tag) != std::string::npos; }

/// Pages, not what is spliced into them.
std::vector<std::string> page_files(const std::string& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".html" && says(read_template_file(entry.path()), "<title>"))
            names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

}  // namespace

void apply_branding(const Branding& branding, const std::string& directory, Partials& partials) {
    partials[kFoot];
    partials["style.css"] += color_rules(branding);
    if (!branding.name.empty()) {
        partials.common.texts["brand"] = branding.name;
        partials.title_end = " – " + escaped(branding.name);
    }
    if (!branding.logo.empty()) put_logo(branding, partials);
    put_icon("", partials);  // where no logo has taken the place: docs/decisions/0085
    if (has_foot(branding)) put_foot(branding, directory, partials);
}

std::vector<std::string> find_unbranded(const std::string& directory, const Branding& branding) {
    std::vector<std::string> sentences;
    const bool wants_icon = branding.logo.ends_with(".png");
    if (wants_icon && !says(read_template_file(directory + "/head.html"), kNoIcon))
        sentences.push_back("head.html has not " + std::string(kNoIcon) + ", in whose place the logo is the icon");
    const bool foot = has_foot(branding);
    if (foot && !std::filesystem::exists(directory + "/" + kFoot))
        sentences.push_back("there is no foot.html, which shows branding.help and branding.links");
    for (const std::string& name : page_files(directory)) {
        const std::string text = read_template_file(directory + "/" + name);
        if (foot && !says(text, "{{> foot.html}}")) sentences.push_back(name + " does not splice in foot.html");
        if (!branding.logo.empty() && !says(text, "{{> mark.svg}}"))
            sentences.push_back(name + " does not splice in mark.svg, in whose place the logo is");
    }
    return sentences;
}

}  // namespace postern::pages
