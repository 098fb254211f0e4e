// Prints results on a terminal; text from outside is made displayable first.
#include "cli/output.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>

#include "json/writer.h"
#include "util/text.h"

namespace postern::cli {
namespace {

/// Characters, not bytes: UTF-8 continuation bytes take no column.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(std::string text, std::size_t columns) {
    const std::size_t used = width(text);
    if (used < columns) text.append(columns - used, ' ');
    return text;
}

void print_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& columns) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += padded(cells[i], columns[i]) + "  ";
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
}

}  // namespace

JsonRows::JsonRows() { std::cout << '['; }

JsonRows::~JsonRows() { std::cout << (empty_ ? "]\n" : "\n]\n"); }

void JsonRows::print(const json::Value& row) {
    std::cout << (empty_ ? "\n  " : ",\n  ") << json::write(row);
    empty_ = false;
}

void print_json(const json::Value& value) { std::cout << json::write_pretty(value); }

void print_fields(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::size_t column = 0;
    for (const auto& [name, value] : fields) {
        if (!value.empty()) column = std::max(column, width(name));
    }
    for (const auto& [name, value] : fields) {
        if (!value.empty()) std::cout << padded(name, column) << "  " << util::displayable(value) << '\n';
    }
}

void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::vector<std::string>> lines{heading};
    for (const auto& row : rows) {
        auto& line = lines.emplace_back();
        for (const std::string& cell : row) line.push_back(util::displayable(cell));
    }
    std::vector<std::size_t> columns(heading.size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) columns[i] = std::max(columns[i], width(line[i]));
    }
    for (const auto& line : lines) print_row(line, columns);
}

std::string counted(std::int64_t number, const std::string& noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

namespace {

std::string utc(util::Time time, const char* format) {
    const std::time_t seconds = util::to_epoch(time);
    std::tm parts{};
    if (!gmtime_r(&seconds, &parts)) return std::to_string(seconds);
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

std::string to_text(util::Time time) { return utc(time, "%Y-%m-%d %H:%M:%S UTC"); }

std::string log_time(util::Time time) { return utc(time, "%Y-%m-%dT%H:%M:%SZ"); }

std::string in_quotes(std::string_view text) { return "\"" + util::displayable(text) + "\""; }

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

}  // namespace postern::cli
