// What the messages to users say where the text runs from right to left.
#include "mail/texts.h"

#include <doctest/doctest.h>

#include <string_view>

#include "util/text.h"

using namespace postern;

TEST_CASE(
    "mail: values of each message are isolated in a text from right to left, and a link has its own line [I18N-6]") {
    using model::MailKind;
    const text::Catalogue arabic("ar", nullptr, nullptr);
    mail::MailValues values{.site = "id.example.org"};
    values.username = "ada-1";
    values.link = "https://id.example.org/recover/link?token=abc-";
    values.email = "ada@example.org";
    values.expires = values.time = text::Message(
        "{hour}:{minute} UTC", {{"hour", text::Message::digits("09")}, {"minute", text::Message::digits("05")}});
    values.what = "Your password was changed.";
    for (const MailKind kind : {MailKind::reset, MailKind::invite, MailKind::password, MailKind::factors,
                                MailKind::email, MailKind::notice, MailKind::guess}) {
        CAPTURE(static_cast<int>(kind));
        const mail::MailText mail = mail::mail_text(kind, values, arabic);
        CHECK(mail.subject.find("\u2068id.example.org\u2069") != std::string::npos);
        bool has_link = false;
        for (const std::string_view line : util::split(mail.body, '\n')) {
            CAPTURE(line);
            if (line.find("://") != line.npos) {
                CHECK(line == values.link);
                has_link = true;
                continue;
            }
            for (const std::string_view value : {"id.example.org", "ada-1", "ada@example.org"}) {
                const auto at = line.find(value);
                if (at == line.npos) continue;
                const std::string begin = value.find('@') == value.npos ? "\u2068" : "\u2066";
                CHECK(line.find(begin + std::string(value) + "\u2069") != line.npos);
            }
            if (line.find("UTC") != line.npos) CHECK(line.find("09:05 UTC") != line.npos);
        }
        CHECK(has_link == (kind != MailKind::notice && kind != MailKind::guess));
    }
}
