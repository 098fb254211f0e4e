// Who is in front of this browser?
#include "login/browser.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "store/sessions.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::login {
namespace {

constexpr std::size_t kSecondDigits = 10;
constexpr std::size_t kValueDigits = 8;

bool are_digits(std::string_view text, std::string_view digits) {
    return text.find_first_not_of(digits) == std::string_view::npos;
}

/// The moment in a name; nullopt for a name that is none of these.
std::optional<util::Time> planted_at(std::string_view name, std::string_view plain) {
    if (!name.starts_with(plain)) return std::nullopt;
    name.remove_prefix(plain.size());
    if (name.empty()) return util::Time::max();
    if (name.size() != 1 + kSecondDigits + 1 + kValueDigits) return std::nullopt;
    const std::string_view second = name.substr(1, kSecondDigits);
    const bool is_ours = name[0] == '-' && name[1 + kSecondDigits] == '-' && are_digits(second, "0123456789") &&
                         are_digits(name.substr(name.size() - kValueDigits), "0123456789abcdef");
    if (!is_ours) return std::nullopt;
    return util::from_epoch(*util::parse_digits(second, std::numeric_limits<std::int64_t>::max()));
}

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

std::string binding_of(const std::string& id) { return util::base64url_encode(crypto::sha256(id)); }

/// Beyond the time of its last request, for forms that stay open without one.
constexpr util::Seconds kLaterCookieTtl = std::chrono::hours(24);

std::optional<model::Session> find_session(oauth::Context& context, const model::ValueHash& cookie) {
    const util::Time now = context.now();
    auto session = store::find_session(context.store, cookie, oauth::session_life(context.settings, now));
    if (session) context.trail.note_user(session->subject);
    return session;
}

/// Nothing was bound to them since the older one came back, some seconds after they were planted.
void end_later_cookies(const oauth::Context& context, Browser& browser, http::Response& response) {
    const util::Time oldest = context.now() - context.settings.authorization_request_ttl - kLaterCookieTtl;
    std::size_t place = 0;
    std::erase_if(browser.later, [&](const BrowserCookie& cookie) {
        const bool counts = ++place < kMostBrowserCookies && cookie.planted_at > oldest;
        if (!counts) response.add("Set-Cookie", http::clear_cookie(cookie.name, browser.names.security));
        return !counts;
    });
}

}  // namespace

std::string browser_cookie_name(const std::string& plain, std::string_view value, util::Time now) {
    std::string second = std::to_string(util::to_epoch(now));
    second.insert(0, kSecondDigits - std::min(kSecondDigits, second.size()), '0');
    return plain + "-" + second + "-" + crypto::sha256_hex(value).substr(0, kValueDigits);
}

bool is_browser_cookie(std::string_view name, std::string_view plain) { return planted_at(name, plain).has_value(); }

std::vector<BrowserCookie> find_browser_cookies(std::string_view header, const std::string& plain) {
    std::vector<BrowserCookie> found;
    for (http::NamedCookie& cookie : http::find_cookies(header, plain))
        if (const auto when = planted_at(cookie.name, plain))
            found.push_back({std::move(cookie.name), std::move(cookie.value), *when});
    std::ranges::stable_sort(found, {}, &BrowserCookie::planted_at);
    return found;
}

http::Response with_browser_id(oauth::Context& context, Browser& browser, const std::function<http::Response()>& make) {
    http::Response cookies;
    ensure_browser_id(context, browser, cookies);
    http::Response response = make();
    for (const auto& [name, value] : cookies.headers) response.add(name, value);
    return response;
}

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

CookieNames cookie_names(const oauth::Settings& settings) {
    const bool https = settings.issuer.starts_with("https://");
    const std::string prefix = https ? "__Host-postern" : "postern";
    return CookieNames{prefix + "-browser-" + settings.cookie_tag, prefix + "-" + settings.cookie_tag,
                       prefix + "-device-" + settings.cookie_tag, prefix + "-language-" + settings.cookie_tag,
                       https ? http::CookieSecurity::https : http::CookieSecurity::loopback_http};
}

std::string Browser::binding() const { return id ? binding_of(*id) : std::string(); }

bool Browser::is_bound_by(std::string_view sealed_binding) const {
    bool is_bound = false;
    for (const std::string& value : ids())
        if (crypto::equal_constant_time(sealed_binding, binding_of(value))) is_bound = true;
    return is_bound;
}

std::vector<std::string> Browser::ids() const {
    std::vector<std::string> all;
    if (!id) return all;
    all.push_back(*id);
    for (const BrowserCookie& cookie : later)
        if (all.size() < kMostBrowserCookies) all.push_back(cookie.value);
    return all;
}

Browser recognise_browser(const oauth::Settings& settings, const http::Request& request) {
    Browser browser;
    browser.names = cookie_names(settings);
    browser.later = find_browser_cookies(request.cookie, browser.names.browser);
    browser.posts = request.method == http::Method::post;
    if (!browser.later.empty()) {
        browser.id = std::move(browser.later.front().value);
        browser.later.erase(browser.later.begin());
    }
    if (settings.paths.account) {
        browser.user_agent = request.variable(kUserAgentVariable);
        if (settings.account.addresses) browser.address = request.remote_address;
    }
    return browser;
}

Browser recognise(oauth::Context& context, const http::Request& request) {
    Browser browser = recognise_browser(context.settings, request);
    if (const auto value = http::find_cookie(request.cookie, browser.names.session)) {
        browser.session_cookie = oauth::hash_of(*value);
        browser.session = find_session(context, *browser.session_cookie);
    }
    if (context.settings.login.remember_device.count() > 0)
        if (const auto value = http::find_cookie(request.cookie, browser.names.device))
            browser.device_cookie = oauth::hash_of(*value);
    return browser;
}

void recognise_surely(oauth::Context& context, Browser& browser) {
    if (browser.session || !browser.session_cookie) return;
    const model::ValueHash& cookie = *browser.session_cookie;
    browser.session = db::find_surely(context.store, [&] { return find_session(context, cookie); });
}

void ensure_browser_id(oauth::Context& context, Browser& browser, http::Response& response) {
    const CookieNames& names = browser.names;
    if (browser.id) return end_later_cookies(context, browser, response);
    browser.id = crypto::random_token(context.random);
    // A page of another site can post to us as often as it likes, always without cookies: one name, which does not add
    // up until the header is longer than web servers take.
    const std::string name =
        browser.posts ? names.browser : browser_cookie_name(names.browser, *browser.id, context.now());
    response.add("Set-Cookie", http::set_cookie(name, *browser.id, names.security));
}

}  // namespace postern::login
