// Turns the verdict of a check into the answer that the web server understands.
#include "web/gate/check_answer.h"

#include <algorithm>

#include "gate/bearer.h"
#include "gate/request_kind.h"
#include "gate/sign_in.h"
#include "http/url.h"
#include "oauth/error.h"
#include "oauth/respond.h"
#include "util/text.h"

namespace postern::web {
namespace {

using gate::Answer;
using refusal::Reason;

constexpr const char* kSignInFirst = "Sign in first.";
constexpr const char* kNotForYou = "You may not use this site.";

/// "Remote-Email-Verified" as an authorizer says it: Variable-REMOTE_EMAIL_VERIFIED (FastCGI 1.0 §6.3).
std::string variable_of(std::string_view header) {
    std::string name = util::to_upper(header);
    std::ranges::replace(name, '-', '_');
    return "Variable-" + name;
}

http::Response pass(const GateVisit& visit, const gate::ToldHeaders& told) {
    http::Response response;
    response.is_routine = true;
    const bool is_authorizer = visit.question.way == gate::Way::authorizer;
    response.is_bare = is_authorizer;  // other headers would reach the browser
    for (const std::string_view name : gate::kToldHeaders) {
        const auto header = std::ranges::find(told.headers, name, [](const auto& each) { return each.first; });
        const bool is_told = header != told.headers.end();
        if (is_authorizer && is_told) response.add(variable_of(name), header->second);
        // Empty rather than absent: some proxies copy the name of their own variable where there is no header.
        if (!is_authorizer) response.add(std::string(name), is_told ? header->second : "");
    }
    for (const std::string& name : told.left_out)
        visit.context.log.write(util::LogLevel::debug, "gate_header_left_out",
                                {{"id", visit.request.id},
                                 {"client_id", visit.found.site.id.str()},
                                 {"header", name},
                                 {"user", visit.context.trail.user()}});
    return response;
}

http::Response lead_to_sign_in(const GateVisit& visit, Answer answer) {
    auto begun = gate::begin_sign_in(visit.context, visit.found.site, visit.found.url,
                                     {visit.question.path, visit.question.query}, visit.request.cookie);
    http::Response response = answer == Answer::redirect ? found_at({}) : gate_text(401, kSignInFirst);
    response.set("Location", std::move(begun.location));
    if (begun.set_cookie) response.add("Set-Cookie", std::move(*begun.set_cookie));
    return response;
}

/// The address of the form's page, if the browser says so and it is of this origin; else that of the site.
std::string form_page(const GateVisit& visit) {
    const std::string_view referer = visit.request.variable("HTTP_REFERER");
    const auto url = http::parse_url(referer);
    if (!url || url->has_user_info || url->fragment || !referer.starts_with(visit.found.url.str()))
        return visit.found.url.str();
    return std::string(referer);
}

std::string login_url(const GateVisit& visit, const std::string& to, gate::Account account) {
    const bool is_other = account == gate::Account::other;
    return http::with_query(visit.own("login"),
                            {{"to", to}, {"as", is_other ? std::optional<std::string>("other") : std::nullopt}});
}

/// Recorded where somebody was signed in: strangers send forms, too.
http::Response tell_of_lost_form(const GateVisit& visit, bool was_signed_in) {
    const std::string page = form_page(visit);
    http::Response response =
        visit.refuse(Reason::gate_form_lost, "a POST of a browser that is not signed in to the site",
                     {.try_again = login_url(visit, page.substr(visit.found.url.origin.size()), gate::Account::any),
                      .client_name = pages::client_name(visit.found.site),
                      .back = page});
    if (was_signed_in) return response;
    response.refusal.reset();
    response.is_routine = true;
    return response;
}

http::Response refuse_user(const GateVisit& visit, const gate::Checked& checked, Answer answer) {
    const oauth::OAuthError why = oauth::may_not_use();
    if (answer == Answer::refuse_page)
        return visit.refuse(Reason::access_refused, why.log_detail,
                            {.client_name = pages::client_name(visit.found.site),
                             .username = checked.username,
                             .other_account = login_url(visit, visit.location(), gate::Account::other)});
    http::Response response = gate_text(403, kNotForYou);
    response.refusal = http::Refusal{Reason::access_refused, kNotForYou, why.log_detail, visit.found.site.id.str()};
    return response;
}

http::Response sign_in_first(const GateVisit& visit, Answer answer, const gate::Checked& checked) {
    http::Response response;
    switch (answer) {
        case Answer::redirect:
        case Answer::redirect_401:
            response = lead_to_sign_in(visit, answer);
            break;
        case Answer::sign_in_page:
            return tell_of_lost_form(visit, checked.was_signed_in);
        default:
            response = gate_text(401, kSignInFirst);
            break;
    }
    response.is_routine = !checked.has_forged;
    if (checked.has_forged)
        response.refusal = http::Refusal{Reason::gate_cookie_forged, kSignInFirst,
                                         "a cookie of the site's name does not open", visit.found.site.id.str()};
    return response;
}

http::Response refuse_untold(const GateVisit& visit, const std::string& why) {
    if (visit.wants_page())
        return visit.refuse(Reason::gate_user_untold, why, {.client_name = pages::client_name(visit.found.site)});
    http::Response response = gate_text(403, "The application cannot be told who you are.");
    response.refusal = http::Refusal{Reason::gate_user_untold, "the application cannot be told its user", why,
                                     visit.found.site.id.str()};
    return response;
}

/// Behind `error_page` of nginx a 200 would be the answer to a refusal: one that is over, as when the user has signed
/// in in another tab meanwhile, or one of nginx itself, as of a directory without an index.
http::Response leave_refused() {
    http::Response response =
        gate_text(403, "The web server does not show this page. If you have just signed in, load it again.");
    response.is_routine = true;
    return response;
}

GateAnswer let_pass(const GateVisit& visit, const gate::Checked& checked) {
    if (!checked.told) return {refuse_untold(visit, checked.untold)};
    if (visit.question.way == gate::Way::page) return {leave_refused()};
    return {pass(visit, *checked.told), checked.session};
}

/// RFC 9470 §3: the program that called has to get a token of a newer or stronger login.
http::Response refuse_login(const GateVisit& visit) {
    const oauth::OAuthError error =
        oauth::make_error(refusal::Reason::login_required_second_factor, "the login is too old, or worth too little");
    http::Response response = gate_text(401, kSignInFirst);
    response.set("WWW-Authenticate", respond::bearer_challenge("insufficient_user_authentication", error.description));
    response.refusal = http::Refusal{error.reason, error.description, "an access token of a login that does not do",
                                     visit.found.site.id.str()};
    return response;
}

GateAnswer answer_bearer(const GateVisit& visit, oauth::Outcome<gate::Checked> checked) {
    if (!checked) {
        http::Response response = respond::bearer_error(checked.error());
        if (response.refusal) response.refusal->client_id = visit.found.site.id.str();
        return {std::move(response)};
    }
    switch (checked->verdict) {
        case gate::Verdict::pass:
            checked->session.reset();  // there is none whose use could be noted
            return let_pass(visit, *checked);
        case gate::Verdict::may_not_use:
            return {refuse_user(visit, *checked, Answer::refuse_text)};
        case gate::Verdict::sign_in:
            break;
    }
    return {refuse_login(visit)};
}

}  // namespace

http::Response refuse_question(Reason reason, const std::string& detail) {
    http::Response response = gate_text(403, "This address is not open.");
    response.refusal = http::Refusal{reason, "the gate does not answer this question", detail, ""};
    return response;
}

oauth::Outcome<gate::Checked> check_request(oauth::Context& context, const gate::Found& found,
                                            const http::Request& request) {
    // Also beside a good cookie: whoever sends a token means the token.
    if (const auto token = gate::bearer_token_of(*found.site.site, request.authorization))
        return gate::check_bearer(context, found, *token);
    return gate::check(context, found, request.cookie);
}

GateAnswer answer_check(const GateVisit& visit, oauth::Outcome<gate::Checked> checked) {
    if (gate::bearer_token_of(*visit.found.site.site, visit.request.authorization))
        return answer_bearer(visit, std::move(checked));
    const Answer answer = gate::answer_of(checked->verdict, visit.question.way,
                                          gate::request_kind(visit.question.method, visit.request.server_variables));
    switch (checked->verdict) {
        case gate::Verdict::pass:
            return let_pass(visit, *checked);
        case gate::Verdict::may_not_use:
            return {refuse_user(visit, *checked, answer)};
        case gate::Verdict::sign_in:
            break;
    }
    return {sign_in_first(visit, answer, *checked)};
}

}  // namespace postern::web
