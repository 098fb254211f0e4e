// Finds the way in which the answer of an authorization request reaches the client.
#include "oauth/response_mode.h"

#include <array>
#include <optional>
#include <string>

#include "json/reader.h"
#include "oauth/settings.h"
#include "refusal/reason.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using model::ResponseMode;

/// Response types other than `code` and `none` put tokens into the answer, so they default to the fragment, in any
/// spelling and whether or not we support them (Multiple Response Types §3, §5).
bool yields_token(const http::Params& params) {
    const std::string_view type = params.find("response_type").value_or("");
    for (const std::string_view word : util::split(type, ' '))
        if (word == "token" || word == "id_token") return true;
    return false;
}

ResponseMode default_mode(const http::Params& params) {
    return yields_token(params) ? ResponseMode::fragment : ResponseMode::query;
}

Outcome<ResponseMode> parse_mode(std::optional<std::string_view> asked, const http::Params& params) {
    struct ModeRow {
        std::string_view name;
        ResponseMode mode;
    };
    static constexpr std::array kRows = {ModeRow{"query", ResponseMode::query},
                                         ModeRow{"fragment", ResponseMode::fragment},
                                         ModeRow{"form_post", ResponseMode::form_post}};
    if (!asked) return default_mode(params);
    for (const ModeRow& row : kRows) {
        if (row.name != *asked) continue;
        if (row.mode == ResponseMode::query && yields_token(params))
            return make_error(refusal::Reason::invalid_request_query_mode,
                              "response_mode=query is not allowed with this response_type");
        return row.mode;
    }
    return invalid_request("response_mode must be query, fragment or form_post");
}

/// The member `response_mode` of a request object (RFC 7515 §7.1: the second part); nullopt for anything else.
std::optional<std::string> mode_inside(const http::Params& params) {
    const std::string_view object = params.find("request").value_or("");
    const auto parts = util::split(object, '.');
    if (parts.size() != 3 || object.size() > kMaxRequestBytes) return std::nullopt;
    const auto payload = util::base64url_decode(parts[1]);
    if (!payload) return std::nullopt;
    const auto parsed = json::parse(*payload);
    const json::Object* members = parsed ? parsed->if_object() : nullptr;
    const json::Value* mode = members ? members->find("response_mode") : nullptr;
    if (!mode || !mode->if_string()) return std::nullopt;
    return *mode->if_string();
}

}  // namespace

Outcome<ResponseMode> parse_response_mode(const http::Params& params) {
    return parse_mode(params.find("response_mode"), params);
}

ResponseMode response_mode_of_errors(const http::Params& params) {
    const auto inside = mode_inside(params);
    const auto outside = params.find("response_mode");
    const auto mode = parse_mode(outside ? outside : inside, params);
    return mode ? *mode : default_mode(params);
}

}  // namespace postern::oauth
