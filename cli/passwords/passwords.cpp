// `postern passwords`: makes the list of passwords that users may not choose.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/passwords/input.h"
#include "factor/password_list.h"
#include "os/file.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kMode = 0644;  // for the users of account and recover
constexpr std::size_t kBuffered = 65536;
constexpr std::size_t kMostHeld = 16'000'000;  // 128 MB

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
        "there are more than 16 million lines on standard input, and they are not hashes in order; sort the hashes with "
        "`LC_ALL=C sort -u`; nothing was changed");
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
        add_command<std::string>(group, invocation, "build", "Write such a list from lines of standard input",
                                 "postern passwords build /etc/postern/passwords.list < common.txt", build);
    command.explain(
        "A line is a password, or its SHA-1 as 40 hexadecimal digits, which a colon and a count may follow, as in "
        "collections of breaches. More than 16 million lines must be such hashes in order, as `LC_ALL=C sort -u` puts them. The "
        "file has 8 bytes for each, in order, and takes the place of an older one when it "
        "is whole. Name it as login.passwordBlocklist; processes that are running keep the list that they have opened "
        "until they are restarted.");
    command.argument("OUT", out, "The file to write; readable for all, because it has nothing but parts of hashes");
}

}  // namespace postern::cli
