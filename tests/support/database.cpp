// Makes empty databases, in memory or as schemas of one PostgreSQL database.
#include "support/database.h"

#include <unistd.h>

#include <cstdlib>
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

}  // namespace

bool is_on_postgresql() { return uri_of_run() != nullptr; }

std::string empty_schema() {
    if (!is_on_postgresql()) return "";
#ifdef POSTERN_POSTGRESQL
    static int made = 0;
    const std::string uri = uri_of_run();
    const std::string name = "test_" + std::to_string(::getpid()) + "_" + std::to_string(++made);
    static db::PostgresConnection connection(uri, db::Access::read_write, std::chrono::minutes(1));
    connection.connect_if_needed();
    connection.run(("CREATE SCHEMA " + name).c_str());
    const std::string own = uri + (uri.find('?') == std::string::npos ? "?" : "&") + "options=-csearch_path%3D" + name;
    db::create_schema(own);
    return own;
#else
    throw std::runtime_error("POSTERN_TEST_DATABASE is set, and this was built without PostgreSQL");
#endif
}

db::Database empty_database() {
    if (!is_on_postgresql()) return db::Database::in_memory();
    return {empty_schema(), db::Access::read_write};
}

}  // namespace postern::test
