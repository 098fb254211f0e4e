// Checks the JSON values that we take: unique names, clean text, numbers that keep their value, bounded size.
#include "json/builder.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "util/text.h"

namespace postern::json {
namespace {

/// The whole text as T, or nothing. Unlike strtod, from_chars knows no locale.
template <class T>
std::optional<T> exact(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

bool Builder::refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
}

bool Builder::count_node() {
    return ++nodes_ <= limits_.nodes || refuse("more than " + std::to_string(limits_.nodes) + " values");
}

void Builder::attach(Value value) {
    if (open_.empty()) {
        root_ = std::move(value);
    } else if (Frame& frame = open_.back(); frame.kind == Frame::Kind::object) {
        frame.members.back().second = std::move(value);
    } else {
        frame.items.push_back(std::move(value));
    }
}

bool Builder::add(Value value) {
    if (!count_node()) return false;
    attach(std::move(value));
    return true;
}

bool Builder::add_number(std::string_view text) {
    // An integer that does not fit is refused rather than rounded: two different texts must not become one value.
    if (text.find_first_of(".eE") == std::string_view::npos) {
        const auto integer = exact<std::int64_t>(text);
        return integer ? add(*integer) : refuse("an integer beyond 64 bits");
    }
    const auto number = exact<double>(text);
    return number ? add(*number) : refuse("a number beyond the range of a double");
}

/// The parser lets a lone low surrogate (\udc00) through, and its unescaped form is not UTF-8. An escaped NUL would end
/// the text early wherever a C library reads it.
bool Builder::check_text(std::string_view text) {
    if (!util::is_utf8(text)) return refuse("a lone surrogate in a string");
    if (text.find('\0') != std::string_view::npos) return refuse("NUL in a string");
    return true;
}

bool Builder::add_string(std::string_view unescaped) { return check_text(unescaped) && add(unescaped); }

bool Builder::start(Frame::Kind kind) {
    if (!count_node()) return false;
    if (open_.size() == limits_.depth) return refuse("nested more than " + std::to_string(limits_.depth) + " deep");
    open_.emplace_back().kind = kind;
    return true;
}

bool Builder::start_object() { return start(Frame::Kind::object); }
bool Builder::start_array() { return start(Frame::Kind::array); }

bool Builder::name(std::string_view unescaped) {
    if (!check_text(unescaped)) return false;
    Frame& frame = open_.back();
    if (!frame.names.emplace(unescaped).second) {
        // RFC 8259 §4 leaves the meaning open. The operator's own file may be quoted back to the operator.
        const bool quotable = dialect_ == Dialect::relaxed && util::is_vschar(unescaped);
        return refuse(quotable ? "duplicate member \"" + std::string(unescaped) + '"' : "a duplicate member name");
    }
    frame.members.emplace_back(unescaped, Value());
    return true;
}

bool Builder::end_object() {
    std::vector<std::pair<std::string, Value>> members = std::move(open_.back().members);
    open_.pop_back();
    attach(Object::from_unique(std::move(members)));
    return true;
}

bool Builder::end_array() {
    Array items = std::move(open_.back().items);
    open_.pop_back();
    attach(std::move(items));
    return true;
}

}  // namespace postern::json
