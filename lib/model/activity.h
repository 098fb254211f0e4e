// The events of an account, as its owner and the operator are told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

/// A closed list. What `ActivityLine::detail` holds is said behind each; otherwise it is "".
enum class ActivityKind {
    signed_in,                     ///< the login's methods (`amr`), or "": the web server let the user in
    second_step_done,              ///< a session was raised; the methods
    second_step_failed,            ///< in a place from which the user has completed a login of late
    second_step_failed_elsewhere,  ///< in any other: somebody there knows the password (TOTP-10)
    recovery_code_used,
    device_remembered,
    device_forgotten,
    password_changed,
    app_added,
    app_removed,
    recovery_codes_made,
    recovery_codes_removed,
    passkey_added,        ///< its name
    passkey_removed,      ///< its name
    passkey_suspended,    ///< its name
    passkey_resumed,      ///< its name
    application_allowed,  ///< client_id
    application_removed,  ///< client_id
    device_allowed,       ///< client_id of the application on it
    session_ended,
    sessions_ended,   ///< all but the one from which it was asked for; by the operator, all
    profile_changed,  ///< the names of the claims, with single blanks between them; never a value
    link_made,        ///< its purpose, as table `links` has it
    link_used,        ///< likewise; the password was chosen with it, and "factors" has removed the second factors;
                      ///< or kUsedForPasskey
};

struct ActivityLine {
    util::Time at{};
    ActivityKind what = ActivityKind::signed_in;
    std::string agent = {};    ///< as web/agent_label.h names a browser, or kOperatorAgent; "": not known
    std::string address = {};  ///< "": not kept
    std::string detail = {};

    bool operator==(const ActivityLine&) const = default;
};

/// The purpose of a `link_used` without one: no password was chosen with that invitation.
inline constexpr const char* kUsedForPasskey = "passkey";

/// The `agent` of a line about an act of the operator with the command. No browser has this name.
inline constexpr std::string_view kOperatorAgent = "administrator";

/// Returns the name of an event in the database and `--json`: "signed_in".
std::string_view word_of(ActivityKind what);
/// Reads the word of word_of; nullopt for any other word.
std::optional<ActivityKind> parse_happened(std::string_view word);

/// Returns one short sentence without a full stop, for the owner: "Signed in with a password and a code". The detail is
/// part of it only where it is of a closed list. Catalogues have the sentence.
const char* describe(const ActivityLine& line);

}  // namespace postern::model
