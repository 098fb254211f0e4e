// The ways in which an answer of the authorization endpoint reaches the client (OAuth 2.0 Multiple Response Types §2.1,
// Form Post §2, JARM §2.3).
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace postern::model {

enum class ResponseMode { query, fragment, form_post, query_jwt, fragment_jwt, form_post_jwt };

/// Returns true for a mode whose answer is a signed token in one parameter (JARM §2.1).
constexpr bool is_signed(ResponseMode mode) { return mode >= ResponseMode::query_jwt; }

/// Returns the way by which the answer travels, signed or not.
constexpr ResponseMode carrier_of(ResponseMode mode) {
    constexpr ResponseMode kCarriers[] = {ResponseMode::query, ResponseMode::fragment, ResponseMode::form_post};
    return kCarriers[static_cast<unsigned>(mode) % 3];
}

/// A value of the parameter `response_mode`, and the mode that it means.
struct NamedMode {
    std::string_view name;
    ResponseMode mode;                       ///< with an answer that has a code alone
    std::optional<ResponseMode> with_token;  ///< with a token in the answer; nullopt: refused
};

/// Every value that the parameter can have. `jwt` means the signed form of the response type's own mode (JARM §2.3.4);
/// tokens never stand in a query (Multiple Response Types §3, JARM §2.3.1).
inline constexpr std::array kNamedModes = {
    NamedMode{"query", ResponseMode::query, std::nullopt},
    NamedMode{"fragment", ResponseMode::fragment, ResponseMode::fragment},
    NamedMode{"form_post", ResponseMode::form_post, ResponseMode::form_post},
    NamedMode{"jwt", ResponseMode::query_jwt, ResponseMode::fragment_jwt},
    NamedMode{"query.jwt", ResponseMode::query_jwt, std::nullopt},
    NamedMode{"fragment.jwt", ResponseMode::fragment_jwt, ResponseMode::fragment_jwt},
    NamedMode{"form_post.jwt", ResponseMode::form_post_jwt, ResponseMode::form_post_jwt},
};

/// Returns the row with that name, byte for byte; nullptr for any other text.
constexpr const NamedMode* find_mode(std::string_view name) {
    for (const NamedMode& row : kNamedModes)
        if (row.name == name) return &row;
    return nullptr;
}

}  // namespace postern::model
