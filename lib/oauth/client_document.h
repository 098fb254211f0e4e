// The document at a client's URL: read strictly, and into the client that may be stored
// (draft-ietf-oauth-client-id-metadata-document §4, §5; RFC 7591 §2).
#pragma once

#include <string>

#include "fetch/document.h"
#include "model/authorization.h"
#include "model/client.h"
#include "oauth/settings.h"
#include "util/result.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxDocumentUris = 20;

struct DocumentFault {
    std::string reason;             ///< for the operator: the words behind "the document"
    bool has_other_method = false;  ///< the client wants to authenticate by something else than its id
};

/// Returns a public client with PKCE, of origin `document`, with what the document at `url` says and `clientDocuments`
/// allows: never first-party, no more than the grants authorization_code and refresh_token, and no scope beyond
/// `clientDocuments.scope`, which it gets whole if it names none. Grants, response types and members that are not known
/// are ignored (RFC 7591 §2). Refused: what is not JSON, names another client_id, has a secret or authenticates, asks
/// for protection that this server does not have, or has a URI, a name or an address that could not be registered.
util::Result<model::Client, DocumentFault> read_client_document(const fetch::Document& document, const std::string& url,
                                                                const Settings& settings);

/// Returns the base64url of SHA-256 over what read_client_document takes from the document. Two documents from which it
/// takes equal values are one: their other members do not matter here.
std::string digest_of(const model::Client& client);

/// Returns the part of a described client that a request keeps.
model::SeenDocument seen_document(const model::Client& client);

/// Returns true if the names and the redirect URIs of the two clients are equal: a user who approved `one` knows
/// `other`.
bool looks_the_same(const model::Client& one, const model::Client& other);

/// Returns `stored` with the content of the document: what the operator has decided about the client stays.
model::Client described_again(model::Client stored, const model::Client& described);

}  // namespace postern::oauth
