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
    if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return address;  // it has no other spelling
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return std::nullopt;
    constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool mapped = std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
    std::array<char, INET6_ADDRSTRLEN> name{};
    if (inet_ntop(mapped ? AF_INET : AF_INET6, bytes.data() + (mapped ? kMapped.size() : 0), name.data(),
                  name.size()) == nullptr)
        return std::nullopt;
    return std::string(name.data());
}

std::string client_address(std::string_view peer, std::string_view forwarded_for,
                           const std::vector<std::string>& trusted) {
    const auto is_trusted = [&](const std::string& address) {
        return std::ranges::find(trusted, address) != trusted.end();
    };
    std::string address = canonical_address(peer).value_or("");
    while (is_trusted(address) && !forwarded_for.empty()) {
        const std::size_t comma = forwarded_for.rfind(',');
        const std::size_t start = comma == forwarded_for.npos ? 0 : comma + 1;
        const auto next = canonical_address(util::trim(forwarded_for.substr(start)));
        if (!next) break;  // not an address: the entry was not written by a proxy that this server understands
        address = *next;
        forwarded_for = forwarded_for.substr(0, start == 0 ? 0 : comma);
    }
    return address;
}

}  // namespace postern::gateway
