// What the messages to users say: one table.
#include "oauth/mail_texts.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace postern::oauth {
namespace {

using model::MailKind;

/// Whole sentences with marks for values. Paragraphs that are not there are nullptr.
struct Row {
    MailKind kind;
    const char* subject;
    std::array<const char*, 6> paragraphs;
};

constexpr const char* kHello = "Hello {username},";
constexpr const char* kLink = "{link}";
constexpr const char* kOnce = "The link works once, until {expires}.";
constexpr const char* kIgnore = "If you have not asked for this, ignore this message. Nothing was changed.";
constexpr const char* kNotYou =
    "If this was not you, tell the administrator of {site} at once. This message has no link: open the site as you "
    "always do.";

constexpr Row kRows[] = {
    {MailKind::reset,
     "Choose a new password for {site}",
     {kHello, "a new password was asked for at {site}. Open this link to choose it:", kLink, kOnce, kIgnore}},
    {MailKind::invite,
     "Your account at {site}",
     {kHello, "an account was made for you at {site}. Open this link to choose your password:", kLink, kOnce}},
    {MailKind::password,
     "Choose a new password for {site}",
     {kHello, "the administrator of {site} has made this link for you, with which you choose a new password:", kLink,
      kOnce}},
    {MailKind::factors,
     "Choose a new password for {site}",
     {kHello,
      "the administrator of {site} has made this link for you, with which you choose a new password. It also removes your "
      "authenticator app, your recovery codes and your passkeys:",
      kLink, kOnce}},
    {MailKind::email,
     "Confirm your e-mail address for {site}",
     {kHello, "the address {email} was entered in your account at {site}. Open this link to confirm it:", kLink, kOnce,
      kIgnore}},
    {MailKind::notice,
     "Your account at {site} has changed",
     {kHello, "your account at {site} has changed:", "{what}", "Time: {time}", kNotYou}},
    {MailKind::guess,
     "Somebody knows your password for {site}",
     {kHello,
      "your password was entered at {site}, in a place from which you have not signed in of late, and the second step "
      "failed.",
      "Time: {time}",
      "If this was you, nothing is to be done. If it was not, somebody knows your password: change it at {site}. This "
      "message has no link: open the site as you always do."}},
};

std::string filled(std::string_view text, const MailValues& values) {
    const std::pair<std::string_view, const std::string&> marks[] = {
        {"{site}", values.site},       {"{username}", values.username}, {"{link}", values.link},
        {"{expires}", values.expires}, {"{time}", values.time},         {"{what}", values.what},
        {"{email}", values.email}};
    std::string result;
    while (!text.empty()) {
        const auto* found = std::ranges::find_if(marks, [&](const auto& each) { return text.starts_with(each.first); });
        const bool is_mark = found != std::end(marks);
        result += is_mark ? found->second : std::string(1, text.front());
        text.remove_prefix(is_mark ? found->first.size() : 1);
    }
    return result;
}

const Row& row_of(MailKind kind) {
    for (const Row& row : kRows)
        if (row.kind == kind) return row;
    throw std::logic_error("kind of mail without a text");
}

}  // namespace

MailText mail_text(MailKind kind, const MailValues& values) {
    const Row& row = row_of(kind);
    MailText text{.subject = filled(row.subject, values), .body = ""};
    for (const char* paragraph : row.paragraphs)
        if (paragraph != nullptr) text.body += (text.body.empty() ? "" : "\n") + filled(paragraph, values) + "\n";
    return text;
}

MailText test_mail_text(const std::string& site) {
    const MailValues values{.site = site};
    return {.subject = filled("A test of the mail of {site}", values),
            .body = filled("Messages of {site} arrive here. There is nothing to do.\n", values)};
}

}  // namespace postern::oauth
