// Which addresses is mail sent to?
#pragma once

#include <string>
#include <string_view>

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

}  // namespace postern::text
