// Demands in client metadata that this server cannot meet (RFC 7591 §2): in registrations, and in documents of clients.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "json/value.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// A member of client metadata that demands too much.
struct UnmetDemand {
    std::string member;
    const char* reason;  ///< the end of a sentence that names the member
};

/// Returns the first demand for a protection that this server does not give to a client of that type (encryption,
/// signatures on anything but ID tokens, pushed requests where it cannot push, signed requests while `requestObjects`
/// is off or without keys, and tokens bound to keys or certificates while `dpop` or `mtls` is off): a client must not
/// get less than it demands. nullopt: none. The algorithms of ID tokens and of signed answers are left to the caller.
std::optional<UnmetDemand> find_unmet_demand(const json::Object& metadata, const Settings& settings,
                                             model::ClientType type);

/// Returns those of the response modes that a client names which this server offers.
std::set<std::string> offered_response_modes(const std::vector<std::string>& names, const Settings& settings);

/// Returns the member require_pushed_authorization_requests (RFC 9126 §6), of metadata without an unmet demand.
bool demands_pushed_requests(const json::Object& metadata);

/// Returns the member require_signed_request_object (RFC 9101 §10.5), of metadata without an unmet demand.
bool demands_signed_requests(const json::Object& metadata);

/// Returns the member dpop_bound_access_tokens (RFC 9449 §5.2), of metadata without an unmet demand.
bool demands_bound_tokens(const json::Object& metadata);

/// Returns the member tls_client_certificate_bound_access_tokens (RFC 8705 §3.4), of metadata without an unmet demand.
bool demands_certificate(const json::Object& metadata);

}  // namespace postern::oauth
