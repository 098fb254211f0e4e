// Signing in and out of a site on purpose, and what its application is told.
#include "web/gate/pages.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "crypto/digest.h"
#include "gate/cookies.h"
#include "gate/sign_in.h"
#include "http/params.h"
#include "http/url.h"
#include "oidc/site_hint.h"
#include "store/users.h"
#include "util/text.h"
#include "web/csrf.h"
#include "web/gate/callback.h"

namespace postern::web {
namespace {

using refusal::Reason;

GateAnswer log_in(const GateVisit& visit) {
    const http::Params query = visit.query();
    const std::string to = visit.path_in_site(query.find("to").value_or(""));
    auto begun = gate::begin_sign_in(
        visit.context, visit.found.site, visit.found.url, gate::split_target(to), visit.request.cookie,
        {.account = query.find("as") == "other" ? gate::Account::other : gate::Account::any,
         .is_second = query.find("again").has_value()});
    http::Response response = found_at(std::move(begun.location));
    if (begun.set_cookie) response.add("Set-Cookie", std::move(*begun.set_cookie));
    response.is_routine = true;
    return {std::move(response)};
}

/// The genuine cookies that this browser has for the site, whatever they are worth.
std::vector<gate::SignedIn> cookies_of(const GateVisit& visit) {
    return gate::find_signed_in(visit.context, gate::cookie_names(visit.context.settings, visit.found.url),
                                visit.found.site.id, visit.request.cookie)
        .signed_in;
}

std::string csrf_of(const GateVisit& visit, const gate::SignedIn& signed_in) {
    return csrf_proof(visit.context, "csrf of a site v1", signed_in.client.str() + "|" + signed_in.sid.str());
}

/// The provider's logout endpoint, which leads back behind the sign-out; nullopt: there is none.
std::optional<std::string> provider_logout(const GateVisit& visit, const std::optional<std::string>& hint) {
    const auto endpoint = visit.context.settings.logout_url();
    if (!endpoint) return std::nullopt;
    return http::with_query(*endpoint, {{"client_id", visit.found.site.id.str()},
                                        {"post_logout_redirect_uri", visit.own("logout?done")},
                                        {oidc::kSiteHint, hint}});
}

http::Response signed_out_page(const GateVisit& visit) {
    pages::LoggedOutPage page;
    page.back = visit.found.url.str();
    page.client_name = pages::client_name(visit.found.site);
    return visit.pages().logged_out(page);
}

/// What can be said where the provider's session cannot be ended: without OpenID Connect it has no logout endpoint.
http::Response signed_out_here() {
    return gate_text(200, "You are signed out of this site. To end your sign-in everywhere, close the browser.");
}

/// Without a cookie of the site there may be a session at the provider, which asks by itself.
http::Response log_out_elsewhere(const GateVisit& visit) {
    auto there = provider_logout(visit, std::nullopt);
    return there ? http::see_other(std::move(*there)) : signed_out_here();
}

http::Response ask_to_log_out(const GateVisit& visit) {
    if (visit.question.query == "done") return signed_out_page(visit);
    const auto cookies = cookies_of(visit);
    if (cookies.empty()) return log_out_elsewhere(visit);
    const gate::SignedIn& signed_in = cookies.front();
    pages::LogoutPage page;
    page.username = store::find_username(visit.context.store, signed_in.subject);
    page.action = http::with_query(visit.own("logout"), {{"csrf", csrf_of(visit, signed_in)}});
    return visit.pages().logout(page);
}

/// The provider's session ends at the provider, which leads back.
http::Response log_out(const GateVisit& visit) {
    const std::string csrf(visit.query().find("csrf").value_or(""));
    const auto cookies = cookies_of(visit);
    const auto signed_in = std::ranges::find_if(
        cookies, [&](const auto& each) { return crypto::equal_constant_time(csrf, csrf_of(visit, each)); });
    if (cookies.empty()) return log_out_elsewhere(visit);
    if (signed_in == cookies.end())
        return visit.refuse(Reason::logout_form_foreign, "the csrf of the form is not that of the cookie",
                            {.sign_out = visit.own("logout")});
    if (visit.request.form.find("decision") == "cancel") return http::see_other(visit.found.url.str());

    auto there = provider_logout(visit, oidc::seal_site_hint(visit.context, {signed_in->client, signed_in->subject}));
    http::Response response = there ? http::see_other(std::move(*there)) : signed_out_here();
    response.add("Set-Cookie", gate::forget_signed_in(gate::cookie_names(visit.context.settings, visit.found.url)));
    response.set("Clear-Site-Data", "\"cache\"");  // "back" must not show the application's pages
    return response;
}

GateAnswer answer_logout_page(const GateVisit& visit) {
    return {visit.question.method == "POST" ? log_out(visit) : ask_to_log_out(visit)};
}

std::string member_of(std::string_view header) {
    std::string name = util::to_lower(header.substr(std::string_view("Remote-").size()));
    std::ranges::replace(name, '-', '_');
    return name;
}

/// What the application is told, for its scripts; pages of other origins cannot read it.
GateAnswer who_am_i(const GateVisit& visit) {
    const gate::Checked checked = gate::check(visit.context, visit.found, visit.request.cookie);
    if (!checked.told) {
        const bool is_known = checked.verdict != gate::Verdict::sign_in;
        http::Response response =
            http::json(json::Object{{"error", is_known ? "access_denied" : "login_required"}}, is_known ? 403 : 401);
        response.is_routine = true;
        return {std::move(response)};
    }
    json::Object told;
    for (const auto& [header, value] : checked.told->headers) told.set(member_of(header), value);
    http::Response response = http::json(told);
    response.is_routine = true;
    return {std::move(response), checked.session};
}

GateAnswer call_back(const GateVisit& visit) { return {answer_callback(visit)}; }

struct Page {
    std::string_view name;
    GateAnswer (*answer)(const GateVisit&);
    std::string_view methods;  ///< for Allow
};

constexpr Page kPages[] = {
    {kCallback, call_back, "GET"},
    {"login", log_in, "GET, HEAD"},
    {"logout", answer_logout_page, "GET, HEAD, POST"},
    {"whoami", who_am_i, "GET, HEAD"},
};

bool allows(const Page& page, std::string_view method) {
    return std::ranges::any_of(util::split(page.methods, ','), [&](auto each) { return util::trim(each) == method; });
}

}  // namespace

bool is_own_page(std::string_view name) { return std::ranges::find(kPages, name, &Page::name) != std::end(kPages); }

GateAnswer answer_own_page(const GateVisit& visit, const std::string& name) {
    const auto page = std::ranges::find(kPages, std::string_view(name), &Page::name);
    if (page == std::end(kPages)) {
        http::Response response = gate_text(404, "There is no page here.");
        response.is_routine = true;
        return {std::move(response)};
    }
    if (allows(*page, visit.question.method)) return page->answer(visit);
    http::Response response = gate_text(405, "This page cannot be used that way.");
    response.set("Allow", std::string(page->methods));
    response.is_routine = true;
    return {std::move(response)};
}

}  // namespace postern::web
