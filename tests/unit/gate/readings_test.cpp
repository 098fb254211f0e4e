// The readings of paths, and the places that they lead to.
#include "gate/readings.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

namespace {

/// The readings with blanks between them, or the fault.
std::string readings(std::string_view path) {
    const auto found = gate::readings_of(path);
    if (!found) return "fault: " + std::string(gate::to_string(found.error()));
    std::string all;
    for (const std::string& reading : *found) all += (all.empty() ? "" : " ") + reading;
    return all;
}

bool has_reading(std::string_view path, const char* reading) {
    const auto found = gate::readings_of(path);
    return found && found->contains(reading);
}

}  // namespace

TEST_CASE("readings_of: a plain path has one reading [GATE-11]") {
    for (const char* path : {"/", "/a", "/a/b/", "/a.b/c..d/~e", "/a/.well-known/x", "/a=b,c@d:e!f$g'h(i)*j+k&l"}) {
        CAPTURE(path);
        CHECK(readings(path) == path);
    }
}

TEST_CASE("readings_of: each way in which a server or an application may read a path [GATE-11]") {
    struct Row {
        const char* path;
        const char* reading;
    };
    const Row rows[] = {
        {"/one/../two/s", "/two/s"},
        {"/one/../two/s", "/one/../two/s"},
        {"/one/..%2ftwo/s", "/two/s"},
        {"/one/..%2ftwo/s", "/one/..%2ftwo/s"},
        {"/one/..%2Ftwo/s", "/two/s"},
        {"/one/%2e%2e/two/s", "/two/s"},
        {"/one/%2e%2E%2ftwo/s", "/two/s"},
        {"/one/%252e%252e/two/s", "/two/s"},
        {"/one/%252e%252e%252ftwo/s", "/two/s"},
        {"/one/..%5ctwo/s", "/two/s"},
        {"/one/..\\two/s", "/two/s"},
        {"/one/..%255ctwo/s", "/two/s"},
        {"/%74wo/s", "/two/s"},
        {"/%2574wo/s", "/two/s"},
        {"//two/s", "/two/s"},
        {"//two/s", "//two/s"},
        {"/%2ftwo/s", "/two/s"},
        {"//x/two/s", "/two/s"},
        {"//x:80/two/s", "/two/s"},
        {"//two", "/"},
        {"///x/two/s", "/two/s"},
        {"/\\/x/two/s", "/two/s"},
        {"////", "/"},
        {"/\\x/two/s", "/two/s"},
        {"/%2fx/two/s", "/two/s"},
        {"/one/..//x/two/s", "/two/s"},
        {"/./two/s", "/two/s"},
        {"/one/..;x=y/two/s", "/two/s"},
        {"/one/..;/two/s", "/two/s"},
        {"/one/%2e%2e;x/two/s", "/two/s"},
        {"/two;x/s", "/two/s"},
        {"/two%3bx/s", "/two/s"},
        {"/one//../two/s", "/one/two/s"},
        {"/one//../two/s", "/two/s"},
        {"/one/..", "/"},
        {"/one/.", "/one/"},
        {"/two#/s", "/two"},
        {"/two%23/s", "/two"},
        {"/two%3f/s", "/two"},
        {"/one%2f..%2f%2e%2e%2ftwo", "fault"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CAPTURE(row.reading);
        if (std::string_view(row.reading) == "fault")
            CHECK(readings(row.path).starts_with("fault: "));
        else
            CHECK(has_reading(row.path, row.reading));
    }
}

TEST_CASE("readings_of: a percent sign that was encoded is one, and is not decoded for ever [GATE-11]") {
    CHECK(readings("/wiki/100%25") == "/wiki/100% /wiki/100%25");
    CHECK(has_reading("/a/%252525", "/a/%25"));
    CHECK_FALSE(has_reading("/a/%2525252e", "/a/."));
}

TEST_CASE("readings_of: targets that are refused whatever site they are of [GATE-11]") {
    struct Row {
        std::string path;
        gate::TargetFault fault;
    };
    const Row rows[] = {
        {"", gate::TargetFault::no_path},
        {"*", gate::TargetFault::no_path},
        {"two/s", gate::TargetFault::no_path},
        {"http://evil.test/two/s", gate::TargetFault::no_path},
        {"\\two\\s", gate::TargetFault::no_path},
        {"/" + std::string(gate::kMaxTargetBytes, 'a'), gate::TargetFault::too_long},
        {std::string("/a\0b", 4), gate::TargetFault::control},
        {"/a%00b", gate::TargetFault::control},
        {"/a%2500b", gate::TargetFault::control},
        {"/a\r\nX: y", gate::TargetFault::control},
        {"/a%0d%0aX: y", gate::TargetFault::control},
        {"/a\x7f", gate::TargetFault::control},
        {"/a\tb", gate::TargetFault::control},
        {"/a%", gate::TargetFault::broken_percent},
        {"/a%4", gate::TargetFault::broken_percent},
        {"/a%4gb", gate::TargetFault::broken_percent},
        {"/a%%41", gate::TargetFault::broken_percent},
        {"/..", gate::TargetFault::above_root},
        {"/../two/s", gate::TargetFault::above_root},
        {"/one/../../two/s", gate::TargetFault::above_root},
        {"/one/%2e%2e/%2e%2e/two/s", gate::TargetFault::above_root},
        {"/one/..%2f..%2ftwo/s", gate::TargetFault::above_root},
        {"/one/%252e%252e%252f..%252ftwo", gate::TargetFault::above_root},
        {"/..;/two/s", gate::TargetFault::above_root},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path.substr(0, 60));
        const auto found = gate::readings_of(row.path);
        REQUIRE_FALSE(bool(found));
        CHECK(gate::to_string(found.error()) == gate::to_string(row.fault));
    }
}

TEST_CASE("readings_of: a path that is made to have many readings costs little [GATE-11]") {
    std::string many = "/x";
    for (int i = 0; i < 400; ++i) many += "/%252e;a//%5c%2fb#c%3fd\\e/.";
    std::string few = "/a";
    while (few.size() < 15900) few += "/a";
    for (const std::string& path : {many, few + "//;x%252e%5c\\#/./b"}) {
        const auto found = gate::readings_of(path);
        REQUIRE_FALSE(bool(found));
        CHECK(gate::to_string(found.error()) == gate::to_string(gate::TargetFault::too_many));
    }
    CHECK(bool(gate::readings_of(few + "/a%20b")));
}
