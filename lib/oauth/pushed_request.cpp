// Decides which requests may be pushed, and which addresses of pushed ones may be opened.
#include "oauth/pushed_request.h"

#include <algorithm>
#include <utility>

#include "crypto/random.h"
#include "oauth/authorization_request.h"
#include "oauth/client_demands.h"
#include "oauth/client_id_url.h"
#include "oauth/request_object.h"
#include "oauth/request_use.h"
#include "oauth/sealed_request.h"
#include "refusal/reason.h"
#include "store/clients.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// The parameters of RFC 9126 §2.1 that are none of the authorization request; those are looked at as it is parsed.
Outcome<void> check_own_parameters(const http::Params& form) {
    if (const auto fault = form.first_fault({"client_id", "client_secret", "request_uri", "request"}))
        return invalid_parameter(*fault);
    return {};
}

/// The stored copy of a document may be old, and before the first approval there is none.
bool is_document_of_its_own(Context& context, const Credentials& credentials) {
    if (!context.settings.client_documents.enabled || credentials.method != Credentials::Method::id_only) return false;
    return std::ranges::any_of(credentials.readings, [&](const Credentials::Reading& reading) {
        if (!is_client_id_url(reading.client_id.str())) return false;
        const auto stored = store::find_client(context.store, reading.client_id);
        return !stored || stored->origin == model::Origin::document;
    });
}

Outcome<void> check_may_push(Context& context, const model::ClientId& client, bool is_public) {
    if (!is_public || context.settings.par_public_clients) return {};
    return refused_client(
        context,
        make_error(Reason::invalid_client_public_pushes, "clients without authentication may not push requests",
                   "par.publicClients is false, and the client has no secret"),
        client);
}

/// The error of a client whose document is at fault, with the advice of that fault.
OAuthError of_document(ErrorCode code, const char* description, const RedirectRefusal& refusal) {
    OAuthError error = make_error(code, description, refusal.log_detail);
    error.reason = refusal.reason;
    return error;
}

/// What would be a page of the authorization endpoint, as a client is told it.
OAuthError as_error(const RedirectRefusal& refusal) {
    if (refusal.reason == Reason::client_disabled_profile)
        return make_error(Reason::unauthorized_client_profile, "the client does not fit its profile",
                          refusal.log_detail);
    switch (refusal::row_of(refusal.reason).error) {
        case Reason::client_unknown:
        case Reason::client_disabled:
            return make_error(Reason::invalid_client_pushes, "client authentication failed", refusal.log_detail);
        case Reason::client_document_refused:
            return of_document(ErrorCode::invalid_client, "client authentication failed", refusal);
        case Reason::client_document_busy:
            return of_document(ErrorCode::temporarily_unavailable, "too many clients are being looked up", refusal);
        case Reason::redirect_unregistered:
            return make_error(Reason::invalid_request_pushed_redirect, "the redirect_uri is not registered",
                              refusal.log_detail);
        case Reason::redirect_missing:
            return invalid_request("redirect_uri is missing, and not exactly one is registered", refusal.log_detail);
        default:
            return invalid_request("the request cannot be read", refusal.log_detail);
    }
}

/// RFC 9449 §10.1. What anybody can send leaves no mark (JTI-4).
Outcome<void> bind(Context& context, const PushingClient& client, model::AuthorizationRequest& asked) {
    if (!client.key) return {};
    const std::string jkt = jkt_of(client.key);
    if (asked.dpop_jkt && *asked.dpop_jkt != jkt)
        return make_error(ErrorCode::invalid_dpop_proof, "the DPoP proof is of another key than dpop_jkt",
                          "the client pushes dpop_jkt, and shows another key");
    asked.dpop_jkt = jkt;
    if (client.is_public) return {};
    return use_proof(context, store::ReplayKind::proof, *client.key, client.id.str(), client.id);
}

/// nullopt: the form has the parameters themselves.
Outcome<std::optional<SignedRequest>> open_signed(Context& context, const model::ClientId& client,
                                                  const http::Params& form) {
    const auto object = form.find("request");
    if (!object) return std::optional<SignedRequest>();
    if (!context.settings.request_objects)
        return make_error(Reason::request_not_supported_in_push, "request objects are not supported");
    ASSIGN_OR_RETURN(auto opened, open_request_object(context, client, *object));
    return std::optional(std::move(opened));
}

RedirectRefusal refuse(Reason reason, const http::Params& params, std::string detail) {
    return {reason, std::string(params.find("client_id").value_or("")).substr(0, 128), std::move(detail)};
}

}  // namespace

Outcome<Credentials> parse_push(const http::Request& request) {
    if (request.body != http::BodyKind::form)
        return invalid_request("the body must be application/x-www-form-urlencoded");
    RETURN_IF_ERROR(check_own_parameters(request.form));
    return parse_credentials(request);
}

Outcome<PushingClient> authenticate_pushing_client(Context& context, const Credentials& credentials,
                                                   const http::Request& request) {
    const std::string path = context.settings.paths.par.value_or("");
    if (is_document_of_its_own(context, credentials)) {
        const model::ClientId& id = credentials.readings.front().client_id;
        RETURN_IF_ERROR(check_may_push(context, id, true));
        ASSIGN_OR_RETURN(auto key, read_proof(context, request, path));
        return PushingClient{id, true, std::move(key)};
    }
    ShownKey key;
    const auto check = [&](const model::Client&) -> Outcome<void> {
        ASSIGN_OR_RETURN(key, read_proof(context, request, path));
        return {};
    };
    ASSIGN_OR_RETURN(const auto client, authenticate_client(context, credentials, request, check));
    const bool is_public = client.type == model::ClientType::public_;
    RETURN_IF_ERROR(check_may_push(context, client.id, is_public));
    return PushingClient{client.id, is_public, std::move(key)};
}

json::Object PushedRequest::to_json() const {
    return json::Object{{"request_uri", request_uri}, {"expires_in", std::int64_t{expires_in.count()}}};
}

Outcome<PushedRequest> push_request(Context& context, const PushingClient& client, const http::Request& request) {
    const http::Params& form = request.form;
    if (form.find("request_uri"))  // RFC 9126 §2.1
        return make_error(Reason::invalid_request_uri_in_push, "request_uri must not be pushed");
    ASSIGN_OR_RETURN(const auto opened, open_signed(context, client.id, form));
    // Where there is a signed request, nothing outside of it counts (RFC 9126 §3, RFC 9101 §6.3).
    const http::Params& params = opened ? opened->parameters : form;
    RETURN_IF_ERROR(check_request_objects(params));
    const auto target = verify_redirect(context, client.id, params, request.remote_address);
    if (!target) return as_error(target.error());
    if (target->client().site)
        return make_error(ErrorCode::unauthorized_client, "the client is a site; only the gate asks for its codes");
    RETURN_IF_ERROR(check_demands(context.settings, target->client()));
    RETURN_IF_ERROR(check_is_signed(context.settings, target->client(), opened.has_value()));
    RETURN_IF_ERROR(check_redirect_is_sent(context.settings, target->client(), target->sent()));
    ASSIGN_OR_RETURN(auto asked, parse_authorization_request(context, *target, params));
    if (opened) asked.request_object = opened->digest;

    RETURN_IF_ERROR(bind(context, client, asked));

    const Settings& settings = context.settings;
    asked.expires_at = context.now() + settings.par_ttl;
    asked.pushed = model::Pushed{asked.id, asked.expires_at + settings.authorization_request_ttl};
    std::string address = std::string(kRequestUriPrefix) + seal_pushed(context, asked);
    if (address.size() > kMaxPushedAddress)
        return invalid_request("the request is too long to be pushed",
                               "its address would have " + std::to_string(address.size()) + " bytes");
    return PushedRequest{std::move(address), settings.par_ttl};
}

bool names_pushed_request(const Settings& settings, const http::Params& params) {
    if (!settings.paths.par) return false;
    const auto values = params.find_all("request_uri");
    return values &&
           std::ranges::any_of(*values, [](const std::string& value) { return value.starts_with(kRequestUriPrefix); });
}

util::Result<model::AuthorizationRequest, RedirectRefusal> open_pushed_request(Context& context,
                                                                               const http::Params& params) {
    const auto address = params.find("request_uri");
    const auto client_id = params.find("client_id");
    if (!address) return refuse(Reason::invalid_request_uri, params, "request_uri was given twice");
    if (!client_id) return refuse(Reason::invalid_request_uri, params, "client_id is missing or was given twice");
    auto request = open_pushed(context, address->substr(kRequestUriPrefix.size()));
    if (!request && request.error() == SealFault::expired)
        return refuse(Reason::invalid_request_uri_expired, params, "parTTL seconds are over");
    if (!request) return refuse(Reason::invalid_request_uri, params, "it was cut, or made under another seal.key");
    if (request->client_id.str() != *client_id)
        return refuse(
            Reason::invalid_request_uri_of_another, params,
            "pushed by " + request->client_id.str() + "; opened as " + std::string(client_id->substr(0, 128)));
    if (is_push_used(context.store, *request))
        return refuse(Reason::invalid_request_uri_used, params, "it was answered before");
    request->id = crypto::random_token(context.random);
    request->expires_at = end_of_request(context, *request);
    return std::move(*request);
}

}  // namespace postern::oauth
