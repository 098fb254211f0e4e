// Tests of lib/util/log.cpp.
#include "util/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "support/files.h"

using namespace postern::test;
using namespace postern::util;
using namespace std::string_view_literals;

namespace {

using Lines = std::vector<std::pair<LogLevel, std::string>>;

class MemorySink final : public LogSink {
public:
    explicit MemorySink(Lines& lines) : lines_(lines) {}
    bool write(LogLevel level, std::string_view line) override {
        lines_.emplace_back(level, line);
        return true;
    }

private:
    Lines& lines_;
};

Log log_into(Lines& lines, LogLevel threshold) { return Log(std::make_unique<MemorySink>(lines), threshold, "token"); }

/// What follows the event in the one line that `value` makes.
std::string field_text(std::string_view value) {
    Lines lines;
    log_into(lines, LogLevel::info).info("e", {{"f", value}});
    REQUIRE(lines.size() == 1);
    const std::string marker = R"("f":)";
    const std::string& line = lines[0].second;
    const std::size_t at = line.find(marker) + marker.size();
    return line.substr(at, line.size() - at - 1);
}

}  // namespace

TEST_CASE("Log: an event is one JSON object with time, level, program, event and fields in that order") {
    Lines lines;
    log_into(lines, LogLevel::info).warn("code_reused", {{"client", "c1"}, {"request", "r1"}});
    REQUIRE(lines.size() == 1);
    std::string line = lines[0].second;
    REQUIRE(line.size() > 28);
    std::replace_if(
        line.begin() + 9, line.begin() + 28, [](char c) { return c >= '0' && c <= '9'; }, 'd');
    CHECK(
        line ==
        R"({"time":"dddd-dd-ddTdd:dd:ddZ","level":"warn","program":"token","event":"code_reused","client":"c1","request":"r1"})");
    CHECK(lines[0].first == LogLevel::warn);
}

TEST_CASE("Log: the time is now, in UTC") {
    const auto utc = [] {
        const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
        char text[32];
        REQUIRE(std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now)) == 20);
        return std::string(text);
    };
    Lines lines;
    const std::string before = utc();
    log_into(lines, LogLevel::info).info("e");
    const std::string after = utc();
    const std::string logged = lines.at(0).second.substr(9, 20);
    CHECK(logged >= before);
    CHECK(logged <= after);
}

TEST_CASE("Log: the threshold lets more urgent levels through and holds the others back") {
    struct Row {
        LogLevel threshold;
        std::size_t written;
    };
    const Row rows[] = {{LogLevel::error, 1}, {LogLevel::warn, 2}, {LogLevel::info, 3}, {LogLevel::debug, 4}};
    for (const Row& row : rows) {
        Lines lines;
        const Log log = log_into(lines, row.threshold);
        log.error("e");
        log.warn("w");
        log.info("i");
        log.write(LogLevel::debug, "d");
        CHECK(lines.size() == row.written);
    }
}

TEST_CASE("Log: no value breaks out of its line or its string [G02]") {
    struct Row {
        std::string_view value;
        const char* written;
    };
    const Row rows[] = {
        {"a\nb\r\0c"sv, R"("a\nb\r\u0000c")"}, {R"(","level":"error)", R"("\",\"level\":\"error")"},
        {"\x1B[2J", R"("\u001b[2J")"},         {"\xC2\x9B", R"("\u009b")"},
        {"\xE2\x80\xA8", R"("\u2028")"},       {"\xFF\xFE", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.written);
        CHECK(field_text(row.value) == row.written);
    }
}

TEST_CASE("Log: the event and the names of fields are escaped too") {
    Lines lines;
    log_into(lines, LogLevel::info).info("a\nb", {{"c\"d", "x"}});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].second.ends_with(R"("event":"a\nb","c\"d":"x"})"));
}

TEST_CASE("Log: values are cut at 512 bytes and never inside a character") {
    const std::string exact(512, 'x');
    CHECK(field_text(exact) == '"' + exact + '"');
    CHECK(field_text(exact + "y") == '"' + exact + '"');
    const std::string before(511, 'x');
    CHECK(field_text(before + "\xC3\xA9") == '"' + before + '"');
    const std::string euros = std::string(509, 'x') + "\xE2\x82\xAC";
    CHECK(field_text(euros + "z") == '"' + euros + '"');
}

TEST_CASE("open_log_sink: a file is appended to, private to owner and group") {
    const TemporaryDirectory directory;
    const std::string path = (directory / "postern.log");
    write_file(path, "before\n");
    {
        const auto first = open_log_sink(path);
        const auto second = open_log_sink(path);
        first->write(LogLevel::info, "one");
        second->write(LogLevel::info, "two");
        first->write(LogLevel::info, "three");
    }
    CHECK(read_file(path) == "before\none\ntwo\nthree\n");

    const std::string fresh = (directory / "fresh.log");
    const mode_t old_mask = ::umask(0);
    const auto sink = open_log_sink(fresh);
    ::umask(old_mask);
    CHECK(mode_of(fresh) == 0640);
}

TEST_CASE("open_log_sink: a place that cannot be opened is a system_error with its cause") {
    const TemporaryDirectory directory;
    try {
        open_log_sink((directory / "missing/postern.log"));
        FAIL("opened a file in a directory that is not there");
    } catch (const std::system_error& error) {
        CHECK(error.code() == std::errc::no_such_file_or_directory);
    }
}

TEST_CASE("open_log_sink: a FIFO, a socket or a directory is refused at once, with a reader or without") {
    const TemporaryDirectory directory;
    const std::string fifo = (directory / "fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto refusal = [](const std::string& target) -> std::string {
        try {
            open_log_sink(target);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refusal(fifo).find(fifo + " is not a regular file") != std::string::npos);
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    CHECK(refusal(fifo).find("is not a regular file") != std::string::npos);
    ::close(reader);
    CHECK(refusal((directory / ".")).find("is not a regular file") != std::string::npos);
    CHECK(refusal("/dev/null").empty());
}

TEST_CASE("open_log_sink: /dev/stderr is standard error, also where that is a pipe") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const int saved = ::dup(STDERR_FILENO);
    REQUIRE(::dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    const bool written = open_log_sink("/dev/stderr")->write(LogLevel::info, "line");
    ::dup2(saved, STDERR_FILENO);
    ::close(saved);
    ::close(ends[1]);
    char bytes[16]{};
    CHECK(written);
    CHECK(::read(ends[0], bytes, sizeof bytes) == 5);
    CHECK(std::string(bytes) == "line\n");
    ::close(ends[0]);
}

TEST_CASE("open_log_sink: stderr is the process's standard error and stays open after the sink") {
    const TemporaryDirectory directory;
    const std::string path = (directory / "stderr.txt");
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int saved = ::dup(STDERR_FILENO);
    REQUIRE(::dup2(file, STDERR_FILENO) == STDERR_FILENO);
    open_log_sink("stderr")->write(LogLevel::info, "first");
    open_log_sink("stderr")->write(LogLevel::info, "second");
    ::dup2(saved, STDERR_FILENO);
    ::close(saved);
    ::close(file);
    CHECK(read_file(path) == "first\nsecond\n");
}

TEST_CASE("Log: security events are written at every level") {
    Lines lines;
    log_into(lines, LogLevel::error).write(LogLevel::audit, "login_failed", {{"reason", "wrong password"}});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].second.find(R"("level":"audit")") != std::string::npos);
}

TEST_CASE("Log: lines that could not be written are counted, and the count is the first thing that is written again") {
    class FullSink final : public LogSink {
    public:
        FullSink(Lines& lines, const bool& full) : lines_(lines), full_(full) {}
        bool write(LogLevel level, std::string_view line) override {
            if (!full_) lines_.emplace_back(level, line);
            return !full_;
        }

    private:
        Lines& lines_;
        const bool& full_;
    };
    Lines lines;
    bool full = true;
    const Log log(std::make_unique<FullSink>(lines, full), LogLevel::info, "token");
    for (int i = 0; i < 3; ++i) log.info("lost");
    full = false;
    log.info("kept");
    log.info("kept");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].second.ends_with(R"("event":"lines_lost","count":"3"})"));
    CHECK(lines[1].second.ends_with(R"("event":"kept"})"));
}

TEST_CASE("Log: a line that a full disk cut does not swallow the next one") {
    const TemporaryDirectory directory;
    const auto sink = open_log_sink((directory / "log"));
    rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit small = old;
    small.rlim_cur = 15;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const bool first = sink->write(LogLevel::info, "0123456789");
    const bool second = sink->write(LogLevel::info, "abcdefghij");
    const bool third = sink->write(LogLevel::info, "lost");
    const auto other = open_log_sink((directory / "log"));  // as another process has it
    const bool fourth = other->write(LogLevel::info, "lost too");
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
    ::signal(SIGXFSZ, handler);
    CHECK(first);
    CHECK_FALSE(second);
    CHECK_FALSE(third);
    CHECK_FALSE(fourth);
    CHECK(other->write(LogLevel::info, "behind what is no line of its own"));
    CHECK(sink->write(LogLevel::info, "next"));
    CHECK(sink->write(LogLevel::info, "last"));
    CHECK(read_file((directory / "log")) == "0123456789\nabcd\nbehind what is no line of its own\n\nnext\nlast\n");
}
