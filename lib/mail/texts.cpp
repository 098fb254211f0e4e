// What the messages to users say: one table.
#include "mail/texts.h"

#include <array>
#include <stdexcept>

namespace postern::mail {
namespace {

using model::MailKind;
using text::tr;

/// Whole sentences with marks for values. Paragraphs that are not there are nullptr.
struct Row {
    MailKind kind;
    const char* subject;
    std::array<const char*, 6> paragraphs;
};

constexpr const char* kHello = tr("Hello {username},");
constexpr const char* kLink = "{link}";
constexpr const char* kOnce = tr("The link works once, until {expires}.");
constexpr const char* kIgnore = tr("If you have not asked for this, ignore this message. Nothing was changed.");
constexpr const char* kNotYou =
    tr("If this was not you, tell the administrator of {site} at once. This message has no link: open the site as you "
       "always do.");

constexpr Row kRows[] = {
    {MailKind::reset,
     tr("Choose a new password for {site}"),
     {kHello, tr("a new password was asked for at {site}. Open this link to choose it:"), kLink, kOnce, kIgnore}},
    {MailKind::invite,
     tr("Your account at {site}"),
     {kHello, tr("an account was made for you at {site}. Open this link to choose your password:"), kLink, kOnce}},
    {MailKind::password,
     tr("Choose a new password for {site}"),
     {kHello, tr("the administrator of {site} has made this link for you, with which you choose a new password:"),
      kLink, kOnce}},
    {MailKind::factors,
     tr("Choose a new password for {site}"),
     {kHello,
      tr("the administrator of {site} has made this link for you, with which you choose a new password. It also removes your "
         "authenticator app, your recovery codes and your passkeys:"),
      kLink, kOnce}},
    {MailKind::email,
     tr("Confirm your e-mail address for {site}"),
     {kHello, tr("the address {email} was entered in your account at {site}. Open this link to confirm it:"), kLink,
      kOnce, kIgnore}},
    {MailKind::notice,
     tr("Your account at {site} has changed"),
     {kHello, tr("your account at {site} has changed:"), "{what}", tr("Time: {time}"), kNotYou}},
    {MailKind::guess,
     tr("Somebody knows your password for {site}"),
     {kHello,
      tr("your password was entered at {site}, in a place from which you have not signed in of late, and the second step "
         "failed."),
      tr("Time: {time}"),
      tr("If this was you, nothing is to be done. If it was not, somebody knows your password: change it at {site}. This "
         "message has no link: open the site as you always do.")}},
};

text::Message filled(const char* english, const MailValues& values) {
    using text::Message;
    return {english,
            {{"site", Message::verbatim(values.site)},
             {"username", Message::verbatim(values.username)},
             {"link", Message::data(values.link)},
             {"expires", values.expires},
             {"time", values.time},
             {"what", values.what},
             {"email", Message::data(values.email)}}};
}

const Row& row_of(MailKind kind) {
    for (const Row& row : kRows)
        if (row.kind == kind) return row;
    throw std::logic_error("kind of mail without a text");
}

}  // namespace

MailText mail_text(MailKind kind, const MailValues& values, const text::Catalogue& language) {
    const Row& row = row_of(kind);
    MailText text{.subject = language.say(filled(row.subject, values)), .body = ""};
    for (const char* paragraph : row.paragraphs)
        if (paragraph != nullptr)
            text.body += (text.body.empty() ? "" : "\n") + language.say(filled(paragraph, values)) + "\n";
    return text;
}

MailText test_mail_text(const std::string& site, const text::Catalogue& language) {
    const MailValues values{.site = site};
    return {.subject = language.say(filled(tr("A test of the mail of {site}"), values)),
            .body = language.say(filled(tr("Messages of {site} arrive here. There is nothing to do."), values)) + "\n"};
}

}  // namespace postern::mail
