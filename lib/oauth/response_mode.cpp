// Finds the way in which the answer of an authorization request reaches the client.
#include "oauth/response_mode.h"

#include <algorithm>
#include <optional>
#include <string>

#include "json/reader.h"
#include "oauth/client_profile.h"
#include "refusal/reason.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using model::ResponseMode;
using refusal::Reason;

/// Response types other than `code` and `none` put tokens into the answer, so they default to the fragment, in any
/// spelling and whether or not we support them (Multiple Response Types §3, §5).
bool yields_token(const http::Params& params) {
    const std::string_view type = params.find("response_type").value_or("");
    for (const std::string_view word : util::split(type, ' '))
        if (word == "token" || word == "id_token") return true;
    return false;
}

std::string_view default_name(const http::Params& params) { return yields_token(params) ? "fragment" : "query"; }

ResponseMode default_mode(const http::Params& params) {
    return yields_token(params) ? ResponseMode::fragment : ResponseMode::query;
}

bool may_use(const std::set<std::string>& modes, std::string_view name) {
    return modes.empty() || modes.contains(std::string(name));
}

OAuthError not_registered(const std::set<std::string>& modes) {
    std::string names;
    for (const std::string& name : modes) names += (names.empty() ? "" : " ") + name;
    return make_error(Reason::invalid_request_response_mode, "the client is not registered for this response_mode",
                      "registered: " + names);
}

OAuthError jarm_is_off() {
    return make_error(Reason::invalid_request_jarm_off, "response_mode must be query, fragment or form_post",
                      "jarm is false: no answer is signed");
}

Outcome<ResponseMode> parse_mode(const Settings& settings, const model::Client& client,
                                 std::optional<std::string_view> asked, const http::Params& params) {
    const model::NamedMode* row = model::find_mode(asked.value_or(default_name(params)));
    if (row == nullptr)
        return invalid_request(settings.jarm ? "there is no such response_mode"
                                             : "response_mode must be query, fragment or form_post");
    if (model::is_signed(row->mode) && !settings.jarm) return jarm_is_off();
    const auto mode = yields_token(params) ? row->with_token : row->mode;
    if (!mode)
        return make_error(Reason::invalid_request_query_mode,
                          "a response_mode with a query is not allowed with this response_type");
    if (const auto modes = response_modes_of(settings, client); !may_use(modes, row->name))
        return not_registered(modes);
    return *mode;
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

Outcome<ResponseMode> parse_response_mode(const Settings& settings, const model::Client& client,
                                          const http::Params& params) {
    return parse_mode(settings, client, params.find("response_mode"), params);
}

Outcome<void> check_response_mode(const Settings& settings, const model::Client& client,
                                  const model::AuthorizationRequest& request) {
    if (model::is_signed(request.response_mode) && !settings.jarm) return jarm_is_off();
    const bool has_token = model::yields_any_token(request.response_type);
    const auto modes = response_modes_of(settings, client);
    const bool may = std::ranges::any_of(model::kNamedModes, [&](const model::NamedMode& row) {
        return (has_token ? row.with_token : row.mode) == request.response_mode && may_use(modes, row.name);
    });
    if (!may) return not_registered(modes);
    return {};
}

ResponseMode response_mode_of_errors(const Settings& settings, const model::Client& client,
                                     const http::Params& params) {
    const auto inside = mode_inside(params);
    const auto outside = params.find("response_mode");
    const auto mode = parse_mode(settings, client, outside ? outside : inside, params);
    return mode ? *mode : default_mode(params);
}

}  // namespace postern::oauth
