// `postern mail`: sends the messages that wait, and lists them; and what other commands do for mail.
#include "cli/mail/mail.h"

#include <iostream>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/wake.h"
#include "crypto/random.h"
#include "mail/notice.h"
#include "store/mail_requests.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using model::MailRequest;

void deliver(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    if (!config.settings.mail) throw Refused("no mail is configured: set \"mail\" in the configuration");
    db::Database database = open_database(config, db::Access::read_write);
    const Delivered delivered = deliver_mail(invocation, config, database);
    if (invocation.json)
        return print_json(json::Object{{"sent", delivered.sent},
                                       {"failed", delivered.failed},
                                       {"dropped", delivered.dropped},
                                       {"limited", delivered.limited}});
    if (delivered.limited) print_note("mail.perHour is used up; the other messages wait");
    std::cout << counted(delivered.sent, "message") << " sent\n";
}

const char* state_of(const MailRequest& request) {
    if (request.failed_at) return "failed";
    return request.tries > 0 ? "tried" : "waiting";
}

/// Returns the user's name, "" for a request with a typed name: its user is found when it is sent.
std::string name_of(db::Database& database, const MailRequest& request) {
    return request.subject ? store::find_username(database, *request.subject) : "";
}

json::Object to_json(const MailRequest& request, const std::string& username) {
    json::Object object{{"kind", std::string(model::to_string(request.kind))}, {"state", state_of(request)}};
    if (request.subject) object.set("sub", request.subject->str());
    if (!username.empty()) object.set("username", username);
    object.set("created_at", util::to_epoch(request.created_at));
    object.set("tries", request.tries);
    if (request.failed_at)
        object.set("failed_at", util::to_epoch(*request.failed_at));
    else
        object.set("not_before", util::to_epoch(request.not_before));
    return object;
}

void list(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, db::Access::query_only);
    const auto requests = store::list_mail(database);
    if (invocation.json)
        return print_json_rows(requests, [&](const MailRequest& request) {
            return json::Value(to_json(request, name_of(database, request)));
        });
    print_table_rows({"KIND", "USER", "STATE", "ASKED FOR", "TRIES", "NEXT TRY"}, requests,
                     [&](const MailRequest& request) {
                         return std::vector<std::string>{std::string(model::to_string(request.kind)),
                                                         name_of(database, request),
                                                         state_of(request),
                                                         to_text(request.created_at),
                                                         std::to_string(request.tries),
                                                         request.failed_at ? "" : to_text(request.not_before)};
                     });
}

}  // namespace

void add_mail_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("mail", "Send and list the messages to users");
    add_command(group, invocation, "deliver", "Send the messages that wait", "postern mail deliver",
                [&invocation] { deliver(invocation); })
        .explain(
            "Gives each message to the command of \"mail\" in the configuration. To be run by postern-mail.path and "
            "postern-mail.timer, or by cron every minute; several may run at once. What could not be sent is tried "
            "again after 1, 5 and 30 minutes and 4 hours, and then given up: the audit log has mail_failed, and "
            "`postern doctor` says it.");
    add_command(group, invocation, "list", "List the messages that wait or were given up", "postern mail list --json",
                [&invocation] { list(invocation); })
        .explain("The list has no addresses and no links: a link is made when its message is sent.");
}

void require_mail(const oauth::Settings& settings) {
    if (!settings.mail)
        throw Refused(
            "no mail is configured; add \"mail\" to the configuration, or leave --mail out and hand the link over");
}

void require_mail_address(const model::User& user) {
    if (model::mail_address_of(user.claims).empty())
        throw Refused("user " + in_quotes(user.username) +
                      " has no e-mail address that mail can be sent to; set one with `postern user set NAME --claim "
                      "email=ADDRESS`");
}

void queue_link(db::Transaction& transaction, const model::User& user, model::MailKind kind, util::Seconds lifetime) {
    crypto::SystemRandom random;
    model::MailRequest request;
    request.id = crypto::random_id(random);
    request.kind = kind;
    request.subject = user.subject;
    request.detail = std::to_string(lifetime.count()) + " " + caller_name();
    request.created_at = request.not_before = now();
    store::insert_mail(transaction, request);
}

void queue_notice(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                  model::ActivityKind what) {
    crypto::SystemRandom random;
    if (settings.mail) mail::queue_notice(transaction, random, subject, what, now());
}

void wake_deliverer(const config::Config& config) {
    if (config.settings.mail) wake(config.mail_wake_path(), "the mail is sent some minutes later");
}

}  // namespace postern::cli
