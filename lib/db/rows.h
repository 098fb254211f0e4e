// The rows of a list, one at a time: for (const auto& each : rows).
#pragma once

#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "db/database.h"

namespace postern::db {

/// The largest number of rows to read; without a value, all of them.
struct Limit {
    std::int64_t rows = std::numeric_limits<std::int64_t>::max();
};

/// The rows that `Database::list` finds, as values, to be walked through once. A row is read when it is reached: see
/// there for how long this holds a snapshot. Must not outlive its Database.
template <class Row>
class Rows {
public:
    /// `read` fills an empty Row from the statement's columns.
    template <class Read>
    Rows(Statement statement, Read read) : statement_(std::move(statement)), read_(std::move(read)) {}

    class Iterator {
    public:
        using value_type = Row;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        explicit Iterator(Rows& rows) : rows_(&rows) { ++*this; }
        const Row& operator*() const { return rows_->row_; }
        const Row* operator->() const { return &rows_->row_; }
        Iterator& operator++() {
            if (!rows_->next()) rows_ = nullptr;
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.rows_ == nullptr; }

    private:
        Rows* rows_ = nullptr;
    };

    Iterator begin() { return Iterator(*this); }
    std::default_sentinel_t end() const { return {}; }

private:
    bool next() {
        if (!statement_.step()) return false;
        row_ = Row();
        read_(statement_, row_);
        return true;
    }

    Statement statement_;
    std::function<void(Statement&, Row&)> read_;
    Row row_;
};

}  // namespace postern::db
