// How the answer of an authorization request is sent.
#include "web/authorization_response.h"

#include "http/url.h"
#include "oauth/client_id_url.h"
#include "oauth/signed_response.h"
#include "web/destination.h"
#include "web/shown_name.h"

namespace postern::web {
namespace {

http::Parameters error_parameters(const oauth::OAuthError& error) {
    return {{"error", std::string(oauth::wire_name(error.code))}, {"error_description", error.description}};
}

http::Refusal refusal_of(const oauth::VerifiedRedirect& target, const oauth::OAuthError& error) {
    return {error.reason, error.description, error.log_detail, target.client().id.str()};
}

bool is_on_loopback(const std::string& uri) {
    const auto url = http::parse_url(uri);
    return url && http::is_loopback_http(*url);
}

bool may_be_anyones(const oauth::Settings& settings, const oauth::VerifiedRedirect& target) {
    return !oauth::is_known_to_operator(settings, target.client(), target.uri()) && !is_on_loopback(target.uri());
}

}  // namespace

http::Response authorization_response(oauth::Context& context, const pages::Pages& pages,
                                      const oauth::VerifiedRedirect& target, http::Parameters parameters) {
    parameters.emplace_back("state", target.state());
    parameters.emplace_back("iss", target.issuer());
    if (model::is_signed(target.mode()))
        parameters = {{"response", oauth::sign_response(context, target.client(), parameters)}};
    switch (model::carrier_of(target.mode())) {
        case model::ResponseMode::query:
            return http::see_other(http::with_query(target.uri(), parameters));
        case model::ResponseMode::fragment:
            return http::see_other(http::with_fragment(target.uri(), parameters));
        default:
            return pages.form_post({shown_name(target.client(), target.uri()), target.uri(), std::move(parameters)});
    }
}

http::Response authorization_error(oauth::Context& context, const pages::Pages& pages,
                                   const oauth::VerifiedRedirect& target, const oauth::OAuthError& error) {
    http::Response response = authorization_response(context, pages, target, error_parameters(error));
    response.refusal = refusal_of(target, error);
    return response;
}

http::Response early_error(const Interaction& interaction, const oauth::VerifiedRedirect& target,
                           const oauth::OAuthError& error) {
    http::Response answer = authorization_error(interaction.context, interaction.pages(), target, error);
    if (!may_be_anyones(interaction.context.settings, target)) return answer;
    const std::string host = destination(target.uri());
    const std::string* location = answer.find("Location");  // none: the answer would be posted
    http::Response page = pages::refusal_page(
        interaction.pages(), interaction.request, refusal::Reason::client_document_error,
        {.client_name = text::Message::data(host), .back = location ? *location : std::string(), .host = host});
    page.refusal = answer.refusal;
    return page;
}

}  // namespace postern::web
