// The client that a document describes now: where the document may be fetched, and what it is compared with.
#pragma once

#include <optional>
#include <string>

#include "model/authorization.h"
#include "model/client.h"
#include "oauth/context.h"
#include "refusal/reason.h"
#include "util/result.h"

namespace postern::oauth {

struct NoDocumentClient {
    refusal::Reason why;  ///< client_document_refused or client_document_busy, or a case of one
    std::string reason;   ///< for the operator; the browser must not learn it (FETCH-12)
};

/// Returns the client that the document at `url` describes, from the cache or fetched; with `stored`, which is the copy
/// of an earlier one, what the operator has decided about it stays. Writes nothing about the client, which no user has
/// approved yet, but this: a document that demands another way to authenticate ends the grants that were given without
/// (draft §8, changes in metadata). Needs `clientDocuments.enabled`.
/// `address` is the browser's, against which the fetch of a document that no user has approved yet counts; "": not
/// known.
util::Result<model::Client, NoDocumentClient> find_document_client(Context& context, const std::string& url,
                                                                   const std::optional<model::Client>& stored,
                                                                   const std::string& address);

/// Returns the client as the request keeps it, for pages that do not read the document: only the fields that these
/// pages show.
model::Client as_seen(const model::AuthorizationRequest& request, const std::optional<model::Client>& stored);

}  // namespace postern::oauth
