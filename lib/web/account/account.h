// The pages of a user's account: which there are, what each shows, and what its form changes. account() calls the
// others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/message.h"
#include "oauth/settings.h"
#include "web/account/visit.h"

namespace postern::web {

/// Returns the paths of the pages that this configuration offers, relative to the issuer: none with
/// `paths.account: null`.
std::vector<std::string> account_paths(const oauth::Settings& settings);

/// Returns the language as Interaction::language does, where the claim `locale` of the signed-in user counts too: this
/// program may read it.
const text::Catalogue& account_language(Interaction& interaction);

/// Answers with the page that the request's path names. Without a session the login comes first. A GET changes nothing;
/// a POST changes something when it is a form of this browser, session and page.
http::Response account(Interaction& interaction, const AccountPages& pages);

/// Returns the first page of the account: who is signed in, and what there is to manage.
http::Response show_overview(AccountVisit& visit);

/// Returns the page of what is known about the user (ACCOUNT-11, ACCOUNT-12).
http::Response show_profile(AccountVisit& visit);
/// Changes the claims that the user may change.
http::Response submit_profile(AccountVisit& visit);

/// Returns true where Postern checks passwords itself.
bool has_password_page(const oauth::Settings& settings);
/// Returns the form, after a recent login: else what was typed into it would be lost.
http::Response show_password(AccountVisit& visit);
/// Checks the present password, counted as a login's, and sets the new one. Behind a login by passkey alone the new one
/// is enough (ACCOUNT-6). A user without a password who has logged in otherwise changes nothing. With the change
/// everything else of the user ends, as with `postern user passwd`: the other sessions and all grants. This session
/// goes on with another cookie value.
http::Response submit_password(AccountVisit& visit);

/// Returns true where Postern checks passwords itself, unless second factors are off. The page of recovery codes is
/// there with the page of the app.
bool has_app_page(const oauth::Settings& settings);
/// Returns the app that is on, or one that can be turned on, which has a new key each time and needs a recent login.
/// Without factor.key the page says that apps are not set up here.
http::Response show_app(AccountVisit& visit);
/// Turns an app on when a code of it is right, in place of the one that was on (TOTP-7), or removes it, after a recent
/// login. The answer to the first second factor shows the recovery codes; otherwise it is 303.
http::Response submit_app(AccountVisit& visit);

/// Lists all passkeys of the user; with `add` in the query it is the form that adds one, which needs a recent login.
http::Response show_passkeys(AccountVisit& visit);
/// Adds the passkey that a browser has made (WebAuthn §7.1), renames a passkey, or removes it, after a recent login.
/// The answer to the first second factor shows the recovery codes; otherwise it is 303.
http::Response submit_passkeys(AccountVisit& visit);

/// Tells how many recovery codes are left; with `new` in the query it asks whether to make new ones, after a recent
/// login.
http::Response show_codes(AccountVisit& visit);
/// Makes new codes after a recent login and shows them, once for each page that asked (docs/decisions/0073).
http::Response submit_codes(AccountVisit& visit);
/// Writes the audit line of codes that have been committed, and shows them, this once. `done` says what else has been
/// changed, or "". `next`: URL of the page that follows, the overview unless it is given.
http::Response show_new_codes(AccountVisit& visit, const std::vector<std::string>& codes, const text::Message& done,
                              const std::string& next = "");

/// Counts the browsers in which the user is signed in, also those that the page leaves out.
std::int64_t count_devices(const AccountVisit& visit);
/// Lists the browsers in which the user is signed in, and the remembered ones.
http::Response show_devices(AccountVisit& visit);
/// Signs one of them out, or all but this. That needs no recent login: it only takes away.
http::Response submit_devices(AccountVisit& visit);

/// Counts the applications that show_applications lists.
std::int64_t count_applications(const AccountVisit& visit);
/// Lists the applications that have access to something of the user's: no sites.
http::Response show_applications(AccountVisit& visit);
/// Withdraws the consent to one of them and ends its grants. That needs no recent login: it only takes away.
http::Response submit_applications(AccountVisit& visit);

/// Lists the events of the last time in the account (ACCOUNT-13).
http::Response show_activity(AccountVisit& visit);

/// Returns true where a second factor is asked for. With `login.enrolment` "link" it serves users who have just used
/// one, so it is false where no page opens links.
bool has_enrolment_page(const oauth::Settings& settings);
/// Returns the page on which a user who must have a second factor and has none completes a half login (POLICY-4): the
/// form that makes a passkey, and the key of an app with the form for its first code. A client that wants level 3 is
/// not served with an app. Without such a half login it is 303 to the login page.
http::Response show_enrolment(Interaction& interaction, const AccountPages& pages);
/// Adds a passkey, or turns the app on with a right code, and starts the session, in one transaction. The answer shows
/// the recovery codes, with the way on to the destination of the login.
http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages);

/// Returns true where passwords are kept here.
bool has_password_change_page(const oauth::Settings& settings);
/// Returns the page on which a user whose password was set by the operator chooses another one, before the login is
/// whole (PASSWORD-5, docs/decisions/0082-passwords-to-change.md): in a half login that has proved everything else that
/// the login demands. Otherwise it is 303 to the login page.
http::Response show_password_change(Interaction& interaction, const AccountPages& pages);
/// Sets the new password and ends everything that the old one has given. The session starts in the same transaction.
/// Where the user must set up a second factor first, the page for that comes next, in the half login.
http::Response submit_password_change(Interaction& interaction, const AccountPages& pages);

}  // namespace postern::web
