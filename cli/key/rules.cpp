// Decides which keys are needed: those that sign, and those whose tokens may still be valid.
#include "cli/key/rules.h"

#include <algorithm>

namespace postern::cli {

std::vector<crypto::Algorithm> algorithms_in_use(const oauth::Settings& settings) {
    std::vector<crypto::Algorithm> algorithms = {settings.token_algorithm(model::TokenProfile::interface)};
    if (settings.oidc && settings.id_token_algorithm != algorithms[0])
        algorithms.push_back(settings.id_token_algorithm);
    return algorithms;
}

bool is_in_use(crypto::Algorithm algorithm, const oauth::Settings& settings) {
    const auto algorithms = algorithms_in_use(settings);
    return std::ranges::find(algorithms, algorithm) != algorithms.end();
}

util::Time last_token_expires(const keys::KeyInfo& retired, const oauth::Settings& settings) {
    util::Seconds longest = std::max(settings.access_token_ttl, settings.id_token_ttl);
    // An expired ID token names its user at a logout and at another login (id_token_hint), as long as the application
    // has a session or a grant of that user.
    if (settings.oidc && retired.algorithm == settings.id_token_algorithm)
        longest = std::max({longest, settings.session_ttl, settings.refresh_token_ttl});
    // Refresh tokens are signed with the access token's algorithm, unless they are random values.
    if (!settings.use_opaque_refresh_tokens &&
        retired.algorithm == settings.token_algorithm(model::TokenProfile::interface))
        longest = std::max(longest, settings.refresh_token_ttl);
    return retired.signs_until.value_or(retired.signs_from) + longest;
}

}  // namespace postern::cli
