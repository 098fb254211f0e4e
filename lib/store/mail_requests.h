// Table `mail_requests`: messages that wait to be sent. The command sends them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "model/mail.h"
#include "model/user.h"

namespace postern::store {

/// Rows of kind reset that wait, whatever strangers ask for (MAIL-6).
inline constexpr std::int64_t kMaxWaitingResets = 10000;
/// How long a message that was given up is kept for the operator.
inline constexpr util::Seconds kFailedMailRetention{604800};

/// Inserts the request; nothing is written when a row has that id.
void insert_mail(db::Transaction& transaction, const model::MailRequest& request);
/// Inserts a request of kind reset; false, and nothing is written, when kMaxWaitingResets wait.
bool insert_reset(db::Transaction& transaction, const model::MailRequest& request);

/// At most `most` of those that users or strangers have typed a name for, the oldest first. Which users they are for is
/// found out by the command: it replaces each by one for each user.
std::vector<model::MailRequest> find_asked_mail(db::Database& database, int most);
/// The sorts of messages that are wanted, beside the operator's links.
struct MailSorts {
    bool asked = true;    ///< links that a user has asked for
    bool notices = true;  ///< of changes and guesses
};
/// At most `most` of the others that may be tried at `now`: the operator's links, then what users have asked for and
/// wait for, then notices, each by time.
std::vector<model::MailRequest> find_due_mail(db::Database& database, util::Time now, int most, MailSorts wanted = {});
bool is_notice_due(db::Database& database, util::Time now);
/// True for one deliverer alone: the row has been tried as often as `request` says, and no other may try it before
/// `until`.
bool claim_mail(db::Transaction& transaction, const model::MailRequest& request, util::Time until);
/// It is not tried before `until`, and no try is counted. False: it has been tried since.
bool postpone_mail(db::Transaction& transaction, const model::MailRequest& request, util::Time until);
/// It is sent, or fits no user. Nothing is done to a row that has been tried another number of times since. False then.
bool remove_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries);
/// It is given up, and kept for the operator.
bool fail_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries, util::Time now);

/// All, the oldest first, for the command.
std::vector<model::MailRequest> list_mail(db::Database& database);

struct MailCounts {
    std::int64_t waiting = 0;
    std::int64_t late = 0;  ///< among them: made before the time that was asked for
    std::int64_t failed = 0;
};
MailCounts count_mail(db::Database& database, util::Time late_before);

/// Enabled users whose address has that digest, at most `most`.
std::vector<model::Subject> subjects_with_email(db::Database& database, const std::string& email_key, int most);

}  // namespace postern::store
