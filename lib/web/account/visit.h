// The user and the page of a visit to the account, and the checks that come before a change.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"
#include "login/activity.h"
#include "model/session.h"
#include "store/second_factor.h"
#include "store/sessions.h"
#include "web/account/page.h"
#include "web/csrf.h"
#include "web/interaction.h"

namespace postern::web {

/// One request of a signed-in user to a page of the account. What is shown or changed is that user's: no id in a form
/// is believed without the subject of this session.
struct AccountVisit {
    Interaction& interaction;
    const AccountPages& pages;
    model::Session session;
    std::string page;  ///< the path of the page, relative to the issuer
    Form form;         ///< what its forms are called in CSRF tokens

    oauth::Context& context() const { return interaction.context; }
    const http::Request& request() const { return interaction.request; }
    const model::Subject& subject() const { return session.subject; }
    /// Adds a line to the user's activity, in the transaction of the event, which holds the user's row.
    void note(db::Transaction& transaction, model::ActivityKind what, std::string detail = {}) const {
        login::note_activity(context(), transaction, interaction.browser, subject(), what, std::move(detail));
    }
    std::string url() const { return interaction.context.settings.url(page); }
    http::Response with_browser_id(const std::function<http::Response()>& make) const {
        return login::with_browser_id(context(), interaction.browser, make);
    }
};

/// Returns the frame of this page, with the change that `done` in the address names.
AccountFrame frame_of(const AccountVisit& visit);

/// Returns the frame of the page at `suffix` behind `paths.account`, for a visit with a half login.
HalfLoginFrame frame_of(Interaction& interaction, const LoginVisit& visit, Form form, const char* suffix);

/// Redirects to the missing half of the login, and then to this page again, when less than the user must have was
/// shown.
std::optional<http::Response> refuse_weak_login(AccountVisit& visit);

/// Redirects to the login before a change, and then to this page again, when the last login is older than
/// `account.reauthentication` or was without the second factor that the user has.
std::optional<http::Response> refuse_stale_login(AccountVisit& visit);

/// The parameter in the address of a page behind a login that was asked for because a change needs a newer login, where
/// the web server signs users in: the web server may report the earlier login once more, and asking again would not
/// change that.
inline constexpr const char* kAfterNewLogin = "after-login";
/// Returns true when the login is too old for a change although a newer one was asked for.
bool is_too_old_again(const AccountVisit& visit);

/// Returns false where no change can ever be made: the web server signs users in and does not tell when they logged in.
bool knows_login_time(const AccountVisit& visit);

/// Returns the second factors that the user has to log in with now.
store::SecondFactorState factors_of(const AccountVisit& visit);

/// Returns true when the user's own logins must have a second factor. `user` is the state of the user of the visit, as
/// login::find_factor_state reads it.
bool must_have_second_factor(const AccountVisit& visit, const store::SecondFactorState& user);

/// Returns true when the user has no second factor, `login.enrolment` lets a password set none up, and no link was used
/// of late: a thief of the password must not be first (POLICY-4).
bool needs_link(const AccountVisit& visit);
inline constexpr const char* kNeedsLink = text::tr(
    "A password alone does not set up the first one here. Ask the administrator of this service "
    "for a link, and come back within 30 minutes of using it.");
inline constexpr const char* kNeedsLinkDetail =
    "the user has no second factor, login.enrolment is link, and no link was used in the last 1800 s";

/// Returns the page that refuses a form which is not of this browser, session and page; nullopt: the form is of them.
std::optional<http::Response> refuse_foreign_form(AccountVisit& visit);

/// Returns the page that refuses a form with a field that is faulty or missing. Nothing was changed.
http::Response refuse_malformed_form(const AccountVisit& visit, const std::string& detail);

/// The changes that the address of a page can report: a closed list, for an address says no other text.
enum class AccountDone {
    password_changed,
    app_on,
    app_removed,
    passkey_added,
    passkey_named,
    passkey_removed,
    codes_shown_once,  ///< nothing was changed: they were shown by an answer of before
    signed_out,
    signed_out_elsewhere,
    device_forgotten,
    access_removed,
    profile_changed,
    email_asked,  ///< the new address counts once its link was opened (ACCOUNT-11)
};
/// Redirects to this page with 303, where `what` is reported.
http::Response done(const AccountVisit& visit, AccountDone what);
/// Returns the sentence in which the page reports `what`.
text::Message message_of(AccountDone what);

/// Writes to the audit log the sessions that the user has ended.
void note_ended(const AccountVisit& visit, const std::vector<store::EndedSession>& all);

}  // namespace postern::web
