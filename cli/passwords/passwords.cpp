// `postern passwords`: makes the list of passwords that users may not choose.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "crypto/password.h"
#include "factor/password_list.h"
#include "os/file.h"
#include "util/text.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kMode = 0644;  // for the users of account and recover
constexpr std::size_t kBuffered = 65536;
constexpr std::size_t kMostHeld = 16'000'000;  // 128 MB

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
    /// Reads the next line without its LF, at most the first `kept` bytes of it. Returns false at the end.
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

struct ReadLines {
    std::uint64_t lines = 0;     ///< that are not empty
    std::uint64_t too_long = 0;  ///< of them: passwords that no user can have
};

/// A line is the hash of a password (40 hexadecimal digits, which a colon and a count may follow, as in collections of
/// breaches), or else a password. Line ends are LF or CR LF. Throws Refused when it cannot be read, and for a line that
/// looks like another hash: its digits would be taken for a password.
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

/// Takes the place of a file when it is whole and on the disk; without `finish` nothing is left of it.
class NewList {
public:
    explicit NewList(fs::path path) : path_(std::move(path)) {
        // The process id keeps two runs from writing into one file.
        const std::string name = "." + path_.filename().string() + "." + std::to_string(::getpid());
        temporary_ = directory_of(path_) / name;
        ::unlink(temporary_.c_str());  // of a run that was killed
        file_ = os::make_file(temporary_, kMode);
        if (!file_) refuse();
        made_.add(temporary_);
    }

    void add(factor::PasswordEntry entry) {
        factor::write_password_entry(buffer_, entry);
        ++size_;
        if (buffer_.size() >= kBuffered) flush();
    }

    void finish() {
        flush();
        if (::fsync(file_.get()) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse();
        made_.keep();
        if (!os::sync_directory(directory_of(path_))) refuse();
    }

    std::uint64_t size() const { return size_; }  ///< entries

private:
    [[noreturn]] void refuse() const {
        throw Refused(path_.string() + " cannot be written (" + os::errno_text() +
                      "): name a file in a directory that this user can write, on a disk with free space");
    }

    void flush() {
        std::string_view rest = buffer_;
        while (!rest.empty()) {
            const ssize_t count = ::write(file_.get(), rest.data(), rest.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse();
            rest.remove_prefix(static_cast<std::size_t>(count));
        }
        buffer_.clear();
    }

    fs::path path_;
    fs::path temporary_;
    os::Descriptor file_;
    os::NewFiles made_;
    std::string buffer_;
    std::uint64_t size_ = 0;
};

/// rename(2) would put the list in the place of a FIFO or a device as well.
void require_file_or_nothing(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw Refused(path.string() + " is there and is not a regular file; name another one");
}

Refused out_of_order() {
    return Refused(
        "there are more than 16 million lines on standard input, and they are not hashes in order; sort the hashes "
        "with `LC_ALL=C sort -u`; nothing was changed");
}

void build(const Invocation& invocation, const std::string& out) {
    if (::isatty(STDIN_FILENO) != 0)
        throw UsageError("standard input is a terminal; write the passwords or their hashes to it, a line each");
    const config::Config config = invocation.load_config();
    const fs::path path = out;
    require_file_or_nothing(path);
    NewList list(path);  // before the input is read: a directory that cannot be written is said at once
    factor::EntryOrder order(kMostHeld, [&](factor::PasswordEntry entry) { list.add(entry); });
    const ReadLines read = read_passwords([&](factor::PasswordEntry entry) {
        if (!order.add(entry)) throw out_of_order();
    });
    order.finish();
    if (list.size() == 0) throw Refused("there is no password on standard input; nothing was changed");
    list.finish();
    note_done(invocation, {{"file", fs::absolute(path).string()}});
    if (read.too_long > 0)
        print_note(counted(static_cast<std::int64_t>(read.too_long), "line") +
                   " longer than 511 bytes left out: no user can have such a password");
    if (invocation.json)
        return print_json(json::Object{{"file", path.string()},
                                       {"lines", static_cast<std::int64_t>(read.lines)},
                                       {"passwords", static_cast<std::int64_t>(list.size())}});
    std::cout << path.string() << ": " << counted(static_cast<std::int64_t>(list.size()), "password") << " of "
              << counted(static_cast<std::int64_t>(read.lines), "line") << '\n';
}

}  // namespace

void add_passwords_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("passwords", "Make the list of passwords that users may not choose");
    const auto [command, out] =
        add_command<std::string>(group, invocation, "build", "Write the list from lines of standard input",
                                 "postern passwords build /etc/postern/passwords.list < common.txt", build);
    command.explain(
        "A line is a password, or its SHA-1 as 40 hexadecimal digits, which a colon and a count may follow, as in "
        "collections of breaches. More than 16 million lines must be such hashes in order, as `LC_ALL=C sort -u` puts "
        "them. The file has 8 bytes for each password, in order, and replaces an older one when it is complete. Name "
        "it as login.passwordBlocklist; running processes keep the list that they have opened until they are "
        "restarted.");
    command.argument("OUT", out, "The file to write; readable by all, because it has only parts of hashes");
}

}  // namespace postern::cli
