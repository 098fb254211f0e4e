// Signing in: passwords, second factors, the web server and saslauthd.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr const char* kFactorKeyAdvice =
    "Without keys/factor.key no code can be checked and no app can be set up. Restore the file from the backup that belongs to the "
    "database; where no user has a second factor yet, `postern key repair` makes one. Then start login and account again.";

constexpr Row kRows[] = {
    {too_busy, "too_busy", too_busy,
     "More passwords arrived at once than login.hashSlots allows. If that is usual, raise it; each hash takes 16 MiB."},
    {login_failed, "login_failed", login_failed,
     "The name or the password was wrong, or the user is disabled; `postern user show NAME`, then `postern user passwd "
     "NAME` or `postern user enable NAME`."},
    {login_failed_saslauthd_refused, "login_failed_saslauthd_refused", login_failed,
     "saslauthd knows no such name, or another password for it. Ask it with testsaslauthd, with the service and realm of "
     "login.saslauthd; what it says itself is in the log of the machine (`journalctl -u saslauthd`)."},
    {login_failed_saslauthd_no_user, "login_failed_saslauthd_no_user", login_failed,
     "The password is right, and no user here has that name, byte by byte: `postern user add NAME`, or \"autoCreate\" in \"login\" "
     "makes a user of each name that saslauthd accepts, unless something in the name cannot be seen."},
    {login_throttled, "login_throttled", login_throttled,
     "Too many failures from this address or for this name; it ends by itself after login.window seconds."},
    {password_refused, "password_refused", password_refused,
     "On the page of the account the present password was wrong, or it was changed meanwhile. Failures count as those "
     "of a login do; `postern user passwd NAME` sets another password."},
    {password_change_missing, "password_change_missing", password_change_missing,
     "The user's password was set with --must-change, and paths.account is null: there is no page for another one. `postern user "
     "passwd NAME` sets one that stays, `postern user reset-link NAME` lets the user choose."},
    {remote_user_missing, "remote_user_missing", remote_user_missing,
     "login.method is \"remote_user\", and the web server lets users through to the login without a name. Let it ask "
     "every user to sign in at that path, or name its variable in login.remoteUserVariable."},
    {remote_user_unusable, "remote_user_unusable", remote_user_unusable,
     "The name that the web server passes on is too long or holds characters that cannot be shown. Let it pass on "
     "another attribute."},
    {account_unknown, "account_unknown", account_unknown,
     "The web server has signed the user in, but there is no such user here: `postern user add NAME`, or "
     "login.autoCreate makes users at their first login."},
    {account_disabled, "account_disabled", account_disabled,
     "The web server has signed the user in, but the user is disabled here; `postern user enable NAME`."},
    {profile_refused, "profile_refused", profile_refused,
     "The profile was not changed, because what was typed is no value of the claim that the detail names. The page says what to "
     "do."},
    {app_refused, "app_refused", app_refused,
     "No authenticator app was turned on, for the reason in the detail: a wrong code, a page that was open for too long or not "
     "of this browser, or a change of the account meanwhile. The page shows what to do; nothing was changed."},
    {app_refused_no_factor_key, "app_refused_no_factor_key", app_refused, kFactorKeyAdvice},
    {app_refused_clock_off, "app_refused_clock_off", app_refused,
     "The clock of the user's device differs from this machine's by what the detail says, so the app was not turned on. Let the "
     "device set its time by the network."},
    {codes_refused, "codes_refused", codes_refused,
     "No recovery codes were made, because keys/factor.key is missing. Restore the file from the backup that belongs to the "
     "database, or make one with `postern key repair`; then start login and account again."},
    {passkey_change_refused, "passkey_change_refused", passkey_change_refused,
     "No passkey was added, named or removed on the page of the account, for the reason in the detail: an answer of the browser "
     "that does not belong to the page, a page that was open for too long, 20 passkeys already, or one that the user cannot do "
     "without. The page says what to do; nothing was changed."},
    {passkey_change_refused_origin, "passkey_change_refused_origin", passkey_change_refused,
     "The browser had the page at another address than the issuer's. Users must open the account at the issuer, and a proxy must "
     "not serve it under a second name."},
    {passkey_refused, "passkey_refused", passkey_refused,
     "A passkey was not accepted; the user was told nothing but that. The detail is the rule of WebAuthn that was broken, or says that the "
     "passkey is suspended, of another host or user, or switched off. `postern user passkeys NAME` shows the passkeys of a user."},
    {passkey_suspended, "passkey_suspended", passkey_suspended,
     "The counter of the user's only second factor has not grown, so there may be a copy of it, and the password alone does not "
     "take its place. If the user knows of no copy: `postern user passkeys NAME --resume ID`. Otherwise `postern user reset-link "
     "NAME --factors`."},
    {second_factor_failed, "second_factor_failed", second_factor_failed,
     "The password was right and the code was not. The line second_factor_failed of the audit log with this request id names the "
     "user. If the user did not try to sign in, the password is known to somebody else: `postern user passwd NAME`."},
    {second_factor_failed_clock_off, "second_factor_failed_clock_off", second_factor_failed,
     "The clock of the user's device differs from this machine's by what the detail says, and codes count for 30 seconds. Let "
     "the device set its time by the network. If many users have this, the clock here is wrong: `postern doctor` looks at it."},
    {second_factor_failed_used_before, "second_factor_failed_used_before", second_factor_failed,
     "Each code counts once, also one that was typed in another tab. The user should wait for the next one."},
    {second_factor_failed_no_app, "second_factor_failed_no_app", second_factor_failed,
     "The user has recovery codes only, of sixteen digits, and typed six. `postern user factors NAME` shows what there is."},
    {second_factor_failed_recovery_code, "second_factor_failed_recovery_code", second_factor_failed,
     "A recovery code counts once, and new codes end all earlier ones. `postern user factors NAME` says how many are unused; the "
     "user makes new ones in the account, with a code of the app."},
    {second_factor_throttled, "second_factor_throttled", second_factor_throttled,
     "Ten codes in a row were wrong, after a right password; the next one is looked at when the time in the detail is over. If "
     "the user did not try to sign in, the password is known to somebody else: `postern user passwd NAME`. `postern user factors "
     "NAME --resume` ends the wait."},
    {second_factor_throttled_everywhere, "second_factor_throttled_everywhere", second_factor_throttled,
     "A hundred codes in a row were wrong, after a right password: it may be known to somebody else. Ask the user. `postern user "
     "passwd NAME` sets another password and lets codes count again; `postern user factors NAME --resume` does so without one."},
    {second_factor_missing, "second_factor_missing", second_factor_missing,
     "A second factor is required of this login, the user has none, and login.enrolment \"link\" or paths.account null does not "
     "let the password alone set one up. `postern user reset-link NAME`, or `postern user invite NAME` for a user without a password, "
     "makes a link; in the 1800 seconds after it was used, the user sets one up at the login. \"enrolment\": \"login\" lets all "
     "users do so; `postern user set NAME "
     "--second-factor default` requires none of the user, if neither a group, the configuration nor the client does."},
    {second_factor_missing_no_factor_key, "second_factor_missing_no_factor_key", second_factor_missing,
     kFactorKeyAdvice},
    {temporarily_unavailable, "temporarily_unavailable", temporarily_unavailable,
     "The database was busy or could not be written. `postern doctor` checks it; a full disk or a long-running copy of "
     "the file are usual causes. With a line replay_store_full of this request in the audit log it was the store of used "
     "assertions and proofs: full (raise replays.maxSize), or locked by another program for 2 seconds."},
    {temporarily_unavailable_device_codes, "temporarily_unavailable_device_codes", temporarily_unavailable,
     "device.max device codes are open, or half of it by clients without a secret. They expire after deviceCodeTTL seconds; "
     "`postern stats` counts them. If that is usual, raise device.max; if one client or address asks for them all, disable the "
     "client or limit the address in the web server."},
    {temporarily_unavailable_assertions, "temporarily_unavailable_assertions", temporarily_unavailable,
     "Each JWT with which a client authenticates is remembered until it expires. This client has used a quarter of the room. Let "
     "it make JWTs that live for a minute and keep its access tokens for as long as they are good, or raise replays.maxSize."},
    {temporarily_unavailable_proofs, "temporarily_unavailable_proofs", temporarily_unavailable,
     "Each DPoP proof is remembered for as long as it is good, about \"dpopMaxAge\" seconds. The proofs of this client, grant or "
     "key have used a quarter of the room. Let the application keep its access tokens for as long as they are good, or raise "
     "replays.maxSize."},
    {temporarily_unavailable_client_keys, "temporarily_unavailable_client_keys", temporarily_unavailable,
     "The keys of the client are at its jwks_uri, and too many fetches are under way or were made in this minute. Register the "
     "keys themselves: `postern client set {client} --jwks FILE`.",
     "The keys of the client are at its jwks_uri, and too many fetches are under way or were made in this minute."},
    {temporarily_unavailable_saslauthd, "temporarily_unavailable_saslauthd", temporarily_unavailable,
     "saslauthd did not answer as it should: it does not run, this process may not connect to its socket, or it waits for a "
     "directory that is slow or away. `postern doctor` asks it; `journalctl -u saslauthd` has what it says itself."},
    {temporarily_unavailable_not_saslauthd, "temporarily_unavailable_not_saslauthd", temporarily_unavailable,
     "Another program than saslauthd listens at the socket: name saslauthd's in \"login\": {\"saslauthd\": {\"socket\": ...}}."},
    {temporarily_unavailable_no_factor_key, "temporarily_unavailable_no_factor_key", temporarily_unavailable,
     kFactorKeyAdvice},
    {temporarily_unavailable_other_factor_key, "temporarily_unavailable_other_factor_key", temporarily_unavailable,
     "The secret of this user's app was sealed with another factor.key. Restore the file from the backup that belongs to the "
     "database and start login and account again. If it is lost, `postern user factors SUB --remove all`, with the `sub` of the "
     "detail, lets the user set up a new app."},
    {temporarily_unavailable_other_codes_key, "temporarily_unavailable_other_codes_key", temporarily_unavailable,
     "The recovery codes of this user were made under another factor.key. Restore the file from the backup that belongs to the "
     "database and start login and account again. If it is lost, `postern user factors SUB --remove codes`, with the `sub` of the "
     "detail, ends them, and the user makes new ones in the account."},
};

}  // namespace

constinit const std::span<const Row> kSignInRows = kRows;

}  // namespace postern::refusal
