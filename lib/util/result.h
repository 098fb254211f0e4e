// A value or the reason there is none; the caller cannot forget to look.
#pragma once

#include <optional>
#include <utility>
#include <variant>

namespace postern::util {

/// Holds a T (success) or an E (what the caller did wrong). std::expected is C++23; this is the part of it we use.
/// Reading the side that is not there is a programming error and throws std::bad_variant_access.
template <class T, class E>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const T& operator*() const { return std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    const E& error() const { return std::get<1>(state_); }

private:
    std::variant<T, E> state_;
};

/// Success carries nothing: a rule that was kept (`return {};`) or the reason it was broken.
template <class E>
class [[nodiscard]] Result<void, E> {
public:
    Result() = default;
    Result(E error) : error_(std::move(error)) {}

    explicit operator bool() const { return !error_.has_value(); }
    const E& error() const { return error_.value(); }

private:
    std::optional<E> error_;
};

}  // namespace postern::util
