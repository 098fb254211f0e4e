// Makes empty databases, in memory or as schemas of one PostgreSQL database.
#include "support/database.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

/// Rights that an operator gives for an option, as a comment of grants-postgresql.sql has them.
struct OptionalRights {
    std::vector<std::string> options;  ///< names that the line above them quotes, not all of options
    bool needs_all = false;            ///< of `options`
    bool of_clients = false;           ///< an option of `postern client`, which any configuration allows
    std::vector<std::pair<std::string, std::string>> grants;  ///< a right, and the role that needs it
};

std::vector<std::string> quoted_in(const std::string& line) {
    std::vector<std::string> names;
    for (std::size_t at = 0; (at = line.find('"', at)) != std::string::npos;) {
        const auto end = line.find('"', at + 1);
        if (end == std::string::npos) break;
        names.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return names;
}

std::vector<OptionalRights> read_optional_rights() {
    std::ifstream file("grants-postgresql.sql");
    std::vector<OptionalRights> all;
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view kGrant = "--     GRANT ";
        if (line.starts_with("-- With its ")) {
            all.push_back({all.back().options, false, false, {}});
        } else if (line.starts_with("-- With ")) {
            all.push_back({quoted_in(line),
                           line.find("\" and \"") != std::string::npos,
                           line.find("`postern client") != std::string::npos,
                           {}});
        } else if (line.starts_with(kGrant)) {
            const auto to = line.rfind(" TO ");
            all.back().grants.emplace_back(line.substr(kGrant.size(), to - kGrant.size()),
                                           line.substr(to + 4, line.size() - to - 5));
        }
    }
    return all;
}

/// `name` is the path of a member, with dots.
bool has_member(const json::Object& config, const std::string& name) {
    const auto dot = name.find('.');
    const json::Value* member = config.find(name.substr(0, dot));
    if (member == nullptr || dot == std::string::npos) return member != nullptr;
    return member->if_object() && has_member(*member->if_object(), name.substr(dot + 1));
}

bool is_wanted(const OptionalRights& rights, const json::Object& config) {
    const auto is_there = [&](const std::string& name) { return has_member(config, name); };
    return rights.of_clients || (rights.needs_all ? std::ranges::all_of(rights.options, is_there)
                                                  : std::ranges::any_of(rights.options, is_there));
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

void set_optional_rights(const std::string& uri, const json::Object& config) {
    if (!model_of_roles()) return;
    static const std::vector<OptionalRights> all = read_optional_rights();
    static std::map<std::string, std::string> given;  // by the database
    std::string taking = "SET search_path = postern;";
    std::string giving;
    for (const OptionalRights& rights : all) {
        const bool wanted = is_wanted(rights, config);
        for (const auto& [right, role] : rights.grants)
            (wanted ? giving : taking) +=
                (wanted ? "GRANT " : "REVOKE ") + right + (wanted ? " TO " : " FROM ") + role + ";";
    }
    if (std::exchange(given[uri], giving) != giving) run_in(superuser_uri_of(name_in(uri)), taking + giving);
}

db::Database empty_database() {
    if (!is_on_postgresql()) return db::Database::in_memory();
    return {empty_schema(), db::Access::read_write};
}

}  // namespace postern::test
