#include "gateway/address.h"

#include <doctest/doctest.h>

namespace postern::gateway {
namespace {

TEST_CASE("canonical_address: one spelling per address, nothing for anything else [RFC 5952]") {
    struct Row {
        const char* text;
        std::optional<std::string> address;
    };
    const Row rows[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"2001:DB8:0:0::1", "2001:db8::1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"::1", "::1"},
        {"", std::nullopt},
        {"192.0.2", std::nullopt},
        {"192.0.2.256", std::nullopt},
        {"192.0.2.01", std::nullopt},
        {"192.0.2.0/24", std::nullopt},
        {"192.0.2.1:80", std::nullopt},
        {"[::1]", std::nullopt},
        {"fe80::1%eth0", std::nullopt},
        {"localhost", std::nullopt},
        {" 192.0.2.1", std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(canonical_address(row.text) == row.address);
    }
    CHECK_FALSE(canonical_address(std::string_view("192.0.2.1\0", 10)));
}

TEST_CASE(
    "client_address: X-Forwarded-For is believed from trusted proxies only, and only its right-most untrusted address") {
    const std::vector<std::string> trusted{"127.0.0.1", "2001:db8::5"};
    struct Row {
        const char* when;
        const char* peer;
        const char* forwarded_for;
        const char* client;
    };
    const Row rows[] = {
        {"no proxy", "192.0.2.9", "", "192.0.2.9"},
        {"a stranger's header", "192.0.2.9", "198.51.100.1", "192.0.2.9"},
        {"a proxy's header", "127.0.0.1", "198.51.100.1", "198.51.100.1"},
        {"the client wrote the left entry", "127.0.0.1", "203.0.113.7, 198.51.100.1", "198.51.100.1"},
        {"two proxies", "127.0.0.1", "198.51.100.1,2001:DB8::5", "198.51.100.1"},
        {"a proxy without the header", "127.0.0.1", "", "127.0.0.1"},
        {"all entries are proxies", "127.0.0.1", "127.0.0.1", "127.0.0.1"},
        {"an entry that is no address", "127.0.0.1", "198.51.100.1, unknown", "127.0.0.1"},
        {"a local client", "", "198.51.100.1", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(client_address(row.peer, row.forwarded_for, trusted) == row.client);
    }
}

}  // namespace
}  // namespace postern::gateway
