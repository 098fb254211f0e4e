// Where the parts of the headers Authorization and Content-Type end, and which charsets a form may have.
#include "http/headers.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "util/base64.h"
#include "util/text.h"

namespace postern::http {
namespace {

/// How an encoding relates to UTF-8.
enum class Charset {
    utf8,       ///< the same; a form is of ASCII characters, and its escapes are UTF-8 (WHATWG URL §5.1)
    has_ascii,  ///< the same as far as ASCII goes
    other,
};

// Names of the IANA registry and of the WHATWG Encoding standard which HTTP libraries are known to send.
constexpr std::pair<std::string_view, Charset> kCharsets[] = {
    {"utf-8", Charset::utf8},           {"utf8", Charset::utf8},
    {"us-ascii", Charset::utf8},        {"ascii", Charset::utf8},
    {"us_ascii", Charset::utf8},        {"ansi_x3.4-1968", Charset::utf8},
    {"iso646-us", Charset::utf8},       {"iso-8859-1", Charset::has_ascii},
    {"iso8859-1", Charset::has_ascii},  {"iso_8859-1", Charset::has_ascii},
    {"iso8859_1", Charset::has_ascii},  {"latin1", Charset::has_ascii},
    {"latin-1", Charset::has_ascii},    {"iso-8859-15", Charset::has_ascii},
    {"iso8859-15", Charset::has_ascii}, {"windows-1252", Charset::has_ascii},
    {"cp1252", Charset::has_ascii},
};

Charset charset_of(std::string_view name) {
    const auto known =
        std::ranges::find_if(kCharsets, [&](const auto& row) { return util::equal_ignoring_case(row.first, name); });
    return known == std::end(kCharsets) ? Charset::other : known->second;
}

/// Removes the text up to the next `;` that is not inside a quoted string, and returns it (RFC 9110 §5.6.6).
std::string_view take_piece(std::string_view& text) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != ';'); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (quoted && text[end] == '\\' && end + 1 < text.size()) ++end;
    }
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return util::trim(piece);
}

/// The value without quotes; some clients use apostrophes.
std::string unquoted(std::string_view value) {
    const bool quoted = value.size() >= 2 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'');
    if (!quoted) return std::string(value);
    std::string text(value.substr(1, value.size() - 2));
    std::erase(text, '\\');  // quoted-pair (§5.6.4); no name of an encoding has one
    return text;
}

bool is_ascii(std::string_view body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (static_cast<unsigned char>(body[i]) >= 0x80) return false;
        const char high = body[i] == '%' && i + 1 < body.size() ? body[i + 1] : '0';
        if (high > '7') return false;  // %80 to %FF, whose first digit is 8, 9 or a letter
    }
    return true;
}

constexpr std::size_t kMaxValue = 128;

bool is_usable(std::string_view value, std::size_t longest = kMaxValue) {
    return !value.empty() && value.size() <= longest && util::is_base64url(value);
}

/// Calls `use` with name and value of each pair that has an equals sign.
template <class Use>
void for_each_cookie(std::string_view header, Use use) {
    while (!header.empty()) {
        const std::string_view pair = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(pair.size() + 1, header.size()));
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        use(util::trim(pair.substr(0, equals)), util::trim(pair.substr(equals + 1)));
    }
}

}  // namespace

FormType form_type(std::string_view content_type, std::string_view body) {
    if (!util::equal_ignoring_case(take_piece(content_type), "application/x-www-form-urlencoded"))
        return FormType::other;
    while (!content_type.empty()) {
        const std::string_view parameter = take_piece(content_type);
        const std::size_t equals = std::min(parameter.find('='), parameter.size());
        if (!util::equal_ignoring_case(util::trim(parameter.substr(0, equals)), "charset")) continue;
        const auto value = util::trim(parameter.substr(std::min(equals + 1, parameter.size())));
        const Charset charset = charset_of(unquoted(value));
        if (charset == Charset::other || (charset == Charset::has_ascii && !is_ascii(body)))
            return FormType::other_charset;
    }
    return FormType::form;
}

bool is_json_type(std::string_view content_type) {
    return util::equal_ignoring_case(take_piece(content_type), "application/json");
}

SchemeAndCredentials split_credentials(std::string_view value) {
    value = util::trim(value);
    const std::size_t end = std::min(value.find(' '), value.size());
    const std::string_view rest = value.substr(end);
    return {value.substr(0, end), rest.substr(std::min(rest.find_first_not_of(' '), rest.size()))};
}

std::optional<std::string> find_cookie(std::string_view header, std::string_view name) {
    std::optional<std::string_view> found;
    bool is_twice = false;
    for_each_cookie(header, [&](std::string_view of, std::string_view value) {
        if (of != name) return;
        // Which of two is ours cannot be told: a neighbouring subdomain may have planted the other.
        is_twice = found.has_value();
        found = value;
    });
    if (!found || is_twice || !is_usable(*found)) return std::nullopt;
    return std::string(*found);
}

std::vector<NamedCookie> find_cookies(std::string_view header, std::string_view prefix) {
    using Pair = std::pair<std::string_view, std::string_view>;
    std::vector<Pair> all;
    for_each_cookie(header, [&](std::string_view name, std::string_view value) {
        if (name.starts_with(prefix)) all.emplace_back(name, value);
    });
    std::ranges::sort(all);
    std::vector<NamedCookie> found;
    for (auto first = all.begin(); first != all.end();) {
        const auto next = std::find_if(first, all.end(), [&](const Pair& pair) { return pair.first != first->first; });
        if (next - first == 1 && is_usable(first->second))
            found.push_back({std::string(first->first), std::string(first->second)});
        first = next;
    }
    return found;
}

std::vector<std::string> find_cookie_values(std::string_view header, std::string_view name, std::size_t longest,
                                            std::size_t most) {
    std::vector<std::string> found;
    for_each_cookie(header, [&](std::string_view of, std::string_view value) {
        if (of == name && found.size() < most && is_usable(value, longest)) found.emplace_back(value);
    });
    return found;
}

std::string set_path_cookie(const PathCookie& cookie) {
    std::string text = cookie.name;
    text.append("=").append(cookie.value).append("; Path=").append(cookie.path).append("; HttpOnly; SameSite=Lax");
    // `__Host-` names are refused by browsers without Secure, and over http with it (RFC 6265bis §4.1.3.2).
    if (cookie.security == CookieSecurity::https) text += "; Secure";
    if (cookie.age) text += "; Max-Age=" + std::to_string(cookie.age->count());
    return text;
}

std::string set_cookie(std::string_view name, std::string_view value, CookieSecurity security) {
    return set_path_cookie({std::string(name), std::string(value), "/", security});
}

std::string set_lasting_cookie(std::string_view name, std::string_view value, CookieSecurity security,
                               std::chrono::seconds age) {
    return set_cookie(name, value, security) + "; Max-Age=" + std::to_string(age.count());
}

std::string clear_cookie(std::string_view name, CookieSecurity security) {
    return set_cookie(name, "", security) + "; Max-Age=0";  // it needs the attributes that set it
}

}  // namespace postern::http
