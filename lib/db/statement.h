// One SQL statement in use: values go in as `$1`, `$2`, …, and rows come out column by column.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/modes.h"
#include "util/clock.h"
#include "util/tagged.h"

namespace postern::db {

/// A value that says itself how it is stored, as model::Scope does.
template <class T>
concept WritesItself = requires(const T& value) {
    { value.to_string() } -> std::convertible_to<std::string>;
};

template <class T>
inline constexpr Stored kStoredAs =
    std::integral<T> || std::same_as<T, util::Time> || std::same_as<T, util::Seconds> ? Stored::integer : Stored::text;

class PreparedStatement;

/// A prepared statement with its values, made by Database::query: step, then read the row. Reset when it goes out of
/// scope. It must not outlive its Database.
class Statement {
public:
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    Statement(Statement&&) noexcept;
    ~Statement();

    bool step();             ///< true: a row is there, and `>>` begins with its first column
    std::int64_t execute();  ///< runs a statement that yields no rows; returns the number of rows changed
    void queue();            ///< see Transaction::queue

    // The next column of the row: `row >> token.jti >> token.issued_at`. NULL reads as "", 0 or false, and as nullopt
    // where that is possible. Throws StoreError when the row has no further column.
    Statement& operator>>(std::string& value);
    Statement& operator>>(std::int64_t& value);
    Statement& operator>>(bool& value);  ///< stored as 0 and 1
    Statement& operator>>(util::Time& value);
    Statement& operator>>(util::Seconds& value);
    template <class Tag>
    Statement& operator>>(util::Tagged<Tag>& value) {
        std::string text;
        *this >> text;
        value = util::Tagged<Tag>(std::move(text));
        return *this;
    }
    template <class T>
    Statement& operator>>(std::optional<T>& value) {
        value.reset();
        if (skip_null()) return *this;
        return *this >> value.emplace();
    }

    // One column by its position, from 0.
    std::string text(int column) const;      ///< "" for NULL
    std::int64_t integer(int column) const;  ///< 0 for NULL

private:
    friend class Database;
    explicit Statement(PreparedStatement& prepared);

    template <class... Values>
    void bind_all(const Values&... values) {
        check_count(sizeof...(values));
        int number = 0;
        (bind(++number, values), ...);
    }
    void bind(int number, std::string_view text);
    void bind(int number, const std::string& text) { bind(number, std::string_view(text)); }
    void bind(int number, const char* text) { bind(number, std::string_view(text)); }
    void bind(int number, std::int64_t value);
    void bind(int number, util::Time value) { bind(number, util::to_epoch(value)); }
    void bind(int number, util::Seconds value) { bind(number, std::int64_t{value.count()}); }
    template <std::integral T>
    void bind(int number, T value) {
        bind(number, static_cast<std::int64_t>(value));
    }
    template <class Tag>
    void bind(int number, const util::Tagged<Tag>& value) {
        bind(number, std::string_view(value.str()));
    }
    template <WritesItself T>
    void bind(int number, const T& value) {
        bind(number, std::string_view(value.to_string()));
    }
    template <class T>
    void bind(int number, const std::optional<T>& value) {
        value ? bind(number, *value) : bind_null(number, kStoredAs<T>);
    }
    void bind_null(int number, Stored as);

    void check_count(std::size_t values) const;
    void read_in_batches();
    int next_column();
    bool skip_null();  ///< true, and one column further, when the next one is NULL

    PreparedStatement* prepared_;
    int next_column_ = 0;
};

}  // namespace postern::db
