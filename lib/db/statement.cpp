// Decides how values go into SQL statements and come out of them; SQL text and values never mix.
#include "db/statement.h"

#include <string>
#include <utility>

#include "db/engine.h"
#include "db/error.h"

namespace postern::db {

Statement::Statement(PreparedStatement& prepared) : prepared_(&prepared) {}

Statement::Statement(Statement&& other) noexcept
    : prepared_(std::exchange(other.prepared_, nullptr)), next_column_(other.next_column_) {}

Statement::~Statement() {
    if (prepared_) prepared_->reset();
}

void Statement::check_count(std::size_t values) const {
    const int parameters = prepared_->parameters();
    if (static_cast<std::size_t>(parameters) == values) return;
    throw StoreError(std::to_string(values) + " values for " + std::to_string(parameters) +
                     " parameters: " + prepared_->sql());
}

void Statement::read_in_batches() { prepared_->read_in_batches(); }

void Statement::bind(int number, std::string_view text) { prepared_->bind(number, text); }

void Statement::bind(int number, std::int64_t value) { prepared_->bind(number, value); }

void Statement::bind_null(int number, Stored as) { prepared_->bind_null(number, as); }

bool Statement::step() {
    next_column_ = 0;
    return prepared_->step();
}

std::int64_t Statement::execute() {
    if (step()) throw StoreError(std::string("a statement without rows gave one: ") + prepared_->sql());
    return prepared_->changed_rows();
}

void Statement::queue() { prepared_->queue(); }

int Statement::next_column() {
    if (next_column_ >= prepared_->columns())
        throw StoreError(std::string("more columns are read than there are: ") + prepared_->sql());
    return next_column_++;
}

bool Statement::skip_null() {
    if (prepared_->is_null(next_column())) return true;
    --next_column_;
    return false;
}

Statement& Statement::operator>>(std::string& value) {
    value = prepared_->text(next_column());
    return *this;
}

Statement& Statement::operator>>(std::int64_t& value) {
    value = integer(next_column());
    return *this;
}

Statement& Statement::operator>>(bool& value) {
    value = integer(next_column()) != 0;
    return *this;
}

Statement& Statement::operator>>(util::Time& value) {
    value = util::from_epoch(integer(next_column()));
    return *this;
}

Statement& Statement::operator>>(util::Seconds& value) {
    value = util::Seconds(integer(next_column()));
    return *this;
}

std::string Statement::text(int column) const { return std::string(prepared_->text(column)); }

std::int64_t Statement::integer(int column) const { return prepared_->integer(column); }

}  // namespace postern::db
