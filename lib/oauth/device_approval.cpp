// Decides what a user's answer to a device is worth.
#include "oauth/device_approval.h"

#include "crypto/digest.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/client_bar.h"
#include "oauth/record_client.h"
#include "oauth/session_life.h"
#include "oauth/user_code.h"
#include "store/activity.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/device_codes.h"
#include "store/grants.h"
#include "store/login_attempts.h"
#include "store/sessions.h"
#include "store/users.h"

namespace postern::oauth {
namespace {

using model::DeviceCode;

constexpr std::int64_t kTypedCodes = 20;
constexpr util::Seconds kTypedWindow{600};

model::Grant make_grant(Context& context, const DeviceCode& code, const model::Session& session) {
    model::Grant grant;
    grant.created_at = context.now();
    grant.id = make_grant_id(context.random, grant.created_at);
    grant.client_id = code.client_id;
    grant.subject = session.subject;
    grant.scope = code.scope;
    grant.ignored_scope = code.ignored_scope;
    grant.resources = code.resources;
    grant.auth_time = session.auth_time;
    grant.acr = acr_of_login(context.settings, session.how.level, {});
    grant.amr = session.how.amr;
    return grant;
}

void note_activity(db::Transaction& transaction, const Context& context, const model::Grant& grant,
                   const model::Session& session, const std::string& address) {
    if (!context.settings.paths.account) return;
    store::add_activity(transaction, grant.subject,
                        {.at = context.now(),
                         .what = model::ActivityKind::device_allowed,
                         .agent = session.agent,
                         .address = address,
                         .detail = grant.client_id.str()});
}

util::Result<void, NotApproved> record(db::Transaction& transaction, Context& context, const AskingDevice& device,
                                       const model::Session& session, const model::Grant& grant,
                                       const std::string& address) {
    const util::Time now = context.now();
    store::lock_user(transaction, session.subject);
    switch (store::find_standing(transaction, session, device.client.id, session_life(context.settings, now))) {
        case store::Standing::session_ended:
            return NotApproved::session_ended;
        case store::Standing::may_not_use:
            return NotApproved::may_not_use;
        case store::Standing::good:
            break;
    }
    if (!store::approve_device_code(transaction, device.code.device_hash, session.subject, grant.id, now))
        return NotApproved::answered;
    // A grant that is never redeemed goes with its code.
    store::insert_grant(transaction, grant, device.code.expires_at + store::kDeviceCodeRetention);
    store::end_surplus_grants(transaction, grant, now);
    note_use(transaction, context, device.client);
    note_activity(transaction, context, grant, session, address);
    store::touch_session(transaction, session.cookie_hash, now);
    transaction.commit();
    return {};
}

}  // namespace

std::optional<util::Seconds> count_typed_code(Context& context, const model::Subject& subject) {
    const std::string key = std::string(store::kDeviceUseCounter) + "typed:" + crypto::sha256_hex(subject.str());
    const util::Time now = context.now();
    const auto typed = db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        const auto counted = store::count_use(transaction, {key, kTypedCodes, kTypedWindow}, now);
        transaction.commit();
        return counted;
    });
    if (typed.failures <= kTypedCodes) return std::nullopt;
    return typed.until - now;
}

std::optional<AskingDevice> find_asking_device(Context& context, std::string_view letters) {
    auto code = store::find_typed_device_code(context.store, user_code_hash(letters));
    const bool is_open = code && code->state == model::DeviceCodeState::pending && context.now() < code->expires_at;
    if (!is_open) return std::nullopt;
    auto client = store::find_client(context.store, code->client_id);
    if (!client || find_client_bar(context.settings, *client)) return std::nullopt;
    if (!client->has_grant(model::GrantType::device_code)) return std::nullopt;
    return AskingDevice{*std::move(code), *std::move(client)};
}

bool was_answered(Context& context, std::string_view letters, const model::Subject& subject, bool approved) {
    using State = model::DeviceCodeState;
    const auto code = store::find_typed_device_code(context.store, user_code_hash(letters));
    if (!code || code->subject != subject) return false;
    if (!approved) return code->state == State::denied;
    return code->state == State::approved || code->state == State::used;
}

model::AuthorizationRequest request_of(const DeviceCode& code) {
    model::AuthorizationRequest request;
    request.client_id = code.client_id;
    request.scope = code.scope;
    request.ignored_scope = code.ignored_scope;
    request.resources = code.resources;
    request.prompt = {model::Prompt::consent};
    return request;
}

util::Result<void, NotApproved> approve_device(Context& context, const AskingDevice& device,
                                               const model::Session& session, const std::string& address) {
    const model::Grant grant = make_grant(context, device.code, session);
    // Lazy: a power cut costs the user a retry and nothing else.
    RETURN_IF_ERROR(db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        return record(transaction, context, device, session, grant, address);
    }));
    context.trail.add(audit::Event::device_approved, {audit::client(grant.client_id),
                                                      audit::subject(grant.subject),
                                                      audit::session(session.sid),
                                                      {"grant", audit::short_digest(grant.id.str())},
                                                      audit::credential("device", device.code.device_hash),
                                                      {"scope", grant.scope.to_string()},
                                                      {"resource", model::to_string(grant.resources)}});
    return {};
}

bool deny_device(Context& context, const AskingDevice& device, const model::Session& session) {
    // Durable: no later approval may come of a code that was denied.
    const bool denied = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const bool first =
            store::deny_device_code(transaction, device.code.device_hash, session.subject, context.now());
        transaction.commit();
        return first;
    });
    if (denied)
        context.trail.add(audit::Event::device_denied,
                          {audit::client(device.code.client_id), audit::subject(session.subject),
                           audit::session(session.sid), audit::credential("device", device.code.device_hash)});
    return denied;
}

}  // namespace postern::oauth
