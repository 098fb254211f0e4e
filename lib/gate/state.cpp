// Decides which authorization requests for a site the gate has begun itself.
#include "gate/state.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "oauth/error.h"
#include "oauth/pkce.h"
#include "oauth/sealed_members.h"
#include "util/base64.h"

namespace postern::gate {
namespace {

constexpr std::string_view kPurpose = "state of a site v1";

void visit(auto& state, auto& visitor) {
    visitor(state.client, state.target, state.code_verifier, state.nonce, state.browser, state.expires_at,
            state.is_second);
}

}  // namespace

std::string seal_state(oauth::Context& context, const State& state) {
    oauth::sealed::Writer writer;
    visit(state, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

std::optional<State> open_state(oauth::Context& context, std::string_view sealed) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, sealed);
    if (!plain) return std::nullopt;
    State state;
    oauth::sealed::Reader reader(*plain);
    visit(state, reader);
    if (!reader.is_whole()) return std::nullopt;
    return state;
}

std::string browser_mark(std::string_view value) { return util::base64url_encode(crypto::sha256(value)); }

std::optional<std::string> foreign_request_problem(oauth::Context& context, const model::Client& client,
                                                   const http::Params& params) {
    if (!client.site) return std::nullopt;
    if (const auto faulty = params.first_fault({"response_type", "response_mode", "state", "code_challenge"}))
        return oauth::parameter_fault(*faulty);
    if (params.find("response_type") != "code" || params.find("response_mode").value_or("query") != "query")
        return "a site takes a code in the query and no other response";
    const auto state = open_state(context, params.find("state").value_or(""));
    if (!state || state->client != client.id) return "the state is not a seal of the gate for this site";
    if (context.now() >= state->expires_at) return "the state of the gate has expired";
    const auto challenge = params.find("code_challenge");
    if (!challenge || !oauth::check_code_verifier(std::string(*challenge), state->code_verifier))
        return "the code_challenge is not that of the state";
    return std::nullopt;
}

}  // namespace postern::gate
