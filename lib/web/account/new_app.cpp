// The sealed form of the key of an app that is being set up.
#include "web/account/new_app.h"

#include <limits>

#include "crypto/seal.h"
#include "oauth/sealed_members.h"
#include "util/text.h"

namespace postern::web {
namespace {

/// Whatever changes in the members changes the purpose.
constexpr std::string_view kPurpose = "authenticator app v1";

}  // namespace

std::string seal_new_app(oauth::Context& context, const NewApp& app, const std::string& browser,
                         const model::Subject& subject) {
    oauth::sealed::Writer writer;
    const std::string secret(app.secret.reveal());
    writer(browser, subject, util::Time(context.now() + kNewAppTtl), std::to_string(app.stamp), secret);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

util::Result<NewApp, NewAppFault> open_new_app(oauth::Context& context, std::string_view sealed,
                                               const std::string& browser, const model::Subject& subject) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, sealed);
    if (!plain) return NewAppFault::foreign;
    std::string of_browser, stamp, secret;
    model::Subject of_subject;
    util::Time expires_at{};
    oauth::sealed::Reader reader(*plain);
    reader(of_browser, of_subject, expires_at, stamp, secret);
    const auto number = util::parse_digits(stamp, std::numeric_limits<std::int64_t>::max());
    if (!reader.is_whole() || !number) return NewAppFault::foreign;
    // TOTP-4; a form of a browser without an id opens nowhere.
    if (browser.empty() || of_browser != browser || of_subject != subject) return NewAppFault::foreign;
    if (context.now() >= expires_at) return NewAppFault::expired;
    return NewApp{util::Secret(std::move(secret)), *number};
}

}  // namespace postern::web
