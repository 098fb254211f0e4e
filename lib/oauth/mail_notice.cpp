// Which changes of an account does its owner get a message about?
#include "oauth/mail_notice.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "model/mail.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "util/tr.h"

namespace postern::oauth {
namespace {

using model::Happened;

struct Sentence {
    Happened what;
    const char* text;
};
using util::tr;

constexpr Sentence kSentences[] = {
    {Happened::password_changed, tr("The password was changed.")},
    {Happened::app_added, tr("An authenticator app was turned on.")},
    {Happened::app_removed, tr("The authenticator app was removed.")},
    {Happened::recovery_codes_made, tr("New recovery codes were made.")},
    {Happened::recovery_codes_removed, tr("The recovery codes were removed.")},
    {Happened::passkey_added, tr("A passkey was added.")},
    {Happened::passkey_removed, tr("A passkey was removed.")},
    {Happened::passkey_suspended, tr("A passkey was suspended, because a copy of it may exist.")},
    {Happened::link_used, tr("A password was chosen with a link.")},
    {Happened::profile_changed, tr("The e-mail address was changed.")},
};

bool queue(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject, model::MailKind kind,
           std::string word, util::Time now) {
    const std::string address = model::mail_address_of(store::find_claims(transaction.database(), subject));
    if (address.empty()) return false;
    if (!word.empty()) word += ' ';
    model::MailRequest request;
    request.id = crypto::random_id(random);
    request.kind = kind;
    request.subject = subject;
    request.detail = word + address;
    request.created_at = request.not_before = now;
    store::insert_mail(transaction, request);
    return true;
}

}  // namespace

const char* notice_sentence(Happened what) {
    const auto* row = std::ranges::find(kSentences, what, &Sentence::what);
    return row == std::end(kSentences) ? nullptr : row->text;
}

bool queue_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject, Happened what,
                  util::Time now) {
    if (notice_sentence(what) == nullptr) return false;
    return queue(transaction, random, subject, model::MailKind::notice, std::string(model::word_of(what)), now);
}

bool may_get_another(db::Transaction& transaction, const model::Subject& subject, util::Time now) {
    const std::string hour = std::string(store::kUseCounter) + "hour:" + subject.str();
    const std::string day = std::string(store::kUseCounter) + "day:" + subject.str();
    return store::count_uses(transaction, {{hour, 3, std::chrono::hours(1)}, {day, 10, std::chrono::days(1)}}, now);
}

bool queue_guess_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                        util::Time now) {
    const std::string key = std::string(store::kUseCounter) + "guess:" + subject.str();
    return store::count_uses(transaction, {{key, 1, std::chrono::days(1)}}, now) &&
           queue(transaction, random, subject, model::MailKind::guess, "", now);
}

}  // namespace postern::oauth
