// Which shape does a claim of OpenID Connect Core §5.1 have?
#pragma once

#include <string_view>

#include "json/value.h"

namespace postern::model {

/// How long the text of a claim may be, in bytes.
inline constexpr std::size_t kMaxClaimText = 4096;

struct ClaimShape {
    std::string_view name;
    bool (*fits)(const json::Value&);
    const char* wanted;  ///< the words after "must be"
};

/// nullptr for a name that §5.1 does not define, and for `sub`.
const ClaimShape* find_claim_shape(std::string_view name);

/// 1 to 4096 bytes of UTF-8 that are not all blanks and hold no control characters.
bool is_claim_text(const json::Value& value);

/// Text as the claim's own type: true and false for the *_verified claims, digits for updated_at. Text that does not
/// fit stays text, for the shape to refuse.
json::Value typed_claim(std::string_view name, std::string_view text);

}  // namespace postern::model
