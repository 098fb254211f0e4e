#include "fetch/network.h"

#include <arpa/inet.h>

#include <algorithm>

#include "util/text.h"

namespace postern::fetch {
namespace {

constexpr unsigned kMappedBits = 96;

bool is_mapped(const Address& address) {
    constexpr std::uint8_t kPrefix[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return std::equal(std::begin(kPrefix), std::end(kPrefix), address.begin());
}

/// The bits of byte `index` that belong to a prefix of `bits` bits.
std::uint8_t mask(unsigned bits, std::size_t index) {
    const auto left = static_cast<int>(bits) - static_cast<int>(index * 8);
    return left >= 8 ? 0xff : left <= 0 ? 0 : static_cast<std::uint8_t>(0xff << (8 - left));
}

}  // namespace

std::optional<Address> parse_address(const std::string& text) {
    Address address{};
    if (text.find('\0') != text.npos) return std::nullopt;
    if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
    address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
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
    const bool is_ipv4 = text.find(':') == text.npos;
    const unsigned before = is_ipv4 ? kMappedBits : 0;
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
    const bool is_ipv4 = is_mapped(network.first) && network.bits >= kMappedBits;
    const std::size_t begin = is_ipv4 ? kMappedBits / 8 : 0;
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(is_ipv4 ? AF_INET : AF_INET6, network.first.data() + begin, text, sizeof text);
    return std::string(text) + "/" + std::to_string(network.bits - (is_ipv4 ? kMappedBits : 0));
}

}  // namespace postern::fetch
