// How a line of the operator's log is written, and where it goes.
#include "util/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include "util/clock.h"
#include "util/text.h"
#include "util/utf8.h"

namespace postern::util {
namespace {

constexpr std::size_t kMaxValue = 512;
constexpr std::size_t kUsualLine = 512;

struct LevelRow {
    LogLevel level;
    std::string_view name;
    int syslog_priority;
};

constexpr LevelRow kLevels[] = {
    {LogLevel::audit, "audit", LOG_NOTICE}, {LogLevel::error, "error", LOG_ERR},
    {LogLevel::warn, "warn", LOG_WARNING},  {LogLevel::info, "info", LOG_INFO},
    {LogLevel::debug, "debug", LOG_DEBUG},
};

const LevelRow& row_of(LogLevel level) { return *std::ranges::find(kLevels, level, &LevelRow::level); }

/// A descriptor: stderr, which belongs to the process, or a file of our own.
class DescriptorSink final : public LogSink {
public:
    enum class Close { no, yes };

    DescriptorSink(int descriptor, Close close) : descriptor_(descriptor), close_(close) {}
    DescriptorSink(const DescriptorSink&) = delete;
    DescriptorSink& operator=(const DescriptorSink&) = delete;
    ~DescriptorSink() override {
        if (close_ == Close::yes) ::close(descriptor_);
    }

    /// One write for line and newline, so that lines of several processes do not mix.
    bool write(LogLevel, std::string_view line) override {
        std::string whole;
        whole.reserve(line.size() + 2);
        if (cut_) whole += '\n';  // the rest of a cut line must not swallow the next one
        whole += line;
        whole += '\n';
        std::string_view rest = whole;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) {  // a full disk must not stop the server
                cut_ = true;
                return false;
            }
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
        cut_ = false;
        return true;
    }

private:
    int descriptor_;
    Close close_;
    /// The file may end with the beginning of a line: ours, or another process's, since the disk was full for both.
    bool cut_ = false;
};

class SyslogSink final : public LogSink {
public:
    // LOG_NDELAY: connected before a sandbox forbids it. openlog keeps the pointer, so the name is a literal.
    SyslogSink() { ::openlog("postern", LOG_PID | LOG_NDELAY, LOG_DAEMON); }
    SyslogSink(const SyslogSink&) = delete;
    SyslogSink& operator=(const SyslogSink&) = delete;
    ~SyslogSink() override { ::closelog(); }

    bool write(LogLevel level, std::string_view line) override {
        ::syslog(row_of(level).syslog_priority, "%.*s", static_cast<int>(line.size()), line.data());
        return true;  // syslog reports no errors
    }
};

/// 2026-01-02T03:04:05Z
std::string utc_text(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    std::string text = std::to_string(static_cast<int>(date.year()));
    const auto append = [&text](char before, auto number) {
        text += before;
        text += static_cast<char>('0' + number / 10);
        text += static_cast<char>('0' + number % 10);
    };
    append('-', static_cast<unsigned>(date.month()));
    append('-', static_cast<unsigned>(date.day()));
    append('T', clock.hours().count());
    append(':', clock.minutes().count());
    append(':', clock.seconds().count());
    text += 'Z';
    return text;
}

/// At most kMaxValue bytes, not cut through a character.
std::string_view shortened(std::string_view value) {
    if (value.size() <= kMaxValue) return value;
    std::size_t end = 0;
    for (;;) {
        const std::size_t length = next_utf8(value.substr(end)).length;
        if (end + length > kMaxValue) return value.substr(0, end);
        end += length;
    }
}

void append_member(std::string& line, std::string_view name, std::string_view value) {
    line += line.empty() ? '{' : ',';
    append_json_string(line, name);
    line += ':';
    append_json_string(line, shortened(value));
}

void require_log(const std::string& target, const struct stat& status) {
    if (may_hold_log(status.st_mode)) return;
    throw std::runtime_error("the log " + target +
                             " is not a regular file, a terminal or /dev/null: name another log.target");
}

}  // namespace

bool may_hold_log(mode_t mode) { return S_ISREG(mode) || S_ISCHR(mode); }

std::unique_ptr<LogSink> open_log_sink(const std::string& target) {
    if (target == "stderr" || target == "/dev/stderr")  // the same, also where it is a pipe or a socket
        return std::make_unique<DescriptorSink>(STDERR_FILENO, DescriptorSink::Close::no);
    if (target == "syslog") return std::make_unique<SyslogSink>();
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0) require_log(target, status);  // ENXIO of a FIFO would not say it
    const int descriptor =
        ::open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot open log " + target);
    auto sink = log_sink_on(descriptor);
    if (::fstat(descriptor, &status) == 0) require_log(target, status);
    ::fcntl(descriptor, F_SETFL, O_APPEND);  // a slow terminal gets its lines
    return sink;
}

std::unique_ptr<LogSink> log_sink_on(int descriptor) {
    return std::make_unique<DescriptorSink>(descriptor, DescriptorSink::Close::yes);
}

Log::Log(std::unique_ptr<LogSink> sink, LogLevel threshold, std::string program)
    : sink_(std::move(sink)), threshold_(threshold), program_(std::move(program)) {}

void Log::write(LogLevel level, std::string_view event, std::span<const Field> fields) const {
    if (level > threshold_) return;
    if (lost_ > 0) {
        const std::string count = std::to_string(lost_);
        const Field lost[] = {{"count", count}};
        if (!sink_->write(LogLevel::error, line_of(LogLevel::error, "lines_lost", lost))) {
            ++lost_;
            return;
        }
        lost_ = 0;
    }
    if (!sink_->write(level, line_of(level, event, fields))) ++lost_;
}

std::string Log::line_of(LogLevel level, std::string_view event, std::span<const Field> fields) const {
    std::string line;
    line.reserve(kUsualLine);
    append_member(line, "time", utc_text(SystemClock().now()));
    append_member(line, "level", row_of(level).name);
    append_member(line, "program", program_);
    append_member(line, "event", event);
    for (const Field& field : fields) append_member(line, field.first, field.second);
    line += '}';
    return line;
}

}  // namespace postern::util
