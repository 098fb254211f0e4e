// In which language does a person read a page? docs/decisions/0084-languages.md
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "oauth/settings.h"
#include "text/languages.h"

namespace postern::pages {

/// The CGI variable that programs with pages read where several languages are offered.
inline constexpr const char* kAcceptLanguageVariable = "HTTP_ACCEPT_LANGUAGE";

/// Returns the wishes of the request itself: the link of a page that it came by, the cookie that remembers one, and the
/// header.
text::LanguageWishes language_wishes(const oauth::Settings& settings, const http::Request& request);

/// Returns the wishes of cookie and header, before a request could be parsed.
text::LanguageWishes language_wishes(const oauth::Settings& settings, std::string_view cookie,
                                     std::string_view accept_language);

/// Sets the cookie that remembers the language for a year when `request` came by the link of a page. It means no user,
/// is no secret, and its value is the tag of an offered language or it is not set. Nor is it where one alone is
/// offered.
void remember_language(const oauth::Settings& settings, const text::Languages& languages, const http::Request& request,
                       http::Response& response);

}  // namespace postern::pages
