// Offers passkeys, with a challenge of the page.
#include "web/passkey_offer.h"

#include "factor/transports.h"
#include "json/writer.h"
#include "login/passkey_check.h"
#include "oauth/acr.h"
#include "store/passkeys.h"
#include "util/base64.h"

namespace postern::web {
namespace {

constexpr std::int64_t kTimeout = 300000;  ///< milliseconds; the browser's own limit

json::Value descriptor_of(const store::Passkey& passkey) {
    json::Object descriptor;
    descriptor.set("type", "public-key");
    descriptor.set("id", util::base64url_encode(passkey.credential_id));
    const auto transports = factor::parse_transports(passkey.transports);
    if (!transports.empty()) descriptor.set("transports", json::strings(transports));
    return descriptor;
}

pages::PasskeyOffer offer(Interaction& interaction, const LoginVisit& visit, const char* user_verification,
                          json::Array allowed) {
    oauth::Context& context = interaction.context;
    login::SealedChallenge challenge = login::make_challenge(
        context, login::challenge_use_at(interaction.browser, visit.request), visit.request.expires_at);
    json::Object options;
    options.set("challenge", util::base64url_encode(challenge.bytes));
    options.set("rpId", context.settings.login.rp_id);
    options.set("timeout", kTimeout);
    options.set("userVerification", user_verification);
    options.set("allowCredentials", std::move(allowed));
    return {.options = json::write(options), .challenge = std::move(challenge.sealed)};
}

}  // namespace

pages::PasskeyOffer offer_passkey_login(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    if (!oauth::offers_passkeys(settings) || settings.login.passkeys != login::Passkeys::login) return {};
    return offer(interaction, visit, "required", {});
}

pages::PasskeyOffer offer_passkey_step(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    const std::string_view rp_id = oauth::rp_id_of_second_factor(settings);
    if (rp_id.empty()) return {};
    json::Array allowed;
    for (const store::Passkey& passkey :
         store::list_passkeys(interaction.context.store, visit.request.half_login.value().subject))
        if (passkey.rp_id == rp_id && !passkey.suspended_at) allowed.push_back(descriptor_of(passkey));
    if (allowed.empty()) return {};
    return offer(interaction, visit, "discouraged", std::move(allowed));
}

}  // namespace postern::web
