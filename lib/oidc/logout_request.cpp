// Verifies a logout request and its address, seals it for the way through a browser, and ends the session.
#include "oidc/logout_request.h"

#include <algorithm>
#include <string>
#include <vector>

#include "crypto/seal.h"
#include "db/write.h"
#include "http/url.h"
#include "oauth/client_bar.h"
#include "oauth/client_id_url.h"
#include "oauth/error.h"
#include "oauth/expected_subject.h"
#include "oauth/redirect_rules.h"
#include "oauth/sealed_members.h"
#include "oauth/session_note.h"
#include "oidc/site_hint.h"
#include "store/authorization_requests.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/session_clients.h"
#include "store/sessions.h"
#include "store/users.h"
#include "util/percent.h"

namespace postern::oidc {
namespace {

using refusal::Reason;

LogoutRefusal refuse(Reason reason, std::string_view client_id, std::string detail) {
    return LogoutRefusal{reason, std::string(client_id.substr(0, 128)), std::move(detail)};
}

/// Bytes of the longest URL that the browser is sent to. In the address of the web server's own logout the answer is a
/// parameter, and its percent-encoded bytes are encoded once more.
std::size_t answer_bytes(const login::Settings& login, const http::Params& params) {
    const auto uri = params.find("post_logout_redirect_uri");
    if (!uri) return 0;
    const std::optional<std::string> state(params.find("state"));
    const std::string answer = http::with_query(*uri, {{"state", state}});
    const bool is_parameter = login.method == login::Method::remote_user && login.logout_redirect &&
                              login.logout_redirect->find(login::kReturnMark) != std::string::npos;
    return is_parameter ? login.logout_redirect->size() + util::percent_encode(answer).size() : answer.size();
}

/// The parameters of §2, the ignored ones too: a client that works sends none of them twice.
std::optional<std::string> find_malformed(const login::Settings& login, const http::Params& params) {
    if (const auto faulty = params.first_fault({"id_token_hint", kSiteHint, "client_id", "post_logout_redirect_uri",
                                                "state", "logout_hint", "ui_locales"}))
        return oauth::parameter_fault(*faulty);
    if (params.find("state").value_or("").size() > kMaxLogoutStateBytes)
        return "state is longer than " + std::to_string(kMaxLogoutStateBytes) + " bytes";
    std::size_t total = 0;
    for (const char* name : {"client_id", "post_logout_redirect_uri", "state"})
        total += params.find(name).value_or("").size();
    if (total > kMaxLogoutBytes)
        return "the values are longer than " + std::to_string(kMaxLogoutBytes) + " bytes together";
    if (answer_bytes(login, params) > oauth::kMaxAnswerBytes)
        return "with this state the address would be longer than " + std::to_string(oauth::kMaxAnswerBytes) + " bytes";
    return std::nullopt;
}

std::optional<NotFollowed> reason_not_to_follow(const oauth::Settings& settings, const LogoutRequest& request,
                                                const std::optional<model::Client>& client) {
    if (!request.client_id)
        return NotFollowed{Reason::logout_hint_missing,
                           "post_logout_redirect_uri came without an id_token_hint and without a client_id, so nothing "
                           "shows whose address it is"};
    if (!client)
        return NotFollowed{Reason::client_unknown, request.hinted_subject
                                                       ? "the client of the id_token_hint is not registered any more"
                                                       : "no client with this client_id is registered"};
    if (const auto bar = oauth::find_client_bar(settings, *client))
        return NotFollowed{oauth::row_of(*bar).after_logout, oauth::row_of(*bar).detail};
    // Nothing shows a user where it sends browsers at a logout. A client that registered itself without a token has no
    // such address but the operator's.
    if (client->origin == model::Origin::document &&
        !oauth::is_known_to_operator(settings, *client, *request.redirect_uri))
        return NotFollowed{Reason::logout_client_document,
                           "a document describes the client, and clientDocuments.allow does not name its host"};
    return std::nullopt;
}

std::string describe_mismatch(const model::Client& client, const std::string& received) {
    std::string registered;
    for (const std::string& uri : client.post_logout_redirect_uris) registered += (registered.empty() ? "" : " ") + uri;
    return "registered: " + (registered.empty() ? "none" : registered.substr(0, 300)) +
           "; received: " + received.substr(0, 300);
}

LogoutRefusal refuse_address(const model::Client& client, const std::string& received) {
    const std::string detail = describe_mismatch(client, received);
    if (const auto problem = oauth::redirect_uri_problem(received, client.native))
        return refuse(Reason::logout_redirect_unregistrable, client.id.str(),
                      "the post_logout_redirect_uri " + *problem + "; " + detail);
    return refuse(Reason::logout_redirect_unregistered, client.id.str(), detail);
}

/// The addresses that the browser loads, that of the client with the latest ID token first. It is sent to no address of
/// a client that has no rights now. The user's row is locked as it is for an ID token, so none is issued between this
/// and the end.
std::vector<std::string> told_by_frames(db::Transaction& transaction, const oauth::Settings& settings,
                                        const model::Session& session) {
    store::lock_user(transaction, session.subject);
    std::vector<std::string> uris;
    for (const auto& client : store::clients_of_session(transaction.database(), session.sid))
        if (!client.logout.frontchannel.empty() && !oauth::find_client_bar(settings, client.state))
            uris.push_back(client.logout.frontchannel);
    return uris;
}

constexpr std::string_view kPurpose = "logout request v2";

/// `Sealed` is a SealedLogout, const when it is written. Whatever changes here changes the purpose.
template <class Sealed, class Visitor>
void visit_members(Sealed& sealed, Visitor& visit) {
    auto& request = sealed.request;
    visit(request.id, sealed.browser, request.expires_at, request.hinted_subject, request.client_id,
          request.redirect_uri, request.state);
}

}  // namespace

util::Result<LogoutRequest, LogoutRefusal> parse_logout_request(oauth::Context& context, const http::Params& params) {
    const auto client_id = params.find("client_id");
    if (auto malformed = find_malformed(context.settings.login, params))
        return refuse(Reason::logout_malformed, client_id.value_or(""), std::move(*malformed));

    LogoutRequest request;
    request.id = crypto::random_id(context.random);
    request.expires_at = context.now() + context.settings.authorization_request_ttl;
    request.redirect_uri = params.find("post_logout_redirect_uri");
    request.state = params.find("state");
    if (client_id) request.client_id = model::ClientId(std::string(*client_id));

    if (const auto text = params.find(kSiteHint)) {
        const auto hint = open_site_hint(context, *text);
        if (!hint || (client_id && *client_id != hint->client.str()))
            return refuse(Reason::logout_hint_invalid, client_id.value_or(""),
                          "the site_hint is not a seal of the gate for this site, or older than a minute");
        request.hinted_subject = hint->subject;
        request.client_id = hint->client;
        return request;
    }
    const auto token = params.find("id_token_hint");
    if (!token) return request;
    const auto hint = oauth::verify_id_token_hint(context, *token);
    if (!hint)
        return refuse(Reason::logout_hint_invalid, client_id.value_or(""),
                      "the id_token_hint is not an ID token that this server signed with a key it still publishes");
    if (client_id && *client_id != hint->client_id.str())
        return refuse(Reason::logout_client_mismatch, *client_id,
                      "the id_token_hint was issued for " + hint->client_id.str());
    request.hinted_subject = hint->subject;
    request.client_id = hint->client_id;
    return request;
}

util::Result<AfterLogout, LogoutRefusal> verify_post_logout_redirect(oauth::Context& context,
                                                                     const LogoutRequest& request) {
    AfterLogout after;
    if (!request.redirect_uri) return after;
    std::optional<model::Client> client;
    if (request.client_id) client = store::find_client(context.store, *request.client_id);
    if (client && !oauth::find_client_bar(context.settings, *client) &&
        std::ranges::find(client->post_logout_redirect_uris, *request.redirect_uri) ==
            client->post_logout_redirect_uris.end())
        return refuse_address(*client, *request.redirect_uri);
    after.not_followed_ = reason_not_to_follow(context.settings, request, client);
    after.is_proved_ = request.hinted_subject.has_value();
    if (!after.not_followed_) after.url_ = http::with_query(*request.redirect_uri, {{"state", request.state}});
    return after;
}

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed) {
    oauth::sealed::Writer writer;
    visit_members(sealed, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return oauth::SealFault::forged;
    SealedLogout sealed;
    oauth::sealed::Reader reader(*plain);
    visit_members(sealed, reader);
    if (!reader.is_whole()) return oauth::SealFault::forged;
    if (context.now() >= sealed.request.expires_at) return oauth::SealFault::expired;
    return sealed;
}

LogoutFrames end_session(oauth::Context& context, const model::Session& session) {
    std::vector<std::string> told;
    const auto ended = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        if (context.settings.frontchannel_logout) told = told_by_frames(transaction, context.settings, session);
        store::remove_session(transaction, session, context.now(), oauth::logout_notices(context));
        store::end_open_requests(transaction, session.subject);
        const auto count = store::end_grants_of_session(transaction, session.sid, context.now());
        transaction.commit();
        return count;
    });
    context.trail.add(
        audit::Event::logout,
        {audit::subject(session.subject), audit::session(session.sid), {"grants_ended", std::to_string(ended)}});
    return logout_frames(told, context.settings.issuer, session.sid);
}

}  // namespace postern::oidc
