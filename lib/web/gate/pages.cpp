// Signing in and out of a site on purpose, and what its application is told.
#include "web/gate/pages.h"

#include <algorithm>
#include <array>

#include "crypto/digest.h"
#include "gate/cookies.h"
#include "gate/place.h"
#include "gate/readings.h"
#include "gate/sign_in.h"
#include "http/params.h"
#include "http/url.h"
#include "oidc/site_hint.h"
#include "store/users.h"
#include "util/base64.h"
#include "util/text.h"
#include "web/gate/callback.h"

namespace postern::web {
namespace {

using refusal::Reason;

constexpr std::size_t kMostParameters = 16;

/// Faulty parameters are none: nothing here depends on them but where a link leads.
http::Params query_of(const GateVisit& visit) {
    auto params = http::Params::parse(visit.question.query, kMostParameters);
    return params ? std::move(*params) : http::Params();
}

/// A path of this site with its query, else that of the site.
std::string path_in_site(const GateVisit& visit, std::string_view wanted) {
    const std::string_view path = wanted.substr(0, wanted.find('?'));
    const auto readings = gate::readings_of(path);
    const std::array sites = {visit.found.url};
    const auto place = readings ? gate::find_place(*readings, sites) : gate::PlaceFault::no_site;
    return place && !place->own ? std::string(wanted) : visit.found.url.path;
}

GateAnswer log_in(const GateVisit& visit) {
    const http::Params query = query_of(visit);
    const std::string to = path_in_site(visit, query.find("to").value_or(""));
    const std::size_t mark = to.find('?');
    const std::string_view text(to);
    auto begun = gate::begin_sign_in(
        visit.context, visit.found.site, visit.found.url,
        {text.substr(0, mark), mark == to.npos ? std::string_view() : text.substr(mark + 1)}, visit.request.cookie,
        query.find("as") == "other" ? gate::Account::other : gate::Account::any);
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
    const std::string about = "logout of a site v1\n" + signed_in.client.str() + "\n" + signed_in.sid.str();
    return util::base64url_encode(crypto::hmac_sha256(visit.context.keys.seal_key().reveal(), about));
}

http::Response signed_out_page(const GateVisit& visit) {
    pages::LoggedOutPage page;
    page.back = visit.found.url.str();
    page.client_name = pages::client_name(visit.found.site);
    return visit.pages().logged_out(page);
}

http::Response ask_to_log_out(const GateVisit& visit) {
    const auto cookies = cookies_of(visit);
    if (cookies.empty() || query_of(visit).find("done") || visit.question.query == "done")
        return signed_out_page(visit);
    const gate::SignedIn& signed_in = cookies.front();
    pages::LogoutPage page;
    page.username = store::find_username(visit.context.store, signed_in.subject);
    page.action = http::with_query(visit.own("logout"), {{"csrf", csrf_of(visit, signed_in)}});
    return visit.pages().logout(page);
}

/// The provider's session ends at the provider, which leads back.
http::Response log_out(const GateVisit& visit) {
    const std::string csrf(query_of(visit).find("csrf").value_or(""));
    const auto cookies = cookies_of(visit);
    const auto signed_in = std::ranges::find_if(
        cookies, [&](const auto& each) { return crypto::equal_constant_time(csrf, csrf_of(visit, each)); });
    if (cookies.empty()) return signed_out_page(visit);
    if (signed_in == cookies.end())
        return visit.refuse(Reason::logout_form_foreign, "the csrf of the form is not that of the cookie",
                            {.sign_out = visit.own("logout")});
    if (visit.request.form.find("decision") == "cancel") return http::see_other(visit.found.url.str());

    const oauth::Settings& settings = visit.context.settings;
    http::Response response = signed_out_page(visit);
    if (settings.paths.logout)
        response = http::see_other(http::with_query(
            settings.url(*settings.paths.logout),
            {{"client_id", visit.found.site.id.str()},
             {"post_logout_redirect_uri", visit.own("logout?done")},
             {oidc::kSiteHint,
              oidc::seal_site_hint(visit.context, {signed_in->client, signed_in->subject, signed_in->sid})}}));
    response.add("Set-Cookie", gate::forget_signed_in(gate::cookie_names(settings, visit.found.url)));
    return response;
}

GateAnswer answer_logout_page(const GateVisit& visit) {
    return {visit.question.method == "POST" ? log_out(visit) : ask_to_log_out(visit)};
}

std::string member_of(std::string_view header) {
    std::string name;
    for (const char c : header.substr(std::string_view("Remote-").size()))
        name += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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
    {"callback", call_back, "GET"},
    {"login", log_in, "GET, HEAD"},
    {"logout", answer_logout_page, "GET, HEAD, POST"},
    {"whoami", who_am_i, "GET, HEAD"},
};

bool allows(const Page& page, std::string_view method) {
    return std::ranges::any_of(util::split(page.methods, ','), [&](auto each) { return util::trim(each) == method; });
}

}  // namespace

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
