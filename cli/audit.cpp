// What a command has changed, for the audit log of the serving processes.
#include "cli/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "cli/accounts.h"
#include "cli/files.h"
#include "cli/output.h"
#include "util/log.h"

namespace postern::cli {
namespace {

using util::Log;

constexpr mode_t kLogMode = 0640;
// Other users may be able to write in the directory of the log: a symbolic link must not redirect root, and a FIFO must
// not block it.
constexpr int kAppend = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;

/// True for a regular file or a missing one. In a directory that root owns, root cannot know the right owner of a new
/// file, so it does not create one.
bool may_be_file(const std::string& target) {
    struct stat status {};
    if (!target.starts_with('/')) return false;
    if (::lstat(target.c_str(), &status) == 0) return S_ISREG(status.st_mode);
    return ::geteuid() != 0 || ::stat(directory_of(target).c_str(), &status) != 0 || status.st_uid != 0;
}

/// A file that root creates gets the owner of the directory, so that the serving processes can write to it.
int create(const std::string& file) {
    const int descriptor = ::open(file.c_str(), kAppend | O_CREAT | O_EXCL, kLogMode);
    struct stat directory {};
    if (descriptor >= 0 && ::geteuid() == 0 && ::stat(directory_of(file).c_str(), &directory) == 0 &&
        ::fchown(descriptor, directory.st_uid, directory.st_gid) != 0)
        print_note("the log " + file + " belongs to root; chown it to the user of the serving processes");
    return descriptor;
}

int open_file(const std::string& file) {
    int descriptor = ::open(file.c_str(), kAppend);
    if (descriptor < 0 && errno == ENOENT) descriptor = create(file);
    if (descriptor < 0 && errno == EEXIST)
        descriptor = ::open(file.c_str(), kAppend);  // a serving process has created it meanwhile
    return descriptor;
}

bool is_regular(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
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
    const int descriptor = open_file(target);
    if (descriptor >= 0 && is_regular(descriptor)) return std::make_unique<FileOrSyslog>(target, descriptor);
    const int problem = descriptor < 0 ? errno : 0;
    if (descriptor >= 0) ::close(descriptor);
    if (problem != 0 && problem != ELOOP && problem != ENXIO) tell_unwritable(target, problem);
    return util::open_log_sink("syslog");
}

/// The caller: the user of the process, and with `sudo` the user who called it.
std::vector<oauth::audit::Member> whoever_asked() {
    std::vector<oauth::audit::Member> members = {{"by", user_name(::getuid())}};
    const char* before = std::getenv("SUDO_USER");
    if (::getuid() == 0 && before != nullptr && *before != '\0') members.emplace_back("sudo_user", before);
    return members;
}

const Log& wal_of(const Invocation& invocation) {
    if (!invocation.log)
        invocation.log =
            std::make_shared<const Log>(open_sink(invocation.log_target), util::LogLevel::error, "postern");
    return *invocation.log;
}

}  // namespace

void note(const Invocation& invocation, oauth::AuditEvent event, std::vector<oauth::audit::Member> members) noexcept {
    try {
        for (auto& member : whoever_asked()) members.push_back(std::move(member));
        std::vector<Log::Field> fields;
        for (const auto& [name, value] : members)
            if (!value.empty()) fields.emplace_back(name, value);
        wal_of(invocation).write(util::LogLevel::audit, oauth::audit_row(event).name, fields);
    } catch (const std::exception& error) {
        print_note(std::string("the change was made, but is not in the audit log: ") + error.what());
    }
}

void note_key(const Invocation& invocation, oauth::AuditEvent event, const keys::KeyInfo& key) noexcept {
    note(invocation, event,
         {{"kid", key.kid},
          {"alg", std::string(crypto::to_string(key.algorithm))},
          {"signs_from", log_time(key.signs_from)}});
}

void note_done(const Invocation& invocation, std::vector<oauth::audit::Member> members) noexcept {
    members.insert(members.begin(), {"command", invocation.command});
    note(invocation, oauth::AuditEvent::admin_command, std::move(members));
}

}  // namespace postern::cli
