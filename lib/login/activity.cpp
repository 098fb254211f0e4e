// Tells the owner of an account what happens to it.
#include "login/activity.h"

#include <utility>

#include "mail/notice.h"
#include "model/link.h"
#include "os/file.h"
#include "store/activity.h"
#include "store/users.h"

namespace postern::login {
namespace {

model::ActivityLine line_of(const oauth::Context& context, const Browser& browser, model::ActivityKind what,
                            std::string detail) {
    return {.at = context.now(),
            .what = what,
            .agent = agent_label(browser.user_agent),
            .address = browser.address,
            .detail = std::move(detail)};
}

/// An invitation gives the first password or the first passkey: that is no change. A passkey has its own message.
bool is_invitation(model::ActivityKind what, std::string_view detail) {
    return what == model::ActivityKind::link_used &&
           (detail == model::to_string(model::LinkPurpose::invite) || detail == model::kUsedForPasskey);
}

/// The profile has a message of its own, where the address changes.
void tell_by_mail(const oauth::Context& context, db::Transaction& transaction, const model::Subject& subject,
                  model::ActivityKind what, std::string_view detail) {
    const bool is_told_otherwise = what == model::ActivityKind::profile_changed || is_invitation(what, detail);
    if (context.mail_wake == nullptr || is_told_otherwise) return;
    if (mail::queue_notice(transaction, context.random, subject, what, context.now()))
        context.mail_wake->request_wake();
}

}  // namespace

void note_activity(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                   const model::Subject& subject, model::ActivityKind what, std::string detail) {
    tell_by_mail(context, transaction, subject, what, detail);
    if (!context.settings.paths.account) return;
    store::add_activity(transaction, subject, line_of(context, browser, what, std::move(detail)));
}

void note_failed_step(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                      const model::Subject& subject, bool is_place_known) {
    const bool is_told = context.mail_wake != nullptr && !is_place_known;
    if (!context.settings.paths.account && !is_told) return;
    store::lock_user(transaction, subject);  // before a counter, for which one that has it waits for no other
    const auto what =
        is_place_known ? model::ActivityKind::second_step_failed : model::ActivityKind::second_step_failed_elsewhere;
    if (context.settings.paths.account)
        store::add_activity_once(transaction, subject, line_of(context, browser, what, ""));
    if (is_told && mail::queue_guess_notice(transaction, context.random, subject, context.now()))
        context.mail_wake->request_wake();
}

}  // namespace postern::login
