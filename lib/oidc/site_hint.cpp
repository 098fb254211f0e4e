// Seals and opens the hint of a site.
#include "oidc/site_hint.h"

#include "crypto/seal.h"
#include "oauth/sealed_members.h"

namespace postern::oidc {
namespace {

constexpr std::string_view kPurpose = "logout hint of a site v1";
constexpr util::Seconds kTtl{60};

}  // namespace

std::string seal_site_hint(oauth::Context& context, const SiteHint& hint) {
    oauth::sealed::Writer writer;
    const util::Time expires_at = context.now() + kTtl;
    writer(hint.client, hint.subject, expires_at);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

std::optional<SiteHint> open_site_hint(oauth::Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return std::nullopt;
    SiteHint hint;
    util::Time expires_at{};
    oauth::sealed::Reader reader(*plain);
    reader(hint.client, hint.subject, expires_at);
    if (!reader.is_whole() || context.now() >= expires_at) return std::nullopt;
    return hint;
}

}  // namespace postern::oidc
