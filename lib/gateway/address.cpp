// One spelling for one IP address, so that addresses can be compared and counted.
#include "gateway/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::gateway {

std::optional<std::string> canonical_address(std::string_view text) {
    const std::string address(text);
    if (address.find('\0') != std::string::npos) return std::nullopt;
    std::array<unsigned char, 16> bytes{};
    std::array<char, INET6_ADDRSTRLEN> name{};
    int family = AF_INET;
    if (inet_pton(AF_INET, address.c_str(), bytes.data()) != 1) {
        family = AF_INET6;
        if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return std::nullopt;
    }
    const void* source = bytes.data();
    constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (family == AF_INET6 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) {
        family = AF_INET;
        source = bytes.data() + kMapped.size();
    }
    if (inet_ntop(family, source, name.data(), name.size()) == nullptr) return std::nullopt;
    return std::string(name.data());
}

std::string client_address(std::string_view peer, std::string_view forwarded_for,
                           const std::vector<std::string>& trusted) {
    const auto is_trusted = [&](const std::string& address) {
        return std::ranges::find(trusted, address) != trusted.end();
    };
    std::string address = canonical_address(peer).value_or("");
    const std::vector<std::string_view> entries = util::split(forwarded_for, ',');
    for (auto entry = entries.rbegin(); entry != entries.rend() && is_trusted(address); ++entry) {
        const auto next = canonical_address(util::trim(*entry));
        if (!next) break;  // not an address: the entry was not written by a proxy that this server understands
        address = *next;
    }
    return address;
}

}  // namespace postern::gateway
