// Decides what a client may do with its own registration.
#include "oauth/registered_client.h"

#include <optional>
#include <string>
#include <utility>

#include "crypto/digest.h"
#include "db/write.h"
#include "http/url.h"
#include "json/reader.h"
#include "oauth/access_token.h"
#include "oauth/bearer.h"
#include "oauth/client_bar.h"
#include "oauth/client_profile.h"
#include "oauth/signed_response.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"

namespace postern::oauth {
namespace {

using model::AuthMethod;
using refusal::Reason;

OAuthError not_its_registration(const http::Request& request) {
    return make_error(Reason::invalid_token_registration,
                      "the registration access token is not that of the client in the query",
                      request.why_no_authorization);
}

/// The client that a request names, and the digest of the token that it sends.
struct Caller {
    model::ClientId id;
    model::ValueHash token;
};

Outcome<Caller> read_caller(const http::Request& request) {
    const auto id = request.query.find("client_id");  // nullopt if it is given twice
    const auto token = bearer_token(request);
    if (!id || !token) return not_its_registration(request);
    return Caller{model::ClientId(std::string(*id)), hash_of(*token)};
}

Outcome<model::Client> find_client_of(const Caller& caller, Context& context, const http::Request& request) {
    auto client = store::find_client(context.store, caller.id);
    const bool is_its = client && !client->registration_token_hash.empty() &&
                        crypto::equal_constant_time(client->registration_token_hash, caller.token.str());
    if (!is_its) return not_its_registration(request);
    if (find_client_bar(context.settings, *client)) {  // REG-18, REG-33
        OAuthError error = make_error(Reason::access_denied_registration_disabled, "the client is disabled");
        error.http_status = 403;
        return error;
    }
    return std::move(*client);
}

/// REG-9: a client that named no method is told the default, and may use the other one as well.
std::string_view told_method(AuthMethod method) {
    return to_string(method == AuthMethod::client_secret ? AuthMethod::client_secret_basic : method);
}

void set_if_any(json::Object& document, const char* name, const std::string& value) {
    if (!value.empty()) document.set(name, value);
}

template <class Values>
json::Value words_of(const Values& values) {
    return json::array_of(values, [](const auto& value) { return std::string(to_string(value)); });
}

/// The usable keys of a set, which are what this server keeps of it.
void add_keys(json::Object& document, const model::ClientKeys& keys) {
    if (const auto jwks = json::parse(keys.jwks)) document.set("jwks", *jwks);
    set_if_any(document, "jwks_uri", keys.jwks_uri);
    set_if_any(document, "token_endpoint_auth_signing_alg", keys.alg);
}

}  // namespace

json::Object registration_of(const model::Client& client, const Settings& settings,
                             std::string_view registration_token) {
    const std::string address = settings.url(settings.paths.registration.value());
    json::Object document{
        {"client_id", client.id.str()},
        {"client_id_issued_at", util::to_epoch(client.created_at)},
        {"registration_access_token", registration_token},
        {"registration_client_uri", http::with_query(address, {{"client_id", client.id.str()}})},
        {"redirect_uris", json::strings(client.redirect_uris)},
        {"grant_types", words_of(client.grants)},
        {"response_types", words_of(client.response_types)},
        {"token_endpoint_auth_method", told_method(client.auth_method)},
        {"scope", client.scope.to_string()},
    };
    if (client.keys) add_keys(document, *client.keys);
    set_if_any(document, "client_name", client.name);
    if (const auto type = client.metadata.application_type) document.set("application_type", to_string(*type));
    if (!client.post_logout_redirect_uris.empty())
        document.set("post_logout_redirect_uris", json::strings(client.post_logout_redirect_uris));
    set_if_any(document, "backchannel_logout_uri", client.logout.backchannel);
    if (client.logout.backchannel_session_required) document.set("backchannel_logout_session_required", true);
    set_if_any(document, "frontchannel_logout_uri", client.logout.frontchannel);
    if (client.logout.frontchannel_session_required) document.set("frontchannel_logout_session_required", true);
    if (const auto modes = response_modes_of(settings, client); !modes.empty())
        document.set("response_modes", json::strings({modes.begin(), modes.end()}));
    if (settings.jarm)
        document.set("authorization_signed_response_alg",
                     crypto::to_string(wanted_response_algorithm(settings, client)));
    if (client.require_par || has_security_profile(settings, client))
        document.set("require_pushed_authorization_requests", true);
    if (client.dpop_bound) document.set("dpop_bound_access_tokens", true);
    if (client.require_signed_request || signs_messages(settings, client))
        document.set("require_signed_request_object", true);
    set_if_any(document, "request_object_signing_alg", client.request_object_alg);
    if (client.tls_bound) document.set("tls_client_certificate_bound_access_tokens", true);
    if (client.certificate_name)
        document.set(std::string(model::to_string(client.certificate_name->kind)), client.certificate_name->value);
    set_if_any(document, "initiate_login_uri", client.metadata.initiate_login_uri);
    set_if_any(document, "policy_uri", client.metadata.policy_uri);
    set_if_any(document, "tos_uri", client.metadata.tos_uri);
    if (settings.oidc) {
        document.set("subject_type", "public");
        document.set("id_token_signed_response_alg", crypto::to_string(wanted_id_token_algorithm(settings, client)));
    }
    return document;
}

Outcome<json::Object> read_registration_of_caller(Context& context, const http::Request& request) {
    ASSIGN_OR_RETURN(const Caller caller, read_caller(request));
    ASSIGN_OR_RETURN(model::Client client, find_client_of(caller, context, request));
    if (model::has_keys(client)) client.keys = store::find_client_keys(context.store, client.id);
    return registration_of(client, context.settings, bearer_token(request).value());
}

Outcome<void> delete_client_of_caller(Context& context, const http::Request& request) {
    ASSIGN_OR_RETURN(const Caller caller, read_caller(request));
    RETURN_IF_ERROR(find_client_of(caller, context, request));  // what is refused costs no write
    const auto removed =
        db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Outcome<void> {
            store::lock_client(transaction, caller.id);
            RETURN_IF_ERROR(find_client_of(caller, context, request));  // the operator may have disabled it meanwhile
            store::remove_client(transaction, caller.id);
            transaction.commit();
            return {};
        });
    RETURN_IF_ERROR(removed);
    context.trail.add(audit::Event::client_deleted, {audit::client(caller.id)});
    return {};
}

}  // namespace postern::oauth
