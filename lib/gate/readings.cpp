// Forms the readings of a path: each step that a web server or an application may take, in every order.
#include "gate/readings.h"

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "util/percent.h"
#include "util/text.h"

namespace postern::gate {
namespace {

/// Far more than honest paths have, most of which have one.
constexpr std::size_t kMostReadings = 128;
/// Of all readings together: each is made in a time that grows with its length, for whoever asks.
constexpr std::size_t kMostBytes = 65536;
constexpr int kMostDecodings = 2;

/// `\`, `%2f` and `%5c` as `/`.
std::string fold_slashes(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto byte = path[i] == '%' ? util::percent_byte(path, i) : std::nullopt;
        if (path[i] == '\\' || byte == '/' || byte == '\\') {
            out += '/';
            if (byte) i += 2;
        } else {
            out += path[i];
        }
    }
    return out;
}

std::string merge_slashes(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    for (const char c : path)
        if (c != '/' || !out.ends_with('/')) out += c;
    return out;
}

/// What stands behind `;` in a segment are parameters to some applications (RFC 3986 §3.3).
std::string remove_parameters(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    bool is_parameter = false;
    for (const char c : path) {
        if (c == '/') is_parameter = false;
        if (c == ';') is_parameter = true;
        if (!is_parameter) out += c;
    }
    return out;
}

/// The path in front of the first `?` or `#`, which some servers look for after they have decoded it.
std::string cut(std::string_view path) { return std::string(path.substr(0, path.find_first_of("?#"))); }

/// The path of a URL without scheme (RFC 3986 §4.2), for which applications take a path that begins with `//`.
std::string remove_authority(std::string_view path) {
    // Parsers of URLs skip any number of slashes in front of the host (WHATWG URL, special authority ignore slashes
    // state).
    const std::size_t slash = path.find('/', path.find_first_not_of('/'));
    return slash == path.npos ? "/" : std::string(path.substr(slash));
}

/// RFC 3986 §5.2.4, but nullopt for a climb above the root.
std::optional<std::string> remove_dots(std::string_view path) {
    std::vector<std::string_view> kept;
    bool ends_in_directory = false;
    for (const std::string_view segment : util::split(path.substr(1), '/')) {
        ends_in_directory = segment == "." || segment == "..";
        if (segment == "..") {
            if (kept.empty()) return std::nullopt;
            kept.pop_back();
        } else if (segment != ".") {
            kept.push_back(segment);
        }
    }
    std::string out;
    for (const std::string_view segment : kept) out.append("/").append(segment);
    if (ends_in_directory || out.empty()) out += '/';
    return out;
}

/// A path that every server reads in one way: most are.
bool has_one_reading(std::string_view path) {
    char before = '\0';
    for (const char c : path) {
        const bool may_change = c == '%' || c == '\\' || c == ';' || c == '#' || static_cast<unsigned char>(c) < 0x20 ||
                                c == 0x7f || (before == '/' && (c == '/' || c == '.'));
        if (may_change) return false;
        before = c;
    }
    return true;
}

struct Reading {
    std::string path;
    int decodings = 0;
};

class Readings {
public:
    explicit Readings(std::string_view path) { add({std::string(path)}); }

    /// Applies every step to every reading until nothing new comes of it.
    std::optional<TargetFault> form_all() {
        while (!open_.empty() && !fault_) {
            const Reading reading = std::move(open_.front());
            open_.pop_front();
            form(reading);
        }
        return fault_;
    }
    std::set<std::string> paths() const {
        std::set<std::string> paths;
        for (const auto& [path, decodings] : seen_) paths.insert(path);
        return paths;
    }

private:
    void form(const Reading& reading) {
        if (reading.decodings < kMostDecodings && reading.path.find('%') != std::string::npos) {
            if (auto decoded = util::percent_decode(reading.path))
                add({std::move(*decoded), reading.decodings + 1});
            else if (reading.decodings == 0)
                fault_ = TargetFault::broken_percent;
        }
        add({fold_slashes(reading.path), reading.decodings});
        add({merge_slashes(reading.path), reading.decodings});
        if (reading.path.starts_with("//")) add({remove_authority(reading.path), reading.decodings});
        add({remove_parameters(reading.path), reading.decodings});
        add({cut(reading.path), reading.decodings});
        if (auto without_dots = remove_dots(reading.path))
            add({std::move(*without_dots), reading.decodings});
        else
            fault_ = TargetFault::above_root;
    }

    void add(Reading reading) {
        if (util::has_control_bytes(reading.path)) fault_ = TargetFault::control;
        if (fault_ || !seen_.emplace(reading.path, reading.decodings).second) return;
        bytes_ += reading.path.size();
        if (seen_.size() > kMostReadings || bytes_ > kMostBytes) fault_ = TargetFault::too_many;
        open_.push_back(std::move(reading));
    }

    std::set<std::pair<std::string, int>> seen_;
    std::deque<Reading> open_;
    std::size_t bytes_ = 0;
    std::optional<TargetFault> fault_;
};

}  // namespace

std::string_view to_string(TargetFault fault) {
    switch (fault) {
        case TargetFault::no_path:
            return "the request target does not begin with /";
        case TargetFault::too_long:
            return "the request target is longer than 16384 bytes";
        case TargetFault::control:
            return "the path has a control character";
        case TargetFault::broken_percent:
            return "the path has a % without two hexadecimal digits behind it";
        case TargetFault::above_root:
            return "the path leads above the root";
        case TargetFault::too_many:
            return "the path can be read in too many ways";
    }
    return "";
}

util::Result<std::set<std::string>, TargetFault> readings_of(std::string_view path) {
    if (!path.starts_with('/')) return TargetFault::no_path;
    if (path.size() > kMaxTargetBytes) return TargetFault::too_long;
    if (has_one_reading(path)) return std::set<std::string>{std::string(path)};
    Readings readings(path);
    if (const auto fault = readings.form_all()) return *fault;
    return readings.paths();
}

}  // namespace postern::gate
