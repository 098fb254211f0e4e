// How the page of the profile names a claim.
#include "web/account/profile_claims.h"

#include <algorithm>

#include "json/writer.h"
#include "util/text.h"

namespace postern::web {
namespace {

using text::Message;
using text::tr;

constexpr const char* kText = tr("use one line of at most 4096 characters.");
constexpr const char* kUrl = tr("use an address such as https://www.example.org/ada.");

/// In the order of the page. The verified claims are told with the claim that they are about.
constexpr ProfileClaim kClaims[] = {
    {"name", tr("Name"), "text", "name", kText},
    {"given_name", tr("Given name"), "text", "given-name", kText},
    {"middle_name", tr("Middle name"), "text", "additional-name", kText},
    {"family_name", tr("Family name"), "text", "family-name", kText},
    {"nickname", tr("Nickname"), "text", "nickname", kText},
    {"preferred_username", tr("Preferred user name"), "text", "off", kText},
    {"email", tr("E-mail address"), "email", "email", tr("use an address such as ada@example.org."), true},
    {"phone_number", tr("Telephone number"), "text", "tel", kText, true},
    {"address", tr("Postal address"), "", "", ""},
    {"birthdate", tr("Date of birth"), "text", "bday", tr("use a date such as 1815-12-10, or a year."), true},
    {"gender", tr("Gender"), "text", "sex", kText},
    {"website", tr("Website"), "url", "url", kUrl, true},
    {"profile", tr("Profile page"), "url", "off", kUrl, true},
    {"picture", tr("Picture"), "url", "photo", kUrl, true},
    {"locale", tr("Language"), "text", "language", kText, true},
    {"zoneinfo", tr("Time zone"), "text", "off", kText, true},
};

constexpr std::string_view kToldOtherwise[] = {"email_verified", "phone_number_verified", "updated_at"};

bool is_true(const json::Object& claims, const std::string& name) {
    const json::Value* value = claims.find(name);
    return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

/// OpenID Connect Core §5.1.1; one that has no `formatted` is told part by part.
std::string address_in_words(const json::Object& address) {
    if (const json::Value* formatted = address.find("formatted"); formatted && formatted->if_string())
        return *formatted->if_string();
    std::string words;
    for (const auto& [name, value] : address.members())
        if (value.if_string()) words += (words.empty() ? "" : ", ") + *value.if_string();
    return words;
}

}  // namespace

const ProfileClaim* find_profile_claim(std::string_view name) {
    const auto* claim = std::ranges::find(kClaims, name, &ProfileClaim::name);
    return claim == std::end(kClaims) ? nullptr : claim;
}

Message shown_claim(const json::Object& claims, std::string_view name) {
    const ProfileClaim* claim = find_profile_claim(name);
    const auto shown = [&](const std::string& text) {
        return claim != nullptr && claim->is_data ? Message::data(text) : Message::verbatim(text);
    };
    const json::Value* value = claims.find(name);
    if (value == nullptr || std::ranges::find(kToldOtherwise, name) != std::end(kToldOtherwise)) return "";
    if (const json::Object* object = value->if_object()) return Message::verbatim(address_in_words(*object));
    if (const std::string* text = value->if_string()) {
        if (!is_true(claims, std::string(name) + "_verified")) return shown(*text);
        return {tr("{value} (confirmed)"), {{"value", shown(*text)}}};
    }
    if (const bool* flag = value->if_bool()) return *flag ? tr("yes") : tr("no");
    if (const json::Array* array = value->if_array()) {
        std::string words;
        for (const json::Value& entry : *array)
            if (entry.if_string()) words += (words.empty() ? "" : ", ") + *entry.if_string();
        return Message::verbatim(words);
    }
    return Message::data(json::write(*value));
}

}  // namespace postern::web
