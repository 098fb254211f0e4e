// The sealed form of a challenge, and what it is compared with.
#include "login/passkey_challenge.h"

#include "crypto/seal.h"
#include "oauth/sealed_members.h"

template <>
struct postern::oauth::sealed::EnumNames<postern::factor::Ceremony> {
    static constexpr std::array kNames = {std::pair{"registration", factor::Ceremony::registration},
                                          std::pair{"assertion", factor::Ceremony::assertion}};
};

namespace postern::login {
namespace {

constexpr std::size_t kChallengeBytes = 32;
/// Whatever changes in the members changes the purpose.
constexpr std::string_view kPurpose = "passkey challenge v3";

}  // namespace

SealedChallenge make_challenge(oauth::Context& context, const ChallengeUse& use, util::Time expires_at,
                               const std::string& handle, std::int64_t stamp) {
    SealedChallenge made;
    made.bytes = context.random.bytes(kChallengeBytes);
    oauth::sealed::Writer writer;
    writer(use.ceremony, use.browser.binding(), use.subject, use.occasion, context.now(), expires_at, handle, stamp,
           made.bytes);
    made.sealed = crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
    return made;
}

util::Result<Challenge, ChallengeFault> open_challenge(oauth::Context& context, std::string_view sealed,
                                                       const ChallengeUse& use) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, sealed);
    if (!plain) return ChallengeFault::foreign;
    factor::Ceremony ceremony{};
    std::string browser, occasion;
    model::Subject subject;
    Challenge challenge;
    oauth::sealed::Reader reader(*plain);
    reader(ceremony, browser, subject, occasion, challenge.issued_at, challenge.expires_at, challenge.handle,
           challenge.stamp, challenge.bytes);
    if (!reader.is_whole()) return ChallengeFault::foreign;
    const bool is_for_it = ceremony == use.ceremony && use.browser.is_bound_by(browser) && subject == use.subject &&
                           occasion == use.occasion;
    if (!is_for_it) return ChallengeFault::foreign;
    if (context.now() >= challenge.expires_at) return ChallengeFault::expired;
    return challenge;
}

}  // namespace postern::login
