// The `state` of a sign-in to a site: where the browser wanted to go, and the proof that it began here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "model/client.h"
#include "oauth/context.h"
#include "util/clock.h"

namespace postern::gate {

/// The contents of `state`. Nothing is stored for a sign-in that has begun.
struct State {
    model::ClientId client;
    std::string target;         ///< path and query of the site, as they can stand in a Location
    std::string code_verifier;  ///< RFC 7636 §4.1; the seal hides it
    std::string nonce;
    std::string browser;  ///< digest of the browser cookie (browser_mark)
    util::Time expires_at{};
    bool is_second = false;  ///< of a sign-in that began over, because its first answer came without the browser cookie

    bool operator==(const State&) const = default;
};

std::string seal_state(oauth::Context& context, const State& state);
/// Opens a state however old it is; nullopt: forged, or of an earlier seal key.
std::optional<State> open_state(oauth::Context& context, std::string_view sealed);

/// Returns the digest of a browser cookie's value that the state keeps.
std::string browser_mark(std::string_view value);

/// Returns why an authorization request for a site is not one of the gate, for the operator: no other makes a code of
/// one (GATE-4). nullopt: it is, or the client is no site.
std::optional<std::string> foreign_request_problem(oauth::Context& context, const model::Client& client,
                                                   const http::Params& params);

}  // namespace postern::gate
