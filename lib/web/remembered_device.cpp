// Decides when a remembered device takes the place of the second factor.
#include "web/remembered_device.h"

#include <algorithm>

#include "crypto/random.h"
#include "login/activity.h"
#include "login/agent_label.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/max_age.h"
#include "store/remembered_devices.h"
#include "web/half_login.h"

namespace postern::web {
namespace {

std::optional<model::ValueHash> find_value(const Interaction& interaction) {
    const auto value = http::find_cookie(interaction.request.cookie, interaction.browser.names.device);
    if (!value) return std::nullopt;
    return oauth::hash_of(*value);
}

/// Whether the request wants a whole login (STEP-8): by `prompt=login`, by a `max_age` for which the browser's session
/// is too old, or by a `max_age` of 0, with a session or without one.
bool asks_anew(const Interaction& interaction, const model::AuthorizationRequest& request) {
    if (request.prompt.contains(model::Prompt::login)) return true;
    if (!request.max_age) return false;
    const auto& session = interaction.browser.session;
    return request.max_age->count() == 0 ||
           (session && oauth::is_stale_login(session->auth_time, *request.max_age, interaction.context.now()));
}

/// What a client wishes for it gets of a user who has it (LEVEL-4); the same page would come a moment later.
bool is_enough_for(const Interaction& interaction, const LoginVisit& visit) {
    const model::AuthorizationRequest& request = visit.request;
    return !asks_anew(interaction, request) &&
           std::max(demanded_by(visit), request.acr.wished) < model::Level::second_factor;
}

}  // namespace

bool remembers_devices(const oauth::Settings& settings) {
    return settings.login.remember_device.count() > 0 && oauth::highest_level(settings) > model::Level::password;
}

std::optional<DeviceCookie> use_remembered_device(const Interaction& interaction, db::Transaction& transaction,
                                                  const LoginVisit& visit, const model::Subject& subject) {
    oauth::Context& context = interaction.context;
    if (!remembers_devices(context.settings) || !is_enough_for(interaction, visit)) return std::nullopt;
    const auto value = find_value(interaction);
    if (!value) return std::nullopt;
    std::string fresh = crypto::random_token(context.random);
    const auto expires_at = store::use_device(transaction, subject, *value, oauth::hash_of(fresh), context.now(),
                                              context.settings.login.remember_device);
    if (!expires_at) return std::nullopt;
    return DeviceCookie{std::move(fresh), *expires_at - context.now()};
}

DeviceCookie remember_this_device(const Interaction& interaction, db::Transaction& transaction,
                                  const model::Subject& subject) {
    oauth::Context& context = interaction.context;
    const util::Time now = context.now();
    if (const auto former = find_value(interaction)) store::forget_device(transaction, *former);
    DeviceCookie cookie{crypto::random_token(context.random), context.settings.login.remember_device};
    store::remember_device(transaction, {.token_hash = oauth::hash_of(cookie.value),
                                         .id = crypto::random_id(context.random),
                                         .subject = subject,
                                         .agent = login::agent_label(interaction.browser.user_agent),
                                         .created_at = now,
                                         .last_used_at = now,
                                         .expires_at = now + cookie.age});
    login::note_activity(context, transaction, interaction.browser, subject, model::Happened::device_remembered);
    return cookie;
}

void send_device(const Interaction& interaction, const DeviceCookie& device, http::Response& response) {
    const login::CookieNames& names = interaction.browser.names;
    response.add("Set-Cookie", http::set_lasting_cookie(names.device, device.value, names.security, device.age));
}

}  // namespace postern::web
