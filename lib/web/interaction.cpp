// One request of a person's browser to the pages.
#include "web/interaction.h"

#include <algorithm>

#include "crypto/random.h"
#include "http/url.h"
#include "login/step.h"
#include "oauth/expected_subject.h"
#include "oauth/next_step.h"
#include "oauth/request_use.h"
#include "pages/page_language.h"
#include "store/authorization_requests.h"
#include "store/users.h"
#include "web/shown_name.h"

namespace postern::web {
namespace {

/// Only the browser that it was sealed for may take it up again.
http::Response refuse_expired(const Interaction& interaction, std::string_view text) {
    const auto sealed = oauth::open_stale_request(interaction.context, text);
    if (sealed && interaction.browser.is_bound_by(sealed->browser))
        return refuse_and_offer(interaction, refusal::Reason::resume_expired, sealed->request);
    return interaction.refuse(refusal::Reason::resume_expired);
}

/// The name that the login form of this request was sent with: it need not be typed again (A11Y-4).
std::optional<std::string> typed_name(const Interaction& interaction) {
    auto name = interaction.request.form.find_typed("username");
    if (!name || name->empty() || !oauth::can_be_login_hint(*name)) return std::nullopt;
    return name;
}

/// An answered push begins no request any more, nor does one whose time is over.
bool can_begin_again(const oauth::Context& context, const model::AuthorizationRequest& request) {
    return oauth::end_of_request(context, request) > context.now() && !oauth::is_push_used(context.store, request);
}

/// Starts the same sign-in over: a request of its own. A page of the account starts its own, but for a name to keep.
/// "": it cannot begin again.
std::string restart_url(const Interaction& interaction, const model::AuthorizationRequest& request,
                        std::optional<std::string> name = std::nullopt) {
    oauth::Context& context = interaction.context;
    const bool is_for_account = !request.account_page.empty();
    const bool keeps_name = name && interaction.browser.id;  // the login page opens what is bound to this browser
    if (is_for_account && !keeps_name) return context.settings.url(request.account_page);
    if (!can_begin_again(context, request)) return "";
    model::AuthorizationRequest restarted = request;
    restarted.id = crypto::random_token(context.random);
    restarted.session_sent = false;
    restarted.half_login.reset();
    if (name) restarted.login_hint = std::move(name);
    restarted.expires_at = oauth::end_of_request(context, request);
    const std::string sealed = oauth::seal_request(context, restarted, interaction.browser.binding());
    const oauth::Paths& paths = context.settings.paths;
    return http::with_query(context.settings.url(is_for_account ? paths.login : paths.authorize), {{"resume", sealed}});
}

/// The page for a request that was started in another browser, or in one that keeps no cookies. Here it can be started
/// over, as the application's link could be followed here; what the other browser knows of a name is not shown.
http::Response refuse_elsewhere(const Interaction& interaction, refusal::Reason fault,
                                model::AuthorizationRequest request, const std::string& detail = {}) {
    request.login_hint.reset();
    return refuse_and_offer(interaction, fault, request, detail);
}

/// A request as it came, bound to this browser or, where that is allowed, to none.
struct Opened {
    model::AuthorizationRequest request;
    std::string sealed;  ///< "": it was bound to no browser
};

util::Result<Opened, http::Response> open(const Interaction& interaction, const http::Params& params,
                                          AllowUnbound allow_unbound) {
    const auto text = params.find("resume");
    if (!text)
        return interaction.refuse(params.fault_of("resume") ? refusal::Reason::resume_invalid
                                                            : refusal::Reason::resume_missing);
    auto sealed = oauth::open_request(interaction.context, *text);
    if (!sealed)
        return sealed.error() == oauth::SealFault::expired ? refuse_expired(interaction, *text)
                                                           : interaction.refuse(refusal::Reason::resume_invalid);
    // A request that was started in one browser must not be finished in another (consent fixation).
    const bool is_bound = !sealed->browser.empty();
    if (!is_bound && allow_unbound == AllowUnbound::no)
        return refuse_elsewhere(interaction, refusal::Reason::other_browser_unbound, sealed->request,
                                "the request is not bound to a browser");
    if (is_bound && !interaction.browser.id)
        return refuse_elsewhere(interaction, refusal::Reason::cookie_missing, sealed->request,
                                "the browser sent no cookie; the issuer is " + interaction.context.settings.issuer);
    if (is_bound && !interaction.browser.is_bound_by(sealed->browser))
        return refuse_elsewhere(interaction, refusal::Reason::other_browser, sealed->request);

    // An unbound request gets a new id when it is opened, exactly as if the authorize URL had been followed again, so
    // that progress in one browser never applies to another.
    if (!is_bound) sealed->request.id = crypto::random_token(interaction.context.random);
    return Opened{std::move(sealed->request), is_bound ? std::string(*text) : ""};
}

/// Takes away a half login that is too old, or that nothing can complete since the configuration changed.
bool drop_expired_half(const Interaction& interaction, Opened& opened) {
    auto& half = opened.request.half_login;
    if (!half) return false;
    if (!login::is_over(login::policy_of(interaction.context.settings), *half, interaction.context.now())) return false;
    const model::HalfLogin over = *half;
    half.reset();
    opened.sealed = oauth::seal_request(interaction.context, opened.request, interaction.browser.binding());
    keep_typed_name(interaction.context, over, opened.request);
    return true;
}

/// A user who has chosen by a link of the page does not get what the client wanted any more, on no page of this
/// sign-in.
void take_language(Interaction& interaction, Opened& opened) {
    const auto tag = interaction.request.query.find(pages::kLanguageParameter);
    if (tag && opened.request.ui_locales && interaction.all_pages.languages()->find(*tag) != nullptr) {
        opened.request.ui_locales = std::string(*tag);
        if (!opened.sealed.empty())
            opened.sealed = oauth::seal_request(interaction.context, opened.request, interaction.browser.binding());
    }
    interaction.ui_locales = opened.request.ui_locales;
}

util::Result<Resumed, http::Response> with_target(const Interaction& interaction, Opened opened) {
    auto target = oauth::verify_redirect(interaction.context, opened.request, interaction.request.remote_address);
    if (!target) return pages::refusal_page(interaction.pages(), interaction.request, target.error());
    return Resumed{std::move(opened.request), std::move(*target), std::move(opened.sealed)};
}

}  // namespace

const text::Catalogue& Interaction::language() const {
    const text::Languages& languages = *all_pages.languages();
    if (languages.offered().size() == 1) return languages.last_resort();
    text::LanguageWishes wishes = pages::language_wishes(context.settings, request);
    wishes.ui_locales = ui_locales;
    wishes.locale = locale;
    return languages.choose(wishes);
}

util::Result<Resumed, http::Response> resume(Interaction& interaction, const http::Params& params,
                                             AllowUnbound allow_unbound) {
    ASSIGN_OR_RETURN(auto opened, open(interaction, params, allow_unbound));
    take_language(interaction, opened);
    if (!opened.request.account_page.empty())
        return interaction.refuse(refusal::Reason::resume_invalid, "", "it is for a login that leads to the account");
    // A half login is worth nothing but the second page.
    if (opened.request.half_login) {
        opened.request.half_login.reset();
        opened.sealed = opened.sealed.empty()
                            ? ""
                            : oauth::seal_request(interaction.context, opened.request, interaction.browser.binding());
    }
    return with_target(interaction, std::move(opened));
}

util::Result<LoginVisit, http::Response> resume_login(Interaction& interaction, const http::Params& params) {
    ASSIGN_OR_RETURN(auto opened, open(interaction, params, AllowUnbound::no));
    take_language(interaction, opened);
    const bool half_expired = drop_expired_half(interaction, opened);
    if (opened.request.half_login) interaction.context.trail.note_user(opened.request.half_login->subject);
    if (!opened.request.account_page.empty())
        return LoginVisit{std::move(opened.request), std::nullopt, std::move(opened.sealed), half_expired};
    ASSIGN_OR_RETURN(auto resumed, with_target(interaction, std::move(opened)));
    return LoginVisit{std::move(resumed.request), std::move(resumed.target), std::move(resumed.sealed), half_expired};
}

void keep_typed_name(const oauth::Context& context, const model::HalfLogin& over,
                     model::AuthorizationRequest& request) {
    if (over.sid.empty()) request.login_hint = store::find_username(context.store, over.subject);
}

http::Response refuse_and_offer(const Interaction& interaction, refusal::Reason fault,
                                const model::AuthorizationRequest& request, const std::string& detail) {
    return pages::refusal_page(interaction.pages(), interaction.request, fault,
                               {request.client_id.str(), detail, interaction.context.settings.issuer,
                                restart_url(interaction, request, typed_name(interaction))});
}

std::optional<http::Response> refuse_foreign_form(const Interaction& interaction, Form form,
                                                  const model::AuthorizationRequest& request) {
    const auto why = find_form_fault(interaction.context, form, interaction.browser, request.id, interaction.request);
    if (!why) return std::nullopt;
    return refuse_and_offer(interaction, refusal::Reason::form_foreign, request, *why);
}

std::string other_account_url(const Interaction& interaction, const model::AuthorizationRequest& request) {
    if (!interaction.context.settings.login.has_page() || request.hinted_subject) return "";
    model::AuthorizationRequest other = request;
    other.login_hint.reset();
    other.prompt.insert(model::Prompt::select_account);
    return restart_url(interaction, other);
}

http::Response refuse_access(Interaction& interaction, const Resumed& asked) {
    oauth::Context& context = interaction.context;
    http::Response with_cookie;
    login::ensure_browser_id(context, interaction.browser, with_cookie);
    const model::Client& client = asked.target.client();
    const model::Session& session = *interaction.browser.session;
    const std::string sealed = asked.sealed.empty()
                                   ? oauth::seal_request(context, asked.request, interaction.browser.binding())
                                   : asked.sealed;
    context.trail.add(audit::Event::access_refused,
                      {audit::subject(session.subject), audit::client(client.id), audit::session(session.sid)});
    // A site has nothing to make of the error: its gate would ask the same question again.
    const std::string back = http::with_query(context.settings.url(context.settings.paths.authorize),
                                              {{"resume", sealed}, {kGoBack, kGoesBack}});
    http::Response page = pages::refusal_page(interaction.pages(), interaction.request, refusal::Reason::access_refused,
                                              {.client_id = client.id.str(),
                                               .detail = oauth::may_not_use().log_detail,
                                               .issuer = context.settings.issuer,
                                               .client_name = shown_name(client, asked.target.uri()),
                                               .username = store::find_username(context.store, session.subject),
                                               .other_account = other_account_url(interaction, asked.request),
                                               .back = client.site ? "" : back});
    for (const auto& [name, value] : with_cookie.headers) page.add(name, value);
    return page;
}

std::optional<http::Response> refuse_if_used(const Interaction& interaction,
                                             const model::AuthorizationRequest& request) {
    const auto progress = store::find_progress(interaction.context.store, oauth::request_key(request));
    const bool is_used = (progress && progress->used) || oauth::is_push_used(interaction.context.store, request);
    if (!is_used) return std::nullopt;
    return refuse_and_offer(interaction, refusal::Reason::already_used, request);
}

http::Response continue_at(Interaction& interaction, const std::string& path,
                           const model::AuthorizationRequest& request, const std::string& sealed) {
    http::Response response = http::see_other("");
    login::ensure_browser_id(interaction.context, interaction.browser, response);
    const std::string resumable =
        sealed.empty() ? oauth::seal_request(interaction.context, request, interaction.browser.binding()) : sealed;
    response.set("Location", http::with_query(interaction.context.settings.url(path), {{"resume", resumable}}));
    return response;
}

http::Response continue_at(Interaction& interaction, const std::string& path, const Resumed& asked) {
    return continue_at(interaction, path, asked.request, asked.sealed);
}

model::AuthorizationRequest account_request(const oauth::Context& context, const std::string& account_page) {
    model::AuthorizationRequest request;
    request.id = crypto::random_token(context.random);
    request.expires_at = context.now() + context.settings.authorization_request_ttl;
    request.account_page = account_page;
    return request;
}

http::Response log_in_for_account(Interaction& interaction, const std::string& account_page,
                                  std::optional<std::string> login_hint) {
    model::AuthorizationRequest request = account_request(interaction.context, account_page);
    request.login_hint = std::move(login_hint);
    return continue_at(interaction, interaction.context.settings.paths.login, request, "");
}

bool is_for_device(const oauth::Settings& settings, const model::AuthorizationRequest& request) {
    const auto& path = settings.paths.device;
    return path && request.account_page.substr(0, request.account_page.find('?')) == *path;
}

http::Response continue_after_login(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    // The seal says when the visit began, and so that the login was made for it.
    if (is_for_device(settings, visit.request))
        return continue_at(interaction, *settings.paths.device, visit.request, visit.sealed);
    if (visit.target) return continue_at(interaction, settings.paths.authorize, visit.request, visit.sealed);
    std::string url = settings.url(visit.request.account_page);
    return http::see_other(visit.request.session_sent ? http::with_query(url, {{kSessionSent, "yes"}}) : url);
}

}  // namespace postern::web
