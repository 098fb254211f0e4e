// How does the key of an authenticator app that is being set up travel through the browser? Sealed in the form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "oauth/context.h"
#include "util/clock.h"
#include "util/result.h"
#include "util/secret.h"

namespace postern::web {

/// So long after its page was made a form may turn its app on.
inline constexpr util::Seconds kNewAppTtl{600};

struct NewApp {
    util::Secret secret;     ///< bytes, as factor/totp has them
    std::int64_t stamp = 0;  ///< `users.stamp` when the page was made: another change of factors ends this one
};

enum class NewAppFault {
    foreign,  ///< not made by this server for this browser and user, or made before its seal key was renewed
    expired,
};

/// `browser` as in oauth::SealedRequest.
std::string seal_new_app(oauth::Context& context, const NewApp& app, const std::string& browser,
                         const model::Subject& subject);
util::Result<NewApp, NewAppFault> open_new_app(oauth::Context& context, std::string_view sealed,
                                               const std::string& browser, const model::Subject& subject);

}  // namespace postern::web
