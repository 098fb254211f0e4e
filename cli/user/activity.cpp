// `postern user activity`: what has happened to a user's account of late, as its owner is shown it.
#include "cli/user/user.h"

#include <utility>

#include "cli/lookup.h"
#include "cli/mail/mail.h"
#include "cli/output.h"
#include "store/activity.h"
#include "store/users.h"

namespace postern::cli {
namespace {

json::Object to_json(const model::ActivityLine& line) {
    json::Object object{{"at", util::to_epoch(line.at)}, {"what", std::string(word_of(line.what))}};
    if (!line.agent.empty()) object.set("agent", line.agent);
    if (!line.address.empty()) object.set("address", line.address);
    if (!line.detail.empty()) object.set("detail", line.detail);
    return object;
}

std::vector<std::string> to_cells(const model::ActivityLine& line) {
    return {to_text(line.at), describe(line), line.detail, line.agent, line.address};
}

void show(const Invocation& invocation, const std::string& name) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, db::Access::query_only);
    auto lines = store::list_activity(database, require_user(database, name).subject, now());
    if (!config.settings.account.addresses)
        for (model::ActivityLine& line : lines) line.address.clear();
    if (invocation.json) return print_json(json::array_of(lines, to_json));
    print_table_rows({"TIME", "WHAT", "DETAIL", "BROWSER", "ADDRESS"}, lines, to_cells);
}

}  // namespace

void note_activity(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                   model::ActivityKind what, std::string detail) {
    if (what != model::ActivityKind::profile_changed) queue_notice(settings, transaction, subject, what);
    if (!settings.paths.account) return;
    store::lock_user(transaction, subject);
    store::add_activity(transaction, subject,
                        {.at = now(),
                         .what = what,
                         .agent = std::string(model::kOperatorAgent),
                         .address = "",
                         .detail = std::move(detail)});
}

void add_user_activity_command(const Command& group, Invocation& invocation) {
    add_command(group, invocation, "activity", "Show what has happened to a user's account, the latest first",
                "postern user activity ada", kUserName, show)
        .explain(
            "Shows the list that the user sees in the account: logins, failed second steps and changes of the last 90 "
            "days, 50 at most. Without paths.account no line is added. The audit log has more, and all users.");
}

}  // namespace postern::cli
