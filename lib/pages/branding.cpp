// The operator's name, colours, logo and links in the pages.
#include "pages/branding.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "os/read_file.h"
#include "pages/template_text.h"
#include "text/color.h"
#include "util/base64.h"
#include "util/text.h"

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

bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

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
.logo:not([width]) { height: 3.5rem; }
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

struct PngSize {
    std::uint32_t width = 0, height = 0;
};

std::uint32_t number_at(std::string_view file, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = (number << 8U) | static_cast<unsigned char>(file[i]);
    return number;
}

/// In pixels, 1 to 8192. The file begins as PNG files do and ends with their last chunk (PNG §5.2, §11.2.1); the rest
/// is read by browsers alone.
std::optional<PngSize> png_size(std::string_view file) {
    using namespace std::string_view_literals;
    constexpr std::string_view kBegin = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv;
    constexpr std::string_view kEnd = "\0\0\0\0IEND\xae\x42\x60\x82"sv;
    constexpr std::size_t kShortest = 8 + 25 + 12;
    if (file.size() < kShortest || !file.starts_with(kBegin) || !file.ends_with(kEnd)) return std::nullopt;
    const PngSize size{number_at(file, kBegin.size()), number_at(file, kBegin.size() + 4)};
    const auto is_side = [](std::uint32_t side) { return side >= 1 && side <= 8192; };
    return is_side(size.width) && is_side(size.height) ? std::optional(size) : std::nullopt;
}

/// Why no browser would show the file as a picture, or "". A script in it needs no check: docs/decisions/0085.
std::string svg_fault(std::string_view file) {
    constexpr std::string_view kBlanks = " \t\r\n";
    if (!util::is_utf8(file)) return "is neither a PNG nor an SVG in UTF-8";
    if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
    const auto begin = file.find_first_not_of(kBlanks);
    if (begin == file.npos || file[begin] != '<' || file[file.find_last_not_of(kBlanks)] != '>')
        return "is neither a PNG nor a whole SVG";
    return says(file, "http://www.w3.org/2000/svg") ? ""
                                                    : R"(has no xmlns="http://www.w3.org/2000/svg", as an SVG has)";
}

struct Logo {
    std::string element;
    std::string icon;  ///< an address for <link rel="icon">, or ""
};

Logo read_logo(const Branding& branding) {
    const auto file = os::read_file(branding.logo, {.bytes = kMaxLogoSize});
    if (!file) throw_unusable_logo(branding.logo, file.error().meaning());
    const auto size = png_size(*file);
    if (!size && file->starts_with("\x89PNG"))
        throw_unusable_logo(branding.logo, "is a damaged PNG, or larger than 8192 pixels");
    if (!size)
        if (const std::string fault = svg_fault(*file); !fault.empty()) throw_unusable_logo(branding.logo, fault);
    const std::string sides =
        size ? " width=\"" + std::to_string(size->width) + "\" height=\"" + std::to_string(size->height) + '"' : "";
    const std::string address =
        (size ? "data:image/png;base64," : "data:image/svg+xml;base64,") + util::base64_encode(*file);
    return {R"(<img class="logo")" + sides + R"( alt=")" + escaped(branding.name) + R"(" src=")" + address + "\">\n",
            size ? address : ""};
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
