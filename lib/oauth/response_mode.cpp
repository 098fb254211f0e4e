// How does the answer of an authorization request reach the client?
#include "oauth/response_mode.h"

#include <array>

#include "util/text.h"

namespace postern::oauth {
namespace {

using model::ResponseMode;

/// Response types other than `code` and `none` put tokens into the answer, so they default to the fragment, in any
/// spelling and whether or not we support them (Multiple Response Types §3, §5).
bool yields_token(const http::Params& params) {
    const std::string type = params.find("response_type").value_or("");
    for (const std::string_view word : util::split(type, ' '))
        if (word == "token" || word == "id_token") return true;
    return false;
}

ResponseMode default_mode(const http::Params& params) {
    return yields_token(params) ? ResponseMode::fragment : ResponseMode::query;
}

}  // namespace

Outcome<ResponseMode> parse_response_mode(const http::Params& params) {
    struct Row {
        std::string_view name;
        ResponseMode mode;
    };
    static constexpr std::array kRows = {Row{"query", ResponseMode::query}, Row{"fragment", ResponseMode::fragment},
                                         Row{"form_post", ResponseMode::form_post}};
    const auto asked = params.find("response_mode");
    if (!asked) return default_mode(params);
    for (const Row& row : kRows) {
        if (row.name != *asked) continue;
        if (row.mode == ResponseMode::query && yields_token(params))
            return invalid_request("response_mode=query is not allowed with this response_type");
        return row.mode;
    }
    return invalid_request("response_mode must be query, fragment or form_post");
}

ResponseMode response_mode_of_errors(const http::Params& params) {
    const auto mode = parse_response_mode(params);
    return mode ? *mode : default_mode(params);
}

}  // namespace postern::oauth
