// Which shape does a claim have? One table of names and shapes.
#include "model/claim_shape.h"

#include <algorithm>
#include <array>
#include <string>

#include "http/url.h"
#include "util/clock.h"
#include "util/text.h"

namespace postern::model {
namespace {

bool is_clean(std::string_view text) {
    return !util::trim(text).empty() && text.size() <= kMaxClaimText && util::is_utf8(text) &&
           !util::has_control_bytes(text);
}

bool is_text(const json::Value& value) { return value.if_string() && is_clean(*value.if_string()); }

bool is_boolean(const json::Value& value) { return value.if_bool() != nullptr; }

bool is_time(const json::Value& value) {
    const std::int64_t* seconds = value.if_integer();
    return seconds && *seconds >= 0 && *seconds <= util::kMaxEpoch;
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

constexpr const char* kText = "text of 1 to 4096 bytes without control characters";
constexpr const char* kUrl = "an absolute http or https URL";

const ClaimShape kShapes[] = {
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

}  // namespace

const ClaimShape* find_claim_shape(std::string_view name) {
    const auto* shape = std::ranges::find(kShapes, name, &ClaimShape::name);
    return shape == std::end(kShapes) ? nullptr : shape;
}

bool is_claim_text(const json::Value& value) { return is_text(value); }

json::Value typed_claim(std::string_view name, std::string_view text) {
    const ClaimShape* shape = find_claim_shape(name);
    if (!shape) return text;
    if (shape->fits == is_boolean && (text == "true" || text == "false")) return text == "true";
    if (shape->fits == is_time) {
        if (const auto seconds = util::parse_digits(text, util::kMaxEpoch)) return *seconds;
    }
    return text;
}

}  // namespace postern::model
