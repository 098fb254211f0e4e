// The consent page: what the client asks for, and the user's yes or no.
#include "web/consent.h"

#include "db/write.h"
#include "oauth/client_id_url.h"
#include "oauth/redirect_rules.h"
#include "pages/permissions.h"
#include "store/authorization_requests.h"
#include "store/client_claims.h"
#include "store/users.h"
#include "web/csrf.h"
#include "web/destination.h"

namespace postern::web {
namespace {

/// Anyone can publish a document or register under any name, so the user is told that nobody has checked it. A client
/// that the operator gave a token has terms that are worth reading.
void add_origin(const Resumed& resumed, pages::ConsentPage& page) {
    const model::Client& client = resumed.target.client();
    if (client.origin == model::Origin::operator_) return;
    page.registered_itself = model::is_of_stranger(client);
    page.nameless = client.name.empty();
    if (client.origin == model::Origin::document) page.published_at = oauth::host_of_id(client.id);
    if (client.origin == model::Origin::document || page.registered_itself) {
        page.any_program = oauth::is_loopback_or_private(resumed.request.redirect_uri);
        return;
    }
    page.policy_uri = client.metadata.policy_uri;
    page.tos_uri = client.metadata.tos_uri;
}

http::Response back_to_authorize(Interaction& interaction, const Resumed& resumed) {
    return continue_at(interaction, interaction.context.settings.paths.authorize, resumed);
}

void record(Interaction& interaction, const model::AuthorizationRequest& asked, model::Decision decision) {
    const model::Subject& subject = interaction.browser.session->subject;
    const bool counts = db::write(interaction.context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        const bool is_first =
            store::record_decision(transaction, oauth::request_key(asked), subject, decision, asked.expires_at);
        transaction.commit();
        return is_first;
    });
    if (!counts) return;  // answered before
    const bool given = decision == model::Decision::approved;
    interaction.context.trail.add(given ? audit::Event::consent_given : audit::Event::consent_denied,
                                  {audit::subject(subject),
                                   audit::client(asked.client_id),
                                   audit::session(interaction.browser.session->sid),
                                   {"scope", asked.scope.to_string()},
                                   {"resource", model::to_string(asked.resources)}});
}

std::vector<model::ClientClaim> own_claims(const Interaction& interaction, const Resumed& resumed) {
    const model::Client& client = resumed.target.client();
    if (!client.own_claims) return {};
    return store::find_client_claims(interaction.context.store, client.id);
}

}  // namespace

http::Response show_consent(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto resumed, resume(interaction, interaction.request.query, AllowUnbound::no));
    if (auto used = refuse_if_used(interaction, resumed.request)) return std::move(*used);
    if (!interaction.browser.session) return back_to_authorize(interaction, resumed);
    pages::ConsentPage page;
    page.client_name = pages::client_name(resumed.target.client());
    page.client_host = destination(resumed.request.redirect_uri);
    page.username = store::find_username(interaction.context.store, interaction.browser.session->subject);
    page.other_account = other_account_url(interaction, resumed.request);
    page.action = interaction.context.settings.url(interaction.context.settings.paths.scopes);
    page.csrf = csrf_token(interaction.context, Form::consent, interaction.browser, resumed.request.id);
    page.resume = resumed.sealed;
    page.scopes = pages::permissions(interaction.context.settings, resumed.request, own_claims(interaction, resumed));
    page.resources = pages::describe_resources(interaction.context, resumed.request.resources);
    add_origin(resumed, page);
    return interaction.pages().consent(page);
}

http::Response submit_consent(Interaction& interaction) {
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto resumed, resume(interaction, sent, AllowUnbound::no));
    // The session ended while the form was open: nothing is lost but the click, the login comes next.
    if (!interaction.browser.session) return back_to_authorize(interaction, resumed);
    if (auto foreign = refuse_foreign_form(interaction, Form::consent, resumed.request)) return *std::move(foreign);

    const std::string_view decision = sent.find("decision").value_or("");
    if (decision != "approve" && decision != "deny")
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, resumed.request, "field: decision");
    const bool approves = decision == "approve";
    record(interaction, resumed.request, approves ? model::Decision::approved : model::Decision::denied);
    // After the decision is recorded, or came too late: a code that was issued meanwhile is no answer to a no.
    if (!approves)
        if (auto used = refuse_if_used(interaction, resumed.request)) return std::move(*used);
    return back_to_authorize(interaction, resumed);
}

}  // namespace postern::web
