// Decides what becomes of a code that a browser brings to a site.
#include "web/gate/callback.h"

#include "crypto/digest.h"
#include "gate/cookies.h"
#include "gate/sign_in.h"
#include "gate/state.h"
#include "http/headers.h"
#include "http/params.h"
#include "http/url.h"
#include "oauth/error.h"
#include "oauth/grant_authorization_code.h"

namespace postern::web {
namespace {

using oauth::CodeConsequence;
using refusal::Reason;

gate::CookieNames names_of(const GateVisit& visit) {
    return gate::cookie_names(visit.context.settings, visit.found.url);
}

/// The URL of the site may have changed since the state was made.
std::string destination(const GateVisit& visit, const gate::State& state) {
    return visit.found.url.origin + visit.path_in_site(state.target);
}

bool is_of_this_browser(const GateVisit& visit, const gate::State& state) {
    bool is_bound = false;
    for (const std::string& value : http::find_cookie_values(visit.request.cookie, names_of(visit).browser,
                                                             gate::kBrowserCookieBytes, gate::kTriedCookies))
        if (crypto::equal_constant_time(gate::browser_mark(value), state.browser)) is_bound = true;
    return is_bound;
}

/// Leads the browser to where it wanted to go, where the check begins again if it has to: by now the provider has a
/// session.
http::Response lead_on(const GateVisit& visit, const gate::State& state) {
    return http::see_other(destination(visit, state));
}

http::Response start_over(const GateVisit& visit, const gate::State& state) {
    return http::see_other(
        http::with_query(visit.own("login"), {{"to", visit.path_in_site(state.target)}, {"again", "1"}}));
}

/// Starts the sign-in again, bound to the browser cookie that the browser has now: of tabs that start without one each
/// gets its own, and the last one stays. A browser that keeps no cookies is told so at the second time.
http::Response bind_again(const GateVisit& visit, const gate::State& state) {
    if (gate::check(visit.context, visit.found, visit.request.cookie).verdict == gate::Verdict::pass)
        return lead_on(visit, state);
    if (!state.is_second) return start_over(visit, state);
    return visit.refuse(Reason::session_cookie_missing, "the browser cookie did not come back, twice",
                        {.try_again = destination(visit, state)});
}

http::Response refuse_answer(const GateVisit& visit, const std::string& why, const gate::State& state) {
    return visit.refuse(Reason::resume_invalid, why, {.try_again = destination(visit, state)});
}

/// Once: a code that has expired, or a server that was busy, is no reason to bother the user.
http::Response try_again(const GateVisit& visit, const std::string& why, const gate::State& state) {
    return state.is_second ? refuse_answer(visit, why, state) : start_over(visit, state);
}

/// One error is about what the user can change: the site demands a passkey, and the account has none.
http::Response tell_error(const GateVisit& visit, const gate::State& state, std::string_view error) {
    constexpr std::size_t kShown = 64;
    const std::string detail = "the authorization endpoint answered " + std::string(error.substr(0, kShown));
    if (error != refusal::error_word(Reason::unmet_requirements_no_passkey)) return try_again(visit, detail, state);
    const oauth::Settings& settings = visit.context.settings;
    return visit.refuse(Reason::unmet_requirements_no_passkey, detail,
                        {.try_again = destination(visit, state),
                         .account = settings.paths.account ? settings.url(*settings.paths.account) : "",
                         .client_name = pages::client_name(visit.found.site)});
}

bool was_spent(const oauth::CodeRefusal& refusal) {
    return refusal.stored && refusal.stored->code.redeemed_at.has_value() &&
           (refusal.consequence == CodeConsequence::revoke_yield ||
            refusal.consequence == CodeConsequence::audit_replay);
}

http::Response keep(const GateVisit& visit, const gate::State& state, const store::StoredCode& stored) {
    const model::Grant& grant = stored.grant;
    const std::string value =
        gate::seal_signed_in(visit.context, {visit.found.site.id, grant.sid, grant.subject, visit.context.now()});
    http::Response response = lead_on(visit, state);
    response.add("Set-Cookie", gate::keep_signed_in(names_of(visit), value, visit.found.site.site->session_ttl));
    return response;
}

http::Response redeem(const GateVisit& visit, const gate::State& state, std::string_view code) {
    const oauth::AuthorizationCodeGrant grant{std::string(code), visit.own("callback"), state.code_verifier, {}};
    const auto usable = oauth::find_usable_code(visit.context, visit.found.site, grant);
    if (!usable) {
        // Two tabs, or the way back in the history: nothing is spent by it.
        if (was_spent(usable.error())) return lead_on(visit, state);
        const oauth::OAuthError error = oauth::settle(visit.context, visit.found.site, usable.error());
        const bool is_over = usable.error().consequence == CodeConsequence::none;
        return is_over ? try_again(visit, error.log_detail, state) : refuse_answer(visit, error.log_detail, state);
    }
    if (usable->stored.code.nonce != state.nonce) return refuse_answer(visit, "the code is of another request", state);
    const bool is_spent_here = oauth::spend_code(visit.context, usable->stored);
    return is_spent_here ? keep(visit, state, usable->stored) : lead_on(visit, state);
}

}  // namespace

http::Response answer_callback(const GateVisit& visit) {
    const http::Params params = visit.query();
    const auto state = gate::open_state(visit.context, params.find("state").value_or(""));
    if (!state || state->client != visit.found.site.id)
        return visit.refuse(Reason::resume_invalid, "the state is not a seal of the gate for this site",
                            {.try_again = visit.found.url.str()});
    // RFC 9207 §2.4: the answer of another server.
    if (params.find("iss").value_or(visit.context.settings.issuer) != visit.context.settings.issuer)
        return refuse_answer(visit, "iss is not this server", *state);
    if (!is_of_this_browser(visit, *state)) return bind_again(visit, *state);
    if (visit.context.now() >= state->expires_at) return lead_on(visit, *state);
    if (const auto error = params.find("error")) return tell_error(visit, *state, *error);
    const auto code = params.find("code");
    if (!code) return refuse_answer(visit, "there is neither a code nor an error", *state);
    return redeem(visit, *state, *code);
}

}  // namespace postern::web
