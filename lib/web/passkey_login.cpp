// A login that is a passkey: checks it, starts the session.
#include "web/passkey_login.h"

#include "login/password_check.h"
#include "store/factors.h"
#include "web/half_login.h"
#include "web/login.h"
#include "web/passkey_check.h"

namespace postern::web {
namespace {

constexpr const char* kMethod = "passkey";
constexpr const char* kMeanwhile =
    "the passkey or its challenge was used, or the user changed, while this login waited";

http::Response refuse(Interaction& interaction, const LoginVisit& visit, const PasskeyVerdict& verdict) {
    const bool throttled = verdict.outcome == PasskeyOutcome::throttled;
    interaction.context.trail.add(throttled ? audit::Event::login_throttled : audit::Event::login_failed,
                                  {{"method", kMethod},
                                   {"reason", verdict.log_detail},
                                   {"subject", throttled ? std::string() : verdict.passkey.subject.str()},
                                   audit::client(visit.request.client_id)});
    http::Response response =
        show_first_step(interaction, visit, throttled ? login::wait_message(verdict.wait) : kPasskeyRefused);
    if (throttled) {
        response.status = 429;
        response.set("Retry-After", std::to_string(verdict.wait.count()));
    }
    response.refusal =
        http::Refusal{throttled ? refusal::Reason::login_throttled : refusal::Reason::passkey_refused,
                      "the login form was shown again", verdict.log_detail, visit.request.client_id.str()};
    return response;
}

/// A login whose first half is nothing, and whose second is the passkey.
LoginVisit with_owner(const LoginVisit& visit, const model::Subject& owner, std::int64_t stamp) {
    LoginVisit owned = visit;
    owned.request.half_login =
        model::HalfLogin{.subject = owner, .stamp = stamp, .expires_at = {}, .done = {}, .sid = {}};
    return owned;
}

}  // namespace

http::Response submit_passkey_login(Interaction& interaction, const LoginVisit& visit) {
    oauth::Context& context = interaction.context;
    if (const auto faulty = faulty_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, pages::PageFault::form_malformed, visit.request, "field: " + *faulty);
    PasskeyVerdict verdict = check_passkey(interaction, visit);
    if (verdict.outcome != PasskeyOutcome::accepted) return refuse(interaction, visit, verdict);

    const model::Subject& owner = verdict.passkey.subject;
    const LoginVisit owned = with_owner(visit, owner, store::find_stamp(context.store, owner));
    const auto started = complete_login(interaction, owned, model::by_passkey(), [&](db::Transaction& transaction) {
        return spend_passkey(transaction, verdict, context.now());
    });
    if (!started) {
        verdict.log_detail = kMeanwhile;
        return refuse(interaction, visit, verdict);
    }
    login::note_login(context, *started, kMethod, visit.request.client_id);
    note_changed_passkey(interaction, visit, verdict);
    return go_on_with(interaction, visit, *started);
}

}  // namespace postern::web
