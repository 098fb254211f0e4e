// Decides whether the certificate of a connection proves which client has made it.
#include "oauth/client_certificate.h"

#include <algorithm>

#include "jose/client_keys.h"
#include "jose/foreign_claims.h"
#include "oauth/certificate_text.h"
#include "oauth/client_assertion.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "util/base64.h"

namespace postern::oauth {
namespace {

using crypto::Certificate;
using model::AuthMethod;
using refusal::Reason;

constexpr const char* kFailed = "client authentication failed";

OAuthError failed(std::string detail, Reason reason = Reason::invalid_client_certificate) {
    return make_error(reason, kFailed, std::move(detail));
}

ChainWord chain_word(const Settings& settings, const http::Request& request) {
    return settings.mtls ? read_chain_word(request.variable(settings.mtls->verify)) : ChainWord::none;
}

/// MTLS-4, MTLS-15. The web server knows the authorities of all its hosts, and Postern those of clients alone.
Outcome<void> check_issued(const Context& context, const Certificate& certificate, ChainWord word,
                           const model::Client& client) {
    if (word != ChainWord::verified)
        return failed("tls_client_auth: the web server did not verify the certificate's chain; expected SUCCESS",
                      Reason::invalid_client_certificate_chain);
    if (context.authorities == nullptr)
        return failed("tls_client_auth: mtls.ca names no authorities", Reason::invalid_client_mtls_off);
    if (!context.authorities->have_issued(certificate, context.now()))
        return failed(
            "tls_client_auth: no authority of mtls.ca has issued the certificate for clients, or it is out of date; its "
            "subject is " +
                jose::shown(certificate.subject()),
            Reason::invalid_client_certificate_chain);
    if (!client.certificate_name || !certificate.has_name(*client.certificate_name))
        return failed("tls_client_auth: the certificate does not have the registered " +
                      (client.certificate_name ? std::string(model::to_string(client.certificate_name->kind)) + " " +
                                                     client.certificate_name->value
                                               : std::string("name")) +
                      "; its subject is " + jose::shown(certificate.subject()));
    return {};
}

/// MTLS-5. The registration is the trust: neither issuer nor dates are looked at.
Outcome<void> check_registered(Context& context, const Certificate& certificate, const model::Client& client) {
    const auto stored = store::find_client_keys(context.store, client.id);
    const auto keys = jose::parse_client_keys(stored ? stored->jwks : "");
    if (!keys) return failed("self_signed_tls_client_auth: the client has no keys");
    const bool is_registered =
        std::ranges::any_of(*keys, [&](const jose::ClientKey& key) { return certificate.has_key(key.members); });
    if (is_registered) return {};
    return failed(
        "self_signed_tls_client_auth: the key of the certificate is none of the client's jwks; its subject is " +
        jose::shown(certificate.subject()));
}

}  // namespace

ChainWord read_chain_word(std::string_view value) {
    if (value == "SUCCESS") return ChainWord::verified;
    return value == "GENEROUS" || value.starts_with("FAILED:") ? ChainWord::possessed : ChainWord::none;
}

std::optional<Certificate> read_certificate(const Context& context, const http::Request& request) {
    if (chain_word(context.settings, request) == ChainWord::none) return std::nullopt;
    const auto der = read_certificate_text(request.variable(context.settings.mtls->certificate));
    auto certificate = der ? Certificate::from_der(*der) : std::nullopt;
    if (!certificate)
        context.log.warn("certificate_unreadable",
                         {{"id", request.id},
                          {"reason", "the web server verified a certificate, and the variable " +
                                         context.settings.mtls->certificate + " does not hold one"}});
    return certificate;
}

std::string shown_thumbprint(const Context& context, const http::Request& request) {
    const auto certificate = read_certificate(context, request);
    return certificate ? util::base64url_encode(certificate->digest()) : std::string();
}

bool authenticates_by_certificate(const model::Client& client) {
    return client.auth_method == AuthMethod::tls_client_auth ||
           client.auth_method == AuthMethod::self_signed_tls_client_auth;
}

Outcome<void> check_certificate_of(Context& context, const http::Request& request, const Credentials& credentials,
                                   const model::Client& client) {
    const std::string method(to_string(client.auth_method));
    if (!context.settings.mtls)
        return failed("the client is registered for " + method + ", and mtls is not configured",
                      Reason::invalid_client_mtls_off);
    if (credentials.method != Credentials::Method::id_only || names_assertion(request.form))
        return failed("the client is registered for " + method + " and sent a secret or an assertion",
                      Reason::invalid_client_other_method);
    const auto certificate = read_certificate(context, request);
    if (!certificate)
        return failed("the client is registered for " + method + ", and no certificate arrived",
                      Reason::invalid_client_certificate_missing);
    if (client.auth_method == AuthMethod::self_signed_tls_client_auth)
        return check_registered(context, *certificate, client);
    return check_issued(context, *certificate, chain_word(context.settings, request), client);
}

}  // namespace postern::oauth
