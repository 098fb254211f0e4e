#include "model/activity.h"

#include <doctest/doctest.h>

#include <set>

using namespace postern;
using model::ActivityKind;

TEST_CASE(
    "activity: each thing that can happen has a word of its own, which is read back, and a sentence [ACCOUNT-13]") {
    std::set<std::string_view> words;
    for (int i = 0; i <= static_cast<int>(ActivityKind::link_used); ++i) {
        const auto what = static_cast<ActivityKind>(i);
        CAPTURE(model::word_of(what));
        CHECK(words.insert(model::word_of(what)).second);
        CHECK(model::parse_happened(model::word_of(what)) == what);
        const std::string sentence = model::describe({.what = what});
        CHECK_FALSE(sentence.empty());
        CHECK(sentence.back() != '.');
    }
    for (const char* word : {"", "signed", "signed_in ", "SIGNED_IN", "Signed in"})
        CHECK_FALSE(model::parse_happened(word));
}

TEST_CASE("activity: the methods of a login are part of its sentence, a name that a user chose is not [ACCOUNT-13]") {
    struct Row {
        ActivityKind what;
        const char* detail;
        const char* sentence;
    };
    const Row rows[] = {
        {ActivityKind::signed_in, "pwd", "Signed in with a password"},
        {ActivityKind::signed_in, "pwd otp mfa", "Signed in with a password and a code"},
        {ActivityKind::signed_in, "pop user mfa", "Signed in with a passkey"},
        {ActivityKind::signed_in, "pwd pop mfa", "Signed in with a password and a passkey"},
        {ActivityKind::signed_in, "", "Signed in"},
        {ActivityKind::link_used, "invite", "Chose a password with a link"},
        {ActivityKind::link_used, "factors", "Chose a password with a link, which removed the second factors"},
        {ActivityKind::link_used, "passkey", "Used an invitation for a passkey"},
        {ActivityKind::signed_in, "mfa", "Signed in"},
        {ActivityKind::second_step_done, "pwd otp mfa", "Confirmed the sign-in with a password and a code"},
        {ActivityKind::passkey_added, "pwd", "Added a passkey"},
    };
    CHECK(model::describe({.what = ActivityKind::sessions_ended}) == std::string_view("Signed out everywhere else"));
    CHECK(model::describe({.what = ActivityKind::sessions_ended, .agent = std::string(model::kOperatorAgent)}) ==
          std::string_view("Signed out everywhere"));
    for (const Row& row : rows)
        CHECK(model::describe({.what = row.what, .detail = row.detail}) == std::string_view(row.sentence));
}
