// Reads JSON strictly: what is accepted here has exactly one meaning (RFC 8259, RFC 8725 §2.4).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/value.h"
#include "util/result.h"

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

struct ParseError {
    std::string reason;      ///< our own words, ASCII, no echo of the input but member names of the configuration
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< from 1, in bytes
};

/// Refuses: a byte order mark, NUL (also as \u0000), invalid UTF-8, lone surrogates, duplicate member names (after
/// unescaping), integers beyond 64 bits, numbers no double can hold, text after the value, and anything over `limits`.
util::Result<Value, ParseError> parse(std::string_view text, Dialect dialect = Dialect::strict,
                                      const Limits& limits = {});

}  // namespace postern::json
