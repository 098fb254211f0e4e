#include "support/cbor_writer.h"

namespace postern::test {
namespace {

std::string big_endian(std::uint64_t number, std::size_t bytes) {
    std::string out(bytes, '\0');
    for (auto byte = out.rbegin(); byte != out.rend(); ++byte, number >>= 8U) *byte = static_cast<char>(number & 0xFFU);
    return out;
}

}  // namespace

std::string cbor_head(unsigned major_type, std::uint64_t argument) {
    const auto head = [&](unsigned low) { return std::string(1, static_cast<char>(major_type << 5U | low)); };
    if (argument < 24) return head(static_cast<unsigned>(argument));
    if (argument < 0x100) return head(24) + big_endian(argument, 1);
    if (argument < 0x10000) return head(25) + big_endian(argument, 2);
    if (argument < 0x100000000) return head(26) + big_endian(argument, 4);
    return head(27) + big_endian(argument, 8);
}

std::string cbor_integer(std::int64_t number) {
    return number < 0 ? cbor_head(1, static_cast<std::uint64_t>(-1 - number))
                      : cbor_head(0, static_cast<std::uint64_t>(number));
}

std::string cbor_bytes(std::string_view bytes) { return cbor_head(2, bytes.size()) + std::string(bytes); }

std::string cbor_text(std::string_view text) { return cbor_head(3, text.size()) + std::string(text); }

std::string cbor_map(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string out = cbor_head(5, members.size());
    for (const auto& [label, value] : members) out += label + value;
    return out;
}

}  // namespace postern::test
