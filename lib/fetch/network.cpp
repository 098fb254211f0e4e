#include "fetch/network.h"

#include <arpa/inet.h>

#include <algorithm>

#include "util/text.h"

namespace postern::fetch {
namespace {

constexpr unsigned kMappedBits = 96;

/// The bits of byte `index` that belong to a prefix of `bits` bits.
std::uint8_t mask(unsigned bits, std::size_t index) {
    const auto left = static_cast<int>(bits) - static_cast<int>(index * 8);
    return left >= 8 ? 0xff : left <= 0 ? 0 : static_cast<std::uint8_t>(0xff << (8 - left));
}

}  // namespace

bool is_ipv4(const Address& address) {
    return std::equal(kMapped.begin(), kMapped.begin() + kMappedBits / 8, address.begin());
}

std::optional<Address> parse_address(const std::string& text) {
    Address address{};
    if (text.find('\0') != text.npos) return std::nullopt;
    if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
    address = kMapped;
    if (::inet_pton(AF_INET, text.c_str(), address.data() + kMappedBits / 8) == 1) return address;
    return std::nullopt;
}

bool Network::contains(const Address& address) const {
    for (std::size_t i = 0; i < address.size(); ++i) {
        if (((address[i] ^ first[i]) & mask(bits, i)) != 0) return false;
    }
    return true;
}

std::optional<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = parse_address(std::string(text.substr(0, slash)));
    if (!address) return std::nullopt;
    const unsigned before = text.find(':') == text.npos ? kMappedBits : 0;
    Network network{*address, 128};
    if (slash != text.npos) {
        const auto given = util::parse_digits(text.substr(slash + 1), 128 - before);
        if (!given) return std::nullopt;
        network.bits = before + static_cast<unsigned>(*given);
    }
    for (std::size_t i = 0; i < address->size(); ++i) {
        if (((*address)[i] & static_cast<std::uint8_t>(~mask(network.bits, i))) != 0) return std::nullopt;
    }
    return network;
}

std::string format_network(const Network& network) {
    const bool mapped = is_ipv4(network.first) && network.bits >= kMappedBits;
    const std::size_t begin = mapped ? kMappedBits / 8 : 0;
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(mapped ? AF_INET : AF_INET6, network.first.data() + begin, text, sizeof text);
    return std::string(text) + "/" + std::to_string(network.bits - (mapped ? kMappedBits : 0));
}

}  // namespace postern::fetch
