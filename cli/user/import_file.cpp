// Splits a file of users into lines of one format, with each name once.
#include "cli/user/import_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <utility>

#include "cli/command.h"
#include "os/file.h"

namespace postern::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 65536;
constexpr std::size_t kEndlessLineBytes = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// One line without its end, CR LF or LF; of a longer one than is taken, no more than shows that it is. False at the
/// end of the file. Throws Refused for a line without end: then the input is not a list of users (/dev/zero, for
/// example).
bool read_line(std::istream& input, std::string& line) {
    util::wipe(line);  // it may have held a password
    line.reserve(kMaxLineBytes + 1);
    std::streambuf& buffer = *input.rdbuf();
    std::size_t read = 0;
    for (int c = buffer.sbumpc(); c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
        if (++read > kEndlessLineBytes)
            throw Refused("a line is longer than 16 MiB, so this is not a list of users; no user was imported");
        if (c == '\n') break;
        if (line.size() <= kMaxLineBytes) line += static_cast<char>(c);
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return read > 0;
}

class Reader {
public:
    explicit Reader(std::istream& input) : input_(input) {}

    ImportFile read() {
        std::string line;
        while (read_line(input_, line)) {
            ++number_;
            if (number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
            if (!is_blank_line(format_.value_or(format_of(line)), line)) take(line);
        }
        if (format_) file_.format = *format_;
        return std::move(file_);
    }

private:
    void take(const std::string& line) {
        if (!format_) format_ = format_of(line);
        ImportedUser user;
        try {
            if (line.size() > kMaxLineBytes) throw Refused("the line is longer than 65536 bytes");
            parse_import_line(*format_, line, user);
            require_once(user.username);
        } catch (const Refused& refused) {
            file_.faulty.push_back({number_, user.username, refused.what()});
            return;
        }
        user.line = number_;
        file_.users.push_back(std::move(user));
    }

    void require_once(const std::string& username) {
        const auto [known, is_new] = lines_.emplace(username, number_);
        if (!is_new) throw Refused("the user name is already in line " + std::to_string(known->second));
    }

    std::istream& input_;
    ImportFile file_;
    std::optional<ImportFormat> format_;
    std::map<std::string, std::size_t> lines_;
    std::size_t number_ = 0;
};

/// A pipe has an end, and so has what is typed; any other device need not have one.
void require_file_or_pipe(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !(S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) return;
    const os::Descriptor device(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!device || ::isatty(device.get()) == 0) throw Refused(path + " is a device, not a file of users");
}

Refused cannot_read(const std::string& path) {
    return Refused(path + " cannot be read (" + std::strerror(errno) + ")");
}

}  // namespace

ImportFile read_import_file(const std::string& path) {
    ImportFile file;
    if (path == "-") {
        file = Reader(std::cin).read();
    } else {
        require_file_or_pipe(path);
        std::ifstream input(path, std::ios::binary);
        // A directory can be opened but not read.
        if (!input || (input.peek(), input.bad())) throw cannot_read(path);
        input.clear();
        file = Reader(input).read();
    }
    if (file.size() == 0) throw Refused((path == "-" ? "standard input" : path) + " contains no users");
    return file;
}

}  // namespace postern::cli
