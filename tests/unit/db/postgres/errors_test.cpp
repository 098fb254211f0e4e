// What does an SQLSTATE mean for the caller? (PostgreSQL, Appendix A)
#include "db/postgres/errors.h"

#include <doctest/doctest.h>

#include "db/error.h"

using namespace postern;

namespace {

using Kind = db::StoreConflict::Kind;

/// The most derived class, "conflict" or "constraint" for the kinds of StoreConflict.
std::string thrown(const char* state) {
    try {
        db::throw_postgres_error(state, "INSERT");
    } catch (const db::StoreConflict& error) {
        return error.kind == Kind::constraint ? "constraint" : "conflict";
    } catch (const db::StoreBusy&) {
        return "busy";
    } catch (const db::StoreUnusable&) {
        return "unusable";
    } catch (const db::StoreUnsynced&) {
        return "unsynced";
    } catch (const db::StoreError&) {
        return "error";
    }
}

}  // namespace

TEST_CASE("throw_postgres_error: which error an SQLSTATE is, and whether the connection can still be used") {
    struct Row {
        const char* state;
        const char* name;
        const char* error;
        db::After after;
    };
    using enum db::After;
    const Row rows[] = {
        {"40001", "serialization_failure", "conflict", usable},
        {"40P01", "deadlock_detected", "conflict", usable},
        {"40002", "transaction_integrity_constraint_violation", "error", usable},
        {"23503", "foreign_key_violation", "constraint", usable},
        {"23505", "unique_violation", "constraint", usable},
        {"23502", "not_null_violation", "error", usable},
        {"23514", "check_violation", "error", usable},
        {"22021", "character_not_in_repertoire", "error", usable},
        {"55P03", "lock_not_available", "busy", usable},
        {"55006", "object_in_use", "error", usable},
        {"57014", "query_canceled", "busy", usable},
        {"53100", "disk_full", "busy", usable},
        {"53300", "too_many_connections", "busy", usable},
        {"", "the connection itself", "conflict", broken},
        {"08006", "connection_failure", "conflict", broken},
        {"25006", "read_only_sql_transaction", "conflict", broken},
        {"25P03", "idle_in_transaction_session_timeout", "conflict", broken},
        {"25P02", "in_failed_sql_transaction", "error", usable},
        {"57P01", "admin_shutdown", "conflict", broken},
        {"57P02", "crash_shutdown", "conflict", broken},
        {"57P03", "cannot_connect_now", "conflict", broken},
        {"28P01", "invalid_password", "unusable", usable},
        {"3D000", "invalid_catalog_name", "unusable", usable},
        {"42501", "insufficient_privilege", "unusable", usable},
        {"42P01", "undefined_table", "unusable", broken},
        {"42601", "syntax_error", "error", usable},
        {"XX000", "internal_error", "error", usable},
        {"?", "what no server sends", "error", usable},
    };
    for (const Row& row : rows) {
        CAPTURE(row.state);
        CAPTURE(row.name);
        CHECK(thrown(row.state) == row.error);
        CHECK((db::after(row.state) == row.after));
    }
}

TEST_CASE("throw_postgres_error: the text is the caller's, with the SQLSTATE if there is one") {
    CHECK_THROWS_WITH(db::throw_postgres_error("42601", "INSERT: wrong"), "INSERT: wrong (42601)");
    CHECK_THROWS_WITH(db::throw_postgres_error("", "no connection"), "no connection");
}
