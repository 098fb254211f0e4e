// How one thing is shown.
#include "cli/listing.h"

#include "cli/output.h"
#include "json/writer.h"

namespace postern::cli {
namespace {

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
