// The scope and the shape of each standard claim, in one table (OpenID Connect Core §5.1, §5.4).
#include "model/standard_claims.h"

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

constexpr StandardClaim kRows[] = {
    {"profile", "name", is_text, kText},
    {"profile", "family_name", is_text, kText},
    {"profile", "given_name", is_text, kText},
    {"profile", "middle_name", is_text, kText},
    {"profile", "nickname", is_text, kText},
    {"profile", "preferred_username", is_text, kText},
    {"profile", "profile", is_web_url, kUrl},
    {"profile", "picture", is_web_url, kUrl},
    {"profile", "website", is_web_url, kUrl},
    {"profile", "gender", is_text, kText},
    {"profile", "birthdate", is_birthdate, "YYYY-MM-DD, or YYYY"},
    {"profile", "zoneinfo", is_text, "a time zone name like Europe/Paris"},
    {"profile", "locale", is_text, "a language tag like en-GB"},
    {"profile", "updated_at", is_time, "seconds since 1970, a whole number"},
    {"email", "email", is_email, "an address like ada@example.org"},
    {"email", "email_verified", is_boolean, "true or false"},
    {"address", "address", is_address,
     "an object of texts (formatted, street_address, locality, region, postal_code, country), given with "
     "--claims-stdin"},
    {"phone", "phone_number", is_text, "a number like +1 425 555 1212"},
    {"phone", "phone_number_verified", is_boolean, "true or false"},
};

}  // namespace

std::span<const StandardClaim> standard_claims() { return kRows; }

std::optional<std::string_view> scope_of_claim(std::string_view name) {
    const StandardClaim* claim = find_standard_claim(name);
    return claim ? std::optional(claim->scope) : std::nullopt;
}

void ReleasedClaims::add(const std::string& scope, const std::string& claim) { added_[scope].insert(claim); }

bool ReleasedClaims::contains(std::string_view claim) const {
    return scope_of_claim(claim) ||
           std::ranges::any_of(added_, [&](const auto& row) { return row.second.contains(std::string(claim)); });
}

bool ReleasedClaims::is_released_by(const Scope& scopes, std::string_view claim) const {
    const auto standard = scope_of_claim(claim);
    return (standard && scopes.contains(*standard)) || std::ranges::any_of(added_, [&](const auto& row) {
               return scopes.contains(row.first) && row.second.contains(std::string(claim));
           });
}

std::vector<std::string> ReleasedClaims::names() const {
    std::vector<std::string> names;
    for (const StandardClaim& claim : standard_claims()) names.emplace_back(claim.name);
    for (const auto& [scope, claims] : added_)
        for (const std::string& claim : claims)
            if (std::ranges::find(names, claim) == names.end()) names.push_back(claim);
    return names;
}

const StandardClaim* find_standard_claim(std::string_view name) {
    const auto* shape = std::ranges::find(kRows, name, &StandardClaim::name);
    return shape == std::end(kRows) ? nullptr : shape;
}

bool is_claim_text(const json::Value& value) { return is_text(value); }

json::Value typed_claim(std::string_view name, std::string_view text) {
    const StandardClaim* shape = find_standard_claim(name);
    if (!shape) return text;
    if (shape->fits == is_boolean && (text == "true" || text == "false")) return text == "true";
    if (shape->fits == is_time) {
        if (const auto seconds = util::parse_digits(text, util::kMaxEpoch)) return *seconds;
    }
    return text;
}

}  // namespace postern::model
