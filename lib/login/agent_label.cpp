// Which browser on which system is it? Two tables.
#include "login/agent_label.h"

namespace postern::login {
namespace {

using text::Message;
using text::tr;

constexpr const char* kSomeBrowser = tr("A browser");
constexpr std::string_view kOn = " on ";

struct Sign {
    std::string_view text;  ///< in the header
    const char* name;
};

/// In this order: most browsers name others too, which they want to be taken for.
constexpr Sign kBrowsers[] = {
    {"Edg", "Edge"},
    {"OPR/", "Opera"},
    {"Vivaldi/", "Vivaldi"},
    {"SamsungBrowser/", "Samsung Internet"},
    {"FxiOS/", "Firefox"},
    {"CriOS/", "Chrome"},
    {"Firefox/", "Firefox"},
    {"Chromium/", "Chromium"},
    {"Chrome/", "Chrome"},
    {"Epiphany/", "GNOME Web"},
    {"Konqueror/", "Konqueror"},
    {"Version/", "Safari"},
};

/// In this order: Android says Linux too, and an iPhone Mac OS X.
constexpr Sign kSystems[] = {
    {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},       {"Windows", "Windows"},
    {"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"FreeBSD", "FreeBSD"}, {"Linux", "Linux"},
};

template <std::size_t N>
std::string find_in(const Sign (&signs)[N], std::string_view user_agent) {
    for (const Sign& sign : signs)
        if (user_agent.find(sign.text) != std::string_view::npos) return sign.name;
    return "";
}

}  // namespace

std::string agent_label(std::string_view user_agent) {
    const std::string browser = find_in(kBrowsers, user_agent);
    const std::string system = find_in(kSystems, user_agent);
    if (system.empty()) return browser;
    return (browser.empty() ? kSomeBrowser : browser) + kOn.data() + system;
}

text::Message shown_agent(const std::string& label) {
    const auto named = [](const std::string& browser) {
        return browser.empty() || browser == kSomeBrowser ? Message(kSomeBrowser) : Message::verbatim(browser);
    };
    const auto on = label.find(kOn);
    if (on == std::string::npos) return named(label);
    return {tr("{browser} on {system}"),
            {{"browser", named(label.substr(0, on))}, {"system", Message::verbatim(label.substr(on + kOn.size()))}}};
}

}  // namespace postern::login
