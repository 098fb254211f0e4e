// Makes empty databases, in memory or as schemas of one PostgreSQL database.
#include "support/database.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#ifdef POSTERN_POSTGRESQL
#include "db/postgres/connection.h"
#endif

namespace postern::test {
namespace {

const char* uri_of_run() {
    const char* uri = std::getenv("POSTERN_TEST_DATABASE");
    return uri && *uri ? uri : nullptr;
}

#ifdef POSTERN_POSTGRESQL
/// In the database of the run, as its superuser.
void run(const std::string& sql) {
    static db::PostgresConnection connection(uri_of_run(), db::kCommand, db::Access::read_write,
                                             std::chrono::minutes(1), db::Versions::any);
    connection.connect_if_needed();
    connection.run(sql.c_str());
}
#else
void run(const std::string&) {
    throw std::runtime_error("POSTERN_TEST_DATABASE is set, and this was built without PostgreSQL");
}
#endif

/// Of this run, in which several processes make names.
std::string new_name() {
    static int made = 0;
    return "test_" + std::to_string(::getpid()) + "_" + std::to_string(++made);
}

constexpr std::string_view kBegin = "postgresql:///";  // of the run's URI: a Unix socket

std::string name_in(const std::string& uri) { return uri.substr(kBegin.size(), uri.find('?') - kBegin.size()); }

}  // namespace

bool is_on_postgresql() { return uri_of_run() != nullptr; }

std::string empty_schema() {
    const std::string name = new_name();
    run("CREATE SCHEMA " + name);
    const std::string uri = std::string(uri_of_run()) + "&options=-csearch_path%3D" + name;
    db::Database::create(uri);
    return uri;
}

std::string new_database(const std::string& model) {
    const std::string name = new_name();
    run("CREATE DATABASE " + name + (model.empty() ? "" : " TEMPLATE " + name_in(model)));
    const std::string uri = uri_of_run();
    return std::string(kBegin) + name + uri.substr(uri.find('?'));
}

db::Database empty_database() {
    if (!is_on_postgresql()) return db::Database::in_memory();
    return {empty_schema(), db::Access::read_write};
}

}  // namespace postern::test
