// What the other commands do for mail.
#include "cli/mail/queue.h"

#include <system_error>

#include "cli/audit.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "mail/notice.h"
#include "os/wake_file.h"
#include "store/mail_requests.h"

namespace postern::cli {
namespace {

util::Time now() { return util::SystemClock().now(); }

}  // namespace

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
                  model::Happened what) {
    crypto::SystemRandom random;
    if (settings.mail) mail::queue_notice(transaction, random, subject, what, now());
}

void wake_deliverer(const config::Config& config) {
    if (!config.settings.mail) return;
    try {
        os::WakeFile file(config.mail_wake_path());
        file.request_wake();
        file.wake_if_requested();
    } catch (const std::system_error& error) {  // the timer finds the message
        print_note(std::string("the mail is sent some minutes later: ") + error.what());
    }
}

}  // namespace postern::cli
