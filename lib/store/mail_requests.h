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

/// The largest number of rows of kind reset that wait, whatever strangers ask for (MAIL-6).
inline constexpr std::int64_t kMaxWaitingResets = 10000;
/// The time for which a message that was given up is kept for the operator.
inline constexpr util::Seconds kFailedMailRetention{604800};

/// Inserts the request; nothing is written when a row has that id.
void insert_mail(db::Transaction& transaction, const model::MailRequest& request);
/// Inserts a request of kind reset; false, and nothing is written, when kMaxWaitingResets wait.
bool insert_reset(db::Transaction& transaction, const model::MailRequest& request);

/// Returns at most `most` rows for which a user or a stranger has typed a name, the oldest first. The command finds out
/// which users a row is for: it replaces the row by one for each user.
std::vector<model::MailRequest> find_asked_mail(db::Database& database, int most);
/// The sorts of messages that are wanted, beside the operator's links.
struct MailSorts {
    bool asked = true;    ///< links that a user has asked for
    bool notices = true;  ///< of changes and guesses
};
/// Returns at most `most` rows that may be tried at `now`, without the rows of find_asked_mail: the operator's links,
/// then messages that users have asked for and wait for, then notices, each by time.
std::vector<model::MailRequest> find_due_mail(db::Database& database, util::Time now, int most, MailSorts wanted = {});
bool is_notice_due(db::Database& database, util::Time now);
/// Claims the row: true for one deliverer alone. The row has been tried as often as `request` says, and no other
/// deliverer may try it before `until`.
bool claim_mail(db::Transaction& transaction, const model::MailRequest& request, util::Time until);
/// Postpones the row, which is not tried before `until`, and counts no try. False: the row has been tried since.
bool postpone_mail(db::Transaction& transaction, const model::MailRequest& request, util::Time until);
/// Removes the row, whose message is sent or fits no user. False, and nothing is removed, when the row has been tried
/// another number of times since.
bool remove_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries);
/// Marks the row as given up, and keeps it for the operator. False, and nothing is written, when the row has been tried
/// another number of times since.
bool fail_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries, util::Time now);

/// Returns all rows, the oldest first, for the command.
std::vector<model::MailRequest> list_mail(db::Database& database);

struct MailCounts {
    std::int64_t waiting = 0;
    std::int64_t late = 0;  ///< among them: made before the time that was asked for
    std::int64_t failed = 0;
};
MailCounts count_mail(db::Database& database, util::Time late_before);

/// Returns enabled users whose address has that digest, at most `most`.
std::vector<model::Subject> subjects_with_email(db::Database& database, const std::string& email_key, int most);

}  // namespace postern::store
