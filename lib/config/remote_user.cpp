// What the keys of `login` accept that only method remote_user has.
#include "config/remote_user.h"

#include <algorithm>

#include "gateway/variable_names.h"
#include "http/url.h"
#include "model/claim_shape.h"
#include "oauth/settings.h"

namespace postern::config {
namespace {

constexpr std::size_t kLongestUrl = 2048;

/// RFC 3875 §4.1 without REMOTE_USER, and what web servers add of the same kind. AUTH_TYPE is not a name, and
/// REMOTE_IDENT is what a program on the client's machine says.
constexpr std::string_view kOfTheRequest[] = {
    "AUTH_TYPE",
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "DOCUMENT_ROOT",
    "DOCUMENT_URI",
    "GATEWAY_INTERFACE",
    "HTTPS",
    "PATH_INFO",
    "PATH",
    "PATH_TRANSLATED",
    "QUERY_STRING",
    "REMOTE_ADDR",
    "REMOTE_HOST",
    "REMOTE_IDENT",
    "REMOTE_PORT",
    "REQUEST_METHOD",
    "REQUEST_SCHEME",
    "REQUEST_URI",
    "SCRIPT_FILENAME",
    "SCRIPT_NAME",
    "SCRIPT_URI",
    "SCRIPT_URL",
    "SERVER_ADDR",
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "SSL_CLIENT_VERIFY",
    "URL",
};

/// What is wrong with the place of the mark, which may occur once, in the query.
bool is_mark_misplaced(std::string_view url) {
    const std::string_view mark = oauth::kReturnMark;
    const auto first = url.find(mark);
    if (first == url.npos) return false;
    return first < url.find('?') || url.find(mark, first + 1) != url.npos;
}

}  // namespace

Fault variable_fault(std::string_view name) {
    if (!gateway::is_variable_name(name))
        return "must be the name of a CGI variable: 1 to 128 letters, digits, - and _, no digit first";
    const std::string plain = gateway::plain_name(name);
    if (plain.starts_with("HTTP_"))
        return "must not be a header (HTTP_...): the client controls those. Have the web server's module set a "
               "variable with another name";
    if (plain == "REMOTE_USER" && name != plain)
        return "must be exactly REMOTE_USER: its REDIRECT_ copy holds the name of a failed login";
    constexpr std::string_view kCertificate = "SSL_CLIENT_";
    if (plain.starts_with(kCertificate) && !name.starts_with(kCertificate))
        return "must begin with exactly SSL_CLIENT_: no other spelling is known to need a verified certificate";
    if (plain.starts_with("SSL_") && !plain.starts_with(kCertificate))
        return "must not be a variable of the connection: of TLS only the client's certificate (SSL_CLIENT_...) says "
               "something about the user";
    if (plain.empty() || std::ranges::find(kOfTheRequest, plain) != std::end(kOfTheRequest))
        return "must not be a variable of the request itself: it says nothing about the user";
    return std::nullopt;
}

Fault environment_claim_fault(std::string_view claim) {
    const bool fits = model::find_claim_shape(claim) != nullptr && claim != "address" && claim != "updated_at";
    if (fits) return std::nullopt;
    return "is not a claim that a variable can hold: of OpenID Connect Core section 5.1 those that are text, "
           "email_verified and phone_number_verified";
}

Fault logout_redirect_fault(std::string_view text) {
    constexpr const char* kWanted = "must be an absolute https URL without fragment (http:// only for a loopback host)";
    if (text.size() > kLongestUrl) return "must not be longer than 2048 characters";
    if (is_mark_misplaced(text)) return "may hold {return} once, in its query";
    constexpr std::string_view kMark = oauth::kReturnMark;
    const auto mark = text.find(kMark);
    std::string url(text.substr(0, mark));
    if (mark != text.npos) url.append("x").append(text.substr(mark + kMark.size()));
    const auto parts = http::parse_url(url);
    if (!parts || !parts->has_authority || parts->host.empty() || parts->has_user_info || parts->fragment)
        return kWanted;
    return parts->scheme == "https" || http::is_loopback_http(*parts) ? Fault() : Fault(kWanted);
}

}  // namespace postern::config
