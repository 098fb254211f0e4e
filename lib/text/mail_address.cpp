// Which addresses is mail sent to?
#include "text/mail_address.h"

#include <algorithm>

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

}  // namespace postern::text
