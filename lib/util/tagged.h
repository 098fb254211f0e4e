// Gives strings that must not be mixed up (a client id, a subject, a digest) types of their own.
#pragma once

#include <compare>
#include <string>
#include <utility>

namespace postern::util {

/// A std::string that only converts on purpose. `Tag` is an incomplete struct that only names the type.
template <class Tag>
class Tagged {
public:
    Tagged() = default;
    explicit Tagged(std::string value) : value_(std::move(value)) {}

    const std::string& str() const { return value_; }
    bool empty() const { return value_.empty(); }
    auto operator<=>(const Tagged&) const = default;

private:
    std::string value_;
};

}  // namespace postern::util
