// Reads JSON; the only place that includes RapidJSON.
#include "json/reader.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

// A broken assumption inside RapidJSON is an exception, which one request pays for, instead of an abort.
#define RAPIDJSON_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : throw std::logic_error("RapidJSON: " #condition))
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "json/builder.h"
#include "util/utf8.h"

namespace postern::json {
namespace {

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
