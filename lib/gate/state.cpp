// Decides which authorization requests for a site the gate has begun itself.
#include "gate/state.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "oauth/pkce.h"
#include "oauth/sealed_members.h"
#include "util/base64.h"

namespace postern::gate {
namespace {

constexpr std::string_view kPurpose = "state of a site v1";

void visit(auto& state, auto& visitor) {
    visitor(state.client, state.target, state.code_verifier, state.nonce, state.browser, state.expires_at);
}

oauth::OAuthError not_ours(std::string detail) {
    return oauth::make_error(oauth::ErrorCode::invalid_request, "only the gate asks for this client",
                             std::move(detail));
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

oauth::Outcome<void> check_begun_by_gate(oauth::Context& context, const model::Client& client,
                                         const model::AuthorizationRequest& request) {
    if (!client.site) return {};
    if (request.response_type != model::ResponseType::code || request.response_mode != model::ResponseMode::query)
        return not_ours("a site takes codes in the query alone");
    const auto state = open_state(context, request.state.value_or(""));
    if (!state || state->client != client.id) return not_ours("the state is not a seal of the gate for this site");
    if (context.now() >= state->expires_at) return not_ours("the state of the gate has expired");
    if (!request.code_challenge || !oauth::check_code_verifier(request.code_challenge, state->code_verifier))
        return not_ours("the code_challenge is not that of the state");
    return {};
}

}  // namespace postern::gate
