// How values become JSON text.
#include "json/writer.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "util/text.h"

namespace postern::json {
namespace {

constexpr std::size_t kUsualLength = 512;

enum class Style { compact, pretty };

class Writer {
public:
    explicit Writer(Style style) : style_(style) { out_.reserve(kUsualLength); }

    void append(const Value& value) {
        if (const bool* boolean = value.if_bool()) {
            out_ += *boolean ? "true" : "false";
        } else if (const std::int64_t* integer = value.if_integer()) {
            out_ += std::to_string(*integer);
        } else if (const double* number = value.if_number()) {
            append_number(*number);
        } else if (const std::string* string = value.if_string()) {
            util::append_json_string(out_, *string);
        } else if (const Array* array = value.if_array()) {
            append_array(*array);
        } else if (const Object* object = value.if_object()) {
            append(*object);
        } else {
            out_ += "null";
        }
    }

    void append(const Object& object) {
        if (object.empty()) {
            out_ += "{}";
            return;
        }
        char before = '{';
        ++depth_;
        for (const auto& [name, value] : object.members()) {
            start_item(before);
            util::append_json_string(out_, name);
            out_ += style_ == Style::pretty ? ": " : ":";
            append(value);
            before = ',';
        }
        end_items('}');
    }

    std::string take() { return std::move(out_); }

private:
    /// The shortest text that reads back as the same double, in no locale.
    void append_number(double number) {
        if (!std::isfinite(number)) throw std::invalid_argument("JSON cannot represent this number");
        char text[32];
        const auto end = std::to_chars(text, text + sizeof text, number).ptr;
        const std::string_view written(text, static_cast<std::size_t>(end - text));
        out_ += written;
        // A whole number would be read back as an integer.
        if (written.find_first_of(".e") == std::string_view::npos) out_ += ".0";
    }

    void append_array(const Array& array) {
        if (array.empty()) {
            out_ += "[]";
            return;
        }
        char before = '[';
        ++depth_;
        for (const Value& item : array) {
            start_item(before);
            append(item);
            before = ',';
        }
        end_items(']');
    }

    void start_item(char before) {
        out_ += before;
        break_line();
    }

    void end_items(char bracket) {
        --depth_;
        break_line();
        out_ += bracket;
    }

    void break_line() {
        if (style_ == Style::compact) return;
        out_ += '\n';
        out_.append(2 * depth_, ' ');
    }

    Style style_;
    std::string out_;
    std::size_t depth_ = 0;
};

template <class T>
std::string write_as(const T& value, Style style) {
    Writer writer(style);
    writer.append(value);
    return writer.take();
}

}  // namespace

std::string write(const Value& value) { return write_as(value, Style::compact); }

std::string write(const Object& object) { return write_as(object, Style::compact); }

std::string write_pretty(const Value& value) { return write_as(value, Style::pretty) + '\n'; }

}  // namespace postern::json
