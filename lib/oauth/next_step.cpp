// Decides the next step of an authorization request. Login before consent, consent before the code; `prompt=none` shows
// nothing. A user who may not use the client is told so before the server asks for consent.
#include "oauth/next_step.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/redirect_rules.h"
#include "refusal/reason.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

bool asks(const AuthorizationInput& s, model::Prompt prompt) { return s.request.prompt.contains(prompt); }

/// Progress of a request counts only while the same user is logged in; another user starts over.
bool progress_is_ours(const AuthorizationInput& s) {
    return s.progress && s.session && s.progress->subject == s.session->subject;
}

/// A login made for this very request is the only thing that satisfies `prompt=login` or a stale `max_age`.
bool logged_in_for_this(const AuthorizationInput& s) { return progress_is_ours(s) && s.progress->logged_in; }

/// The interface specification, authorize rule 2: whole seconds, stale when now > auth_time + max_age; 0 always asks.
bool login_is_stale(const AuthorizationInput& s) {
    if (!s.request.max_age) return false;
    return s.request.max_age->count() == 0 || is_stale_login(s.session->auth_time, *s.request.max_age, s.now);
}

/// OpenID Connect Core §3.1.2.2: the client wants this user and no other.
bool is_another_user(const AuthorizationInput& s) {
    return s.session && s.request.hinted_subject && s.session->subject != *s.request.hinted_subject;
}

/// The session began while the web server let users in, so its level is unknown: it does not count as a login.
bool is_of_former_method(const AuthorizationInput& s) {
    return s.session && s.level == model::Level::unknown && s.highest > model::Level::unknown;
}

/// Perhaps as another user: the one who is logged in decides nothing yet.
bool needs_user(const AuthorizationInput& s) {
    if (!s.session || is_another_user(s) || is_of_former_method(s)) return true;
    return (asks(s, model::Prompt::login) || asks(s, model::Prompt::select_account)) && !logged_in_for_this(s);
}

model::Level demanded_of(const AuthorizationInput& s) {
    return std::max(s.demanded, demanded_of_request(s.client, s.request));
}

/// A level that a client only wishes for is asked of a user who has it (OpenID Connect Core §3.1.2.1). A user who has
/// given a code, because the passkey is elsewhere, has answered: a page with the passkey alone would make the wish a
/// demand.
bool is_wish_open(const AuthorizationInput& s) {
    if (s.level >= model::Level::second_factor) return false;
    return s.level < s.request.acr.wished && s.request.acr.wished <= s.within_reach;
}

/// Returns the refusal when the user has not got the demanded factor and cannot set it up on the way (LEVEL-5): a
/// passkey beside another second factor, or any second factor where the password is not enough for the first one. Where
/// the operator demands it of the user or the client, a page says whom to ask.
std::optional<OAuthError> find_unmet(const AuthorizationInput& s) {
    constexpr const char* kNotSetUp = "the user has not set up what is required";
    if (s.within_reach >= demanded_of(s)) return std::nullopt;
    if (s.within_reach >= model::Level::second_factor)
        return make_error(Reason::unmet_requirements_no_passkey, kNotSetUp,
                          "the user has no passkey, which client set --acr phr or an essential acr requires");
    const bool is_of_operator = std::max(s.demanded, s.client.level) >= model::Level::second_factor;
    if (!s.may_set_up && !is_of_operator)
        return make_error(
            ErrorCode::unmet_authentication_requirements, kNotSetUp,
            "the user has no second factor, which an essential acr requires, and login.enrolment does not "
            "let a password set one up");
    return std::nullopt;
}

bool needs_fresh_login(const AuthorizationInput& s) { return login_is_stale(s) && !logged_in_for_this(s); }

/// RFC 8252 §8.6: any program on the machine can receive the answer at such an address, so that earlier approvals prove
/// nothing. A code is worthless there without the secret of a confidential client; a token is not. A code of a site is
/// spent by the gate alone, for the browser that asked.
bool any_program_gains(const AuthorizationInput& s) {
    if (s.client.site) return false;
    const bool needs_secret =
        s.client.type == model::ClientType::confidential && !model::yields_any_token(s.request.response_type);
    return !needs_secret && is_loopback_or_private(s.request.redirect_uri);
}

bool needs_consent(const AuthorizationInput& s) {
    if (progress_is_ours(s) && s.progress->decision == model::Decision::approved) return false;
    if (asks(s, model::Prompt::consent) || any_program_gains(s)) return true;
    if (model::is_of_stranger(s.client)) return true;  // docs/decisions/0136
    if (s.client.first_party) return false;
    return !(s.consent && is_approved(*s.consent, s.request, s.released_claims));
}

Reason consent_reason(const AuthorizationInput& s) {
    return model::is_of_stranger(s.client) ? Reason::consent_required_each_time : Reason::consent_required;
}

/// Returns whether an approval of `scope` and of the claims `by_name` covers this request.
bool covers(const model::Scope& scope, const model::ClaimNames& by_name, const model::AuthorizationRequest& request,
            const model::ReleasedClaims& released_claims) {
    const model::ClaimNames claims = request.claims.all();
    return request.scope.is_subset_of(scope) && std::ranges::all_of(claims, [&](const std::string& claim) {
               return by_name.contains(claim) || released_claims.is_released_by(scope, claim);
           });
}

}  // namespace

bool is_approved(const model::Consent& consent, const model::AuthorizationRequest& request,
                 const model::ReleasedClaims& released_claims) {
    if (request.resources.empty()) {
        const bool is_of_resources_alone = consent.scope.empty() && !consent.resources.empty();
        return !is_of_resources_alone && covers(consent.scope, consent.claims, request, released_claims);
    }
    return std::ranges::all_of(request.resources, [&](const std::string& uri) {
        const auto approved = consent.resources.find(http::one_spelling(uri));
        return approved != consent.resources.end() &&
               covers(approved->second, consent.claims, request, released_claims);
    });
}

model::Level demanded_of_request(const model::Client& client, const model::AuthorizationRequest& request) {
    return std::max(client.level, request.acr.demanded);
}

OAuthError may_not_use() {
    return make_error(Reason::access_denied_may_not_use, "the user may not use this client",
                      "the client is restricted, and neither the user nor a group of the user is allowed");
}

OAuthError login_unproved() {
    return make_error(ErrorCode::login_required, "the login that the request requires cannot be proved",
                      "another user than the one asked for is signed in at the web server, or its login is older "
                      "than the request; login.authTimeFromEnvironment names the variable that tells its time");
}

NextStep next_step(const AuthorizationInput& s) {
    if ((s.progress && s.progress->used) || s.is_push_used) return AlreadyUsed{};
    // Denial is a third state next to unset and approved (RFC 6749 §4.1.2.1).
    if (progress_is_ours(s) && s.progress->decision == model::Decision::denied)
        return Refuse{make_error(ErrorCode::access_denied, "the user denied the request"), true};
    // The login form asked for the user that the client wants, and another user logged in.
    if (is_another_user(s) && logged_in_for_this(s))
        return Refuse{make_error(ErrorCode::login_required, "another user than the one asked for has logged in",
                                 "the client named the user by id_token_hint or by the sub of claims"),
                      true};

    const bool silent = asks(s, model::Prompt::none);  // OpenID Connect Core §3.1.2.6
    const auto log_in = [&]() -> NextStep {
        if (silent) return Refuse{make_error(ErrorCode::login_required, "the user must log in")};
        return ShowLogin{};
    };
    if (demanded_of(s) > s.highest)
        return Refuse{make_error(Reason::unmet_requirements_not_offered, "no login here is worth what is required",
                                 "the client (client set --acr) or an essential acr requires a second factor, which "
                                 "login.method or login.secondFactor does not offer")};
    if (needs_user(s)) return log_in();
    if (!s.may_use) {
        if (silent) return Refuse{may_not_use()};
        return ShowMayNotUse{};
    }
    if (needs_fresh_login(s)) return log_in();
    if (s.level < demanded_of(s)) {
        if (silent)
            return Refuse{
                make_error(Reason::login_required_second_factor, "the user must log in with a second factor")};
        if (auto unmet = find_unmet(s)) return Refuse{std::move(*unmet)};
        if (s.within_reach < demanded_of(s)) return ShowEnrolment{};
        return ShowSecondStep{};
    }
    if (is_wish_open(s) && !silent) return ShowSecondStep{};
    if (needs_consent(s)) {
        if (silent) return Refuse{make_error(consent_reason(s), "the user must approve the request")};
        return ShowConsent{};
    }
    return IssueCode{};
}

}  // namespace postern::oauth
