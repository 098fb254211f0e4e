// A user's approval of a request, and why it may yield nothing.
#pragma once

#include <string>

#include "model/authorization.h"
#include "model/client.h"
#include "model/session.h"

namespace postern::oauth {

enum class NotIssued {
    request_used,        ///< one request yields at most one credential, however many tabs ask
    session_ended,       ///< the user was disabled, changed the password or logged out while we waited to write
    approval_withdrawn,  ///< what the user had said was taken back meanwhile
    may_not_use,         ///< the user lost the right to use the client meanwhile
    client_changed,      ///< a client that a document describes was disabled or registered by the operator meanwhile
    client_gone,         ///< a client that registered itself was removed meanwhile
    too_many_clients,    ///< a document describes it, it is new, and `clientDocuments.max` are kept
    too_many_of_user,    ///< it is new, or registered without a token and nobody has approved it, and the user has
                         ///< brought as many such clients as one user may
};

/// The origin of the approval.
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
    const model::Client* recorded = nullptr;  ///< as it is now, for record_client; nullptr: the operator registered it
    std::string address = {};                 ///< of the browser, for the user's activity; "": not kept
};

}  // namespace postern::oauth
