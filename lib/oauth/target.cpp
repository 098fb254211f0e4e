// For which API is an access token?
#include "oauth/target.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/audience.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/resources.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

OAuthError not_a_resource(const std::string& problem) {
    return make_error(Reason::invalid_target_malformed, "resource must be an absolute URI without fragment",
                      "resource: " + problem);
}

OAuthError not_listed(const std::string& uri) {
    return make_error(Reason::invalid_target_not_listed, "the client may not ask for this resource",
                      "resource: " + uri);
}

OAuthError different_targets(const std::string& audience, const model::ResourceUris& resources) {
    return make_error(Reason::invalid_target_audience_and_resource,
                      "aud or audience and resource name different targets",
                      "received: audience " + audience + ", resource " + model::to_string(resources));
}

bool mean_the_same(const std::string& a, const std::string& b) {
    return http::one_spelling(a) == http::one_spelling(b);
}

bool is_among(const model::ResourceUris& uris, const std::string& uri) {
    return std::ranges::any_of(uris, [&](const std::string& one) { return mean_the_same(one, uri); });
}

/// RFC 8707 §2 for one value. What this server is, is looked at with the client's other rights.
std::optional<std::string> grammar_problem(std::string_view uri) {
    if (uri.size() > kMaxAudienceBytes) return "is longer than 1024 bytes";
    const auto url = http::parse_url(uri);
    if (!url) return "is not an absolute URI; write it in full, for example https://api.example.org/";
    if (url->fragment) return "has a fragment (#...), which RFC 8707 section 2 forbids; remove it";
    if (url->has_user_info) return "has a user name before the host (...@host); remove it";
    if ((url->scheme == "https" || url->scheme == "http") && url->host.empty()) return "has no host";
    return std::nullopt;
}

/// The one value of `aud` and `audience`. In a token request both may be in the query or the body.
Outcome<std::optional<std::string>> parse_audience(std::initializer_list<const http::Params*> all) {
    std::optional<std::string> audience;
    for (const http::Params* params : all) {
        for (const std::string_view name : {"aud", "audience"}) {
            const auto value = params->find(name);
            if (!value) continue;
            // It is signed into the token, which clients and servers bound.
            if (value->size() > kMaxAudienceBytes) return invalid_request("the audience is longer than 1024 bytes");
            if (audience && *audience != *value)
                return make_error(Reason::invalid_target_two_audiences, "aud and audience name different targets",
                                  "received: " + *audience + ", " + std::string(*value));
            audience = value;
        }
    }
    return audience;
}

Outcome<model::ResourceUris> parse_resources(const http::Params& params) {
    auto resources = params.find_all("resource");
    if (!resources) return invalid_parameter("resource");
    for (const std::string& uri : *resources)
        if (const auto problem = grammar_problem(uri)) return not_a_resource(util::displayable(uri) + " " + *problem);
    return std::move(*resources);
}

/// Returns the scopes about the user that are in use here: those of OpenID Connect, `groups` and `scopeClaims`.
model::Scope scopes_of_userinfo(const Settings& settings) {
    if (!settings.oidc) return {};
    model::Scope scopes = openid_scopes();
    for (const auto& [scope, claims] : settings.released_claims.added()) scopes.add(scope);
    return scopes;
}

/// Returns the target of a grant for which no resource was named.
Outcome<Target> default_target(Context& context, const model::Client& client, const model::Grant& grant) {
    if (const auto uri = default_resource_of(context.settings, client)) {
        ASSIGN_OR_RETURN(auto target, find_target(context, client, *uri));
        // A client that names no API for its user uses the token at UserInfo, too.
        if (!target.scope.empty() && !grant.subject.empty()) target.scope.add(scopes_of_userinfo(context.settings));
        return target;
    }
    if (!client.resources.empty())
        return make_error(Reason::invalid_target_required, "resource is required",
                          "the client has a list of several, and no default");
    if (profile_of(context.settings, client) == model::TokenProfile::rfc9068)
        return make_error(Reason::invalid_target_required, "resource is required",
                          "the profile rfc9068 needs one, and there is no default");
    return Target{};
}

}  // namespace

std::optional<std::string> resource_uri_problem(std::string_view uri, const std::string& issuer) {
    if (auto problem = grammar_problem(uri)) return problem;
    if (is_this_server(issuer, std::string(uri)))
        return "is this server or lies below it; a token for it would pass for one that this server made for itself";
    return std::nullopt;
}

Outcome<std::optional<std::string>> parse_target(const http::Params& query, const http::Params& form) {
    ASSIGN_OR_RETURN(auto audience, parse_audience({&query, &form}));
    ASSIGN_OR_RETURN(auto resources, parse_resources(form));
    if (resources.size() > 1)
        return make_error(Reason::invalid_target_several, "a token is for one resource: name one",
                          "received: " + model::to_string(resources));
    if (resources.empty()) return audience;
    if (audience && !mean_the_same(*audience, resources.front())) return different_targets(*audience, resources);
    return std::optional(std::move(resources.front()));
}

Outcome<NamedTargets> parse_targets(const http::Params& params) {
    ASSIGN_OR_RETURN(auto audience, parse_audience({&params}));
    ASSIGN_OR_RETURN(auto resources, parse_resources(params));
    if (resources.size() > kMaxResources)
        return make_error(Reason::invalid_target_too_many, "there are more than 8 resources",
                          "received: " + std::to_string(resources.size()));
    if (audience && !resources.empty() && !is_among(resources, *audience))
        return different_targets(*audience, resources);
    return NamedTargets{std::move(resources), std::move(audience)};
}

Outcome<Target> find_target(Context& context, const model::Client& client, const std::string& named) {
    Target target{named, {}, std::nullopt};
    if (const auto resource = store::find_resource(context.store, named)) {
        if (!resource->enabled)
            return make_error(Reason::invalid_target_disabled, "the resource is disabled",
                              "resource: " + resource->uri + "; `postern resource enable`");
        target = {resource->uri, resource->scope, resource->access_token_ttl};
    } else if (client.origin != model::Origin::operator_ && named != default_resource_of(context.settings, client)) {
        return make_error(
            Reason::invalid_target_unregistered, "the resource is not registered",
            "resource: " + named + "; a client that the operator did not register may name registered ones only");
    }
    RETURN_IF_ERROR(check_audience(context, *target.audience));
    RETURN_IF_ERROR(check_listed(client, {*target.audience}));
    return target;
}

Outcome<std::optional<Target>> find_named_target(Context& context, const model::Client& client,
                                                 const std::optional<std::string>& named) {
    if (!named) return std::optional<Target>();
    ASSIGN_OR_RETURN(auto target, find_target(context, client, *named));
    return std::optional(std::move(target));
}

Outcome<model::ResourceUris> find_resources(Context& context, const model::Client& client,
                                            const model::ResourceUris& named, const model::Scope& scope, bool by_name) {
    model::ResourceUris uris;
    model::Scope allowed = scopes_of_userinfo(context.settings);
    bool has_limit = !named.empty();
    for (const std::string& uri : named) {
        ASSIGN_OR_RETURN(auto target, find_target(context, client, uri));
        RETURN_IF_ERROR(scope_for(target, scope));
        has_limit = has_limit && !target.scope.empty();
        allowed.add(target.scope);
        if (!is_among(uris, *target.audience)) uris.push_back(std::move(*target.audience));
    }
    if (by_name && has_limit && !scope.is_subset_of(allowed))
        return make_error(Reason::invalid_scope_not_of_resources, "the resource does not have this scope",
                          "received: " + scope.to_string() + "; of the resources: " + allowed.to_string());
    return uris;
}

std::optional<std::string> default_resource_of(const Settings& settings, const model::Client& client) {
    const bool has_default = profile_of(settings, client) == model::TokenProfile::rfc9068;
    if (has_default && !client.default_resource.empty()) return client.default_resource;
    if (client.resources.size() == 1) return client.resources.front();
    if (has_default && client.resources.empty()) return settings.default_resource;
    return std::nullopt;
}

Outcome<void> check_listed(const model::Client& client, const model::ResourceUris& resources) {
    if (client.resources.empty()) return {};
    for (const std::string& uri : resources)
        if (!is_among(client.resources, uri)) return not_listed(uri);
    return {};
}

Outcome<Target> choose_target(Context& context, const model::Client& client, const model::Grant& grant,
                              const std::optional<Target>& named) {
    if (!named && grant.resources.empty()) return default_target(context, client, grant);
    if (!named && grant.resources.size() > 1)
        return make_error(Reason::invalid_target_ambiguous, "several resources were granted: name one",
                          "received: none; granted: " + model::to_string(grant.resources));
    Target target;
    if (named) {
        target = *named;
    } else {
        ASSIGN_OR_RETURN(target, find_target(context, client, grant.resources.front()));
    }
    if (!grant.resources.empty() && !is_among(grant.resources, *target.audience))
        return make_error(Reason::invalid_target_not_granted, "the resource was not granted",
                          "received: " + *target.audience + "; granted: " + model::to_string(grant.resources));
    return target;
}

Outcome<model::Scope> scope_for(const Target& target, const model::Scope& scope) {
    if (target.scope.empty() || scope.empty()) return scope;
    model::Scope kept;
    for (const std::string& token : scope.tokens())
        if (target.scope.contains(token)) kept.add(token);
    if (kept.empty())
        return make_error(Reason::invalid_scope_none_of_resource, "the resource has none of the scopes",
                          "received: " + scope.to_string() + "; of the resource: " + target.scope.to_string());
    return kept;
}

}  // namespace postern::oauth
