// The words for what has happened to an account.
#include "model/activity.h"

#include <algorithm>
#include <array>

#include "model/authentication.h"
#include "model/link.h"

namespace postern::model {
namespace {

struct Row {
    Happened what;
    std::string_view word;
    const char* text;
};
constexpr Row kRows[] = {
    {Happened::signed_in, "signed_in", "Signed in"},
    {Happened::second_step_done, "second_step_done", "Confirmed the sign-in"},
    {Happened::second_step_failed, "second_step_failed", "A right password, and a wrong second step"},
    {Happened::second_step_failed_elsewhere, "second_step_failed_elsewhere",
     "A right password in a new place, and a wrong second step"},
    {Happened::recovery_code_used, "recovery_code_used", "Used a recovery code"},
    {Happened::password_changed, "password_changed", "Changed the password"},
    {Happened::app_added, "app_added", "Turned on an authenticator app"},
    {Happened::app_removed, "app_removed", "Removed the authenticator app"},
    {Happened::recovery_codes_made, "recovery_codes_made", "Made recovery codes"},
    {Happened::recovery_codes_removed, "recovery_codes_removed", "Removed the recovery codes"},
    {Happened::passkey_added, "passkey_added", "Added a passkey"},
    {Happened::passkey_removed, "passkey_removed", "Removed a passkey"},
    {Happened::passkey_suspended, "passkey_suspended", "A passkey was suspended, because a copy of it may exist"},
    {Happened::passkey_resumed, "passkey_resumed", "A suspended passkey counts again"},
    {Happened::application_allowed, "application_allowed", "Allowed an application"},
    {Happened::application_removed, "application_removed", "Removed the access of an application"},
    {Happened::session_ended, "session_ended", "Signed out a device"},
    {Happened::sessions_ended, "sessions_ended", "Signed out everywhere else"},
    {Happened::profile_changed, "profile_changed", "Changed the profile"},
    {Happened::link_made, "link_made", "Made a link for a new password"},
    {Happened::link_used, "link_used", "Chose a password with a link"},
};

const Row& row_of(Happened what) {
    return *std::ranges::find_if(kRows, [&](const Row& row) { return row.what == what; });
}

/// " with a password and a code"; "" for methods that are not known.
std::string with_methods(std::string_view amr) {
    constexpr std::array<std::pair<std::string_view, const char*>, 3> kMethods = {
        {{"pwd", "a password"}, {"otp", "a code"}, {"pop", "a passkey"}}};
    const auto done = methods_of(amr);
    std::string text;
    for (const auto& [word, name] : kMethods)
        if (std::ranges::find(done, word) != done.end()) text.append(text.empty() ? " with " : " and ").append(name);
    return text;
}

}  // namespace

std::string_view word_of(Happened what) { return row_of(what).word; }

std::optional<Happened> parse_happened(std::string_view word) {
    const auto* row = std::ranges::find_if(kRows, [&](const Row& each) { return each.word == word; });
    if (row == std::end(kRows)) return std::nullopt;
    return row->what;
}

std::string describe(const ActivityLine& line) {
    // The operator has no device that stays signed in.
    if (line.what == Happened::sessions_ended && line.agent == kOperatorAgent) return "Signed out everywhere";
    if (line.what == Happened::link_used && line.detail == to_string(LinkPurpose::factors))
        return "Chose a password with a link, which removed the second factors";
    if (line.what == Happened::link_used && line.detail == kUsedForPasskey) return "Used an invitation for a passkey";
    const bool has_methods = line.what == Happened::signed_in || line.what == Happened::second_step_done;
    return row_of(line.what).text + (has_methods ? with_methods(line.detail) : std::string());
}

}  // namespace postern::model
