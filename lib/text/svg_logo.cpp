// A reader of SVG that knows drawings and nothing else.
#include "text/svg_logo.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "util/text.h"

namespace postern::text {
namespace {

constexpr std::size_t kDeepest = 24;
constexpr std::string_view kNamespace = "http://www.w3.org/2000/svg";
constexpr const char* kIdPrefix = "logo-";

/// Whether the text in it is left out with it.
enum class Kind { root, drawn, left_out };
struct Element {
    std::string_view name;
    Kind kind;
};
constexpr Element kElements[] = {
    {"svg", Kind::root},       {"circle", Kind::drawn},         {"clipPath", Kind::drawn},
    {"defs", Kind::drawn},     {"desc", Kind::left_out},        {"ellipse", Kind::drawn},
    {"g", Kind::drawn},        {"line", Kind::drawn},           {"linearGradient", Kind::drawn},
    {"mask", Kind::drawn},     {"path", Kind::drawn},           {"polygon", Kind::drawn},
    {"polyline", Kind::drawn}, {"radialGradient", Kind::drawn}, {"rect", Kind::drawn},
    {"stop", Kind::drawn},     {"title", Kind::left_out},
};

/// How the value of an attribute is read.
enum class Value {
    plain,      ///< numbers, words and lists of them
    paint,      ///< the same, or url(#id)
    id,         ///< a name
    name_space  ///< that of SVG
};
struct Attribute {
    std::string_view name;
    Value value;
};
constexpr Attribute kAttributes[] = {
    {"clip-path", Value::paint},
    {"clip-rule", Value::plain},
    {"clipPathUnits", Value::plain},
    {"cx", Value::plain},
    {"cy", Value::plain},
    {"d", Value::plain},
    {"fill", Value::paint},
    {"fill-opacity", Value::plain},
    {"fill-rule", Value::plain},
    {"fx", Value::plain},
    {"fy", Value::plain},
    {"gradientTransform", Value::plain},
    {"gradientUnits", Value::plain},
    {"height", Value::plain},
    {"id", Value::id},
    {"mask", Value::paint},
    {"maskContentUnits", Value::plain},
    {"maskUnits", Value::plain},
    {"offset", Value::plain},
    {"opacity", Value::plain},
    {"pathLength", Value::plain},
    {"points", Value::plain},
    {"preserveAspectRatio", Value::plain},
    {"r", Value::plain},
    {"rx", Value::plain},
    {"ry", Value::plain},
    {"spreadMethod", Value::plain},
    {"stop-color", Value::plain},
    {"stop-opacity", Value::plain},
    {"stroke", Value::paint},
    {"stroke-dasharray", Value::plain},
    {"stroke-dashoffset", Value::plain},
    {"stroke-linecap", Value::plain},
    {"stroke-linejoin", Value::plain},
    {"stroke-miterlimit", Value::plain},
    {"stroke-opacity", Value::plain},
    {"stroke-width", Value::plain},
    {"transform", Value::plain},
    {"version", Value::plain},
    {"viewBox", Value::plain},
    {"width", Value::plain},
    {"x", Value::plain},
    {"x1", Value::plain},
    {"x2", Value::plain},
    {"xmlns", Value::name_space},
    {"y", Value::plain},
    {"y1", Value::plain},
    {"y2", Value::plain},
};

template <class Rows>
auto* find_row(const Rows& rows, std::string_view name) {
    const auto* row = std::ranges::find_if(rows, [&](const auto& each) { return each.name == name; });
    return row == std::end(rows) ? nullptr : row;
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kDigits = "0123456789";

bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
bool is_name_character(char c) { return is_in(kLetters, c) || is_in(kDigits, c) || is_in("-_", c); }
bool is_name(std::string_view text) {
    return !text.empty() && is_in(kLetters, text.front()) && std::ranges::all_of(text, is_name_character);
}

/// No quote, no "<", "&" or "{", no backslash and no colon: no address, no escape, no end of the value.
bool is_plain(std::string_view value) {
    return std::ranges::all_of(value, [](char c) { return is_name_character(c) || is_in(" \t\r\n.,+#%()", c); });
}

bool has_url(std::string_view value) { return util::to_lower(value).find("url") != std::string::npos; }

/// The name in "url(#name)".
std::optional<std::string_view> reference_in(std::string_view value) {
    constexpr std::string_view kBegin = "url(#";
    if (!value.starts_with(kBegin) || !value.ends_with(")")) return std::nullopt;
    value = value.substr(kBegin.size(), value.size() - kBegin.size() - 1);
    if (!is_name(value)) return std::nullopt;
    return value;
}

/// The value as it is written, or nullopt.
std::optional<std::string> written_value(Value kind, std::string_view value) {
    switch (kind) {
        case Value::name_space:
            return value == kNamespace ? std::optional<std::string>("") : std::nullopt;
        case Value::id:
            return is_name(value) ? std::optional(kIdPrefix + std::string(value)) : std::nullopt;
        case Value::paint:
            if (const auto id = reference_in(value)) return "url(#" + (kIdPrefix + std::string(*id)) + ")";
            break;
        case Value::plain:
            break;
    }
    return is_plain(value) && !has_url(value) ? std::optional(std::string(value)) : std::nullopt;
}

bool is_view_box(std::string_view value) {
    constexpr std::string_view kNumber = "0123456789.-+";
    int numbers = 0;
    for (auto at = value.find_first_of(kNumber); at != value.npos; ++numbers) {
        const auto end = value.find_first_not_of(kNumber, at);
        at = end == value.npos ? end : value.find_first_of(kNumber, end);
    }
    return numbers == 4 && value.find_first_not_of("0123456789.-+ ,\t\r\n") == value.npos;
}

class Reader {
public:
    explicit Reader(std::string_view file) : file_(file) {}

    util::Result<SvgLogo, SvgFault> read() {
        while (at_ < file_.size() && !fault_) step();
        if (!fault_ && !is_done_) fail("is not one <svg> element that is closed");
        if (fault_) return *fault_;
        return std::move(logo_);
    }

private:
    void fail(std::string reason) {
        if (fault_) return;
        const auto newlines = std::ranges::count(file_.substr(0, std::min(at_, file_.size())), '\n');
        fault_ = SvgFault{static_cast<std::size_t>(newlines) + 1, std::move(reason)};
    }

    std::string_view rest() const { return file_.substr(at_); }
    bool takes(std::string_view text) {
        if (!rest().starts_with(text)) return false;
        at_ += text.size();
        return true;
    }
    void skip_blanks() { at_ = std::min(file_.find_first_not_of(kBlanks, at_), file_.size()); }
    std::string_view take_name() {
        const std::size_t begin = at_;
        while (at_ < file_.size() && (is_name_character(file_[at_]) || file_[at_] == ':')) ++at_;
        return file_.substr(begin, at_ - begin);
    }

    /// One tag, comment, declaration or run of text.
    void step() {
        if (takes("\xef\xbb\xbf")) return begins_with("a byte order mark", 3);
        if (takes("<!--")) return skip_to("-->");
        if (takes("<?xml ")) return begins_with("an XML declaration", 6), skip_to("?>");
        if (rest().starts_with("<?")) return fail("has a processing instruction");
        if (rest().starts_with("<!")) return fail("has a document type or a CDATA section");
        if (takes("</")) return close();
        if (takes("<")) return open();
        read_text();
    }

    /// Only the first thing of the file may be so.
    void begins_with(const char* what, std::size_t size) {
        if (at_ != size && !(at_ == size + 3 && file_.starts_with("\xef\xbb\xbf")))
            fail(std::string("has ") + what + " in its middle");
    }

    void skip_to(std::string_view end) {
        const auto found = file_.find(end, at_);
        if (found == file_.npos) return fail("is cut");
        at_ = found + end.size();
    }

    void read_text() {
        const auto end = std::min(file_.find('<', at_), file_.size());
        const bool is_left_out = !open_.empty() && open_.back()->kind == Kind::left_out;
        if (!is_left_out && file_.substr(at_, end - at_).find_first_not_of(kBlanks) != file_.npos)
            return fail("has text, which depends on fonts: convert it to paths");
        at_ = end;
    }

    void open() {
        const std::string_view name = take_name();
        const Element* element = find_row(kElements, name);
        if (element == nullptr) return fail(name.empty() ? "has a tag without a name" : refused("<", name, ">"));
        if ((element->kind == Kind::root) != open_.empty() || is_done_)
            return fail("must have one <svg> element, with everything else in it");
        if (open_.size() == kDeepest) return fail("has more elements in one another than 24");
        if (!open_.empty() && open_.back()->kind == Kind::left_out) return fail("has an element in <title> or <desc>");
        const bool is_written = element->kind != Kind::left_out;
        if (is_written) logo_.content.append("<").append(written_name(*element));
        read_attributes(*element);
        if (fault_) return;
        if (element->kind == Kind::root && logo_.view_box.empty())
            return fail("needs viewBox=\"...\" of four numbers, so that it can have any size");
        const bool is_empty = takes("/");
        if (!takes(">")) return fail("has a tag that is not closed");
        if (is_written) logo_.content += is_empty ? "/>" : ">";
        if (!is_empty) return open_.push_back(element);
        is_done_ = open_.empty();
    }

    void read_attributes(const Element& element) {
        std::vector<std::string_view> seen;
        for (skip_blanks(); at_ < file_.size() && !fault_ && file_[at_] != '>' && file_[at_] != '/'; skip_blanks()) {
            if (!is_in(kBlanks, file_[at_ - 1])) return fail("has an attribute without a blank before it");
            const std::string_view name = take_name();
            if (std::ranges::find(seen, name) != seen.end()) return fail(refused("the attribute ", name, " twice"));
            seen.push_back(name);
            read_attribute(element, name);
        }
    }

    void read_attribute(const Element& element, std::string_view name) {
        const Attribute* attribute = find_row(kAttributes, name);
        if (attribute == nullptr)
            return fail(name.empty() ? "has an attribute without a name" : refused("the attribute ", name, ""));
        skip_blanks();
        if (!takes("=")) return fail(refused("the attribute ", name, " without a value"));
        skip_blanks();
        if (at_ >= file_.size() || !is_in("\"'", file_[at_]))
            return fail(refused("the attribute ", name, " without quotes"));
        const auto end = file_.find(file_[at_], at_ + 1);
        if (end == file_.npos) return fail("is cut");
        const std::string_view value = file_.substr(at_ + 1, end - at_ - 1);
        const auto written = written_value(attribute->value, value);
        if (!written) return fail(refused("the attribute ", name, " with a value that is not taken"));
        at_ = end + 1;
        write_attribute(element, name, *written);
    }

    void write_attribute(const Element& element, std::string_view name, const std::string& value) {
        if (element.kind == Kind::root && name == "viewBox") {
            if (!is_view_box(value)) return;  // open() says what is wanted
            logo_.view_box = value;
        } else if (element.kind == Kind::drawn ? name != "xmlns" : is_of_content(element, name)) {
            logo_.content.append(" ").append(name).append("=\"").append(value).append("\"");
        }
    }

    void close() {
        const std::string_view name = take_name();
        skip_blanks();
        if (!takes(">") || open_.empty() || open_.back()->name != name) return fail("closes what is not open");
        if (open_.back()->kind != Kind::left_out)
            logo_.content.append("</").append(written_name(*open_.back())).append(">");
        open_.pop_back();
        is_done_ = open_.empty();
    }

    /// The root is the page's. What it says about how its content looks is said by a group in it.
    static std::string_view written_name(const Element& element) {
        return element.kind == Kind::root ? "g" : element.name;
    }
    static bool is_of_content(const Element& root, std::string_view name) {
        constexpr std::string_view kOfRoot[] = {
            "height", "id", "preserveAspectRatio", "version", "viewBox", "width", "xmlns", "x", "y"};
        return root.kind == Kind::root && std::ranges::find(kOfRoot, name) == std::end(kOfRoot);
    }

    /// A name of the file in words of ours: names have letters, digits, "-", "_" and ":" alone.
    static std::string refused(const char* before, std::string_view name, const char* after) {
        return std::string("has ") + before + std::string(name.substr(0, 64)) + after +
               ", which a logo cannot have: export it as plain SVG with presentation attributes";
    }

    std::string_view file_;
    std::size_t at_ = 0;
    std::vector<const Element*> open_;
    bool is_done_ = false;
    SvgLogo logo_;
    std::optional<SvgFault> fault_;
};

}  // namespace

util::Result<SvgLogo, SvgFault> read_svg_logo(std::string_view file) { return Reader(file).read(); }

}  // namespace postern::text
