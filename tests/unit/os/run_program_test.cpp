#include "os/run_program.h"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/files.h"

using namespace postern;
using os::run_program;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

os::ProgramEnd shell(const std::string& script, const std::string& input = "", milliseconds limit = seconds(60)) {
    return run_program({"/bin/sh", "-c", script}, input, limit);
}

}  // namespace

TEST_CASE("run_program: the input goes in whole, what is said comes out, and the status decides") {
    const std::string large(300000, 'x');
    const auto counted = shell("wc -c", large);
    CHECK(counted.succeeded);
    CHECK(counted.reason.empty());
    CHECK(counted.output.find("300000") != std::string::npos);
    const auto failed = shell("cat >/dev/null; echo out; echo err >&2; exit 75", large);
    CHECK_FALSE(failed.succeeded);
    CHECK(failed.reason == "the command ended with status 75");
    CHECK(failed.output == "out\nerr\n");
    CHECK(shell("kill -TERM $$").reason == "the command was ended by signal 15");
    CHECK(shell("yes | head -c 500000").output.size() == 2000);
}

TEST_CASE("run_program: a program that does not read, or closes what it has, ends as it ends") {
    const std::string large(300000, 'x');
    CHECK(shell("exit 0", large).succeeded);
    CHECK(shell("exec <&-; exit 0", large).succeeded);
    CHECK(shell("exec >&- 2>&-; cat", "short").reason == "the command ended with status 1");
    CHECK(shell("sleep 600 & exit 0").succeeded);  // a child that goes on, and holds the output open, is not waited for
}

TEST_CASE("run_program: after the limit it is killed, with its children [MAIL-2]") {
    const test::TemporaryDirectory directory;
    const std::string file = directory / "pid";
    const auto late = shell("sleep 600 & echo $! > " + file + "; trap '' TERM INT; wait", "", milliseconds(500));
    CHECK_FALSE(late.succeeded);
    CHECK(late.reason == "the command took longer than 1 s");
    pid_t child = 0;
    std::ifstream(file) >> child;
    REQUIRE(child > 0);
    const std::string status = "/proc/" + std::to_string(child) + "/stat";
    const auto is_gone = [&] {
        const std::string text = test::read_file(status);
        return text.empty() || text.find(") Z") != std::string::npos;  // its new parent has not asked for it yet
    };
    while (!is_gone()) std::this_thread::sleep_for(milliseconds(10));
}

TEST_CASE("run_program: what cannot be started is said") {
    for (const char* program : {"/nonexistent/program", "/etc/passwd", "/"}) {
        CAPTURE(program);
        const auto end = run_program({program}, "text", seconds(60));
        CHECK_FALSE(end.succeeded);
        CHECK(end.reason.starts_with("the command cannot be started: "));
    }
}

TEST_CASE("run_program: of the environment it gets what a program needs, and no signal of ours") {
    ::setenv("PGPASSWORD", "secret", 1);
    ::setenv("HOME", "/root/of/it", 1);
    const auto end = shell("env; trap");
    ::unsetenv("PGPASSWORD");
    CHECK(end.output.find("secret") == std::string::npos);
    CHECK(end.output.find("HOME=/root/of/it\n") != std::string::npos);
    CHECK(end.output.find("PATH=") != std::string::npos);
}
