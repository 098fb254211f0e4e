// JSON as plain values, independent of the library that reads and writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace postern::json {

class Value;
using Array = std::vector<Value>;

/// A JSON object with its members in the order in which they were read or added. Names are unique (the reader refuses
/// duplicates, `set` replaces).
class Object {
public:
    Object();
    Object(std::initializer_list<std::pair<std::string, Value>> members);
    /// Takes over members whose names are known to differ, without comparing each with all others as `set` does.
    static Object from_unique(std::vector<std::pair<std::string, Value>> members);
    Object(const Object&);
    Object(Object&&) noexcept;
    Object& operator=(const Object&);
    Object& operator=(Object&&) noexcept;
    ~Object();

    /// The member's value, or nullptr.
    const Value* find(std::string_view name) const;
    /// The member's text, or nullptr where it is missing or no string.
    const std::string* find_string(std::string_view name) const;
    /// Adds the member at the end, or replaces its value in place.
    void set(std::string name, Value value);
    void erase(std::string_view name);
    void reserve(std::size_t members);  ///< makes room for so many

    bool empty() const;
    std::size_t size() const;
    const std::vector<std::pair<std::string, Value>>& members() const;

private:
    std::vector<std::pair<std::string, Value>> members_;
};

/// One of null, boolean, integer (64 bits), number, string (UTF-8), array, object.
class Value {
public:
    Value() = default;  ///< null
    Value(std::nullptr_t) {}
    Value(bool value) : held_(value) {}
    Value(int value) : held_(std::int64_t{value}) {}
    Value(std::int64_t value) : held_(value) {}
    Value(double value) : held_(value) {}
    Value(const char* value) : held_(std::string(value)) {}
    Value(std::string value) : held_(std::move(value)) {}
    Value(std::string_view value) : held_(std::string(value)) {}
    Value(Array value) : held_(std::move(value)) {}
    Value(Object value) : held_(std::move(value)) {}

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(held_); }
    /// Each is nullptr when the value is of another type.
    const bool* if_bool() const { return std::get_if<bool>(&held_); }
    const std::int64_t* if_integer() const { return std::get_if<std::int64_t>(&held_); }
    const double* if_number() const { return std::get_if<double>(&held_); }  ///< fractions and exponents only
    const std::string* if_string() const { return std::get_if<std::string>(&held_); }
    const Array* if_array() const { return std::get_if<Array>(&held_); }
    const Object* if_object() const { return std::get_if<Object>(&held_); }
    Object* if_object() { return std::get_if<Object>(&held_); }  ///< to move it out

private:
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> held_ = nullptr;
};

/// Returns an array of the values that `to_value` makes of each item.
template <class Items, class ToValue>
Array array_of(const Items& items, ToValue to_value) {
    Array array;
    for (const auto& item : items) array.emplace_back(to_value(item));
    return array;
}

/// An array of strings, the commonest array of this protocol.
Value strings(const std::vector<std::string>& values);

}  // namespace postern::json
