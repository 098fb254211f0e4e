// Records what a user's approval is worth: a grant with its first credential, once per request.
#pragma once

#include <functional>

#include "db/database.h"
#include "model/authorization.h"
#include "model/client.h"
#include "model/grant.h"
#include "model/session.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

enum class NotIssued {
    request_used,        ///< one request yields at most one credential, however many tabs ask
    session_ended,       ///< the user was disabled, changed the password or logged out while we waited to write
    approval_withdrawn,  ///< what the user had said was taken back meanwhile
    may_not_use,         ///< the user lost the right to use the client meanwhile
    client_changed,      ///< a client that a document describes was disabled or registered by the operator meanwhile
    too_many_clients,    ///< it is new, and `clientDocuments.max` are kept
    too_many_of_user,    ///< it is new, and the user has brought as many such clients as one user may
};

/// Where the approval comes from.
enum class ConsentSource {
    given_now,   ///< the user's, for this very request: remembered when its credential is issued, not at the click,
                 ///< since until then another tab may take it back
    remembered,  ///< the user's, from an earlier request
    not_asked,   ///< the operator's, for a first-party client
};

struct Approval {
    const model::AuthorizationRequest& request;
    const model::Session& session;
    ConsentSource consent = ConsentSource::not_asked;
    const model::Client* described =
        nullptr;               ///< by a document: it is recorded with the grant; nullptr: of the operator
    std::string address = {};  ///< of the browser, for the user's activity; "": not kept
};

/// The grant that the approval is worth, not recorded yet.
model::Grant make_grant(Context& context, const Approval& approval);

/// Grant, credential, used-up request and remembered consent in one transaction; `insert_credential` adds what hangs on
/// the grant until `until`. Session, access and consent are looked at again inside: a right that was withdrawn
/// meanwhile must not be granted (docs/decisions/0011-rights-checked-in-the-transaction.md).
util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           util::Time until,
                                           const std::function<void(db::Transaction&)>& insert_credential);

/// Ends a request that was refused, so that going back cannot revive it. False when it has had its one answer before.
[[nodiscard]] bool end_request(Context& context, const model::AuthorizationRequest& request,
                               const model::Session& session);

}  // namespace postern::oauth
