// Keeps a copy of the client that a document describes, from the moment in which a user's approval is worth something:
// nothing is stored for those who only ask.
#pragma once

#include <string>

#include "db/database.h"
#include "model/client.h"
#include "model/grant.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// The change of the row, for the audit log.
struct RecordedClient {
    bool is_new = false;
    std::string changed = {};  ///< words: which of name and redirect_uris the document has changed
};

/// Returns the number of clients of documents that one user may have brought before bringing a new one: a tenth of
/// `max`, and ten at least. A client is the user's who approved it first, until it is deleted: taking the approval back
/// makes no room. So it takes ten users to fill a table of 100 or more.
std::int64_t most_of_user(std::int64_t max);

/// Inserts the client in the transaction that issues the user's credential, unless there are too many, or brings its
/// row up to what the document says. If its name or a redirect URI has changed, no consent to the earlier one counts
/// any more, of any user. The error: the row is not what the request was begun with.
util::Result<RecordedClient, NotIssued> record_client(db::Transaction& transaction, Context& context,
                                                      const model::Client& described, const model::Subject& subject,
                                                      ConsentSource consent);

/// Adds to the audit trail what record_client has done, behind the commit.
void note_client(Context& context, const model::Grant& grant, const RecordedClient& recorded);

}  // namespace postern::oauth
