// Decides which claims are kept for a user: one table of names and shapes, one of names that belong to the protocol.
#include "claims.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "command.h"
#include "http/url.h"
#include "output.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::int64_t kMaxTime = 253402300799;  // 9999-12-31

bool is_clean(std::string_view text) {
    return !util::trim(text).empty() && text.size() <= kMaxTextBytes && util::is_utf8(text) &&
           !util::has_control_bytes(text);
}

bool is_text(const json::Value& value) { return value.if_string() && is_clean(*value.if_string()); }

bool is_boolean(const json::Value& value) { return value.if_bool() != nullptr; }

bool is_time(const json::Value& value) {
    const std::int64_t* seconds = value.if_integer();
    return seconds && *seconds >= 0 && *seconds <= kMaxTime;
}

bool is_web_url(const json::Value& value) {
    if (!is_text(value)) return false;
    const auto url = http::parse_url(*value.if_string());
    return url && (url->scheme == "https" || url->scheme == "http") && !url->host.empty();
}

bool is_email(const json::Value& value) {
    if (!is_text(value)) return false;
    const std::string& text = *value.if_string();
    const auto at = text.rfind('@');
    return at != std::string::npos && at > 0 && at + 1 < text.size() && text.find(' ') == std::string::npos;
}

/// YYYY, or YYYY-MM-DD where the year may be 0000 (left out).
bool is_birthdate(const json::Value& value) {
    if (!is_text(value)) return false;
    const std::string_view text = *value.if_string();
    if (text.size() == 4) return util::parse_digits(text, 9999).has_value();
    if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !util::parse_digits(text.substr(0, 4), 9999))
        return false;
    const auto month = util::parse_digits(text.substr(5, 2), 12);
    const auto day = util::parse_digits(text.substr(8, 2), 31);
    return month && day && *month > 0 && *day > 0;
}

/// OpenID Connect Core §5.1.1; two of the members may have several lines.
bool is_address_member(std::string_view name, const json::Value& value) {
    constexpr std::array<std::string_view, 4> kOneLine = {"locality", "region", "postal_code", "country"};
    if (std::ranges::find(kOneLine, name) != kOneLine.end()) return is_text(value);
    if ((name != "formatted" && name != "street_address") || !value.if_string()) return false;
    std::string lines = *value.if_string();
    std::erase_if(lines, [](char c) { return c == '\n' || c == '\r'; });
    return is_clean(lines);
}

bool is_address(const json::Value& value) {
    const json::Object* address = value.if_object();
    return address && !address->empty() && std::ranges::all_of(address->members(), [](const auto& member) {
               return is_address_member(member.first, member.second);
           });
}

/// A scalar, or a list of texts (groups, roles).
bool is_custom(const json::Value& value) {
    if (const json::Array* array = value.if_array()) {
        return std::ranges::all_of(*array, [](const json::Value& entry) { return is_text(entry); });
    }
    return is_text(value) || value.if_bool() || value.if_integer() || value.if_number();
}

struct Shape {
    std::string_view name;
    bool (*fits)(const json::Value&);
    const char* wanted;
};

constexpr const char* kText = "text of 1 to 4096 bytes without control characters";
constexpr const char* kUrl = "an absolute http or https URL";

const Shape kShapes[] = {
    {"name", is_text, kText},
    {"given_name", is_text, kText},
    {"family_name", is_text, kText},
    {"middle_name", is_text, kText},
    {"nickname", is_text, kText},
    {"preferred_username", is_text, kText},
    {"profile", is_web_url, kUrl},
    {"picture", is_web_url, kUrl},
    {"website", is_web_url, kUrl},
    {"email", is_email, "an address like ada@example.org"},
    {"email_verified", is_boolean, "true or false"},
    {"gender", is_text, kText},
    {"birthdate", is_birthdate, "YYYY-MM-DD, or YYYY"},
    {"zoneinfo", is_text, "a time zone name like Europe/Paris"},
    {"locale", is_text, "a language tag like en-GB"},
    {"phone_number", is_text, "a number like +1 425 555 1212"},
    {"phone_number_verified", is_boolean, "true or false"},
    {"address", is_address,
     "an object of texts (formatted, street_address, locality, region, postal_code, country), given with "
     "--claims-stdin"},
    {"updated_at", is_time, "seconds since 1970, a whole number"},
};

const Shape kCustom = {
    "", is_custom,
    "text of 1 to 4096 bytes without control characters, a number, true, false, or a list of such texts"};

// Set by the server in tokens and answers (RFC 7519 §4.1, RFC 7662 §2.2, RFC 8693, OpenID Connect Core §2): a user's
// attribute of that name could pass for the server's word.
constexpr std::array<std::string_view, 27> kProtocol = {
    "sub",       "iss",   "aud",        "exp",    "nbf",      "iat",    "jti",     "typ",    "nonce",
    "auth_time", "acr",   "amr",        "azp",    "at_hash",  "c_hash", "s_hash",  "sid",    "cid",
    "client_id", "scope", "token_type", "active", "username", "act",    "may_act", "events", "cnf"};

const Shape& shape_of(std::string_view name) {
    const auto* shape = std::ranges::find(kShapes, name, &Shape::name);
    return shape == std::end(kShapes) ? kCustom : *shape;
}

void check_name(const std::string& name) {
    if (name.empty() || name.size() > kMaxNameBytes || !util::is_vschar(name) ||
        name.find_first_of(" \"\\") != std::string::npos) {
        throw Refused(
            "claim \"" + name +
            "\": the name must be 1 to 64 printable ASCII characters without blank, quotation mark and backslash");
    }
    if (std::ranges::find(kProtocol, name) != kProtocol.end()) {
        throw Refused("claim " + in_quotes(name) + " is set by the server itself; choose another name");
    }
}

/// Text as the claim's own type; text that does not fit stays text, for the shape to refuse.
json::Value typed(const Shape& shape, std::string_view text) {
    if (shape.fits == is_boolean && (text == "true" || text == "false")) return text == "true";
    if (shape.fits == is_time) {
        if (const auto seconds = util::parse_digits(text, kMaxTime)) return *seconds;
    }
    return text;
}

void set_claim(json::Object& claims, const std::string& name, json::Value value) {
    check_name(name);
    const Shape& shape = shape_of(name);
    if (!shape.fits(value)) throw Refused("claim " + in_quotes(name) + " must be " + shape.wanted);
    claims.set(name, std::move(value));
}

}  // namespace

void set_text_claim(json::Object& claims, std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw UsageError("--claim wants NAME=TEXT, for example --claim email=ada@example.org");
    const std::string_view name = assignment.substr(0, equals);
    set_claim(claims, std::string(name), typed(shape_of(name), assignment.substr(equals + 1)));
}

void set_claims(json::Object& claims, const json::Object& given) {
    for (const auto& [name, value] : given.members()) set_claim(claims, name, value);
}

void note_custom_claims(const json::Object& claims) {
    std::vector<std::string> names;
    for (const auto& member : claims.members()) {
        if (&shape_of(member.first) == &kCustom) names.push_back(member.first);
    }
    if (!names.empty()) print_note("kept, but released by no scope of OpenID Connect: " + join(names, ", "));
}

}  // namespace postern::cli
