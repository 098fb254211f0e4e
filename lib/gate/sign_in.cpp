// Makes the authorization request of a site.
#include "gate/sign_in.h"

#include <algorithm>
#include <vector>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "gate/state.h"
#include "http/url.h"
#include "util/base64.h"

namespace postern::gate {
namespace {

/// The targets to try, the wanted one first.
std::vector<std::string> targets_of(const Target& target, const SiteUrl& site) {
    return {location_of(target), encode_path(target.path), site.path};
}

http::Parameters parameters_of(const model::Client& client, const SiteUrl& site, const State& state, Account account) {
    const auto max_age = client.site->max_age;
    return {{"response_type", "code"},
            {"client_id", client.id.str()},
            {"redirect_uri", site.own("callback")},
            {"scope", client.scope.empty() ? std::nullopt : std::optional(client.scope.to_string())},
            {"nonce", state.nonce},
            {"code_challenge", util::base64url_encode(crypto::sha256(state.code_verifier))},  // RFC 7636 §4.2
            {"code_challenge_method", "S256"},
            {"max_age", max_age ? std::optional(std::to_string(max_age->count())) : std::nullopt},
            {"prompt", account == Account::other ? std::optional<std::string>("select_account") : std::nullopt}};
}

/// As the authorization endpoint counts them.
bool fits(const http::Parameters& parameters, const std::string& state) {
    std::size_t total = state.size();
    for (const auto& [name, value] : parameters) total += value ? value->size() : 0;
    return state.size() <= oauth::kMaxStateBytes && total <= oauth::kMaxRequestBytes;
}

}  // namespace

SignIn begin_sign_in(oauth::Context& context, const model::Client& client, const SiteUrl& site, const Target& target,
                     std::string_view cookie_header, const Beginning& beginning) {
    const CookieNames names = cookie_names(context.settings, site);
    const auto known = http::find_cookie_values(cookie_header, names.browser, kBrowserCookieBytes, 1);
    const bool is_known = !known.empty() && known.front().size() == kBrowserCookieBytes;
    const std::string browser = is_known ? known.front() : crypto::random_token(context.random);

    State state{.client = client.id,
                .target = {},
                .code_verifier = crypto::random_token(context.random),
                .nonce = crypto::random_id(context.random),
                .browser = browser_mark(browser),
                .expires_at = context.now() + context.settings.authorization_request_ttl +
                              context.settings.authorization_code_ttl,
                .is_second = beginning.is_second};
    http::Parameters parameters = parameters_of(client, site, state, beginning.account);
    std::string sealed;
    for (const std::string& each : targets_of(target, site)) {
        state.target = each;
        sealed = seal_state(context, state);
        if (fits(parameters, sealed)) break;
    }
    parameters.emplace_back("state", sealed);

    SignIn begun{http::with_query(context.settings.url(context.settings.paths.authorize), parameters)};
    if (!is_known)
        begun.set_cookie =
            http::set_path_cookie({names.browser, browser, names.path, names.security, kBrowserCookieTtl});
    return begun;
}

}  // namespace postern::gate
