// How the operator is told that a file cannot be the database.
#include "db/sqlite/unusable_file.h"

#include "db/error.h"
#include "os/file.h"

namespace postern::db {

void throw_unusable(const std::string& path, const std::string& meaning, const std::string& fix) {
    throw StoreUnusable(path + ": " + meaning + ": " + fix);
}

void throw_on_network_file_system(const std::string& path, const std::string& place) {
    if (const auto name = os::network_file_system_of(place)) {
        throw_unusable(path, "is on a network file system (" + std::string(*name) + "), where locks cannot be trusted",
                       "move it to a local disk");
    }
}

}  // namespace postern::db
