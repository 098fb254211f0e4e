// How many rows of a table were copied.
#pragma once

#include <cstdint>
#include <string>

namespace postern::db {

struct TableRows {
    std::string table;
    std::int64_t rows = 0;
};

}  // namespace postern::db
