// What an operator may change about a client that a document describes.
#include "cli/client/documents.h"

#include "cli/command.h"
#include "cli/output.h"

namespace postern::cli {

void refuse_described(const model::Client& client, const ClientOptions& options) {
    if (client.origin != model::Origin::document) return;
    ClientOptions decided;  // what no document says
    decided.access = options.access;
    decided.groups = options.groups;
    decided.id_token_claims = options.id_token_claims;
    decided.tokens = options.tokens;
    if (options == decided) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " is what the document at this URL says; you can change who may use it, what it is told of groups and "
        "claims, and its access tokens. To register it yourself, `postern client remove` it first, then "
        "`postern client add` it with --public");
}

void keep(model::Client& client) {
    if (client.origin == model::Origin::document) client.removable_at.reset();
}

void note_removed(const model::Client& client) {
    if (client.origin != model::Origin::document) return;
    print_note(
        "a user who approves the application of this document brings the client back; `postern client disable` keeps "
        "it away, and clientDocuments.deny all of its host");
}

}  // namespace postern::cli
