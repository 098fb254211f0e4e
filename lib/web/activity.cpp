// Tells the owner of an account what happens to it.
#include "web/activity.h"

#include <utility>

#include "store/activity.h"
#include "store/users.h"
#include "web/agent_label.h"

namespace postern::web {
namespace {

model::ActivityLine line_of(const oauth::Context& context, const Browser& browser, model::Happened what,
                            std::string detail) {
    return {.at = context.now(),
            .what = what,
            .agent = agent_label(browser.user_agent),
            .address = browser.address,
            .detail = std::move(detail)};
}

}  // namespace

void note_activity(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                   const model::Subject& subject, model::Happened what, std::string detail) {
    if (!context.settings.paths.account) return;
    store::add_activity(transaction, subject, line_of(context, browser, what, std::move(detail)));
}

void note_failed_step(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                      const model::Subject& subject, bool is_place_known) {
    if (!context.settings.paths.account) return;
    store::lock_user(transaction, subject);
    const auto what =
        is_place_known ? model::Happened::second_step_failed : model::Happened::second_step_failed_elsewhere;
    store::add_activity_once(transaction, subject, line_of(context, browser, what, ""));
}

}  // namespace postern::web
