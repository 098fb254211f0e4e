// One request of a person's browser to the pages.
#include "web/interaction.h"

#include "crypto/random.h"
#include "http/url.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/users.h"

namespace postern::web {
namespace {

/// Only the browser that it was sealed for may take it up again.
http::Response refuse_expired(const Interaction& interaction, std::string_view text) {
    const auto sealed = oauth::open_stale_request(interaction.context, text);
    if (sealed && interaction.browser.is_bound_by(sealed->browser))
        return refuse_and_offer(interaction, PageFault::resume_expired, sealed->request);
    return interaction.refuse(PageFault::resume_expired);
}

/// Starts the same sign-in over: a request of its own.
std::string restart_url(const Interaction& interaction, const model::AuthorizationRequest& request) {
    oauth::Context& context = interaction.context;
    model::AuthorizationRequest restarted = request;
    restarted.id = crypto::random_token(context.random);
    restarted.session_sent = false;
    restarted.expires_at = context.now() + context.settings.authorization_request_ttl;
    const std::string sealed = oauth::seal_request(context, restarted, interaction.browser.binding());
    return http::with_query(context.settings.url(context.settings.paths.authorize), {{"resume", sealed}});
}

}  // namespace

util::Result<Resumed, http::Response> resume(Interaction& interaction, const http::Params& params,
                                             AllowUnbound allow_unbound) {
    const auto text = params.find("resume");
    if (!text)
        return interaction.refuse(params.fault_of("resume") ? PageFault::resume_invalid : PageFault::resume_missing);
    auto sealed = oauth::open_request(interaction.context, *text);
    if (!sealed)
        return sealed.error() == oauth::SealFault::expired ? refuse_expired(interaction, *text)
                                                           : interaction.refuse(PageFault::resume_invalid);
    const std::string client_id = sealed->request.client_id.str();

    // A request that was started in one browser must not be finished in another (consent fixation).
    const bool is_bound = !sealed->browser.empty();
    if (!is_bound && allow_unbound == AllowUnbound::no)
        return interaction.refuse(PageFault::other_browser, client_id, "the request is not bound to a browser");
    if (is_bound && !interaction.browser.id)
        return interaction.refuse(PageFault::cookie_missing, client_id,
                                  "the browser sent no cookie; the issuer is " + interaction.context.settings.issuer);
    if (is_bound && !interaction.browser.is_bound_by(sealed->browser))
        return interaction.refuse(PageFault::other_browser, client_id);

    // An unbound request gets a new id when it is opened, exactly as if the authorize URL had been followed again, so
    // that progress in one browser never applies to another.
    if (!is_bound) sealed->request.id = crypto::random_token(interaction.context.random);

    auto target = oauth::verify_redirect(interaction.context, sealed->request);
    if (!target) return refusal_page(interaction.pages, interaction.request, target.error());
    return Resumed{std::move(sealed->request), std::move(*target), is_bound ? std::string(*text) : ""};
}

http::Response refuse_and_offer(const Interaction& interaction, PageFault fault,
                                const model::AuthorizationRequest& request, const std::string& detail) {
    return refusal_page(
        interaction.pages, interaction.request, fault,
        {request.client_id.str(), detail, interaction.context.settings.issuer, restart_url(interaction, request)});
}

http::Response refuse_access(Interaction& interaction, const Resumed& asked) {
    oauth::Context& context = interaction.context;
    http::Response with_cookie;
    ensure_browser_id(context, interaction.browser, with_cookie);
    const model::Client& client = asked.target.client();
    const model::Session& session = *interaction.browser.session;
    // Where the web server signs people in, it would name the same user again; and the client may want this user alone.
    std::string other_account;
    if (context.settings.login.method == oauth::LoginMethod::password && !asked.request.hinted_subject) {
        model::AuthorizationRequest other = asked.request;
        other.login_hint.reset();
        other.prompt.insert(model::Prompt::select_account);
        other_account = restart_url(interaction, other);
    }
    const std::string sealed = asked.sealed.empty()
                                   ? oauth::seal_request(context, asked.request, interaction.browser.binding())
                                   : asked.sealed;
    context.trail.add(
        oauth::AuditEvent::access_refused,
        {oauth::audit::subject(session.subject), oauth::audit::client(client.id), oauth::audit::session(session.sid)});
    http::Response page = refusal_page(interaction.pages, interaction.request, PageFault::access_refused,
                                       {.client_id = client.id.str(),
                                        .detail = oauth::may_not_use().log_detail,
                                        .issuer = context.settings.issuer,
                                        .try_again = "",
                                        .client_name = client.name,
                                        .username = store::find_username(context.store, session.subject),
                                        .other_account = std::move(other_account),
                                        .back = http::with_query(context.settings.url(context.settings.paths.authorize),
                                                                 {{"resume", sealed}, {kGoBack, kGoesBack}})});
    if (const std::string* cookie = with_cookie.find("Set-Cookie")) page.add("Set-Cookie", *cookie);
    return page;
}

std::optional<http::Response> refuse_if_used(const Interaction& interaction,
                                             const model::AuthorizationRequest& request) {
    const auto progress = store::find_progress(interaction.context.store, oauth::request_key(request));
    if (!progress || !progress->used) return std::nullopt;
    return refuse_and_offer(interaction, PageFault::already_used, request);
}

http::Response continue_at(Interaction& interaction, const std::string& path, const Resumed& asked) {
    http::Response response = http::see_other("");
    ensure_browser_id(interaction.context, interaction.browser, response);
    const std::string sealed =
        asked.sealed.empty() ? oauth::seal_request(interaction.context, asked.request, interaction.browser.binding())
                             : asked.sealed;
    response.set("Location", http::with_query(interaction.context.settings.url(path), {{"resume", sealed}}));
    return response;
}

}  // namespace postern::web
