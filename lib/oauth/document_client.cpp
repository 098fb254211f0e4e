// Finds the client that a document describes now.
#include "oauth/document_client.h"

#include "db/write.h"
#include "http/url.h"
#include "oauth/client_document.h"
#include "oauth/client_id_url.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/resources.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// Before anything is fetched. A token for an API whose URI is a client's id would pass for an ID token there.
std::optional<NoDocumentClient> refuse_url(Context& context, const std::string& url) {
    const Settings& settings = context.settings;
    if (const auto problem = client_id_url_problem(url, settings.outbound.ports))
        return NoDocumentClient{Reason::client_document_refused_url, "the client_id " + *problem};
    if (const auto problem = client_id_host_problem(settings, http::parse_url(url)->host))
        return NoDocumentClient{problem->why, "the client_id " + problem->text};
    const bool is_default =
        settings.default_resource && http::one_spelling(*settings.default_resource) == http::one_spelling(url);
    if (is_default || store::find_resource(context.store, url))
        return NoDocumentClient{Reason::client_document_refused_resource, "the client_id is the URI of a resource"};
    return std::nullopt;
}

/// Ends the grants of a client, because they were given to a program that only had to know the id.
void end_grants(Context& context, const model::ClientId& id) {
    if (!store::has_grants(context.store, id)) return;
    const auto ended = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const auto count = store::end_grants_of(transaction, id, context.now());
        transaction.commit();
        return count;
    });
    context.trail.add(
        audit::Event::client_document_changed,
        {audit::client(id), {"changed", "token_endpoint_auth_method"}, {"grants_ended", std::to_string(ended)}});
}

}  // namespace

util::Result<model::Client, NoDocumentClient> find_document_client(Context& context, const std::string& url,
                                                                   const std::optional<model::Client>& stored,
                                                                   const std::string& address) {
    if (auto refused = refuse_url(context, url)) return std::move(*refused);
    std::optional<model::Client> described;
    bool has_other_method = false;
    const auto check = [&](const fetch::Document& document) -> std::optional<std::string> {
        auto client = read_client_document(document, url, context.settings);
        if (client) {
            described = std::move(*client);
            return std::nullopt;
        }
        has_other_method = client.error().has_other_method;
        return "the document " + client.error().reason;
    };
    const fetch::Cause cause = stored ? fetch::Cause{fetch::Occasion::renewal, stored->brought_by.str()}
                                      : fetch::Cause{fetch::Occasion::first, address};
    const auto document = fetch::read_document(context.documents(), fetch::Purpose::client_document, url, cause, check);
    if (!document) {
        if (has_other_method && stored) end_grants(context, stored->id);
        const bool is_by_method = has_other_method && document.error().why == Reason::client_document_refused_invalid;
        return NoDocumentClient{is_by_method ? Reason::client_document_refused_method : document.error().why,
                                document.error().reason};
    }
    return stored ? described_again(*stored, *described) : std::move(*described);
}

model::Client as_seen(const model::AuthorizationRequest& request, const std::optional<model::Client>& stored) {
    model::Client client = stored.value_or(model::Client());
    client.id = request.client_id;
    client.origin = model::Origin::document;
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.name = request.document->name;
    client.redirect_uris = {request.redirect_uri};
    client.grants = {model::GrantType::authorization_code};
    client.scope = request.scope;
    return client;
}

}  // namespace postern::oauth
