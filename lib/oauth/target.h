// The API that an access token is for (RFC 8707; `aud` and `audience` of the interface specification)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "model/client.h"
#include "model/grant.h"
#include "model/resource.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxResources = 8;  ///< that an authorization request may name

/// Returns why `uri` names no API, or nullopt: an absolute URI of at most 1024 bytes without fragment (RFC 8707 §2) and
/// user information that is not this server. The words fit behind the URI.
std::optional<std::string> resource_uri_problem(std::string_view uri, const std::string& issuer);

/// Returns the target that a token request names: the one value of `resource`, `aud` and `audience`, of which the last
/// two may be in the query; nullopt when there is none. invalid_target for a `resource` that is no absolute URI, for
/// two of them, and for values that do not mean the same; invalid_request for one longer than kMaxAudienceBytes.
Outcome<std::optional<std::string>> parse_target(const http::Params& query, const http::Params& form);

/// The targets that an authorization request names.
struct NamedTargets {
    model::ResourceUris resources;        ///< as sent; at most kMaxResources
    std::optional<std::string> audience;  ///< of `aud` and `audience`: recorded, and nothing else
};
/// invalid_target as in parse_target, and for an audience that is none of the resources.
Outcome<NamedTargets> parse_targets(const http::Params& params);

/// The recipient of an access token.
struct Target {
    std::optional<std::string> audience = std::nullopt;            ///< its `aud`; nullopt: none
    model::Scope scope = {};                                       ///< it has no more than this; empty: no limit
    std::optional<util::Seconds> access_token_ttl = std::nullopt;  ///< it lives no longer than this
};

/// The resource of the operator that the client means, else what it names, as sent. invalid_target for what no token
/// may be for (check_audience), for a disabled resource and for one that is not in the client's list; for a client that
/// a document describes, also for what the operator has not registered.
Outcome<Target> find_target(Context& context, const model::Client& client, const std::string& named);
/// Finds the target of a token request that may name none.
Outcome<std::optional<Target>> find_named_target(Context& context, const model::Client& client,
                                                 const std::optional<std::string>& named);

/// The resources of an authorization request by their own URIs, each once. Each must have some of the scope. If every
/// one of them has a scope, and the request has asked for its own `by_name`, all of that must be in one of these or be
/// about the user. Else invalid_scope.
Outcome<model::ResourceUris> find_resources(Context& context, const model::Client& client,
                                            const model::ResourceUris& named, const model::Scope& scope, bool by_name);

/// invalid_target for a resource that is not in the list of the client, which may have changed.
Outcome<void> check_listed(const model::Client& client, const model::ResourceUris& resources);

/// Returns the resource of a token whose request names none: for profile rfc9068 the client's default (RFC 9068 §3),
/// else the only one of its list; without a list and for that profile, `defaultResource`.
std::optional<std::string> default_resource_of(const Settings& settings, const model::Client& client);

/// Returns the target of a token of the grant. A grant with resources yields tokens for these alone: for the one that
/// is named, or for the only one (RFC 8707 §2.2). Without such resources: the one that is named, or the default, whose
/// tokens have the scopes about the user as well. Without a default: invalid_target for profile rfc9068 and for a
/// client with a list.
Outcome<Target> choose_target(Context& context, const model::Client& client, const model::Grant& grant,
                              const std::optional<Target>& named);

/// Returns the part of `scope` that a token for `target` has; invalid_scope when nothing of it is left.
Outcome<model::Scope> scope_for(const Target& target, const model::Scope& scope);

}  // namespace postern::oauth
