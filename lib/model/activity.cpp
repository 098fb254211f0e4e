// The words for what has happened to an account.
#include "model/activity.h"

#include <algorithm>
#include <string>

#include "model/authentication.h"
#include "model/link.h"
#include "util/tr.h"

namespace postern::model {
namespace {

using util::tr;

struct Row {
    ActivityKind what;
    std::string_view word;
    const char* text;
};
constexpr Row kRows[] = {
    {ActivityKind::signed_in, "signed_in", tr("Signed in")},
    {ActivityKind::second_step_done, "second_step_done", tr("Confirmed the sign-in")},
    {ActivityKind::second_step_failed, "second_step_failed", tr("A right password, and a wrong second step")},
    {ActivityKind::second_step_failed_elsewhere, "second_step_failed_elsewhere",
     tr("A right password in a new place, and a wrong second step")},
    {ActivityKind::recovery_code_used, "recovery_code_used", tr("Used a recovery code")},
    {ActivityKind::device_remembered, "device_remembered", tr("Turned off the second step on a device")},
    {ActivityKind::device_forgotten, "device_forgotten", tr("Turned the second step on again on a device")},
    {ActivityKind::password_changed, "password_changed", tr("Changed the password")},
    {ActivityKind::app_added, "app_added", tr("Turned on an authenticator app")},
    {ActivityKind::app_removed, "app_removed", tr("Removed the authenticator app")},
    {ActivityKind::recovery_codes_made, "recovery_codes_made", tr("Made recovery codes")},
    {ActivityKind::recovery_codes_removed, "recovery_codes_removed", tr("Removed the recovery codes")},
    {ActivityKind::passkey_added, "passkey_added", tr("Added a passkey")},
    {ActivityKind::passkey_removed, "passkey_removed", tr("Removed a passkey")},
    {ActivityKind::passkey_suspended, "passkey_suspended",
     tr("A passkey was suspended, because a copy of it may exist")},
    {ActivityKind::passkey_resumed, "passkey_resumed", tr("A suspended passkey counts again")},
    {ActivityKind::application_allowed, "application_allowed", tr("Allowed an application")},
    {ActivityKind::application_removed, "application_removed", tr("Removed the access of an application")},
    {ActivityKind::device_allowed, "device_allowed", tr("Connected a device to an application")},
    {ActivityKind::session_ended, "session_ended", tr("Signed out a device")},
    {ActivityKind::sessions_ended, "sessions_ended", tr("Signed out everywhere else")},
    {ActivityKind::profile_changed, "profile_changed", tr("Changed the profile")},
    {ActivityKind::link_made, "link_made", tr("Made a link for a new password")},
    {ActivityKind::link_used, "link_used", tr("Chose a password with a link")},
};

const Row& row_of(ActivityKind what) {
    return *std::ranges::find_if(kRows, [&](const Row& row) { return row.what == what; });
}

/// The methods that tell how a login was done, in the order in which methods_of has them.
struct Way {
    std::string_view methods;
    const char* signed_in;
    const char* second_step_done;
};
constexpr Way kWays[] = {
    {"pwd", tr("Signed in with a password"), tr("Confirmed the sign-in with a password")},
    {"otp", tr("Signed in with a code"), tr("Confirmed the sign-in with a code")},
    {"pop", tr("Signed in with a passkey"), tr("Confirmed the sign-in with a passkey")},
    {"pwd otp", tr("Signed in with a password and a code"), tr("Confirmed the sign-in with a password and a code")},
    {"pwd pop", tr("Signed in with a password and a passkey"),
     tr("Confirmed the sign-in with a password and a passkey")},
    {"otp pop", tr("Signed in with a code and a passkey"), tr("Confirmed the sign-in with a code and a passkey")},
    {"pwd otp pop", tr("Signed in with a password, a code and a passkey"),
     tr("Confirmed the sign-in with a password, a code and a passkey")},
};

/// nullptr for methods that are not known.
const Way* way_of(std::string_view amr) {
    const auto done = methods_of(amr);
    std::string methods;
    for (const std::string_view method : {"pwd", "otp", "pop"})
        if (std::ranges::find(done, method) != done.end()) methods.append(methods.empty() ? "" : " ").append(method);
    const auto* way = std::ranges::find(kWays, methods, &Way::methods);
    return way == std::end(kWays) ? nullptr : way;
}

}  // namespace

std::string_view word_of(ActivityKind what) { return row_of(what).word; }

std::optional<ActivityKind> parse_happened(std::string_view word) {
    const auto* row = std::ranges::find_if(kRows, [&](const Row& each) { return each.word == word; });
    if (row == std::end(kRows)) return std::nullopt;
    return row->what;
}

const char* describe(const ActivityLine& line) {
    // The operator has no device that stays signed in.
    if (line.what == ActivityKind::sessions_ended && line.agent == kOperatorAgent) return tr("Signed out everywhere");
    if (line.what == ActivityKind::link_used && line.detail == to_string(LinkPurpose::factors))
        return tr("Chose a password with a link, which removed the second factors");
    if (line.what == ActivityKind::link_used && line.detail == kUsedForPasskey)
        return tr("Used an invitation for a passkey");
    const Way* way = way_of(line.detail);
    if (way && line.what == ActivityKind::signed_in) return way->signed_in;
    if (way && line.what == ActivityKind::second_step_done) return way->second_step_done;
    return row_of(line.what).text;
}

}  // namespace postern::model
