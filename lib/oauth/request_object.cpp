// Decides whether a client has signed an authorization request, and what it asks for there.
#include "oauth/request_object.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "audit/trail.h"
#include "jose/foreign_claims.h"
#include "jose/foreign_jwt.h"
#include "json/writer.h"
#include "oauth/client_key_set.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

using crypto::Algorithm;
using jose::ClaimFault;
using refusal::Reason;
using Fault = util::Result<void, std::string>;
using TimeFault = util::Result<void, ClaimFault>;

constexpr std::array<std::string_view, 2> kTypes = {"jwt", "oauth-authz-req+jwt"};
constexpr std::array kAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::RS256};
constexpr jose::ForeignForm kForm{32768, kTypes, true, kAlgorithms};
constexpr SignedUse kUse = {"request", Reason::invalid_request_object, "the request object is not good"};

/// The longest time ahead of `exp`, between `nbf` and `exp`, and since `nbf`.
constexpr util::Seconds kLongest{3600};
constexpr std::size_t kMostMembers = 128;

/// RFC 7519 §4.1. They are about the object; `aud` is not the parameter of that name.
constexpr std::array<std::string_view, 7> kOwnClaims = {"iss", "sub", "aud", "exp", "nbf", "iat", "jti"};

OAuthError refused(const std::string& detail, Reason reason = kUse.reason) {
    return make_error(reason, kUse.description, std::string(kUse.name) + ": " + detail);
}

std::string in_seconds(util::Seconds time) { return std::to_string(time.count()) + " s"; }

/// JAR-5. A client assertion has `sub` and no `client_id` (RFC 9101 §10.8).
Fault check_client(const json::Object& claims, const model::ClientId& client) {
    const std::string* id = claims.find_string("client_id");
    if (id == nullptr) return std::string("its \"client_id\" is missing or not a string");
    if (*id != client.str())
        return "its \"client_id\" is " + jose::shown(*id) + ", and client " + client.str() + " has authenticated";
    const std::string* iss = claims.find_string("iss");
    if (claims.find("iss") != nullptr && (iss == nullptr || *iss != client.str()))
        return std::string("its \"iss\" is not the client id");
    if (claims.find("sub") != nullptr) return std::string("it has \"sub\", so it is a JWT for something else");
    return {};
}

/// JAR-6.
Fault check_audience(const json::Object& claims, const RequestObjectRules& rules) {
    if (claims.find("aud") == nullptr) {
        if (rules.required == RequiredClaims::none) return {};
        return std::string("it has no \"aud\"");
    }
    const auto audience = jose::find_audience(claims);
    if (!audience) return std::string("its \"aud\" is neither a string nor an array of strings");
    if (std::ranges::find(audience->values, rules.issuer) != audience->values.end()) return {};
    return "its \"aud\" is " + jose::shown(audience->values.front()) + ", and must be or have " + rules.issuer;
}

/// FAPI 2.0 Message Signing §5.3.1.
TimeFault check_bounds(const json::Object& claims, util::Time now) {
    const auto nbf = jose::find_time(claims, "nbf");
    const auto exp = jose::find_time(claims, "exp");
    if (!exp) return ClaimFault{"it has no \"exp\""};
    if (!nbf) return ClaimFault{"it has no \"nbf\""};
    if (now - *nbf > kLongest)
        return ClaimFault{"its \"nbf\" is " + in_seconds(now - *nbf) + " ago, and may be 3600 s ago", true};
    if (*exp - *nbf > kLongest)
        return ClaimFault{"its \"exp\" is " + in_seconds(*exp - *nbf) +
                          " behind its \"nbf\", and may be 3600 s behind it"};
    return {};
}

/// JAR-7.
TimeFault check_times(const json::Object& claims, const RequestObjectRules& rules) {
    if (auto times = jose::check_times(claims, rules.now, rules.clock_skew); !times) return times;
    return rules.required == RequiredClaims::bounded ? check_bounds(claims, rules.now) : TimeFault{};
}

/// JAR-8.
Fault check_not_nested(const json::Object& claims) {
    for (const char* name : {"request", "request_uri"})
        if (claims.find(name) != nullptr) return "it has \"" + std::string(name) + "\" inside";
    return {};
}

/// JAR-9: `jti` is not looked at, so `exp` is what ends an object that was stolen.
TimeFault check_lifetime(const json::Object& claims, const RequestObjectRules& rules) {
    const auto exp = jose::find_time(claims, "exp");
    if (!exp || *exp <= rules.now + kLongest + rules.clock_skew) return {};
    return ClaimFault{"its \"exp\" is " + in_seconds(*exp - rules.now) + " ahead, and may be 3600 s ahead", true};
}

/// The values of a member as a form has them; nullopt: it is of a type that no parameter has.
std::optional<std::vector<std::string>> values_of(const std::string& name, const json::Value& value) {
    if (value.if_string()) return std::vector{*value.if_string()};
    if (name == "max_age" && (value.if_integer() || value.if_number())) return std::vector{json::write(value)};
    if (name == "claims" && value.if_object()) return std::vector{json::write(value)};
    const json::Array* list = name == "resource" ? value.if_array() : nullptr;
    if (list == nullptr) return std::nullopt;
    std::vector<std::string> values;
    for (const json::Value& item : *list) {
        if (item.if_string() == nullptr) return std::nullopt;
        values.push_back(*item.if_string());
    }
    return values;
}

}  // namespace

util::Result<void, ClaimFault> check_request_claims(const json::Object& claims, const RequestObjectRules& rules) {
    if (const auto checked = check_client(claims, rules.client); !checked) return ClaimFault{checked.error()};
    if (const auto checked = check_audience(claims, rules); !checked) return ClaimFault{checked.error()};
    RETURN_IF_ERROR(check_times(claims, rules));
    if (const auto checked = check_not_nested(claims); !checked) return ClaimFault{checked.error()};
    return check_lifetime(claims, rules);
}

util::Result<http::Params, std::string> parameters_inside(const json::Object& claims) {
    if (claims.size() > kMostMembers) return "it has more than " + std::to_string(kMostMembers) + " members";
    std::string form;
    std::size_t count = 0;
    for (const auto& [name, value] : claims.members()) {
        if (std::ranges::find(kOwnClaims, name) != kOwnClaims.end()) continue;
        const auto values = values_of(name, value);
        if (!values) return "its \"" + jose::shown(name, 40) + "\" is of a type that this parameter cannot have";
        count += values->size();
        for (const std::string& text : *values)
            form.append(form.empty() ? "" : "&")
                .append(util::percent_encode(name))
                .append("=")
                .append(util::percent_encode(text));
    }
    auto parameters = http::Params::parse(form, count);  // which judges names and text as those of a form
    if (!parameters) return std::string("the name of a member is not text");
    return std::move(*parameters);
}

Outcome<SignedRequest> open_request_object(Context& context, const model::ClientId& client, std::string_view object) {
    const Settings& settings = context.settings;
    const auto stored = store::find_client(context.store, client);
    // No other client has keys, and on a server the role may read them only where clients sign or have certificates.
    const bool has_keys = stored && model::has_keys(*stored);
    const auto keys = has_keys ? store::find_client_keys(context.store, client) : std::nullopt;
    if (!keys) return refused("the client has no keys; register them with `postern client set --jwks`");  // JAR-2
    auto jwt = jose::parse_foreign_jwt(object, kForm);
    if (!jwt) return refused(jwt.error());
    ASSIGN_OR_RETURN(const auto claims,
                     verify_by_client(context, *stored, *keys, stored->request_object_alg, std::move(*jwt), kUse));
    const auto required = has_security_profile(settings, *stored) ? RequiredClaims::bounded : RequiredClaims::none;
    const auto good =
        check_request_claims(*claims, {client, settings.issuer, settings.clock_skew, context.now(), required});
    if (!good)
        return refused(good.error().detail,
                       good.error().is_of_clocks ? Reason::invalid_request_object_time : kUse.reason);
    auto parameters = parameters_inside(*claims);
    if (!parameters) return refused(parameters.error());
    return SignedRequest{std::move(*parameters), audit::short_digest(object)};
}

}  // namespace postern::oauth
