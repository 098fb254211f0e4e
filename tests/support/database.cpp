// Makes empty databases, in memory or as schemas of one PostgreSQL database.
#include "support/database.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef POSTERN_POSTGRESQL
#include "db/postgres/connection.h"
#endif

namespace postern::test {
namespace {

const char* uri_of_run() {
    const char* uri = std::getenv("POSTERN_TEST_DATABASE");
    return uri && *uri ? uri : nullptr;
}

/// The database from which others are made, with a role for each program; nullptr: all programs are the superuser.
const char* model_of_roles() {
    const char* name = std::getenv("POSTERN_TEST_ROLES");
    return name && *name ? name : nullptr;
}

/// Where tables are, when the schema is not the test's own.
std::string schema() { return model_of_roles() ? "postern" : "public"; }

#ifdef POSTERN_POSTGRESQL
/// As its superuser, by connections that stay.
void run_in(const std::string& uri, const std::string& sql) {
    static std::map<std::string, db::PostgresConnection> connections;
    auto& connection =
        connections
            .try_emplace(uri, uri, db::kCommand, db::Access::read_write, std::chrono::minutes(1), db::Versions::any)
            .first->second;
    connection.connect_if_needed();
    connection.run(sql.c_str());
}
#else
void run_in(const std::string&, const std::string&) {
    throw std::runtime_error("POSTERN_TEST_DATABASE is set, and this was built without PostgreSQL");
}
#endif

void run(const std::string& sql) { run_in(uri_of_run(), sql); }

/// Of this run, in which several processes make names.
std::string new_name() {
    static int made = 0;
    return "test_" + std::to_string(::getpid()) + "_" + std::to_string(++made);
}

constexpr std::string_view kBegin = "postgresql:///";  // of the run's URI: a Unix socket

std::string name_in(const std::string& uri) { return uri.substr(kBegin.size(), uri.find('?') - kBegin.size()); }

std::string superuser_uri_of(const std::string& name) {
    const std::string uri = uri_of_run();
    return std::string(kBegin) + name + uri.substr(uri.find('?'));
}

/// As a configuration has it.
std::string uri_of(const std::string& name) {
    constexpr std::string_view kUser = "&user=postgres";
    std::string uri = superuser_uri_of(name);
    if (model_of_roles()) uri.erase(uri.find(kUser), kUser.size());
    return uri;
}

/// For each table of Postern, as "%1$I".
std::string for_each_table(const std::string& command) {
    return "DO $$ DECLARE name text; BEGIN FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '" +
           schema() + "' LOOP EXECUTE format('" + command + "', name); END LOOP; END $$;";
}

/// A second schema keeps the rows that the tables begin with.
void keep_rows(const std::string& database) {
    run_in(superuser_uri_of(database),
           "CREATE SCHEMA kept;" + for_each_table("CREATE TABLE kept.%1$I AS TABLE " + schema() + ".%1$I"));
}

void restore_rows(const std::string& database) {
    run_in(superuser_uri_of(database), "SET session_replication_role = replica;" +  // rows in any order of the tables
                                           for_each_table("DELETE FROM " + schema() + ".%1$I") +
                                           for_each_table("INSERT INTO " + schema() + ".%1$I TABLE kept.%1$I"));
}

/// Rights on a database are not copied with it: those that roles.sql gives.
void let_roles_connect(const std::string& database) {
    run("REVOKE ALL ON DATABASE " + database +
        " FROM PUBLIC;"
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT rolname FROM pg_roles"
        " WHERE rolname LIKE 'postern\\_%' AND rolcanlogin LOOP "
        "EXECUTE format('GRANT CONNECT ON DATABASE " +
        database + " TO %I', name); END LOOP; END $$;");
}

void create_database(const std::string& name, const char* model) {
    run("CREATE DATABASE " + name + (model ? " TEMPLATE " + std::string(model) : ""));
    if (model_of_roles()) let_roles_connect(name);
}

/// A database that others are connected to cannot be copied, and a pooler stays connected.
void end_connections(const std::string& database) {
    run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database + "'");
}

/// What the role needs for options, by the comments of grants-postgresql.sql, as one text of SQL.
std::string optional_rights(const std::string& role, const char* command, const char* preposition) {
    std::ifstream file("grants-postgresql.sql");
    std::string sql = "SET search_path = postern;";
    constexpr std::string_view kGrant = "--     GRANT ";
    const std::string to = " TO " + role + ";";
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(kGrant) || !line.ends_with(to)) continue;
        const std::string what = line.substr(kGrant.size(), line.size() - kGrant.size() - to.size());
        sql += std::string(command) + ' ' + what + preposition + role + ";";
    }
    return sql;
}

/// Of the database `model`. They hold its rows a second time.
std::vector<std::string>& unused_copies(const std::string& model) {
    static std::map<std::string, std::vector<std::string>> uris;
    const auto [copies, is_first] = uris.try_emplace(model);
    if (is_first) {
        keep_rows(model);
        end_connections(model);
    }
    return copies->second;
}

}  // namespace

bool is_on_postgresql() { return uri_of_run() != nullptr; }

std::string empty_schema() {
    const std::string name = new_name();
    run("CREATE SCHEMA " + name);
    const std::string uri = std::string(uri_of_run()) + "&options=-csearch_path%3D" + name;
    db::Database::create(uri);
    return uri;
}

std::string new_database() {
    const std::string name = new_name();
    create_database(name, model_of_roles());
    return uri_of(name);
}

DatabaseCopy::DatabaseCopy(const std::string& model) : model_(name_in(model)) {
    auto& unused = unused_copies(model_);
    if (unused.empty()) {
        const std::string name = new_name();
        create_database(name, model_.c_str());
        uri_ = uri_of(name);
    } else {
        uri_ = std::move(unused.back());
        unused.pop_back();
        restore_rows(name_in(uri_));
    }
}

DatabaseCopy::~DatabaseCopy() { unused_copies(model_).push_back(std::move(uri_)); }

void set_optional_rights(const std::string& uri, const std::string& role, bool wanted) {
    if (!model_of_roles()) return;
    run_in(superuser_uri_of(name_in(uri)),
           wanted ? optional_rights(role, "GRANT", " TO ") : optional_rights(role, "REVOKE", " FROM "));
}

db::Database empty_database() {
    if (!is_on_postgresql()) return db::Database::in_memory();
    return {empty_schema(), db::Access::read_write};
}

}  // namespace postern::test
