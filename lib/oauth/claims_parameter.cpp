// Reads the single claims that a client asks for.
#include "oauth/claims_parameter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "json/reader.h"
#include "oauth/acr.h"
#include "refusal/reason.h"

namespace postern::oauth {
namespace {

constexpr json::Limits kLimits{.bytes = 4096, .depth = 8, .nodes = 512};

/// One member of `userinfo` or `id_token`, taken apart (§5.5.1).
struct AskedClaim {
    std::string name;
    bool essential = false;
    std::optional<std::vector<json::Value>> values;  ///< `value` and `values` together; nullopt: neither was given
};
using AskedClaims = std::vector<AskedClaim>;

Outcome<json::Object> parse_object(std::string_view text) {
    const auto value = json::parse(text, json::Dialect::strict, kLimits);
    if (!value) return invalid_request("claims is not valid JSON", value.error().reason);
    if (!value->if_object()) return invalid_request("claims must be a JSON object");
    return *value->if_object();
}

Outcome<AskedClaim> parse_claim(const std::string& name, const json::Value& how) {
    AskedClaim claim{name, false, std::nullopt};
    if (how.is_null()) return claim;
    const json::Object* object = how.if_object();
    if (!object) return invalid_request("a member of claims is neither null nor an object");
    if (const json::Value* essential = object->find("essential")) {
        if (!essential->if_bool()) return invalid_request("essential in claims must be true or false");
        claim.essential = *essential->if_bool();
    }
    if (const json::Value* value = object->find("value")) claim.values.emplace(1, *value);
    if (const json::Value* values = object->find("values")) {
        if (!values->if_array()) return invalid_request("values in claims must be an array");
        if (!claim.values) claim.values.emplace();
        claim.values->insert(claim.values->end(), values->if_array()->begin(), values->if_array()->end());
    }
    return claim;
}

/// The claims of `userinfo` or of `id_token`; none when the member is absent.
Outcome<AskedClaims> parse_place(const json::Object& claims, std::string_view place) {
    AskedClaims asked;
    const json::Value* member = claims.find(place);
    if (!member) return asked;
    if (!member->if_object()) return invalid_request("userinfo and id_token in claims must be objects");
    for (const auto& [name, how] : member->if_object()->members()) {
        ASSIGN_OR_RETURN(auto claim, parse_claim(name, how));
        asked.push_back(std::move(claim));
    }
    return asked;
}

model::ClaimNames names_of(const Settings& settings, const model::Client& client, const AskedClaims& asked) {
    model::ClaimNames names;
    for (const AskedClaim& claim : asked)
        if (settings.released_claims.is_released_by(client.scope, claim.name)) names.insert(claim.name);
    return names;
}

/// §3.1.2.2: with a particular `sub` the request is answered for that user only. Two different values cannot both be
/// satisfied, so they are refused.
Outcome<std::optional<model::Subject>> parse_subject(const AskedClaims& userinfo, const AskedClaims& id_token) {
    std::optional<model::Subject> subject;
    for (const AskedClaims* place : {&userinfo, &id_token})
        for (const AskedClaim& claim : *place) {
            if (claim.name != "sub" || !claim.values) continue;
            if (claim.values->empty()) return invalid_request("values of sub in claims must name a user");
            for (const json::Value& value : *claim.values) {
                if (!value.if_string() || value.if_string()->empty())
                    return invalid_request("sub in claims must be a text");
                if (subject && subject->str() != *value.if_string())
                    return invalid_request("sub in claims must name one user");
                subject = model::Subject(*value.if_string());
            }
        }
    return subject;
}

std::vector<std::string> texts_of(const std::vector<json::Value>& values) {
    std::vector<std::string> texts;
    for (const json::Value& value : values)
        if (value.if_string()) texts.push_back(*value.if_string());
    return texts;
}

std::string known_acr(const Settings& settings) {
    std::string all;
    for (const std::string& name : supported_acr_values(settings)) all.append(all.empty() ? "" : " ").append(name);
    return all;
}

/// §5.5.1.1: an essential `acr` with values is a requirement, which one of the levels here must meet.
Outcome<model::RequestedAcr> parse_acr(const Settings& settings, const AskedClaims& id_token) {
    model::RequestedAcr asked;
    for (const AskedClaim& claim : id_token) {
        if (claim.name != "acr" || !claim.values) continue;
        add_acr_values(settings, asked, texts_of(*claim.values),
                       claim.essential ? AcrNeed::essential : AcrNeed::voluntary);
        if (claim.essential && asked.demanded == model::Level::unknown)
            return make_error(ErrorCode::unmet_authentication_requirements, "no requested acr value can be met",
                              knows_how_users_log_in(settings)
                                  ? "those that can be met here: " + known_acr(settings)
                                  : "none is known: the web server authenticates users (login.method)");
    }
    return asked;
}

}  // namespace

Outcome<ClaimsParameter> parse_claims_parameter(const Settings& settings, const model::Client& client,
                                                const model::Scope& scope, std::string_view text) {
    ASSIGN_OR_RETURN(const auto object, parse_object(text));
    ASSIGN_OR_RETURN(const auto userinfo, parse_place(object, "userinfo"));
    ASSIGN_OR_RETURN(const auto id_token, parse_place(object, "id_token"));
    ASSIGN_OR_RETURN(auto subject, parse_subject(userinfo, id_token));
    ASSIGN_OR_RETURN(auto acr, parse_acr(settings, id_token));

    ClaimsParameter parsed{{names_of(settings, client, userinfo), names_of(settings, client, id_token)},
                           std::move(subject),
                           std::move(acr)};
    std::erase_if(parsed.claims.userinfo,
                  [&](const std::string& name) { return settings.released_claims.is_released_by(scope, name); });
    return parsed;
}

Outcome<void> check_claims(const Settings& settings, const model::Client& client,
                           const model::RequestedClaims& claims) {
    for (const std::string& name : claims.all())
        if (!settings.released_claims.is_released_by(client.scope, name))
            return make_error(refusal::Reason::invalid_scope_of_claim,
                              "the client is not registered for the scope of a requested claim", "claim: " + name);
    return {};
}

}  // namespace postern::oauth
