// Links: what opening one shows, and what its form does.
#include "web/recover/recover.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "login/browser.h"
#include "login/new_password.h"
#include "login/password_check.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "pages/page_language.h"
#include "pages/refusal_page.h"
#include "util/base64.h"
#include "web/csrf.h"
#include "web/recover/links.h"
#include "web/recover/paths.h"

namespace postern::web {
namespace {

using audit::Event;
using model::LinkPurpose;

/// One request for a link. No session counts for it, and none is looked at.
struct Visit {
    oauth::Context& context;
    const pages::Pages& pages;
    const RecoverPages& own;
    const http::Request& request;
    login::Browser browser;
    std::optional<store::FoundLink> found = {};

    const model::Link& link() const { return found.value().link; }
};

constexpr std::size_t kTokenBytes = 32;  // of crypto::random_token

/// `by` of what a link has done: the person who holds it is not known.
constexpr const char* kByLink = "link";

/// Behind `paths.account`: the page that makes recovery codes.
constexpr const char* kCodesSuffix = "/codes";

std::vector<audit::Member> members_of(const model::Link& link) {
    return {{"purpose", std::string(model::to_string(link.purpose))},
            audit::subject(link.subject),
            audit::credential("link", link.token_hash),
            {"made_by", link.made_by}};
}

/// The same page for every reason, which the log has.
http::Response refuse_link(const Visit& visit, const std::string& reason) {
    std::vector<audit::Member> members = {{"reason", reason}};
    if (visit.found)
        for (auto& member : members_of(visit.link())) members.push_back(std::move(member));
    visit.context.trail.add(audit::Event::link_refused, std::move(members));
    const oauth::Settings& settings = visit.context.settings;
    return pages::refusal_page(visit.pages, visit.request, refusal::Reason::link_not_good,
                               {.client_id = {},
                                .detail = reason,
                                .issuer = settings.issuer,
                                .try_again = {},
                                .recover = settings.offers_recovery() ? settings.url(*settings.paths.recover) : ""});
}

http::Response refuse_form(const Visit& visit, refusal::Reason fault, const std::string& detail) {
    return pages::refusal_page(visit.pages, visit.request, fault, {"", detail, visit.context.settings.issuer, ""});
}

/// Why the link does nothing; nullptr when it is good.
const char* fault_of(const store::FoundLink& found, util::Time now) {
    if (found.link.used_at) return "used";
    if (now >= found.link.expires_at) return "expired";
    if (found.is_void) return "void: the password or the second factors have changed, or the user is disabled";
    return nullptr;
}

/// The token without what a copied address has around it: blanks, a full stop, brackets, quotes.
std::string link_token(const http::Params& query) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::string text = query.find_typed(kLinkParameter).value_or("");
    const std::size_t first = text.find_first_of(kAlphabet);
    if (first == text.npos) return "";
    return text.substr(first, text.find_last_of(kAlphabet) - first + 1);
}

/// Why no link can be found with it; nullptr when it has the shape of one.
const char* shape_fault_of(const std::string& token) {
    if (token.empty()) return "malformed: there is no t, or not one";
    const auto bytes = util::base64url_decode(token);
    return bytes && bytes->size() == kTokenBytes ? nullptr : "malformed: t is not what a link has";
}

/// Finds the link that the address names; the page that refuses it, if it is not good.
std::optional<http::Response> open(Visit& visit) {
    const std::string token = link_token(visit.request.query);
    if (const char* fault = shape_fault_of(token)) return refuse_link(visit, fault);
    visit.found = store::find_link(visit.context.store, oauth::hash_of(token));
    if (!visit.found) return refuse_link(visit, "unknown: it was never made here, was replaced, or expired long ago");
    visit.context.trail.note_user(visit.link().subject);
    if (const char* fault = fault_of(*visit.found, visit.context.now())) return refuse_link(visit, fault);
    if (is_of_former_address(visit.context.store, visit.link()))
        return refuse_link(visit, "void: the user has another address than the one to which it was sent");
    return std::nullopt;
}

http::Response page_of_address(const Visit& visit, const std::string& csrf) {
    return visit.own.email_link({.username = visit.found->username, .email = visit.link().email, .csrf = csrf});
}

login::PasskeySetup setup_of(const Visit& visit) {
    return invited_setup(visit.context, visit.browser, visit.request, visit.link());
}

http::Response page_of(const Visit& visit, const std::string& csrf, const text::Message& problem,
                       const text::Message& passkey_problem) {
    if (visit.link().purpose == LinkPurpose::email) return page_of_address(visit, csrf);
    LinkPage page{.purpose = visit.link().purpose,
                  .username = visit.found->username,
                  .min_length = std::to_string(visit.context.settings.login.password_min_length),
                  .csrf = csrf,
                  .problem = problem,
                  .passkey_problem = passkey_problem};
    if (takes_passkey(visit.context.settings, page.purpose))
        page.passkey = ask_for_invited_passkey(setup_of(visit), *visit.found);
    return visit.own.link(page);
}

http::Response form(Visit& visit, const text::Message& problem, const text::Message& passkey_problem = {}) {
    return login::with_browser_id(visit.context, visit.browser, [&] {
        return page_of(visit, csrf_token(visit.context, Form::link, visit.browser, visit.link().token_hash.str()),
                       problem, passkey_problem);
    });
}

void note_refusal(const Visit& visit, factor::PasswordFlaw flaw) {
    visit.context.trail.add(audit::Event::password_refused, {audit::subject(visit.link().subject),
                                                             audit::credential("link", visit.link().token_hash),
                                                             {"reason", login::log_reason(flaw)}});
}

/// Where it matters that a link was used, because the password alone sets up no second factor (POLICY-4).
bool needs_link_to_enrol(const oauth::Settings& settings) {
    return settings.login.enrolment == login::Enrolment::link && settings.paths.account &&
           oauth::highest_level(settings) >= model::Level::second_factor;
}

void note(const Visit& visit, const RemovedFactors& removed) {
    const auto subject = audit::subject(visit.link().subject);
    audit::Trail& trail = visit.context.trail;
    trail.add(audit::Event::link_used, members_of(visit.link()));
    trail.add(audit::Event::password_changed, {subject, {"by", kByLink}});
    if (removed.app) trail.add(audit::Event::app_removed, {subject, {"by", kByLink}});
    for (const std::string& id : removed.passkeys)
        trail.add(audit::Event::passkey_removed, {subject, {"passkey", audit::short_digest(id)}, {"by", kByLink}});
}

http::Response submit_address(Visit& visit) {
    if (!spend_on_address(visit.context, visit.browser, visit.link()))
        return refuse_link(visit, "used, or void, while the form was open");
    visit.context.trail.add(audit::Event::link_used, members_of(visit.link()));
    visit.context.trail.add(audit::Event::profile_changed,
                            {audit::subject(visit.link().subject), {"changed", "email"}});
    return page_of_address(visit, "");
}

/// The page again. The link is as it was.
http::Response refuse_passkey(Visit& visit, const login::PasskeyRefusal& refusal) {
    http::Response response = form(visit, "", refusal.problem);
    response.refusal = http::Refusal{refusal.reason, "the page of the link was shown again", refusal.detail, ""};
    return response;
}

http::Response submit_passkey(Visit& visit) {
    oauth::Context& context = visit.context;
    if (const auto faulty = login::faulty_new_passkey_field(visit.request.form))
        return refuse_form(visit, refusal::Reason::link_form_malformed, "field: " + *faulty);
    const auto proved = login::prove_new_passkey(setup_of(visit));
    if (!proved) return refuse_passkey(visit, proved.error());
    const InvitedPasskey added = add_invited_passkey(context, visit.browser, visit.link(), *proved);
    if (added.refusal) return refuse_passkey(visit, *added.refusal);
    if (!added.is_spent) return refuse_link(visit, "used, or void, while the passkey was made");
    context.trail.add(audit::Event::link_used, members_of(visit.link()));
    context.trail.add(audit::Event::passkey_added, {audit::subject(visit.link().subject),
                                                    {"passkey", audit::short_digest(proved->row.credential_id)},
                                                    {"by", kByLink}});
    const oauth::Settings& settings = context.settings;
    const bool makes_codes = settings.paths.account && oauth::highest_level(settings) >= model::Level::second_factor;
    std::string sign_in = settings.paths.account ? settings.url(*settings.paths.account) : "";
    if (makes_codes) sign_in += kCodesSuffix;
    return visit.own.link_done(
        {.purpose = visit.link().purpose, .sign_in = std::move(sign_in), .passkey = true, .makes_codes = makes_codes});
}

http::Response submit(Visit& visit) {
    if (const auto why =
            find_form_fault(visit.context, Form::link, visit.browser, visit.link().token_hash.str(), visit.request))
        return refuse_form(visit, refusal::Reason::link_form_foreign, *why);
    if (visit.link().purpose == LinkPurpose::email) return submit_address(visit);
    const http::Params& sent = visit.request.form;
    if (login::has_new_passkey(sent) && takes_passkey(visit.context.settings, visit.link().purpose))
        return submit_passkey(visit);
    if (const auto faulty = login::first_unreadable(sent, {"new", "again"}))
        return refuse_form(visit, refusal::Reason::link_form_malformed, "field: " + *faulty);
    const auto fresh = login::read_new_password(
        visit.context, sent, login::find_password_owner(visit.context, visit.link().subject, visit.found->username));
    if (!fresh) {
        if (fresh.error().flaw) note_refusal(visit, *fresh.error().flaw);
        return form(visit, fresh.error().text);
    }
    const auto hash = login::hash_new_password(visit.context, *fresh);
    if (!hash) return refuse_form(visit, refusal::Reason::too_busy, login::kNoHashSlot);
    const auto removed = spend_on_password(visit.context, visit.browser, visit.link(), *hash);
    if (!removed) return refuse_link(visit, "used, or void, while the new password was hashed");
    note(visit, *removed);
    const oauth::Settings& settings = visit.context.settings;
    return visit.own.link_done({.purpose = visit.link().purpose,
                                .sign_in = settings.paths.account ? settings.url(*settings.paths.account) : "",
                                .lets_enrol = needs_link_to_enrol(settings)});
}

}  // namespace

http::Response recover(oauth::Context& context, const pages::PageBook& pages,
                       const pages::InLanguages<RecoverPages>& own, const http::Request& request) {
    const text::Catalogue& language = pages.languages()->choose(pages::language_wishes(context.settings, request));
    const std::optional<std::string>& path = context.settings.paths.recover;
    if (path && !request.path.ends_with(*path + kLinkSuffix))
        return request_link(context, own.in(language), request, language.tag());
    Visit visit{context, pages.in(language), own.in(language), request,
                login::recognise_browser(context.settings, request)};
    if (auto refusal = open(visit)) return std::move(*refusal);
    return request.method == http::Method::post ? submit(visit) : form(visit, "");
}

}  // namespace postern::web
