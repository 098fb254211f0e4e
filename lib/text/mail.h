// The addresses to which mail is sent, and a message as a program that sends mail reads it: RFC 5322 and MIME,
// text/plain alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/clock.h"

namespace postern::text {

/// RFC 5321 §4.1.2 without quoted strings, address literals and comments: at most 254 bytes of ASCII, a dot-string of
/// at most 64 bytes before the one "@", and behind it the name of a host. No character of it means anything in a
/// header.
bool is_mail_address(std::string_view text);

/// The value of `mail.from`: "Example <id@example.org>", or the address alone.
struct Mailbox {
    std::string name;  ///< UTF-8 without control characters; "": none
    std::string address;

    bool operator==(const Mailbox&) const = default;
};

/// Reads one; false, and `mailbox` is as it was, when it is none. Quotes around the name are not part of it.
bool read_mailbox(std::string_view text, Mailbox& mailbox);

struct MailMessage {
    Mailbox from;
    std::string to;       ///< an address
    std::string subject;  ///< UTF-8, one line
    std::string body;     ///< UTF-8, lines end with "\n"
    util::Time date{};
    std::string message_id;  ///< what stands between the angle brackets
    std::string language;    ///< RFC 5646
};

/// Headers and body, the latter in quoted-printable, lines of at most 76 characters that end with "\n". nullopt: a
/// value of a header has a control character, or `to` or `from` is no address, so that nothing can be added to the
/// headers.
std::optional<std::string> write_mail(const MailMessage& message);

}  // namespace postern::text
