// Reads the output of a CGI program.
#include "support/answer.h"

#include <doctest/doctest.h>

#include "json/reader.h"
#include "util/text.h"

namespace postern::test {
namespace {

void take_header(Answer& answer, std::string_view line) {
    const auto colon = line.find(':');
    REQUIRE_MESSAGE(colon != std::string_view::npos, "not a header: " << std::string(line));
    const std::string name(line.substr(0, colon));
    const std::string value(util::trim(line.substr(colon + 1)));
    if (util::to_lower(name) == "status") {
        answer.status = static_cast<int>(util::parse_digits(value.substr(0, 3), 999).value_or(0));
    } else {
        answer.headers.emplace_back(name, value);
    }
}

}  // namespace

std::vector<std::string> Answer::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [header, value] : headers)
        if (util::to_lower(header) == util::to_lower(name)) values.push_back(value);
    return values;
}

bool Answer::has(std::string_view name) const { return !all(name).empty(); }

std::string Answer::header(std::string_view name) const {
    const auto values = all(name);
    CHECK_MESSAGE(values.size() <= 1, "header given twice: " << std::string(name));
    return values.empty() ? "" : values.front();
}

json::Object Answer::json() const {
    const auto value = json::parse(body);
    return value && value->if_object() ? *value->if_object() : json::Object();
}

std::string Answer::member(std::string_view name) const { return text_of(json(), name); }

std::string Answer::verdict() const {
    const std::string error = member("error");
    return std::to_string(status) + (error.empty() ? "" : " " + error);
}

Answer parse_answer(std::string_view output) {
    Answer answer;
    answer.raw = output;
    while (!output.empty()) {
        const auto end = output.find('\n');
        std::string_view line = output.substr(0, end);
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (line.empty()) break;
        take_header(answer, line);
    }
    answer.body = output;
    return answer;
}

std::string text_of(const json::Object& object, std::string_view name) {
    const json::Value* value = object.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

std::int64_t number_of(const json::Object& object, std::string_view name) {
    const json::Value* value = object.find(name);
    return value && value->if_integer() ? *value->if_integer() : -1;
}

}  // namespace postern::test
