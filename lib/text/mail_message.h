// A message as a program that sends mail reads it: RFC 5322 and MIME, text/plain alone.
#pragma once

#include <optional>
#include <string>

#include "text/mail_address.h"
#include "util/clock.h"

namespace postern::text {

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
