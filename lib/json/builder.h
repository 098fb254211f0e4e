// Builds a Value from the events of a JSON parser, within limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "json/limits.h"
#include "json/value.h"

namespace postern::json {

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

}  // namespace postern::json
