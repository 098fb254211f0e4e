// The operator's log: one JSON object a line, never a secret.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace postern::util {

enum class LogLevel {
    audit,  ///< security events: written whatever level is configured
    error,
    warn,
    info,
    debug,
};

/// The place of the lines: stderr (the web server's error log), syslog, or a file opened for append.
class LogSink {
public:
    virtual ~LogSink() = default;
    /// Returns whether the whole line got there. `line` has no newline; never throws.
    virtual bool write(LogLevel level, std::string_view line) = 0;
};

/// Returns whether a file of that mode (st_mode) may hold lines: a regular file or a character device, such as a
/// terminal or /dev/null. A FIFO would keep every process waiting for a reader, or end it.
bool may_hold_log(mode_t mode);

/// Opens "stderr" (or /dev/stderr), "syslog" or a file path (O_APPEND|O_CLOEXEC, mode 0640). Never waits. Throws
/// std::system_error when the file cannot be opened, std::runtime_error when it may not hold a log.
std::unique_ptr<LogSink> open_log_sink(const std::string& target);

/// Takes `descriptor`, opened for append.
std::unique_ptr<LogSink> log_sink_on(int descriptor);

class Log {
public:
    using Field = std::pair<std::string_view, std::string_view>;

    Log(std::unique_ptr<LogSink> sink, LogLevel threshold, std::string program);

    /// Writes {"time":"2026-01-02T03:04:05Z","level":"info","program":"token","event":"...",<fields>}. Values are
    /// escaped, invalid UTF-8 replaced and cut at 512 bytes, so that one event is one line whatever a caller sent.
    /// Lines that could not be written, to a full disk perhaps, are counted: the next line that can be written says how
    /// many.
    void write(LogLevel level, std::string_view event, std::span<const Field> fields) const;
    void write(LogLevel level, std::string_view event, std::initializer_list<Field> fields = {}) const {
        write(level, event, std::span<const Field>(fields.begin(), fields.size()));
    }

    void error(std::string_view event, std::initializer_list<Field> fields = {}) const {
        write(LogLevel::error, event, fields);
    }
    void warn(std::string_view event, std::initializer_list<Field> fields = {}) const {
        write(LogLevel::warn, event, fields);
    }
    void info(std::string_view event, std::initializer_list<Field> fields = {}) const {
        write(LogLevel::info, event, fields);
    }

private:
    std::string line_of(LogLevel level, std::string_view event, std::span<const Field> fields) const;

    std::unique_ptr<LogSink> sink_;
    LogLevel threshold_;
    std::string program_;
    mutable std::size_t lost_ = 0;
};

}  // namespace postern::util
