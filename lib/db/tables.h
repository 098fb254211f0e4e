// The tables of a database, as its engine reports them. Private to this module.
#pragma once

#include <string>
#include <vector>

#include "db/engine.h"

namespace postern::db {

struct Column {
    std::string name;
    Stored as;
};

/// A foreign key of one column.
struct Reference {
    std::string column;
    std::string table;
    std::string to;  ///< its column there
};

struct Table {
    std::string name;
    std::vector<Column> columns;
    std::vector<std::string> key;  ///< the columns of the primary key, in its order
    std::vector<Reference> references;

    bool has(std::string_view column) const;
};

/// A statement of a connection in use; ready for the next use when this ends.
class InUse {
public:
    explicit InUse(PreparedStatement& statement) : statement_(statement) {}
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { statement_.reset(); }
    PreparedStatement* operator->() { return &statement_; }
    PreparedStatement& operator*() { return statement_; }

private:
    PreparedStatement& statement_;
};

/// A name as SQL quotes it.
std::string quoted(const std::string& name);

/// Keeps SQL that is made of names and numbers for `prepare`, which keeps statements by address: the same text has the
/// same address as long as the process lives.
const char* kept_text(std::string sql);

/// Runs a statement without parameters and rows.
void execute(Connection& connection, const std::string& sql);

/// Returns all tables but the one with the schema's version, each before the tables that refer to it.
std::vector<Table> read_tables(Connection& connection);

/// Returns the tables that both have, with the columns that both have, in the order of `source`.
std::vector<Table> common_tables(Connection& source, Connection& target);

}  // namespace postern::db
