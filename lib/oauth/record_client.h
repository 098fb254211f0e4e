// Keeps clients that the operator did not register, for as long as users sign in to them. The copy of a document is
// made in the moment in which a user's approval is worth something: nothing is stored for those who only ask.
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

/// Returns the number of clients of documents, and likewise of clients that registered without a token, that one user
/// may have brought before bringing a new one: a tenth of the `max` of such clients, and ten at least. A client is the
/// user's who approved it first, until it is deleted: taking the approval back makes no room. So it takes ten users to
/// fill a table of 100 or more.
std::int64_t most_of_user(std::int64_t max);

/// Records a sign-in to the client in the transaction that issues the user's credential. A client of a document is
/// inserted, unless there are too many, or its row brought up to what the document says; if its name or a redirect URI
/// has changed, no consent to the earlier one counts any more, of any user. The first approval of a client that
/// registered without a token counts for the user. The error: there are too many, or the row is not what the request
/// was begun with.
util::Result<RecordedClient, NotIssued> record_client(db::Transaction& transaction, Context& context,
                                                      const model::Client& client, const model::Subject& subject,
                                                      ConsentSource consent);

/// Records a use of the client, which prolongs its row; writes once a day, and nothing for clients of the operator. For
/// device grants and client credentials; record_client does it for a sign-in.
void note_use(db::Transaction& transaction, const Context& context, const model::Client& client);

/// Adds to the audit trail what record_client has done, behind the commit.
void note_client(Context& context, const model::Grant& grant, const RecordedClient& recorded);

}  // namespace postern::oauth
