// Which addresses is mail sent to?
#include "text/mail.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "util/base64.h"
#include "util/text.h"

namespace postern::text {
namespace {

constexpr std::size_t kLongestAddress = 254;  // RFC 3696, erratum 1690
constexpr std::size_t kLongestLocalPart = 64;
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestName = 128;

bool is_letter_or_digit(char c) { return util::is_letter(c) || util::is_digit(c); }

/// RFC 5322 §3.2.3: atext, of which `-` at the front would look like an option to a program.
bool is_atom(std::string_view atom) {
    constexpr std::string_view kOthers = "!#$%&'*+-/=?^_`{|}~";
    return !atom.empty() &&
           std::ranges::all_of(atom, [&](char c) { return is_letter_or_digit(c) || kOthers.find(c) != kOthers.npos; });
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' && label.back() != '-' &&
           std::ranges::all_of(label, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

constexpr std::size_t kLongestLine = 76;         // RFC 2045 §6.7
constexpr std::size_t kBytesOfEncodedWord = 39;  // 64 characters with the marks around, and the name of the header

std::string two_digits(unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); }

/// RFC 5322 §3.3.
std::string date_text(util::Time time) {
    constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return std::string(kDays.at(std::chrono::weekday(day).c_encoding())) + ", " +
           two_digits(static_cast<unsigned>(date.day())) + " " + kMonths.at(static_cast<unsigned>(date.month()) - 1) +
           " " + std::to_string(static_cast<int>(date.year())) + " " +
           two_digits(static_cast<unsigned>(clock.hours().count())) + ":" +
           two_digits(static_cast<unsigned>(clock.minutes().count())) + ":" +
           two_digits(static_cast<unsigned>(clock.seconds().count())) + " +0000";
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return util::is_letter(c) || util::is_digit(c) || c == ' '; });
}

/// Text that a header may hold as it is: printable ASCII that does not look like an encoded word.
bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }) && text.find("=?") == text.npos;
}

/// RFC 2047 §2, §5: each word holds whole characters.
std::string encoded_words(std::string_view text) {
    std::string words;
    while (!text.empty()) {
        std::size_t length = std::min(text.size(), kBytesOfEncodedWord);
        while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
        words += (words.empty() ? "=?utf-8?B?" : "\n =?utf-8?B?") + util::base64_encode(text.substr(0, length)) + "?=";
        text.remove_prefix(length);
    }
    return words;
}

std::string mailbox_text(const Mailbox& mailbox) {
    if (mailbox.name.empty()) return mailbox.address;
    return (is_plain(mailbox.name) ? mailbox.name : encoded_words(mailbox.name)) + " <" + mailbox.address + ">";
}

/// Also what a program may take for the end of the message, or for the beginning of another one in a file of mail.
bool must_be_encoded(std::string_view line, std::size_t at) {
    const char c = line[at];
    const bool is_last_blank = c == ' ' && at + 1 == line.size();
    return c < ' ' || c > '~' || c == '=' || is_last_blank || (at == 0 && (c == '.' || line.starts_with("From ")));
}

/// RFC 2045 §6.7.
std::string quoted_line(std::string_view line) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text;
    std::size_t length = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        std::string piece(1, line[at]);
        const auto byte = static_cast<unsigned char>(line[at]);
        if (must_be_encoded(line, at)) piece = {'=', kDigits[byte >> 4], kDigits[byte & 15]};
        if (length + piece.size() >= kLongestLine) {
            text += "=\n";
            length = 0;
        }
        text += piece;
        length += piece.size();
    }
    return text + "\n";
}

std::string quoted_printable(std::string_view body) {
    std::string text;
    for (const std::string_view line : util::split(body, '\n')) text += quoted_line(line);
    return text;
}

}  // namespace

bool is_mail_address(std::string_view text) {
    const auto at = text.find('@');
    if (at == text.npos || text.size() > kLongestAddress || at > kLongestLocalPart || text.front() == '-') return false;
    return std::ranges::all_of(util::split(text.substr(0, at), '.'), is_atom) &&
           std::ranges::all_of(util::split(text.substr(at + 1), '.'), is_label);
}

bool read_mailbox(std::string_view text, Mailbox& mailbox) {
    const auto open = text.rfind('<');
    if (open == text.npos) {
        if (!is_mail_address(text)) return false;
        mailbox = {.name = "", .address = std::string(text)};
        return true;
    }
    std::string_view name = util::trim(text.substr(0, open));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (!text.ends_with('>')) return false;
    const std::string_view address = text.substr(open + 1, text.size() - open - 2);
    if (!is_mail_address(address) || name.size() > kLongestName || !util::is_utf8(name) ||
        util::has_control_bytes(name))
        return false;
    mailbox = {.name = std::string(name), .address = std::string(address)};
    return true;
}

std::optional<std::string> write_mail(const MailMessage& message) {
    for (const std::string* value : {&message.from.name, &message.subject, &message.message_id, &message.language})
        if (util::has_control_bytes(*value) || !util::is_utf8(*value)) return std::nullopt;
    if (!is_mail_address(message.to) || !is_mail_address(message.from.address)) return std::nullopt;
    const std::string subject = is_ascii(message.subject) ? message.subject : encoded_words(message.subject);
    return "From: " + mailbox_text(message.from) + "\nTo: " + message.to + "\nSubject: " + subject +
           "\nDate: " + date_text(message.date) + "\nMessage-ID: <" + message.message_id +
           ">\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8"
           "\nContent-Transfer-Encoding: quoted-printable\nContent-Language: " +
           message.language + "\n\n" + quoted_printable(message.body);
}

}  // namespace postern::text
