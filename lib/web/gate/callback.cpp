// Decides what becomes of a code that a browser brings to a site.
#include "web/gate/callback.h"

#include "crypto/digest.h"
#include "gate/cookies.h"
#include "gate/state.h"
#include "http/headers.h"
#include "http/params.h"
#include "oauth/error.h"
#include "oauth/grant_authorization_code.h"

namespace postern::web {
namespace {

using oauth::CodeConsequence;
using refusal::Reason;

constexpr util::Seconds kMarkTtl{60};
constexpr std::size_t kMostBrowserCookies = 4;
constexpr std::size_t kRandomBytes = 43;

gate::CookieNames names_of(const GateVisit& visit) {
    return gate::cookie_names(visit.context.settings, visit.found.url);
}

std::string destination(const GateVisit& visit, const gate::State& state) {
    return visit.found.url.origin + state.target;
}

bool is_of_this_browser(const GateVisit& visit, const gate::State& state) {
    bool is_bound = false;
    for (const std::string& value :
         http::find_cookie_values(visit.request.cookie, names_of(visit).browser, kRandomBytes, kMostBrowserCookies))
        if (crypto::equal_constant_time(gate::browser_mark(value), state.browser)) is_bound = true;
    return is_bound;
}

/// Sends the browser to where it wanted to go, where the check begins again: by now the provider has a session. Once a
/// minute, because a browser without cookies would go round for ever.
http::Response begin_again(const GateVisit& visit, const gate::State& state, const std::string& why) {
    const gate::CookieNames names = names_of(visit);
    if (!http::find_cookie_values(visit.request.cookie, names.again, 1, 1).empty())
        return visit.refuse(Reason::session_cookie_missing, why + ", twice within a minute",
                            {.try_again = destination(visit, state)});
    http::Response response = http::see_other(destination(visit, state));
    response.add("Set-Cookie", http::set_path_cookie({names.again, "1", names.path, names.security, kMarkTtl}));
    return response;
}

http::Response refuse_answer(const GateVisit& visit, const std::string& why, const gate::State& state) {
    return visit.refuse(Reason::resume_invalid, why, {.try_again = destination(visit, state)});
}

/// The user has pressed "back", or something is wrong with the site's registration.
http::Response tell_error(const GateVisit& visit, const gate::State& state, std::string_view error) {
    constexpr std::size_t kShown = 64;
    return refuse_answer(visit, "the authorization endpoint answered " + std::string(error.substr(0, kShown)), state);
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
    http::Response response = http::see_other(destination(visit, state));
    response.add("Set-Cookie", gate::keep_signed_in(names_of(visit), value, visit.found.site.site->session_ttl));
    return response;
}

http::Response redeem(const GateVisit& visit, const gate::State& state, std::string_view code) {
    const oauth::AuthorizationCodeGrant grant{std::string(code), visit.own("callback"), state.code_verifier, {}};
    const auto usable = oauth::find_usable_code(visit.context, visit.found.site, grant);
    if (!usable) {
        // Two tabs, or the way back in the history: nothing is spent by it.
        if (was_spent(usable.error())) return begin_again(visit, state, "the code was spent before");
        return refuse_answer(visit, oauth::settle(visit.context, visit.found.site, usable.error()).log_detail, state);
    }
    if (usable->stored.code.nonce != state.nonce) return refuse_answer(visit, "the code is of another request", state);
    const auto spent = oauth::spend_code(visit.context, usable->stored);
    if (!spent) return begin_again(visit, state, "the code was spent at the same time");
    return keep(visit, state, usable->stored);
}

}  // namespace

http::Response answer_callback(const GateVisit& visit) {
    constexpr std::size_t kMostParameters = 16;
    const auto params = http::Params::parse(visit.question.query, kMostParameters);
    const auto state =
        params ? gate::open_state(visit.context, params->find("state").value_or("")) : std::optional<gate::State>();
    if (!state || state->client != visit.found.site.id)
        return visit.refuse(Reason::resume_invalid, "the state is not a seal of the gate for this site",
                            {.try_again = visit.found.url.str()});
    // RFC 9207 §2.4: the answer of another server.
    if (params->find("iss").value_or(visit.context.settings.issuer) != visit.context.settings.issuer)
        return refuse_answer(visit, "iss is not this server", *state);
    if (!is_of_this_browser(visit, *state)) return begin_again(visit, *state, "the browser cookie did not come back");
    if (visit.context.now() >= state->expires_at) return begin_again(visit, *state, "the state has expired");
    if (const auto error = params->find("error")) return tell_error(visit, *state, *error);
    const auto code = params->find("code");
    if (!code) return refuse_answer(visit, "there is neither a code nor an error", *state);
    return redeem(visit, *state, *code);
}

}  // namespace postern::web
