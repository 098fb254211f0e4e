// A value or the error that took its place; the compiler warns of a caller that ignores it.
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
    Result(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(const T& value) : state_(std::in_place_index<0>, value) {}
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

/// `RETURN_IF_ERROR(check_scope(request));` leaves the function with the error of a Result, and goes on otherwise.
#define RETURN_IF_ERROR(...) \
    if (const auto& checked_result = (__VA_ARGS__); !checked_result) return checked_result.error()

/// `ASSIGN_OR_RETURN(const auto scope, parse_scope(text));` moves the value of a Result into `scope`, or leaves the
/// function with its error. On the left stands a declaration or a variable. It is more than one statement, so it needs
/// the braces of an `if`.
#define ASSIGN_OR_RETURN(left, ...) POSTERN_ASSIGN_AT(__LINE__, left, __VA_ARGS__)
#define POSTERN_ASSIGN_AT(line, left, ...) POSTERN_ASSIGN_ON(line, left, __VA_ARGS__)  // expands __LINE__
#define POSTERN_ASSIGN_ON(line, left, ...) POSTERN_ASSIGN_FROM(result_of_line_##line, left, __VA_ARGS__)
#define POSTERN_ASSIGN_FROM(result, left, ...) \
    auto result = (__VA_ARGS__);               \
    if (!result) return result.error();        \
    left = std::move(*result)
