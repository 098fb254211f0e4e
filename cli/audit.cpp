// The audit record of a command's changes, in the log of the serving processes.
#include "cli/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "cli/files.h"
#include "cli/output.h"
#include "os/file.h"
#include "os/read_file.h"
#include "util/log.h"

namespace postern::cli {
namespace {

using util::Log;

constexpr mode_t kLogMode = 0640;
constexpr int kAppend = O_WRONLY | O_APPEND;

using OpenedLog = util::Result<os::RegularFile, os::FileError>;

/// True for a regular file or a missing one. In a directory that root owns, root cannot know the right owner of a new
/// file, so it does not create one.
bool may_be_file(const std::string& target) {
    struct stat status {};
    if (!target.starts_with('/')) return false;
    if (::lstat(target.c_str(), &status) == 0) return S_ISREG(status.st_mode);
    return ::geteuid() != 0 || ::stat(directory_of(target).c_str(), &status) != 0 || status.st_uid != 0;
}

/// A file that root creates gets the owner of the directory, so that the serving processes can write to it.
bool create(const std::string& file) {
    const os::Descriptor made(::open(file.c_str(), kAppend | O_CREAT | O_EXCL | O_CLOEXEC, kLogMode));
    if (made && !os::adopt_directory_owner(made.get(), directory_of(file)))
        print_note("the log " + file + " belongs to root; chown it to the user of the serving processes");
    return bool(made);
}

/// Other users may be able to write in the directory of the log: a symbolic link must not redirect root, and a FIFO
/// must not block it.
OpenedLog open_log_file(const std::string& file) {
    auto opened = os::open_regular(file, os::Links::refused, kAppend);
    if (opened || opened.error().number != ENOENT) return opened;
    if (!create(file) && errno != EEXIST)  // a serving process has created it meanwhile
        return os::FileError{os::FileFault::not_opened, errno};
    return os::open_regular(file, os::Links::refused, kAppend);
}

void tell_unwritable(const std::string& target, int problem) {
    print_note("the log " + target + " cannot be written (" + std::generic_category().message(problem) +
               "); the audit line was sent to syslog");
}

/// Writes to syslog when the file takes no more lines, for example on a full disk: this process ends too soon to report
/// lost lines later.
class FileOrSyslog final : public util::LogSink {
public:
    FileOrSyslog(std::string target, int descriptor)
        : target_(std::move(target)), file_(util::log_sink_on(descriptor)) {}

    bool write(util::LogLevel level, std::string_view line) override {
        if (!syslog_) {
            if (file_->write(level, line)) return true;
            tell_unwritable(target_, errno);
            syslog_ = util::open_log_sink("syslog");
        }
        return syslog_->write(level, line);
    }

private:
    std::string target_;
    std::unique_ptr<util::LogSink> file_;
    std::unique_ptr<util::LogSink> syslog_;  ///< opened when the file has failed
};

std::unique_ptr<util::LogSink> open_sink(const std::string& target) {
    if (!may_be_file(target)) return util::open_log_sink("syslog");
    auto opened = open_log_file(target);
    if (opened) return std::make_unique<FileOrSyslog>(target, opened->descriptor.release());
    // Neither a file of another kind nor a FIFO without a reader (ENXIO) was meant for lines of `postern`.
    const int problem = opened.error().number;
    if (problem != 0 && problem != ENXIO) tell_unwritable(target, problem);
    return util::open_log_sink("syslog");
}

/// The user who called `sudo`; "" without it.
std::string sudo_user() {
    const char* before = std::getenv("SUDO_USER");
    return ::getuid() == 0 && before != nullptr ? before : "";
}

/// The caller: the user of the process, and with `sudo` the user who called it.
std::vector<audit::Member> caller_members() { return {{"by", user_name(::getuid())}, {"sudo_user", sudo_user()}}; }

const Log& open_log(const Invocation& invocation) {
    if (!invocation.log)
        invocation.log =
            std::make_shared<const Log>(open_sink(invocation.log_target), util::LogLevel::error, "postern");
    return *invocation.log;
}

}  // namespace

void note(const Invocation& invocation, audit::Event event, std::vector<audit::Member> members) noexcept {
    try {
        for (auto& member : caller_members()) members.push_back(std::move(member));
        std::vector<Log::Field> fields;
        for (const auto& [name, value] : members)
            if (!value.empty()) fields.emplace_back(name, value);
        open_log(invocation).write(util::LogLevel::audit, audit::row(event).name, fields);
    } catch (const std::exception& error) {
        print_note(std::string("the change was made, but is not in the audit log: ") + error.what());
    }
}

std::string caller_name() {
    std::string before = sudo_user();
    return before.empty() ? user_name(::getuid()) : before;
}

void note_key(const Invocation& invocation, audit::Event event, const keys::KeyInfo& key) noexcept {
    note(invocation, event,
         {{"kid", key.kid},
          {"alg", std::string(crypto::to_string(key.algorithm))},
          {"signs_from", log_time(key.signs_from)}});
}

void note_done(const Invocation& invocation, std::vector<audit::Member> members) noexcept {
    members.insert(members.begin(), {"command", invocation.command});
    note(invocation, audit::Event::admin_command, std::move(members));
}

}  // namespace postern::cli
