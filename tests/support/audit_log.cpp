// The audit lines among what programs have logged.
#include "support/audit_log.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "audit/trail.h"
#include "json/reader.h"
#include "support/answer.h"
#include "util/text.h"

namespace postern::test {
namespace {

constexpr const char* kEverywhere[] = {"time", "level", "program", "event"};
constexpr const char* kOfRequests[] = {"id", "address"};

bool is_one_of(const auto& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void check_vocabulary(const json::Object& line) {
    const auto table = audit::table();
    const std::string event = text_of(line, "event");
    CAPTURE(event);
    const auto row = std::ranges::find(table, event, &audit::Row::name);
    REQUIRE(row != table.end());
    const auto own = util::split(row->members, ' ');
    const bool of_request = text_of(line, "program") != "postern";
    for (const char* name : kEverywhere) CHECK(!text_of(line, name).empty());
    for (const char* name : kOfRequests) CHECK(text_of(line, name).empty() != of_request);
    for (const auto& member : line.members()) {
        const auto& name = member.first;
        CAPTURE(name);
        CHECK((is_one_of(kEverywhere, name) || (of_request && is_one_of(kOfRequests, name)) || is_one_of(own, name)));
        CHECK(!text_of(line, name).empty());
    }
}

}  // namespace

std::vector<json::Object> audit_lines(const std::string& log) {
    std::vector<json::Object> lines;
    for (const auto text : util::split(log, '\n')) {
        if (text.find("\"level\":\"audit\"") == std::string_view::npos) continue;
        const auto value = json::parse(text);
        REQUIRE_MESSAGE((value && value->if_object()), std::string(text));
        check_vocabulary(*value->if_object());
        lines.push_back(*value->if_object());
    }
    return lines;
}

json::Object audit_line(const std::string& log, const std::string& event) {
    const auto lines = audit_lines(log);
    REQUIRE_MESSAGE(lines.size() == 1, log);
    CHECK(text_of(lines.front(), "event") == event);
    return lines.front();
}

std::string audit_events(const std::string& log) {
    std::string events;
    for (const json::Object& line : audit_lines(log)) events += (events.empty() ? "" : " ") + text_of(line, "event");
    return events;
}

}  // namespace postern::test
