// Reads the request of a client: a flat list of named checks over the parameters of RFC 6749 §4.1.1 and OpenID Connect
// Core §3.1.2.1.
#include "oauth/authorization_request.h"

#include <array>
#include <limits>

#include "crypto/random.h"
#include "oauth/acr.h"
#include "oauth/answer_size.h"
#include "oauth/claims_parameter.h"
#include "oauth/client_demands.h"
#include "oauth/dpop.h"
#include "oauth/expected_subject.h"
#include "oauth/pkce.h"
#include "oauth/response_mode.h"
#include "oauth/response_type.h"
#include "oauth/scope_policy.h"
#include "oauth/target.h"
#include "text/language_tag.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

// Grouped by where they come from.
// clang-format off
const std::initializer_list<std::string_view> kKnown = {
    "response_type", "client_id", "redirect_uri", "scope", "state",                          // RFC 6749 §4.1.1
    "code_challenge", "code_challenge_method",                                               // RFC 7636 §4.3
    "response_mode", "nonce", "prompt", "max_age", "acr_values", "id_token_hint", "login_hint", "claims",  // OpenID Connect
    "request", "request_uri", "registration",                                                // refused
    "aud", "audience"};
// clang-format on
constexpr std::string_view kResource = "resource";  // RFC 8707 §2.1, the one that may be repeated

Outcome<void> check_duplicates(const http::Params& params) {
    if (const auto faulty = params.first_fault(kKnown)) return invalid_parameter(*faulty);
    return {};
}

Outcome<void> check_sizes(const VerifiedRedirect& target, const http::Params& params) {
    std::size_t total = target.uri().size();  // it travels on, sent or not
    if (target.document()) total += target.document()->name.size();
    for (const std::string_view name : kKnown)
        // A hint does not travel on, only the user that it names.
        if (name != "redirect_uri" && name != "id_token_hint") total += params.find(name).value_or("").size();
    for (const std::string& uri : params.find_all(kResource).value_or(std::vector<std::string>())) total += uri.size();
    if (params.find("state").value_or("").size() > kMaxStateBytes)
        return invalid_request("state is longer than 4096 bytes");
    if (total > kMaxRequestBytes) return invalid_request("the parameters are longer than 4864 bytes together");
    return {};
}

/// OpenID Connect Core §3.1.2.1: `none` excludes every other value; unknown values are ignored.
Outcome<std::set<model::Prompt>> parse_prompt(std::optional<std::string_view> text) {
    struct Word {
        std::string_view name;
        model::Prompt prompt;
    };
    static constexpr std::array kWords = {
        Word{"none", model::Prompt::none},
        Word{"login", model::Prompt::login},
        Word{"consent", model::Prompt::consent},
        Word{"select_account", model::Prompt::select_account},
    };
    std::set<model::Prompt> prompts;
    if (!text) return prompts;
    const auto given = util::split(*text, ' ');
    for (const std::string_view word : given)
        for (const Word& known : kWords)
            if (known.name == word) prompts.insert(known.prompt);
    if (prompts.contains(model::Prompt::none) && given.size() > 1)
        return invalid_request("prompt=none must stand alone");
    return prompts;
}

/// Digits of at most 2^31-1: no sign, no blank, no fraction, and no overflow in `auth_time + max_age`.
Outcome<std::optional<util::Seconds>> parse_max_age(std::optional<std::string_view> text) {
    if (!text) return std::optional<util::Seconds>();
    const auto seconds = util::parse_digits(*text, std::numeric_limits<std::int32_t>::max());
    if (!seconds) return invalid_request("max_age must be a number of seconds");
    return std::optional<util::Seconds>(util::Seconds{*seconds});
}

/// A challenge protects a code, so a request that yields no code needs none.
Outcome<std::optional<std::string>> parse_challenge(const model::Client& client, model::ResponseType type,
                                                    const http::Params& params) {
    if (!model::yields_code(type)) return std::optional<std::string>();
    return parse_code_challenge(client, params.find("code_challenge"), params.find("code_challenge_method"));
}

/// OpenID Connect Core §5.5: a parameter of OpenID Connect requests. Where no ID token is issued nothing can be in it,
/// and without an access token there is no UserInfo.
Outcome<ClaimsParameter> parse_claims(const Settings& settings, const model::Client& client, const model::Scope& scope,
                                      model::ResponseType type, const http::Params& params) {
    const auto text = params.find("claims");
    if (!text || !settings.oidc || !scope.contains("openid")) return ClaimsParameter{};
    auto parsed = parse_claims_parameter(settings, client, scope, *text);
    if (parsed && type == model::ResponseType::token) parsed->claims.id_token.clear();
    if (parsed && type == model::ResponseType::id_token) parsed->claims.userinfo.clear();
    return parsed;
}

std::vector<std::string> words_of(std::optional<std::string_view> text) {
    std::vector<std::string> words;
    if (!text) return words;
    for (const std::string_view word : util::split(*text, ' ')) words.emplace_back(word);
    return words;
}

/// The number of languages that are kept, so that the seal stays short.
constexpr std::size_t kMaxLocales = 5;

/// No value is an error (OpenID Connect Core §3.1.2.1).
std::optional<std::string> parse_ui_locales(const http::Params& params) {
    std::string kept;
    auto tags = text::wanted_languages(params.find("ui_locales").value_or(""));
    tags.resize(std::min(tags.size(), kMaxLocales));
    for (const std::string& tag : tags) kept.append(kept.empty() ? "" : " ").append(tag);
    if (kept.empty()) return std::nullopt;
    return kept;
}

}  // namespace

Outcome<void> check_request_objects(const http::Params& params) {
    struct RefusedParameter {
        std::string_view name;
        ErrorCode code;
        const char* description;
    };
    static constexpr std::array kRefusedParameters = {
        RefusedParameter{"request", ErrorCode::request_not_supported, "request objects are not supported"},
        RefusedParameter{"request_uri", ErrorCode::request_uri_not_supported, "request_uri is not supported"},
        RefusedParameter{"registration", ErrorCode::registration_not_supported, "registration is not supported"},
    };
    for (const RefusedParameter& row : kRefusedParameters)
        if (params.find(row.name)) return make_error(row.code, row.description);
    return {};
}

Outcome<model::AuthorizationRequest> parse_authorization_request(Context& context, const VerifiedRedirect& target,
                                                                 const http::Params& params) {
    const model::Client& client = target.client();
    RETURN_IF_ERROR(check_duplicates(params));
    RETURN_IF_ERROR(check_sizes(target, params));
    RETURN_IF_ERROR(check_request_objects(params));
    ASSIGN_OR_RETURN(auto mode, parse_response_mode(context.settings, client, params));
    ASSIGN_OR_RETURN(auto type, parse_response_type(context.settings, client, params));

    ASSIGN_OR_RETURN(auto asked_scope, read_scope(context, client, params.find("scope")));
    model::Scope& scope = asked_scope.scope;
    // No refresh token will come of it, so there is nothing to keep (OpenID Connect Core §11).
    if (!model::yields_code(type)) scope.remove("offline_access");
    const std::string_view nonce = params.find("nonce").value_or("");
    RETURN_IF_ERROR(check_id_token_request(context.settings, client, type, scope, nonce));
    RETURN_IF_ERROR(check_answer_size(target, type, mode, scope, nonce));
    ASSIGN_OR_RETURN(auto prompt, parse_prompt(params.find("prompt")));
    ASSIGN_OR_RETURN(auto max_age, parse_max_age(params.find("max_age")));
    ASSIGN_OR_RETURN(auto challenge, parse_challenge(client, type, params));
    ASSIGN_OR_RETURN(auto jkt, parse_dpop_jkt(context.settings, params));
    ASSIGN_OR_RETURN(auto targets, parse_targets(params));
    const bool by_name = asked_scope.by_name;
    ASSIGN_OR_RETURN(auto resources, find_resources(context, client, targets.resources, scope, by_name));
    ASSIGN_OR_RETURN(auto claims, parse_claims(context.settings, client, scope, type, params));
    ASSIGN_OR_RETURN(auto subject, parse_expected_subject(context, params, std::move(claims.subject)));

    model::AuthorizationRequest asked;
    asked.id = crypto::random_token(context.random);
    asked.client_id = client.id;
    asked.redirect_uri = target.uri();
    asked.redirect_uri_sent = target.sent();
    asked.scope = std::move(scope);
    asked.ignored_scope = std::move(asked_scope.ignored);
    asked.state = target.state();
    asked.nonce = params.find("nonce");
    asked.code_challenge = std::move(challenge);
    asked.dpop_jkt = std::move(jkt);
    asked.prompt = std::move(prompt);
    asked.max_age = max_age;
    asked.audience = std::move(targets.audience);
    asked.resources = std::move(resources);
    asked.response_type = type;
    asked.response_mode = mode;
    asked.claims = std::move(claims.claims);
    asked.acr = std::move(claims.acr);
    add_acr_values(context.settings, asked.acr, words_of(params.find("acr_values")), AcrNeed::voluntary);
    asked.hinted_subject = std::move(subject);
    asked.login_hint = parse_login_hint(params);
    asked.ui_locales = parse_ui_locales(params);
    asked.document = target.document();
    asked.expires_at = context.now() + context.settings.authorization_request_ttl;
    return asked;
}

Outcome<void> check_registration(const Settings& settings, const model::Client& client,
                                 const model::AuthorizationRequest& request) {
    RETURN_IF_ERROR(request.pushed ? check_demands(settings, client) : check_may_be_direct(settings, client));
    if (request.pushed) {
        RETURN_IF_ERROR(check_is_signed(settings, client, request.request_object.has_value()));
        RETURN_IF_ERROR(check_redirect_is_sent(settings, client, request.redirect_uri_sent));
    }
    RETURN_IF_ERROR(check_response_mode(settings, client, request));
    RETURN_IF_ERROR(check_response_type(settings, client, request.response_type));
    // An empty scope was no request for one; there is nothing in it to lose.
    if (!request.scope.empty()) RETURN_IF_ERROR(check_registered(settings, client, request.scope));
    RETURN_IF_ERROR(check_claims(settings, client, request.claims));
    RETURN_IF_ERROR(check_listed(client, request.resources));
    if (!model::yields_code(request.response_type)) return {};
    const auto method = request.code_challenge ? std::optional<std::string_view>("S256") : std::nullopt;
    RETURN_IF_ERROR(parse_code_challenge(client, request.code_challenge, method));
    return {};
}

}  // namespace postern::oauth
