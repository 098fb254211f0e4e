// Remembers devices, and finds them again.
#include "login/remembered_device.h"

#include "crypto/random.h"
#include "login/activity.h"
#include "oauth/access_token.h"
#include "store/remembered_devices.h"

namespace postern::login {

std::optional<Proof> attempt_device(const oauth::Context& context, const Browser& browser, const model::HalfLogin& half,
                                    DeviceCookie& fresh) {
    if (!browser.device_cookie) return std::nullopt;
    Proof proof{.subject = half.subject, .how = half.done};
    proof.how.remembered = true;
    proof.spend = [&context, &fresh, subject = half.subject,
                   value = *browser.device_cookie](db::Transaction& transaction) {
        fresh.value = crypto::random_token(context.random);
        const auto expires_at = store::use_device(transaction, subject, value, oauth::hash_of(fresh.value),
                                                  context.now(), context.settings.login.remember_device);
        if (expires_at) fresh.age = *expires_at - context.now();
        return expires_at.has_value();
    };
    return proof;
}

DeviceCookie remember_device(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject) {
    const util::Time now = context.now();
    if (browser.device_cookie) store::forget_device(transaction, *browser.device_cookie);
    DeviceCookie cookie{crypto::random_token(context.random), context.settings.login.remember_device};
    store::remember_device(transaction, {.token_hash = oauth::hash_of(cookie.value),
                                         .id = crypto::random_id(context.random),
                                         .subject = subject,
                                         .agent = agent_label(browser.user_agent),
                                         .created_at = now,
                                         .last_used_at = now,
                                         .expires_at = now + cookie.age});
    note_activity(context, transaction, browser, subject, model::ActivityKind::device_remembered);
    return cookie;
}

void send_device(const Browser& browser, const DeviceCookie& device, http::Response& response) {
    const CookieNames& names = browser.names;
    response.add("Set-Cookie", http::set_lasting_cookie(names.device, device.value, names.security, device.age));
}

}  // namespace postern::login
