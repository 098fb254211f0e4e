#include "pages/page_language.h"

#include "http/headers.h"
#include "login/browser.h"
#include "pages/renderer.h"
#include "text/language_tag.h"

namespace postern::pages {
namespace {

constexpr util::Seconds kLanguageIsKept{31536000};  // a year

template <typename Text>
std::optional<std::string> as_tag(const std::optional<Text>& sent) {
    if (!sent || !text::is_language_tag(*sent)) return std::nullopt;
    return std::string(*sent);
}

}  // namespace

text::LanguageWishes language_wishes(const oauth::Settings& settings, std::string_view cookie,
                                     std::string_view accept_language) {
    return {.ui_locales = std::nullopt,
            .chosen = as_tag(http::find_cookie(cookie, login::cookie_names(settings).language)),
            .locale = std::nullopt,
            .accept_language = std::string(accept_language)};
}

text::LanguageWishes language_wishes(const oauth::Settings& settings, const http::Request& request) {
    auto wishes = language_wishes(settings, request.cookie, request.variable(kAcceptLanguageVariable));
    if (const auto link = as_tag(request.query.find(kLanguageParameter))) wishes.chosen = link;
    return wishes;
}

void remember_language(const oauth::Settings& settings, const text::Languages& languages, const http::Request& request,
                       http::Response& response) {
    if (languages.offered().size() == 1) return;
    const auto tag = request.query.find(kLanguageParameter);
    if (!tag || languages.find(*tag) == nullptr) return;
    const login::CookieNames names = login::cookie_names(settings);
    response.add("Set-Cookie", http::set_lasting_cookie(names.language, *tag, names.security, kLanguageIsKept));
}

}  // namespace postern::pages
