// How the answer of an authorization request is sent.
#include "web/authorization_response.h"

#include <stdexcept>

namespace postern::web {

http::Response authorization_response(const Pages& pages, const oauth::VerifiedRedirect& target,
                                      http::Parameters parameters) {
    parameters.emplace_back("state", target.state());
    parameters.emplace_back("iss", target.issuer());
    switch (target.mode()) {
        case model::ResponseMode::query:
            return http::see_other(http::with_query(target.uri(), parameters));
        case model::ResponseMode::fragment:
            return http::see_other(http::with_fragment(target.uri(), parameters));
        case model::ResponseMode::form_post:
            return pages.form_post({target.client().name, target.uri(), std::move(parameters)});
    }
    throw std::logic_error("response mode without a way to answer");
}

http::Response authorization_error(const Pages& pages, const oauth::VerifiedRedirect& target,
                                   const oauth::OAuthError& error) {
    const std::string name(oauth::wire_name(error.code));
    http::Response response =
        authorization_response(pages, target, {{"error", name}, {"error_description", error.description}});
    response.refusal = http::Refusal{name, error.description, error.log_detail, target.client().id.str()};
    return response;
}

}  // namespace postern::web
