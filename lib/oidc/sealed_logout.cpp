// Seals a logout request as an authorization request is sealed.
#include "oidc/sealed_logout.h"

#include "crypto/seal.h"
#include "oauth/sealed_members.h"

namespace postern::oidc {
namespace {

constexpr std::string_view kPurpose = "logout request v2";

/// `Sealed` is a SealedLogout, const when it is written. Whatever changes here changes the purpose.
template <class Sealed, class Visitor>
void visit_members(Sealed& sealed, Visitor& visit) {
    auto& request = sealed.request;
    visit(request.id, sealed.browser, request.expires_at, request.hinted_subject, request.client_id,
          request.redirect_uri, request.state);
}

}  // namespace

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed) {
    oauth::sealed::Writer writer;
    visit_members(sealed, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return oauth::SealFault::forged;
    SealedLogout sealed;
    oauth::sealed::Reader reader(*plain);
    visit_members(sealed, reader);
    if (!reader.is_whole()) return oauth::SealFault::forged;
    if (context.now() >= sealed.request.expires_at) return oauth::SealFault::expired;
    return sealed;
}

}  // namespace postern::oidc
