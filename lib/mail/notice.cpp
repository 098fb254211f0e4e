// Which changes of an account does its owner get a message about?
#include "mail/notice.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "crypto/digest.h"
#include "model/mail.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "util/tr.h"

namespace postern::mail {
namespace {

using model::ActivityKind;

struct Sentence {
    ActivityKind what;
    const char* text;
};
using util::tr;

constexpr Sentence kSentences[] = {
    {ActivityKind::password_changed, tr("The password was changed.")},
    {ActivityKind::app_added, tr("An authenticator app was turned on.")},
    {ActivityKind::app_removed, tr("The authenticator app was removed.")},
    {ActivityKind::recovery_codes_made, tr("New recovery codes were made.")},
    {ActivityKind::recovery_codes_removed, tr("The recovery codes were removed.")},
    {ActivityKind::passkey_added, tr("A passkey was added.")},
    {ActivityKind::passkey_removed, tr("A passkey was removed.")},
    {ActivityKind::passkey_suspended, tr("A passkey was suspended, because a copy of it may exist.")},
    {ActivityKind::link_used, tr("A password was chosen with a link.")},
    {ActivityKind::profile_changed, tr("The e-mail address was changed.")},
};

constexpr util::Seconds kHour = std::chrono::hours(1);

std::string key_of(std::string_view sort, const std::string& of) {
    return std::string(store::kUseCounter).append(sort).append(":").append(of);
}

std::string address_of(db::Transaction& transaction, const model::Subject& subject) {
    return model::mail_address_of(store::find_claims(transaction.database(), subject));
}

/// What waits for the end of the hour has an id of the sort and the hour, so that it is written once.
void hold_until(model::MailRequest& request, const std::string& sort, util::Time end) {
    request.not_before = end;
    request.id = crypto::sha256_hex(sort + " until " + std::to_string(util::to_epoch(end)));
}

}  // namespace

const char* notice_sentence(ActivityKind what) {
    const auto* row = std::ranges::find(kSentences, what, &Sentence::what);
    return row == std::end(kSentences) ? nullptr : row->text;
}

bool queue_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                  ActivityKind what, util::Time now) {
    if (notice_sentence(what) == nullptr) return false;
    const std::string address = address_of(transaction, subject);
    if (address.empty()) return false;
    model::MailRequest request;
    request.id = crypto::random_id(random);
    request.kind = model::MailKind::notice;
    request.subject = subject;
    request.detail = std::string(model::word_of(what)) + ' ' + address;
    request.created_at = request.not_before = now;
    const std::string sort = subject.str() + ' ' + request.detail;
    const std::string key = key_of("notice", crypto::sha256_hex(sort));
    const auto counted = store::count_use(transaction, {key, 1, kHour}, now);
    if (counted.failures > 1) hold_until(request, sort, counted.until);
    store::insert_mail(transaction, request);
    return true;
}

bool may_get_another(db::Transaction& transaction, const model::Subject& subject, util::Time now) {
    const std::string hour = key_of("hour", subject.str());
    const std::string day = key_of("day", subject.str());
    return store::count_uses(transaction, {{hour, 3, kHour}, {day, 10, std::chrono::days(1)}}, now);
}

bool queue_guess_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                        util::Time now) {
    const std::string key = key_of("guess", subject.str());
    if (!store::count_uses(transaction, {{key, 1, std::chrono::days(1)}}, now)) return false;
    model::MailRequest request;
    request.id = crypto::random_id(random);
    request.kind = model::MailKind::guess;
    request.subject = subject;
    request.detail = address_of(transaction, subject);
    request.created_at = request.not_before = now;
    if (request.detail.empty()) return false;
    store::insert_mail(transaction, request);
    return true;
}

}  // namespace postern::mail
