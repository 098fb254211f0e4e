// Reads lines of any length in little memory.
#include "cli/passwords/input.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "crypto/password.h"
#include "os/file.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kSha1Digits = 40;
constexpr std::size_t kShortestHash = 32;  // digits: MD5, NTLM, and SHA-1 without the beginning by which one asks
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool is_hex(std::string_view text) { return text.find_first_not_of(kHexDigits) == std::string_view::npos; }

bool is_count(std::string_view text) { return !text.empty() && std::ranges::all_of(text, util::is_digit); }

unsigned value_of(char digit) {
    const auto at = static_cast<unsigned>(kHexDigits.find(digit));
    return at < 16 ? at : at - 6;
}

std::string bytes_of_hex(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(value_of(digits[i]) * 16 + value_of(digits[i + 1]));
    return bytes;
}

factor::PasswordEntry entry_of(std::string_view line, std::uint64_t number) {
    const auto colon = std::min(line.find(':'), line.size());
    const std::string_view digits = line.substr(0, colon);
    const bool has_count = colon < line.size() && is_count(line.substr(colon + 1));
    const bool is_hash = digits.size() >= kShortestHash && is_hex(digits) && (has_count || colon == line.size());
    if (is_hash && digits.size() == kSha1Digits)
        return factor::read_password_entry(bytes_of_hex(digits.substr(0, 2 * factor::kPasswordEntryBytes)));
    if (is_hash && has_count)
        throw Refused("line " + std::to_string(number) + " of standard input has " + std::to_string(digits.size()) +
                      " digits before its count and is not the SHA-1 of a password, which has 40; nothing was changed");
    return factor::password_entry(line);
}

/// The lines of standard input.
class Lines {
public:
    /// The next line without its LF; of a longer one than `kept` bytes what is kept. False at the end.
    bool next(std::string& line, std::size_t kept) {
        line.clear();
        if (at_ == size_ && !fill()) return false;
        do {
            const std::string_view rest(buffer_.data() + at_, size_ - at_);
            const auto end = rest.find('\n');
            line.append(rest.substr(0, end).substr(0, kept - line.size()));
            at_ += std::min(end, rest.size());
            if (end != std::string_view::npos) {
                ++at_;
                break;
            }
        } while (fill());
        return true;
    }

private:
    bool fill() {
        ssize_t count = 0;
        do {
            count = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
        } while (count < 0 && errno == EINTR);
        if (count < 0) throw Refused("standard input cannot be read: " + os::errno_text());
        at_ = 0;
        size_ = static_cast<std::size_t>(count);
        return count > 0;
    }

    std::array<char, 65536> buffer_{};
    std::size_t at_ = 0;
    std::size_t size_ = 0;
};

}  // namespace

ReadLines read_passwords(const std::function<void(factor::PasswordEntry)>& visit) {
    // One too many, the CR of a line end, and the mark before the first.
    constexpr std::size_t kKept = crypto::kMaxPasswordBytes + 2 + kByteOrderMark.size();
    ReadLines read;
    Lines lines;
    std::string line;
    for (std::uint64_t number = 1; lines.next(line, kKept); ++number) {
        if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty()) continue;
        ++read.lines;
        if (line.size() > crypto::kMaxPasswordBytes)
            ++read.too_long;
        else
            visit(entry_of(line, number));
    }
    return read;
}

}  // namespace postern::cli
