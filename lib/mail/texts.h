// The texts of messages to users: one table.
#pragma once

#include <string>

#include "model/mail.h"
#include "text/catalogue.h"

namespace postern::mail {

/// The values for the marks of the texts. A message has those that its kind needs.
struct MailValues {
    std::string site = {};       ///< {site}: the host of the issuer
    std::string username = {};   ///< {username}
    std::string link = {};       ///< {link}
    text::Message expires = {};  ///< {expires}: until when the link is good
    text::Message time = {};     ///< {time}: when it happened
    text::Message what = {};     ///< {what}: a sentence
    std::string email = {};      ///< {email}: the address that is confirmed
};

struct MailText {
    std::string subject;
    std::string body;
};

/// A value is not looked at again: a name can look like a mark.
MailText mail_text(model::MailKind kind, const MailValues& values, const text::Catalogue& language);

/// Returns the text of `postern doctor --mail`.
MailText test_mail_text(const std::string& site, const text::Catalogue& language);

}  // namespace postern::mail
