// Writes CBOR in its shortest form (RFC 8949 §4.2.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::test {

std::string cbor_head(unsigned major_type, std::uint64_t argument);
std::string cbor_integer(std::int64_t number);
std::string cbor_bytes(std::string_view bytes);
std::string cbor_text(std::string_view text);
/// Writes a map of pairs that are encoded already, in their order.
std::string cbor_map(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace postern::test
