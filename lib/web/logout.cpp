// The logout endpoint as a browser sees it.
#include "web/logout.h"

#include "http/url.h"
#include "oauth/client_bar.h"
#include "oidc/logout_request.h"
#include "store/clients.h"
#include "store/users.h"
#include "util/percent.h"
#include "web/csrf.h"
#include "web/shown_name.h"

namespace postern::web {
namespace {

using oidc::LogoutRequest;
using refusal::Reason;

/// The browser is back from the web server's own logout.
constexpr const char* kSignedOut = "signed_out";

std::string endpoint(const Interaction& interaction) {
    const oauth::Settings& settings = interaction.context.settings;
    return settings.url(settings.paths.logout.value());
}

/// Whatever is wrong with the request, the user may sign out: without it, and so without a redirect.
http::Response refuse(const Interaction& interaction, Reason fault, const std::string& client_id = {},
                      const std::string& detail = {}) {
    return pages::refusal_page(interaction.pages(), interaction.request, fault,
                               {.client_id = client_id,
                                .detail = detail,
                                .issuer = interaction.context.settings.issuer,
                                .sign_out = endpoint(interaction)});
}

http::Response refused_logout(const Interaction& interaction, const oidc::LogoutRefusal& refusal) {
    return refuse(interaction, refusal.reason, refusal.client_id, refusal.log_detail);
}

std::string username_of(const Interaction& interaction) {
    return store::find_username(interaction.context.store, interaction.browser.session->subject);
}

text::Message name_of(const Interaction& interaction, const LogoutRequest& asked) {
    if (!asked.client_id) return "";
    const auto client = store::find_client(interaction.context.store, *asked.client_id);
    const bool is_usable = client && !oauth::find_client_bar(interaction.context.settings, *client);
    return is_usable ? shown_name(*client, asked.redirect_uri.value_or("")) : "";
}

http::Response ask(Interaction& interaction, const LogoutRequest& asked, const oidc::AfterLogout& after) {
    return login::with_browser_id(interaction.context, interaction.browser, [&] {
        pages::LogoutPage page;
        // A bare client_id can be in any link, so the page does not say that this client sent the browser.
        if (asked.hinted_subject)
            page.client_name = name_of(interaction, asked);
        else if (after.url())
            page.leads_to = name_of(interaction, asked);
        page.username = username_of(interaction);
        page.action = endpoint(interaction);
        page.csrf = csrf_token(interaction.context, Form::logout, interaction.browser, asked.id);
        page.resume = oidc::seal_logout(interaction.context, {asked, interaction.browser.binding()});
        return interaction.pages().logout(page);
    });
}

/// The web server's own login must end as well, or the next sign-in would not ask. The browser returns from there to
/// `next`, if the configured address has a place for it.
std::string through_web_server(const Interaction& interaction, const std::optional<std::string>& next) {
    std::string url = *interaction.context.settings.login.logout_redirect;
    const auto mark = url.find(login::kReturnMark);
    if (mark == std::string::npos) return url;
    const std::string back = next.value_or(http::with_query(endpoint(interaction), {{kSignedOut, "1"}}));
    return url.replace(mark, std::string_view(login::kReturnMark).size(), util::percent_encode(back));
}

http::Response signed_out(const Interaction& interaction, const LogoutRequest& asked, const oidc::AfterLogout& after,
                          const oidc::LogoutFrames& frames = {}) {
    pages::LoggedOutPage page;
    page.back = after.url().value_or("");
    if (after.url()) page.client_name = name_of(interaction, asked);
    page.frames = frames;
    return interaction.pages().logged_out(page);
}

/// Whether the user has said yes on our own form.
enum class Confirmed { no, yes };

/// The address to which the browser goes by itself; nullopt: a page of ours is the end.
std::optional<std::string> address_behind(const Interaction& interaction, const oidc::AfterLogout& after,
                                          Confirmed confirmed) {
    std::optional<std::string> next;
    if (after.is_proved() || confirmed == Confirmed::yes) next = after.url();
    const login::Settings& login = interaction.context.settings.login;
    const bool is_through = login.method == login::Method::remote_user && login.logout_redirect;
    return is_through ? through_web_server(interaction, next) : next;
}

/// A redirect would leave the frames no time to load, so with frames a page goes on to the same place: only users for
/// whom an application is told wait. docs/decisions/0132
http::Response lead_on(const Interaction& interaction, const LogoutRequest& asked, const oidc::AfterLogout& after,
                       Confirmed confirmed, const oidc::LogoutFrames& frames) {
    const auto next = address_behind(interaction, after, confirmed);
    if (!next) return signed_out(interaction, asked, after, frames);
    if (frames.urls.empty()) return http::see_other(*next);
    pages::LoggedOutPage page{.back = *next, .client_name = "", .frames = frames, .goes_on = true};
    if (next == after.url()) page.client_name = name_of(interaction, asked);
    return interaction.pages().logged_out(page);
}

/// The reason for the operator why a browser stays here.
std::optional<oidc::NotFollowed> reason_to_stay(const oidc::AfterLogout& after, Confirmed confirmed) {
    if (after.not_followed() || !after.url() || after.is_proved() || confirmed == Confirmed::yes)
        return after.not_followed();
    return oidc::NotFollowed{Reason::logout_unconfirmed,
                             "post_logout_redirect_uri came without an id_token_hint, and no user was signed in who "
                             "could confirm it"};
}

/// The session, if there is one, ends; the cookie goes whatever it was.
http::Response finish(Interaction& interaction, const LogoutRequest& asked, const oidc::AfterLogout& after,
                      Confirmed confirmed) {
    oidc::LogoutFrames frames;
    if (interaction.browser.session) frames = oidc::end_session(interaction.context, *interaction.browser.session);
    http::Response response = lead_on(interaction, asked, after, confirmed, frames);
    const login::CookieNames& names = interaction.browser.names;
    response.add("Set-Cookie", http::clear_cookie(names.session, names.security));
    // no-store does not keep browsers from holding a page that was left for the way back, with the user's name on it.
    // Only with the session cookie: other sites cannot send it, and so cannot empty the cache of this whole origin with
    // an image that has our address.
    if (interaction.browser.session_cookie) response.set("Clear-Site-Data", "\"cache\"");
    if (const auto reason = reason_to_stay(after, confirmed))
        response.refusal = http::Refusal{reason->reason, "the user is signed out and was not sent on", reason->detail,
                                         asked.client_id ? asked.client_id->str().substr(0, 128) : ""};
    return response;
}

/// The address is judged before anything is done: a request is carried out whole or not at all.
http::Response proceed(Interaction& interaction, const LogoutRequest& asked) {
    const auto after = oidc::verify_post_logout_redirect(interaction.context, asked);
    if (!after) return refused_logout(interaction, after.error());
    // Without a hint for this very user any site may have sent the browser here (§2, §6).
    const auto& session = interaction.browser.session;
    if (session && asked.hinted_subject != session->subject) return ask(interaction, asked, *after);
    return finish(interaction, asked, *after, Confirmed::no);
}

util::Result<LogoutRequest, http::Response> open_logout_request(const Interaction& interaction,
                                                                const http::Params& params,
                                                                AllowUnbound allow_unbound) {
    const auto sealed = oidc::open_logout(interaction.context, params.find("resume").value_or(""));
    if (!sealed)
        return refuse(interaction, sealed.error() == oauth::SealFault::expired ? Reason::logout_resume_expired
                                                                               : Reason::logout_resume_invalid);
    const bool is_free = sealed->browser.empty() && allow_unbound == AllowUnbound::yes;
    if (!is_free && !interaction.browser.is_bound_by(sealed->browser))
        return refuse(interaction, Reason::logout_form_foreign, "",
                      "the form belongs to another browser, or no cookie came back");
    return sealed->request;
}

}  // namespace

http::Response start_logout(Interaction& interaction) {
    login::recognise_surely(interaction.context, interaction.browser);
    const bool posted = interaction.request.method == http::Method::post;
    if (!posted && !interaction.browser.session && interaction.request.query.find(kSignedOut))
        return interaction.pages().logged_out({});
    if (interaction.request.body == http::BodyKind::other)
        return refused_logout(interaction,
                              {Reason::logout_malformed, "", "the body is not application/x-www-form-urlencoded"});
    const http::Params& sent = posted ? interaction.request.form : interaction.request.query;
    interaction.ui_locales = sent.find("ui_locales");
    const auto asked = oidc::parse_logout_request(interaction.context, sent);
    if (!asked) return refused_logout(interaction, asked.error());
    if (!posted) return proceed(interaction, *asked);
    // Refused now rather than later: an unregistered address is not sealed.
    const auto after = oidc::verify_post_logout_redirect(interaction.context, *asked);
    if (!after) return refused_logout(interaction, after.error());
    return http::see_other(
        http::with_query(endpoint(interaction), {{"resume", oidc::seal_logout(interaction.context, {*asked, ""})}}));
}

http::Response resume_logout(Interaction& interaction) {
    login::recognise_surely(interaction.context, interaction.browser);
    const auto asked = open_logout_request(interaction, interaction.request.query, AllowUnbound::yes);
    return asked ? proceed(interaction, *asked) : asked.error();
}

http::Response answer_logout(Interaction& interaction) {
    login::recognise_surely(interaction.context, interaction.browser);
    ASSIGN_OR_RETURN(const auto asked, open_logout_request(interaction, interaction.request.form, AllowUnbound::no));
    const bool is_logged_in = interaction.browser.session.has_value();
    // With the session gone there is nothing that a forged answer could end.
    const auto why =
        find_form_fault(interaction.context, Form::logout, interaction.browser, asked.id, interaction.request);
    if (is_logged_in && why) return refuse(interaction, Reason::logout_form_foreign, "", *why);

    const std::string_view decision = interaction.request.form.find("decision").value_or("");
    if (decision != "logout" && decision != "cancel")
        return refused_logout(interaction, {Reason::logout_malformed, "", "field: decision"});
    if (decision == "cancel" && is_logged_in) return interaction.pages().still_logged_in(username_of(interaction));
    const auto after = oidc::verify_post_logout_redirect(interaction.context, asked);
    if (!after) return refused_logout(interaction, after.error());
    // The session has ended in another tab. Who said no is told so, and is led nowhere.
    if (decision == "cancel") return signed_out(interaction, asked, *after);
    return finish(interaction, asked, *after, Confirmed::yes);
}

}  // namespace postern::web
