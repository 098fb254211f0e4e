// Reads JSON; the only place that includes RapidJSON.
#include "json/reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

// A broken assumption inside RapidJSON is an exception, which one request pays for, instead of an abort.
#define RAPIDJSON_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : throw std::logic_error("RapidJSON: " #condition))
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "util/text.h"
#include "util/utf8.h"

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

/// Builds one value. Every event answers whether to go on; after `false`, `reason()` says why and the value is worth
/// nothing.
class Builder {
public:
    Builder(Dialect dialect, const Limits& limits) : dialect_(dialect), limits_(limits) {}

    bool add(Value value);                   ///< null and booleans
    bool add_number(std::string_view text);  ///< as written
    bool add_string(std::string_view unescaped);
    bool start_object();
    bool name(std::string_view unescaped);
    bool end_object();
    bool start_array();
    bool end_array();

    const std::string& reason() const { return reason_; }
    Value take() { return std::move(root_); }

private:
    /// A container that is still open.
    struct Frame {
        enum class Kind { array, object } kind;
        Array items;
        std::vector<std::pair<std::string, Value>> members;  ///< the last one waits for its value
        std::unordered_set<std::string> names;
    };

    bool refuse(std::string reason);
    bool start(Frame::Kind kind);
    bool count_node();
    void attach(Value value);
    bool check_text(std::string_view text);

    Dialect dialect_;
    const Limits& limits_;
    std::size_t nodes_ = 0;
    std::vector<Frame> open_;
    Value root_;
    std::string reason_;
};

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

/// Hands RapidJSON's events to the builder. Numbers come as text: RapidJSON 1.1 rounds large integers silently and
/// overflows on long exponents.
class Events : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Events> {
public:
    using Size = rapidjson::SizeType;

    explicit Events(Builder& builder) : builder_(builder) {}

    bool Default() { return false; }  // the typed numbers, which the flags below keep from coming
    bool Null() { return builder_.add(nullptr); }
    bool Bool(bool value) { return builder_.add(value); }
    bool RawNumber(const char* text, Size length, bool) { return builder_.add_number({text, length}); }
    bool String(const char* text, Size length, bool) { return builder_.add_string({text, length}); }
    bool StartObject() { return builder_.start_object(); }
    bool Key(const char* text, Size length, bool) { return builder_.name({text, length}); }
    bool EndObject(Size) { return builder_.end_object(); }
    bool StartArray() { return builder_.start_array(); }
    bool EndArray(Size) { return builder_.end_array(); }

private:
    Builder& builder_;
};

// Iterative: nesting costs no stack. The encoding is not validated again: see check_bytes and Builder::check_text.
constexpr unsigned kStrict = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
constexpr unsigned kRelaxed = kStrict | rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag;

const char* reason_of(rapidjson::ParseErrorCode code) {
    switch (code) {
        case rapidjson::kParseErrorDocumentEmpty:
            return "nothing but white space";
        case rapidjson::kParseErrorDocumentRootNotSingular:
            return "text after the value";
        case rapidjson::kParseErrorObjectMissName:
            return "a member name in quotes is missing";
        case rapidjson::kParseErrorObjectMissColon:
            return "a colon is missing after a member name";
        case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
            return "a comma or } is missing";
        case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
            return "a comma or ] is missing";
        case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
            return "\\u without four hex digits";
        case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
            return "a lone surrogate in a string";
        case rapidjson::kParseErrorStringEscapeInvalid:
            return "a bad escape or a control character in a string";
        case rapidjson::kParseErrorStringMissQuotationMark:
            return "a string without its closing quote";
        case rapidjson::kParseErrorNumberTooBig:
            return "a number beyond the range of a double";
        case rapidjson::kParseErrorNumberMissFraction:
            return "no digit after the decimal point";
        case rapidjson::kParseErrorNumberMissExponent:
            return "no digit in the exponent";
        default:
            return "not a JSON value";
    }
}

ParseError error_at(std::string_view text, std::size_t offset, std::string reason) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t last_break = before.rfind('\n');
    const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
    const auto breaks = std::count(before.begin(), before.end(), '\n');
    return {std::move(reason), static_cast<std::size_t>(breaks) + 1, before.size() - line_start + 1};
}

/// Refuses text that RapidJSON must not see: it takes NUL for the end and ignores what follows.
std::optional<ParseError> check_bytes(std::string_view text, const Limits& limits) {
    if (text.size() > limits.bytes) {
        return error_at(text, limits.bytes, "longer than " + std::to_string(limits.bytes) + " bytes");
    }
    if (text.starts_with("\xEF\xBB\xBF")) return error_at(text, 0, "a byte order mark");
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return error_at(text, nul, "a NUL byte");
    if (const std::size_t valid = util::valid_utf8_prefix(text); valid != text.size()) {
        return error_at(text, valid, "not UTF-8");
    }
    return std::nullopt;
}

template <unsigned flags>
rapidjson::ParseResult run(std::string_view text, Builder& builder) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::Reader reader;
    Events events(builder);
    return reader.Parse<flags>(stream, events);
}

}  // namespace

util::Result<Value, ParseError> parse(std::string_view text, Dialect dialect, const Limits& limits) {
    if (auto error = check_bytes(text, limits)) return *std::move(error);
    Builder builder(dialect, limits);
    const rapidjson::ParseResult result =
        dialect == Dialect::relaxed ? run<kRelaxed>(text, builder) : run<kStrict>(text, builder);
    if (!result.IsError()) return builder.take();
    // RapidJSON calls a refusal of ours "termination"; only the builder knows why.
    const std::string reason = builder.reason().empty() ? reason_of(result.Code()) : builder.reason();
    return error_at(text, result.Offset(), reason);
}

}  // namespace postern::json
