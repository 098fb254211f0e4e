// Messages as programs that send mail read them, and what is an address.
#include "text/mail.h"

#include <doctest/doctest.h>

#include "util/text.h"

using namespace postern;
using text::is_mail_address;
using text::Mailbox;
using text::MailMessage;

namespace {

MailMessage message() {
    return {.from = {.name = "Example ID", .address = "id@example.org"},
            .to = "ada@example.org",
            .subject = "Hello",
            .body = "One line\n",
            .date = util::from_epoch(1795644245),
            .message_id = "abc@op.example",
            .language = "en"};
}

std::string written(const MailMessage& message) { return text::write_mail(message).value_or("refused"); }

std::string body_of(const std::string& body) {
    MailMessage one = message();
    one.body = body;
    const std::string whole = written(one);
    return whole.substr(whole.find("\n\n") + 2);
}

}  // namespace

TEST_CASE(
    "is_mail_address: dot-string, one at sign, the name of a host; nothing that means something in a header [MAIL-7, RFC 5322 §3.4.1]") {
    for (const std::string good : {"ada@example.org", "a.b+c_d'e@x-y.example", "a@localhost",
                                   "!#$%&*/=?^`{|}~@example.org", "A@EXAMPLE.ORG", "a@1.example"}) {
        CAPTURE(good);
        CHECK(is_mail_address(good));
    }
    const std::string bad[] = {"",
                               // clang-format off
                               "@", "a@", "@b", "a", "a@b@c", "a b@c", "a@b c", "a@b.", "a@.b", ".a@b", "a.@b",
                               "a..b@c", "<a@b>", "a@b>", "a,b@c", "a@b,c@d", "a;b@c", "\"a\"@b", "a@[1.2.3.4]",
                               "a(b)@c", "a:b@c", "-a@b", "a@-b", "a@b-", "a\\b@c", "a@b\n", "a\n@b", "a\r@b",
                               "\xc3\xa9@b", "a@\xc3\xa9", "a@b_c",
                               // clang-format on
                               std::string("a\0@b", 4), std::string(65, 'a') + "@b", "a@" + std::string(64, 'b'),
                               "a@" + std::string(126, 'b') + "." + std::string(126, 'c')};
    for (const std::string& text : bad) {
        CAPTURE(text);
        CHECK_FALSE(is_mail_address(text));
    }
    CHECK(is_mail_address(std::string(64, 'a') + "@b"));
}

TEST_CASE("read_mailbox: an address, or a name and one") {
    struct Row {
        const char* text;
        const char* name;
        const char* address;  ///< "": refused
    };
    for (const Row& row :
         {Row{"id@example.org", "", "id@example.org"}, Row{"Example <id@example.org>", "Example", "id@example.org"},
          Row{"\"Example, Ltd\" <id@example.org>", "Example, Ltd", "id@example.org"},
          Row{"<id@example.org>", "", "id@example.org"}, Row{"Example", "", ""}, Row{"", "", ""},
          Row{"Example <id@example.org> x", "", ""}, Row{"Example <id>", "", ""},
          Row{"Exam\nple <id@example.org>", "", ""}, Row{"\xff <id@example.org>", "", ""}}) {
        CAPTURE(row.text);
        Mailbox mailbox;
        CHECK(text::read_mailbox(row.text, mailbox) == !std::string(row.address).empty());
        CHECK(mailbox == Mailbox{row.name, row.address});
    }
}

TEST_CASE("write_mail: the headers, each once, in order [MAIL-7, RFC 2045 §4, RFC 3834 §5, RFC 5322 §3.3]") {
    CHECK(written(message()) ==
          "From: Example ID <id@example.org>\n"
          "To: ada@example.org\n"
          "Subject: Hello\n"
          "Date: Wed, 25 Nov 2026 22:04:05 +0000\n"
          "Message-ID: <abc@op.example>\n"
          "Auto-Submitted: auto-generated\n"
          "MIME-Version: 1.0\n"
          "Content-Type: text/plain; charset=utf-8\n"
          "Content-Transfer-Encoding: quoted-printable\n"
          "Content-Language: en\n"
          "\n"
          "One line\n\n");
}

TEST_CASE("write_mail: no value adds a header [MAIL-7, L32, RFC 5322 §2.2]") {
    struct Row {
        const char* what;
        void (*spoil)(MailMessage&);
    };
    for (const Row& row : {Row{"subject", [](MailMessage& m) { m.subject = "a\nBcc: eve@example.org"; }},
                           Row{"name", [](MailMessage& m) { m.from.name = "a\r\nBcc: eve@example.org"; }},
                           Row{"recipient", [](MailMessage& m) { m.to = "ada@example.org\nBcc: eve@example.org"; }},
                           Row{"two recipients", [](MailMessage& m) { m.to = "ada@example.org, eve@example.org"; }},
                           Row{"sender", [](MailMessage& m) { m.from.address = "id@example.org>\nBcc: eve"; }},
                           Row{"id", [](MailMessage& m) { m.message_id = "a\n"; }},
                           Row{"language", [](MailMessage& m) { m.language = "en\n"; }},
                           Row{"bytes that are no UTF-8", [](MailMessage& m) { m.subject = "\xff"; }}}) {
        CAPTURE(row.what);
        MailMessage spoilt = message();
        row.spoil(spoilt);
        CHECK_FALSE(text::write_mail(spoilt));
    }
}

TEST_CASE("write_mail: other text than ASCII is encoded in words of whole characters [RFC 2047 §2]") {
    MailMessage one = message();
    one.subject = "\xc3\xa9";
    one.from.name = "Ex\xc3\xa9mple, Ltd";
    CHECK(written(one).find("Subject: =?utf-8?B?w6k=?=\n") != std::string::npos);
    CHECK(written(one).find("From: =?utf-8?B?RXjDqW1wbGUsIEx0ZA==?= <id@example.org>\n") != std::string::npos);
    one.subject.clear();
    for (int i = 0; i < 100; ++i) one.subject += "\xe2\x82\xac";
    const std::string whole = written(one);
    for (const auto line : util::split(whole, '\n')) CHECK(line.size() <= 78);
    one.subject = "=?utf-8?Q?Bcc=3A?=";
    CHECK(written(one).find("=?utf-8?Q?") == std::string::npos);
}

TEST_CASE("write_mail: quoted-printable [RFC 2045 §6.7]") {
    CHECK(body_of("a = \xc3\xa9\n") == "a =3D =C3=A9\n\n");
    CHECK(body_of("blank \n") == "blank=20\n\n");
    CHECK(body_of(".\n") == "=2E\n\n");
    CHECK(body_of("From here\n") == "=46rom here\n\n");
    CHECK(body_of("\t") == "=09\n");
    const std::string whole = body_of(std::string(200, 'x') + "\n" + std::string(100, '='));
    std::string joined;
    for (const auto line : util::split(whole, '\n')) {
        CHECK(line.size() <= 76);
        joined += line.ends_with('=') ? line.substr(0, line.size() - 1) : std::string(line) + "\n";
    }
    std::string expected = std::string(200, 'x') + "\n";
    for (int i = 0; i < 100; ++i) expected += "=3D";
    CHECK(joined == expected + "\n\n");
}
