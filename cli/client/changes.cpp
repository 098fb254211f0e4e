// Decides which options `client set` takes for a client that a document, the client itself or a site describes.
#include "cli/client/changes.h"

#include "cli/command.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

using model::Client;

/// Throws Refused for options about what the document says.
void refuse_described(const Client& client, const ClientOptions& options) {
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

/// Throws Refused for what no client that registered itself may be (docs/decisions/0136).
void refuse_registered(const Client& client, const ClientOptions& options) {
    if (client.origin != model::Origin::dynamic || !options.first_party.value_or(false)) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " registered itself, and users are asked before such a client gets anything; `postern client add` the "
        "application yourself to make it --first-party");
}

/// Throws Refused for options about what follows from the URL of a site, or from its being one.
void refuse_site(const Client& client, const ClientOptions& options) {
    if (!client.site) return;
    ClientOptions decided;  // the options that the operator sets for a site as well
    decided.name = options.name;
    decided.names = options.names;
    decided.scope = options.scope;
    decided.access = options.access;
    decided.groups = options.groups;
    decided.group_names = options.group_names;
    decided.acr = options.acr;
    if (options == decided) return;
    throw Refused(
        "client " + in_quotes(client.id.str()) +
        " is a site, whose addresses, grants, type and PKCE follow from its URL; `postern site set` changes that");
}

}  // namespace

void require_changeable(const Client& client, const ClientOptions& options) {
    refuse_described(client, options);
    refuse_registered(client, options);
    refuse_site(client, options);
}

}  // namespace postern::cli
