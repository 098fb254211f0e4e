// The URLs that can be the id of a client that a document describes (draft-ietf-oauth-client-id-metadata-document §3)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/client.h"
#include "oauth/settings.h"
#include "refusal/reason.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxClientIdUrlBytes = 512;

/// Returns true if a client_id is meant as the URL of a client's document. Ids that this server makes or that an
/// operator chose never begin with https://, unless the operator registers that very URL.
inline bool is_client_id_url(std::string_view client_id) { return client_id.starts_with("https://"); }

/// Returns why `url` names no document, as the words behind it, or nullopt. It has at most kMaxClientIdUrlBytes of
/// printable ASCII; a host in lower case in the one spelling that it has; one of `ports`, or none; a path without dot
/// segments, encoded ones included; no user information and no fragment. So two different texts are two clients, and
/// what the policy of hosts reads is what is connected to.
std::optional<std::string> client_id_url_problem(std::string_view url, const std::vector<std::uint16_t>& ports);

struct HostProblem {
    refusal::Reason why;
    std::string text;  ///< words behind the URL
};

/// Returns why no client may come from this host, or nullopt: it is this server's own, `deny` names it, or `allow`
/// names others only. `host` is that of a URL without client_id_url_problem.
std::optional<HostProblem> client_id_host_problem(const Settings& settings, std::string_view host);

/// Returns the host of a URL without client_id_url_problem, by which users can judge the client: its name is any text.
std::string host_of_id(const model::ClientId& id);

/// Returns true if the operator vouches for what is sent to `address`, one of the client's. The operator has registered
/// the client or given it a token; or has named the host of its document in `allow` and not in `deny`, while
/// `clientDocuments` is on, or of the https address of a client without a token in `registration.hosts`. Anyone can
/// make other clients.
bool is_known_to_operator(const Settings& settings, const model::Client& client, std::string_view address);

/// Returns true for a host of a URL in lower case without a second spelling: no final dot, no percent-encoding, no
/// other way to write an address.
bool is_lower_case_host(const std::string& host);

/// Returns true if one of the patterns names the host: it is that host, or "*." and an end of it.
bool is_named_host(const std::vector<std::string>& patterns, std::string_view host);

/// Returns the fault of an item of `allow` and `deny`, as the words behind its key, or nullopt. It is a host, or "*."
/// and the end of hosts, in lower case.
std::optional<std::string> host_pattern_problem(std::string_view pattern);

}  // namespace postern::oauth
