// Decides whether a redirect_uri is acceptable. Byte comparison, no normalisation: two spellings of one URL are two
// URLs here, but for the loopback addresses of native clients.
#include "oauth/redirect_uri.h"

#include <algorithm>
#include <array>

#include "json/writer.h"
#include "oauth/client_bar.h"
#include "oauth/client_document.h"
#include "oauth/client_id_url.h"
#include "oauth/client_profile.h"
#include "oauth/document_client.h"
#include "oauth/redirect_rules.h"
#include "oauth/response_mode.h"
#include "oauth/settings.h"
#include "store/clients.h"
#include "util/base64.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// `localhost` is a name, which the machine could resolve to another address (RFC 8252 §8.3): docs/decisions/0123.
constexpr std::array<std::string_view, 3> kLoopbackHosts = {"http://127.0.0.1", "http://[::1]", "http://localhost"};

struct LoopbackUri {
    std::string_view prefix;
    std::string_view rest;  ///< path and query; "/" for an empty path (RFC 3986 §6.2.3)
};

/// nullopt unless `uri` is a loopback host, a clean port and a path: "http://127.0.0.1:1@evil/" is not.
std::optional<LoopbackUri> split_loopback(std::string_view uri) {
    for (const std::string_view prefix : kLoopbackHosts) {
        if (!uri.starts_with(prefix)) continue;
        const std::string_view after = uri.substr(prefix.size());
        const std::size_t path = after.find('/');
        const std::string_view port = after.substr(0, path);
        if (!port.empty() && (port.front() != ':' || !util::parse_port(port.substr(1)))) return std::nullopt;
        return LoopbackUri{prefix, path == std::string_view::npos ? std::string_view("/") : after.substr(path)};
    }
    return std::nullopt;
}

/// RFC 8252 §7.3: the port of a native client's loopback address is chosen at run time; everything else is byte-equal.
bool match_any_port(std::string_view registered, std::string_view received) {
    const auto ours = split_loopback(registered);
    const auto theirs = split_loopback(received);
    return ours && theirs && ours->prefix == theirs->prefix && ours->rest == theirs->rest;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

constexpr std::size_t kShownUri = 300;

/// For the operator: the registered URI that agrees longest, and where it stops agreeing.
std::string describe_mismatch(const model::Client& client, std::string_view received) {
    if (client.origin == model::Origin::document)
        return "received: " + std::string(received.substr(0, kShownUri)) + "; the document of the client names " +
               std::to_string(client.redirect_uris.size()) + " others; URIs must be equal byte for byte";
    if (client.redirect_uris.empty())
        return "the client has no redirect URI registered; received: " + std::string(received.substr(0, kShownUri));
    const auto nearest = std::max_element(
        client.redirect_uris.begin(), client.redirect_uris.end(),
        [&](const auto& a, const auto& b) { return common_prefix(a, received) < common_prefix(b, received); });
    if (match_any_port(*nearest, received))
        return "registered: " + *nearest + "; received: " + std::string(received.substr(0, kShownUri)) +
               "; the port of a loopback address is free for native clients alone: `postern client set --native`";
    const std::size_t at = common_prefix(*nearest, received);
    return "registered: " + *nearest + "; received: " + std::string(received.substr(0, kShownUri)) +
           "; first difference at character " + std::to_string(at + 1) + "; URIs must be equal byte for byte";
}

RedirectRefusal refuse(Reason reason, const std::string& client_id, std::string detail) {
    return RedirectRefusal{reason, client_id.substr(0, 128), std::move(detail)};
}

RedirectRefusal refuse_unknown(const Settings& settings, const std::string& id) {
    if (is_client_id_url(id) && !settings.client_documents.enabled)
        return refuse(Reason::client_unknown_documents_off, id,
                      "no such client, and clientDocuments is off: no document is looked at");
    return refuse(Reason::client_unknown, id, "no such client; see `postern client list`");
}

util::Result<void, RedirectRefusal> check_usable(const Settings& settings, const std::optional<model::Client>& client) {
    const auto bar = client ? find_client_bar(settings, *client) : std::nullopt;
    if (bar) return refuse(row_of(*bar).to_user, client->id.str(), row_of(*bar).detail);
    if (!client) return {};
    // F2-S2. Not a redirect: the address may be what does not fit.
    const auto problems = profile_problems(*client, settings);
    if (problems.empty()) return {};
    return refuse(Reason::client_disabled_profile, client->id.str(), problems.front());
}

util::Result<model::Client, RedirectRefusal> read_document_client(Context& context, const std::string& url,
                                                                  const std::optional<model::Client>& stored,
                                                                  const std::string& address) {
    auto client = find_document_client(context, url, stored, address);
    if (client) return std::move(*client);
    return RedirectRefusal{client.error().why, url.substr(0, kMaxClientIdUrlBytes), client.error().reason};
}

/// For a new request. A client of the operator comes first, so that a URL can be registered like any other id.
util::Result<model::Client, RedirectRefusal> find_usable_client(Context& context, const std::string& id,
                                                                const std::string& address) {
    auto stored = store::find_client(context.store, model::ClientId(id));
    RETURN_IF_ERROR(check_usable(context.settings, stored));
    if (stored && stored->origin != model::Origin::document) return std::move(*stored);
    if (is_client_id_url(id) && context.settings.client_documents.enabled)
        return read_document_client(context, id, stored, address);
    return refuse_unknown(context.settings, id);
}

RedirectRefusal refuse_address(const model::Client& client, std::string_view received, const std::string& client_id) {
    // First what is wrong with it: a record of refusals cuts long details at the end.
    if (const auto problem = redirect_uri_problem(received, client.native))
        return refuse(Reason::redirect_unregistrable, client_id,
                      "the redirect_uri " + *problem + "; " + describe_mismatch(client, received));
    const bool is_described = client.origin == model::Origin::document;
    return refuse(is_described ? Reason::redirect_unregistered_in_document : Reason::redirect_unregistered, client_id,
                  describe_mismatch(client, received));
}

/// The operator may name fewer hosts than when a client registered without a token. What the operator has decided about
/// stays: docs/decisions/0136.
util::Result<void, RedirectRefusal> check_host(const Settings& settings, const model::Client& client,
                                               const std::string& uri) {
    const bool is_unknown = model::is_of_stranger(client) && client.removable_at.has_value();
    const bool is_on_device = !is_unknown || is_loopback_or_private(uri);
    if (is_on_device || is_known_to_operator(settings, client, uri)) return {};
    return refuse(Reason::client_disabled_registration_not_open, client.id.str(),
                  "registration.hosts does not name the host of the redirect_uri any more");
}

RedirectRefusal changed(const std::string& id, std::string detail) {
    return {Reason::client_document_changed, id, std::move(detail)};
}

/// For a request that has travelled, whose client a document described when it began.
util::Result<model::Client, RedirectRefusal> find_described_client(Context& context,
                                                                   const model::AuthorizationRequest& request,
                                                                   const std::string& address) {
    const std::string& id = request.client_id.str();
    auto stored = store::find_client(context.store, model::ClientId(id));
    RETURN_IF_ERROR(check_usable(context.settings, stored));
    if (stored && stored->origin != model::Origin::document)
        return changed(id, "the operator has registered this client since the request began");
    if (!context.settings.client_documents.enabled) return refuse_unknown(context.settings, id);
    if (context.fetcher == nullptr) return as_seen(request, stored);
    ASSIGN_OR_RETURN(auto client, read_document_client(context, id, stored, address));
    if (digest_of(client) != request.document->digest)
        return changed(id, "the document says something else than when the request began");
    return client;
}

/// For a request that has travelled.
util::Result<model::Client, RedirectRefusal> find_same_client(Context& context,
                                                              const model::AuthorizationRequest& request,
                                                              const std::string& address) {
    if (request.document) return find_described_client(context, request, address);
    const std::string& id = request.client_id.str();
    auto stored = store::find_client(context.store, model::ClientId(id));
    RETURN_IF_ERROR(check_usable(context.settings, stored));
    if (!stored) return refuse_unknown(context.settings, id);
    if (stored->origin == model::Origin::document)
        return changed(id, "the operator has removed this client since the request began");
    return std::move(*stored);
}

}  // namespace

std::optional<std::string> match_redirect_uri(const model::Client& client, std::string_view received) {
    for (const std::string& registered : client.redirect_uris)
        if (registered == received) return registered;
    if (!client.native) return std::nullopt;
    for (const std::string& registered : client.redirect_uris)
        if (match_any_port(registered, received)) return std::string(received);
    return std::nullopt;
}

util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context, const http::Params& params,
                                                                const std::string& address) {
    // client_id and redirect_uri before everything else: nothing may be sent to an address that is not verified (RFC
    // 6749 §4.1.2.1).
    const std::string client_id(params.find("client_id").value_or(""));
    if (params.fault_of("client_id")) return refuse(Reason::request_malformed, client_id, parameter_fault("client_id"));
    if (client_id.empty()) return refuse(Reason::client_missing, "", "no client_id");
    return verify_redirect(context, model::ClientId(client_id), params, address);
}

util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context, const model::ClientId& id,
                                                                const http::Params& params,
                                                                const std::string& address) {
    const std::string& client_id = id.str();
    if (params.fault_of("redirect_uri"))
        return refuse(Reason::request_malformed, client_id, parameter_fault("redirect_uri"));
    ASSIGN_OR_RETURN(auto client, find_usable_client(context, client_id, address));

    VerifiedRedirect verified;
    if (const auto received = params.find("redirect_uri")) {
        const auto matched = match_redirect_uri(client, *received);
        if (!matched) return refuse_address(client, *received, client_id);
        verified.uri_ = *matched;
    } else {
        // May be omitted only when there is exactly one to choose from (RFC 6749 §3.1.2.3).
        if (client.redirect_uris.size() != 1)
            return refuse(
                Reason::redirect_missing, client_id,
                "no redirect_uri, and the client has " + std::to_string(client.redirect_uris.size()) + " registered");
        verified.uri_ = client.redirect_uris.front();
        verified.sent_ = false;
    }
    RETURN_IF_ERROR(check_host(context.settings, client, verified.uri_));
    if (client.origin == model::Origin::document) verified.document_ = seen_document(client);
    verified.client_ = std::move(client);
    verified.state_ = params.find("state");
    verified.issuer_ = context.settings.issuer;
    verified.mode_ = response_mode_of_errors(context.settings, verified.client_, params);
    // Clients take an answer without `state` for a forgery, so a page tells the user what is wrong.
    if (model::carrier_of(verified.mode_) != model::ResponseMode::form_post && answer_bytes(verified) > kMaxAnswerBytes)
        return refuse(
            Reason::request_malformed, client_id,
            "with this state the URL of an answer would be longer than " + std::to_string(kMaxAnswerBytes) + " bytes");
    return verified;
}

std::size_t answer_bytes(const VerifiedRedirect& target) {
    constexpr std::size_t kOthers = 512;           // names, a code, or an error with its description
    constexpr std::size_t kSignature = 684 + 160;  // of 4096 bits, and the header
    if (model::is_signed(target.mode())) {
        const std::size_t state = json::write(target.state().value_or("")).size();
        return target.uri().size() + kSignature +
               util::base64url_size(kOthers + state + target.issuer().size() + target.client().id.str().size());
    }
    return target.uri().size() + util::percent_encode(target.state().value_or("")).size() +
           util::percent_encode(target.issuer()).size() + kOthers;
}

util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context,
                                                                const model::AuthorizationRequest& request,
                                                                const std::string& address) {
    ASSIGN_OR_RETURN(auto client, find_same_client(context, request, address));
    const auto matched = match_redirect_uri(client, request.redirect_uri);
    if (!matched) return refuse_address(client, request.redirect_uri, request.client_id.str());
    RETURN_IF_ERROR(check_host(context.settings, client, *matched));

    VerifiedRedirect verified;
    verified.document_ = request.document;
    verified.client_ = std::move(client);
    verified.uri_ = *matched;
    verified.sent_ = request.redirect_uri_sent;
    verified.state_ = request.state;
    verified.issuer_ = context.settings.issuer;
    // What cannot be signed any more is told plainly, and check_registration refuses it.
    verified.mode_ = context.settings.jarm ? request.response_mode : model::carrier_of(request.response_mode);
    return verified;
}

}  // namespace postern::oauth
