// The sealed form of an authorization request: JSON under AES-256-GCM.
#include "oauth/sealed_request.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "json/reader.h"
#include "json/writer.h"
#include "oauth/sealed_members.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kPurpose = "authorization request v3";

/// `Sealed` is a SealedRequest, const when it is written.
template <class Sealed, class Visitor>
void visit_members(Sealed& sealed, Visitor& visit) {
    auto& request = sealed.request;
    visit("id", request.id);
    visit("browser", sealed.browser);
    visit("exp", request.expires_at);
    visit("client_id", request.client_id);
    visit("redirect_uri", request.redirect_uri);
    visit("redirect_uri_sent", request.redirect_uri_sent);
    visit("scope", request.scope);
    visit("response_type", request.response_type);
    visit("response_mode", request.response_mode);
    visit("userinfo_claims", request.claims.userinfo);
    visit("id_token_claims", request.claims.id_token);
    visit("state", request.state);
    visit("nonce", request.nonce);
    visit("code_challenge", request.code_challenge);
    visit("audience", request.audience);
    visit("login_hint", request.login_hint);
    visit("hinted_subject", request.hinted_subject);
    visit("max_age", request.max_age);
    visit("session_sent", request.session_sent);
    visit("prompt", request.prompt);
}

}  // namespace

std::string seal_request(Context& context, const SealedRequest& sealed) {
    sealed::Writer writer;
    visit_members(sealed, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, json::write_short(writer.take()), context.random);
}

std::optional<SealedRequest> open_stale_request(Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return std::nullopt;
    const auto value = json::parse(*plain);
    if (!value || !value->if_object()) return std::nullopt;
    SealedRequest sealed;
    sealed::Reader reader(*value->if_object());
    visit_members(sealed, reader);
    if (!reader.is_whole) return std::nullopt;  // sealed by another version of this server
    return sealed;
}

util::Result<SealedRequest, SealFault> open_request(Context& context, std::string_view text) {
    auto sealed = open_stale_request(context, text);
    if (!sealed) return SealFault::forged;
    if (context.now() >= sealed->request.expires_at) return SealFault::expired;
    return std::move(*sealed);
}

model::RequestKey request_key(const model::AuthorizationRequest& request) {
    return model::RequestKey(crypto::sha256_hex(request.id));
}

}  // namespace postern::oauth
