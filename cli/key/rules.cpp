// The rules of when a key is still needed, because it signs or its tokens may be valid, and the printing of keys.
#include "cli/key/key.h"

#include <algorithm>

#include "cli/output.h"

namespace postern::cli {
namespace {

const char* to_string(keys::KeyState state) {
    switch (state) {
        case keys::KeyState::next:
            return "next";
        case keys::KeyState::active:
            return "active";
        case keys::KeyState::retired:
            break;
    }
    return "retired";
}

}  // namespace

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

json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings) {
    json::Object object{{"kid", key.kid},
                        {"alg", std::string(crypto::to_string(key.algorithm))},
                        {"state", to_string(key.state)},
                        {"signs_from", util::to_epoch(key.signs_from)}};
    if (key.state == keys::KeyState::retired)
        object.set("needed_until", util::to_epoch(last_token_expires(key, settings)));
    return object;
}

void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings) {
    std::vector<std::vector<std::string>> rows;
    for (const keys::KeyInfo& key : keys) {
        const bool retired = key.state == keys::KeyState::retired;
        rows.push_back({key.kid, std::string(crypto::to_string(key.algorithm)), to_string(key.state),
                        key.signs_from == util::Time{} ? "unknown" : to_text(key.signs_from),
                        retired ? to_text(last_token_expires(key, settings)) : ""});
    }
    print_table({"KID", "ALG", "STATE", "SIGNS_FROM", "NEEDED_UNTIL"}, rows);
}

}  // namespace postern::cli
