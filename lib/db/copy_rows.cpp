// Decides how rows get from one store into another, and that nothing was lost or changed on the way.
#include "db/copy_rows.h"

#include <algorithm>
#include <array>

#include "crypto/digest.h"
#include "db/error.h"
#include "db/tables.h"

namespace postern::db {
namespace {

constexpr int kRowsRead = 1000;   // at a time: a server's answer is in memory as a whole
constexpr int kRowsWritten = 50;  // by one INSERT

// When a row has no effect any more: the column is set, or its time has come.
constexpr const char* kEnded = "ended_at";
constexpr std::array kExpiries = {"expires_at", "kept_until", "ends_at"};

using Value = std::optional<std::string>;
using Row = std::vector<Value>;

/// "" for a table whose rows do not end. `$1` is the time.
std::string is_live(const Table& table) {
    std::string condition;
    if (table.has(kEnded)) condition = quoted(kEnded) + " IS NULL";
    for (const char* expiry : kExpiries) {
        if (!table.has(expiry)) continue;
        condition += condition.empty() ? "" : " AND ";
        condition += "(" + quoted(expiry) + " IS NULL OR " + quoted(expiry) + " > $1)";
    }
    return condition;
}

/// A row that belongs to one which ends stays as long as that: a code that was redeemed, and a refresh token that was
/// used, end their grant when they are presented once more.
std::string is_live(const Table& table, const std::vector<Table>& all) {
    std::string condition;
    for (const Reference& reference : table.references) {
        const auto owner = std::ranges::find(all, reference.table, &Table::name);
        const std::string lives = owner == all.end() ? "" : is_live(*owner);
        if (lives.empty()) continue;
        condition += condition.empty() ? "" : " AND ";
        condition += "EXISTS (SELECT 1 FROM " + quoted(reference.table) + " WHERE " + quoted(reference.to) + " = " +
                     quoted(table.name) + "." + quoted(reference.column) + " AND " + lives + ")";
    }
    return condition.empty() ? is_live(table) : condition;
}

std::string list_of(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

std::vector<std::string> quoted_columns(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(quoted(column.name));
    return names;
}

void bind_value(PreparedStatement& statement, int number, const Column& column, const Value& value) {
    if (!value)
        statement.bind_null(number, column.as);
    else if (column.as == Stored::integer)
        statement.bind(number, static_cast<std::int64_t>(std::stoll(*value)));
    else
        statement.bind(number, *value);
}

/// The rows of a table in the order of its primary key.
class Reader {
public:
    Reader(Connection& connection, const Table& table, const std::string& condition, std::optional<util::Time> live_at)
        : connection_(connection), table_(table), live_at_(condition.empty() ? std::nullopt : live_at) {
        const std::string begin = "SELECT " + list_of(quoted_columns(table)) + " FROM " + quoted(table.name);
        std::vector<std::string> key;
        std::vector<std::string> last;
        for (const std::string& column : table.key) {
            key.push_back(quoted(column));
            last.push_back("$" + std::to_string(key.size() + (live_at_ ? 1 : 0)));
        }
        const std::string behind = "(" + list_of(key) + ") > (" + list_of(last) + ")";
        const std::string end = " ORDER BY " + list_of(key) + " LIMIT " + std::to_string(kRowsRead);
        first_ = kept_text(begin + (condition.empty() ? "" : " WHERE " + condition) + end);
        next_ = kept_text(begin + " WHERE " + (condition.empty() ? "" : condition + " AND ") + behind + end);
    }

    /// The next rows; none at the end.
    std::vector<Row> read() {
        std::vector<Row> rows;
        if (is_over_) return rows;
        const char* sql = last_.empty() ? first_ : next_;
        InUse statement(connection_.prepare(sql));
        int number = 0;
        if (live_at_) statement->bind(++number, util::to_epoch(*live_at_));
        if (!last_.empty()) {
            for (const std::string& name : table_.key) {
                const auto column = std::ranges::find(table_.columns, name, &Column::name);
                bind_value(*statement, ++number, *column,
                           last_[static_cast<std::size_t>(column - table_.columns.begin())]);
            }
        }
        while (statement->step()) rows.push_back(row_of(*statement));
        is_over_ = rows.size() < kRowsRead;
        if (!rows.empty()) last_ = rows.back();
        return rows;
    }

private:
    Row row_of(const PreparedStatement& statement) const {
        Row row;
        row.reserve(table_.columns.size());
        for (int i = 0; const Column& column : table_.columns) {
            if (statement.is_null(i))
                row.emplace_back();
            else if (column.as == Stored::integer)
                row.emplace_back(std::to_string(statement.integer(i)));
            else
                row.emplace_back(statement.text(i));
            ++i;
        }
        return row;
    }

    Connection& connection_;
    const Table& table_;
    std::optional<util::Time> live_at_;
    const char* first_;
    const char* next_;
    Row last_;
    bool is_over_ = false;
};

/// How many rows, and a digest of all that went before and of the last one.
struct Sum {
    std::int64_t rows = 0;
    std::string digest;

    void add(const Row& row) {
        std::string text = digest;
        for (const Value& value : row)
            text += value ? std::to_string(value->size()) + ':' + *value : std::string("null");
        digest = crypto::sha256(text);
        ++rows;
    }
    bool operator==(const Sum&) const = default;
};

class Writer {
public:
    Writer(Connection& connection, const Table& table)
        : connection_(connection), table_(table), many_(insertion_of(kRowsWritten)), one_(insertion_of(1)) {}

    void write(const std::vector<Row>& rows) {
        auto row = rows.begin();
        for (; rows.end() - row >= kRowsWritten; row += kRowsWritten) insert(many_, row, kRowsWritten);
        for (; row != rows.end(); ++row) insert(one_, row, 1);
    }

private:
    const char* insertion_of(int rows) const {
        std::vector<std::string> all;
        for (int row = 0, number = 0; row < rows; ++row) {
            std::vector<std::string> values;
            for (std::size_t i = 0; i < table_.columns.size(); ++i) values.push_back("$" + std::to_string(++number));
            all.push_back("(" + list_of(values) + ")");
        }
        return kept_text("INSERT INTO " + quoted(table_.name) + " (" + list_of(quoted_columns(table_)) + ") VALUES " +
                         list_of(all));
    }

    void insert(const char* sql, std::vector<Row>::const_iterator row, int rows) {
        InUse statement(connection_.prepare(sql));
        for (int number = 0; rows > 0; --rows, ++row) {
            for (std::size_t i = 0; i < row->size(); ++i)
                bind_value(*statement, ++number, table_.columns[i], (*row)[i]);
        }
        statement->step();
    }

    Connection& connection_;
    const Table& table_;
    const char* many_;
    const char* one_;
};

/// Of all that there is to read, which goes to `to` if there is one.
Sum sum_of(Reader from, std::optional<Writer> to, const std::function<void()>& go_on) {
    Sum sum;
    for (auto rows = from.read(); !rows.empty(); rows = from.read()) {
        for (const Row& row : rows) sum.add(row);
        if (to) to->write(rows);
        go_on();
    }
    return sum;
}

}  // namespace

std::vector<TableRows> copy_rows(Connection& source, Connection& target, std::optional<util::Time> live_at,
                                 const std::function<void()>& go_on) {
    const std::vector<Table> tables = common_tables(source, target);
    std::vector<Sum> sums;
    for (const Table& table : tables) {
        const std::string condition = live_at ? is_live(table, tables) : "";
        sums.push_back(sum_of({source, table, condition, live_at}, Writer(target, table), go_on));
    }
    std::vector<TableRows> copied;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (sum_of({target, tables[i], "", std::nullopt}, std::nullopt, go_on) != sums[i])
            throw StoreError("the rows of " + tables[i].name + " are not the same in the copy");
        copied.push_back({tables[i].name, sums[i].rows});
    }
    return copied;
}

}  // namespace postern::db
