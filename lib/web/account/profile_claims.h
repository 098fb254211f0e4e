// How the page of the profile names a claim, and how a user types one.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "text/message.h"

namespace postern::web {

/// A claim of OpenID Connect Core §5.1 as the page has it.
struct ProfileClaim {
    std::string_view name;     ///< of the claim
    const char* label;         ///< "Family name"
    const char* type;          ///< of its field, "text" or "url"; "": it is not typed here
    const char* autocomplete;  ///< HTML Standard §4.10.18.7
    const char* wanted;        ///< what a value must be: "Family name: ..."
    bool is_data = false;      ///< written from left to right in every language: an address, a number
};

/// Returns the claim of that name; nullptr for a claim of the operator's own.
const ProfileClaim* find_profile_claim(std::string_view name);

/// Returns the value of a claim in words; "" for a value that tells a person nothing.
text::Message shown_claim(const json::Object& claims, std::string_view name);

}  // namespace postern::web
