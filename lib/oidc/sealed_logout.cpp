// How a logout request travels through a browser: JSON under AES-256-GCM, as an authorization request does.
#include "oidc/sealed_logout.h"

#include "crypto/seal.h"
#include "json/reader.h"
#include "json/writer.h"
#include "oauth/sealed_members.h"

namespace postern::oidc {
namespace {

constexpr std::string_view kPurpose = "logout request v1";

/// `Sealed` is a SealedLogout, const when it is written.
template <class Sealed, class Visitor>
void visit_members(Sealed& sealed, Visitor& visit) {
    auto& request = sealed.request;
    visit("id", request.id);
    visit("browser", sealed.browser);
    visit("exp", request.expires_at);
    visit("sub", request.hinted_subject);
    visit("client_id", request.client_id);
    visit("redirect_uri", request.redirect_uri);
    visit("state", request.state);
}

}  // namespace

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed) {
    oauth::sealed::Writer writer;
    visit_members(sealed, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, json::write_short(writer.take()), context.random);
}

util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return oauth::SealFault::forged;
    const auto value = json::parse(*plain);
    if (!value || !value->if_object()) return oauth::SealFault::forged;
    SealedLogout sealed;
    oauth::sealed::Reader reader(*value->if_object());
    visit_members(sealed, reader);
    if (!reader.is_whole) return oauth::SealFault::forged;  // sealed by another version of this server
    if (context.now() >= sealed.request.expires_at) return oauth::SealFault::expired;
    return sealed;
}

}  // namespace postern::oidc
