// Prints results on a terminal; text from outside is made displayable first.
#include "cli/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>

#include "cli/refused.h"
#include "json/writer.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::cli {
namespace {

constexpr std::size_t kInMemory = 1 << 20;

void check(bool was_done) {
    if (!was_done) throw Refused(std::string("a temporary file in /tmp cannot be written: ") + std::strerror(errno));
}

/// Characters, not bytes; combining marks take no column of their own.
std::size_t width(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const util::Utf8Step step = util::next_utf8(text);
        if (!step.code_point || !util::is_combining_mark(*step.code_point)) ++columns;
        text.remove_prefix(step.length);
    }
    return columns;
}

std::string padded(std::string text, std::size_t columns) {
    const std::size_t used = width(text);
    if (used < columns) text.append(columns - used, ' ');
    return text;
}

/// No cell has one: it is a control character.
constexpr char kBetweenCells = '\t';

void print_row(std::string_view cells, const std::vector<std::size_t>& columns) {
    std::string line;
    for (std::size_t i = 0; const std::string_view cell : util::split(cells, kBetweenCells))
        line += padded(std::string(cell), columns[i++]) + "  ";
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
}

std::string in_words(const json::Value& value) {
    if (value.is_null()) return "";
    if (const auto* text = value.if_string()) return *text;
    if (const auto* flag = value.if_bool()) return yes_no(*flag);
    const auto* items = value.if_array();
    if (items == nullptr) return json::write(value);
    std::vector<std::string> words;
    for (const json::Value& item : *items) words.push_back(in_words(item));
    return join(words);
}

}  // namespace

void Spool::add(std::string_view line) {
    latest_.append(line) += '\n';
    if (latest_.size() > kInMemory) spill();
}

void Spool::spill() {
    if (!earlier_) earlier_.reset(std::tmpfile());
    check(earlier_ && std::fwrite(latest_.data(), 1, latest_.size(), earlier_.get()) == latest_.size());
    latest_.clear();
}

void Spool::each_line(const std::function<void(std::string_view)>& visit) {
    if (earlier_) {
        check(std::fflush(earlier_.get()) == 0);
        std::rewind(earlier_.get());
        char* line = nullptr;
        std::size_t size = 0;
        ssize_t length = 0;
        while ((length = ::getline(&line, &size, earlier_.get())) > 0)
            visit({line, static_cast<std::size_t>(length) - 1});
        std::free(line);
        check(std::ferror(earlier_.get()) == 0);
    }
    std::string_view rest = latest_;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        visit(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
}

void JsonRows::add(const json::Value& row) { rows_.add(json::write(row)); }

void JsonRows::print() {
    bool is_empty = true;
    std::cout << '[';
    rows_.each_line([&](std::string_view row) {
        std::cout << (is_empty ? "\n  " : ",\n  ") << row;
        is_empty = false;
    });
    std::cout << (is_empty ? "]\n" : "\n]\n");
}

void Table::add(const std::vector<std::string>& cells) {
    columns_.resize(std::max(columns_.size(), cells.size()));
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = util::displayable(cells[i]);
        columns_[i] = std::max(columns_[i], width(cell));
        if (i > 0) line += kBetweenCells;
        line += cell;
    }
    rows_.add(line);
}

void Table::print() {
    rows_.each_line([this](std::string_view cells) { print_row(cells, columns_); });
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
    print_table_rows(heading, rows, [](const auto& row) { return row; });
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

Field time_field(const char* member, const char* label, const std::optional<util::Time>& time) {
    if (!time) return {member, label};
    return {member, label, util::to_epoch(*time), to_text(*time)};
}

json::Object members_of(const Listing& listing) {
    json::Object object;
    for (const Field& field : listing)
        if (!field.member.empty()) object.set(field.member, field.value);
    return object;
}

void print_lines(const Listing& listing) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Field& field : listing)
        if (!field.label.empty()) lines.emplace_back(field.label, field.text ? *field.text : in_words(field.value));
    print_fields(lines);
}

}  // namespace postern::cli
