// Decides what an SQLSTATE means: run again, busy, unusable or broken (PostgreSQL, Appendix A).
#include "db/postgres/errors.h"

#include "db/error.h"

namespace postern::db {
namespace {

enum class Meaning { conflict, constraint, busy, moved, unusable, broken };

constexpr std::string_view kInsufficientPrivilege = "42501";

struct Rule {
    std::string_view prefix;
    Meaning meaning;
};

// The first that fits.
constexpr Rule kRules[] = {
    {"40001", Meaning::conflict},    // serialization_failure
    {"40P01", Meaning::conflict},    // deadlock_detected
    {"23503", Meaning::constraint},  // foreign_key_violation: client or user were removed meanwhile
    {"23505", Meaning::constraint},  // unique_violation: another transaction was first
    {"55P03", Meaning::busy},        // lock_not_available: lock_timeout
    {"57014", Meaning::busy},        // query_canceled: statement_timeout
    {"53", Meaning::busy},           // insufficient_resources: too_many_connections, disk_full
    {"25006", Meaning::moved},       // read_only_sql_transaction: this server is a standby now
    {"25P03", Meaning::moved},       // idle_in_transaction_session_timeout
    {"57P", Meaning::moved},         // shut down, starting
    {"08", Meaning::moved},          // connection_exception
    {"28", Meaning::unusable},       // invalid_authorization_specification
    {"3D000", Meaning::unusable},    // invalid_catalog_name
    {kInsufficientPrivilege, Meaning::unusable},
    {"42P01", Meaning::unusable},  // undefined_table
};

Meaning meaning_of(std::string_view state) {
    if (state.empty()) return Meaning::moved;
    for (const Rule& rule : kRules) {
        if (state.starts_with(rule.prefix)) return rule.meaning;
    }
    return Meaning::broken;
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line(text.substr(0, text.find_last_not_of(" \n\r\t") + 1));
    for (char& each : line) {
        if (each == '\n' || each == '\t') each = ' ';
    }
    return line;
}

bool is_error(const Result& result) {
    const auto status = libpq().PQresultStatus(result.get());
    return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
}

std::string_view state_of(const Result& error) {
    const char* state = libpq().PQresultErrorField(error.get(), PG_DIAG_SQLSTATE);
    return state ? state : "";
}

After after(std::string_view state) {
    // A table that is gone: a new connection looks at the version, which says whether the store was moved away.
    constexpr std::string_view kUndefinedTable = "42P01";
    return meaning_of(state) == Meaning::moved || state == kUndefinedTable ? After::broken : After::usable;
}

void throw_postgres_error(std::string_view state, const std::string& text) {
    const std::string message = state.empty() ? text : text + " (" + std::string(state) + ")";
    switch (meaning_of(state)) {
        case Meaning::conflict:
        case Meaning::moved:
            throw StoreConflict(message, StoreConflict::Kind::transient);
        case Meaning::constraint:
            throw StoreConflict(message, StoreConflict::Kind::constraint);
        case Meaning::busy:
            throw StoreBusy(message);
        case Meaning::unusable:
            throw StoreUnusable(message);
        case Meaning::broken:
            break;
    }
    throw StoreError(message);
}

void throw_postgres_error(const Result& error, const char* doing, const char* role) {
    const char* said = libpq().PQresultErrorField(error.get(), PG_DIAG_MESSAGE_PRIMARY);
    const std::string text = std::string(doing) + ": " + (said ? one_line(said) : "no reason given");
    const auto state = state_of(error);
    if (state != kInsufficientPrivilege || !role) throw_postgres_error(state, text);
    throw StoreUnusable(text + " (" + std::string(state) + ") for the role " + role +
                        ", which needs what grants-postgresql.sql grants, and the lines of its comments for what the "
                        "configuration turns on");
}

}  // namespace postern::db
