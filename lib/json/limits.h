// The size and the dialect of the JSON that a reader takes.
#pragma once

#include <cstddef>

namespace postern::json {

enum class Dialect {
    strict,   ///< RFC 8259
    relaxed,  ///< also comments and trailing commas: our own configuration file
};

struct Limits {
    std::size_t bytes = 65536;
    std::size_t depth = 16;
    std::size_t nodes = 4096;
};

}  // namespace postern::json
