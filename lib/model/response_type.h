// The response types of authorization requests (RFC 6749 §3.1.1, OAuth 2.0 Multiple Response Types §3, §5).
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace postern::model {

/// The words of a response type, a bit for each.
enum class ResponseType : unsigned {
    code = 1,
    token = 2,
    code_token = 3,
    id_token = 4,
    code_id_token = 5,
    id_token_token = 6,
    code_id_token_token = 7,
};

inline constexpr std::array kResponseTypes = {ResponseType::code,
                                              ResponseType::token,
                                              ResponseType::id_token,
                                              ResponseType::id_token_token,
                                              ResponseType::code_id_token,
                                              ResponseType::code_token,
                                              ResponseType::code_id_token_token};

constexpr bool yields_code(ResponseType type) { return (static_cast<unsigned>(type) & 1U) != 0; }
constexpr bool yields_token(ResponseType type) { return (static_cast<unsigned>(type) & 2U) != 0; }
constexpr bool yields_id_token(ResponseType type) { return (static_cast<unsigned>(type) & 4U) != 0; }

/// Returns true if the answer itself has something of worth in it, and not only a code that has to be redeemed.
constexpr bool yields_any_token(ResponseType type) { return type != ResponseType::code; }

/// Returns the words in the order of the standards: "code id_token token".
std::string_view to_string(ResponseType type);

/// Reads words in any order, each once, with one blank between them; nullopt for anything else.
std::optional<ResponseType> parse_response_type(std::string_view text);

}  // namespace postern::model
