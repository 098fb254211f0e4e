#include "gateway/address.h"

#include <doctest/doctest.h>

namespace postern::gateway {
namespace {

TEST_CASE("canonical_address: one spelling per address, nothing for anything else [RFC 5952]") {
    const struct {
        const char* address;
        std::vector<const char*> spellings;
    } rows[] = {
        {"192.0.2.1", {"192.0.2.1", "::ffff:192.0.2.1"}}, {"2001:db8::1", {"2001:DB8:0:0::1"}}, {"::1", {"::1"}}};
    for (const auto& row : rows)
        for (const char* spelling : row.spellings) {
            CAPTURE(spelling);
            CHECK(canonical_address(spelling) == row.address);
        }
    for (const char* refused : {"", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.0/24", "192.0.2.1:80", "[::1]",
                                "fe80::1%eth0", "localhost", " 192.0.2.1"}) {
        CAPTURE(refused);
        CHECK_FALSE(canonical_address(refused));
    }
    CHECK_FALSE(canonical_address(std::string_view("192.0.2.1\0", 10)));
}

TEST_CASE("node_address: an address in each spelling of a node, with or without a port [RFC 7239 §6]") {
    const struct {
        const char* address;
        std::vector<const char*> spellings;
    } rows[] = {{"203.0.113.7",
                 {"203.0.113.7", "203.0.113.7:51234", "203.0.113.7:80", "203.0.113.7:_gazonk", "\"203.0.113.7:51234\"",
                  " 203.0.113.7\t", "::ffff:203.0.113.7", "::FFFF:203.0.113.7", "::ffff:203.0.113.7:51234",
                  "[::ffff:203.0.113.7]:51234"}},
                {"2001:db8::7",
                 {"2001:db8::7", "2001:DB8:0::0:7", "[2001:DB8::7]", "[2001:db8::7]:51234", "[2001:db8::7]:_x",
                  "\"[2001:db8::7]:51234\"", "\"[2001:db8::7]\"", "2001:db8::7:51234"}},
                {"2001:db8:1:2:3:4:5:6", {"2001:db8:1:2:3:4:5:6:443"}},
                {"fe80::7", {"fe80::7%eth0", "[fe80::7%25eth0]:51234"}}};
    for (const auto& row : rows)
        for (const char* spelling : row.spellings) {
            CAPTURE(spelling);
            CHECK(node_address(spelling) == row.address);
        }
    for (const char* refused : {"unknown",
                                // clang-format off
                                "UNKNOWN", "unknown:51234", "_hidden", "_SEVKISEK:80", "client.example",
                                "client.example:443", "for=203.0.113.7", "unix:", "", "\"\"", "\"", "203.0.113.7:",
                                "203.0.113.7:512345", "203.0.113.7:-1", "203.0.113.7:_", "203.0.113.7:80:80",
                                "203.0.113.7/32", "203.0.113.7%eth0", "203.0.113.007", "203.0.113.7 198.51.100.1",
                                "[203.0.113.7]", "[2001:db8::7", "[2001:db8::7]x", "[2001:db8::7]:", "2001:db8::7]",
                                // clang-format on
                                "[]"}) {
        CAPTURE(refused);
        CHECK_FALSE(node_address(refused));
    }
}

TEST_CASE(
    "client_address: X-Forwarded-For is believed from trusted proxies only, and only its right-most untrusted address") {
    const std::vector<std::string> trusted{"127.0.0.1", "2001:db8::5"};
    const std::string kNone = "the proxy 127.0.0.1 of trustedProxies sends no X-Forwarded-For";
    const std::string kOnly = "the proxy 127.0.0.1 of trustedProxies names only trusted proxies in X-Forwarded-For";
    const auto written = [](const std::string& what) {
        return "the proxy 127.0.0.1 of trustedProxies writes " + what + " into X-Forwarded-For, not an IP address";
    };
    struct Row {
        const char* when;
        const char* peer;
        std::string forwarded_for;
        const char* client;
        std::string unknown_because;
    };
    const Row rows[] = {
        {"no proxy", "192.0.2.9", "", "192.0.2.9", ""},
        {"a stranger's header", "192.0.2.9", "198.51.100.1", "192.0.2.9", ""},
        {"a stranger's header that is not an address", "192.0.2.9", "unknown", "192.0.2.9", ""},
        {"a proxy's header", "127.0.0.1", "198.51.100.1", "198.51.100.1", ""},
        {"a proxy's header with a port", "127.0.0.1", "198.51.100.1:51234", "198.51.100.1", ""},
        {"the client wrote the left entry", "127.0.0.1", "203.0.113.7, 198.51.100.1", "198.51.100.1", ""},
        {"several headers, of which the first is empty", "127.0.0.1", ", 198.51.100.1", "198.51.100.1", ""},
        {"empty elements", "127.0.0.1", "203.0.113.7, 198.51.100.1 , ,", "198.51.100.1", ""},
        {"two proxies", "127.0.0.1", "198.51.100.1,2001:DB8::5", "198.51.100.1", ""},
        {"two proxies that add ports", "127.0.0.1", "198.51.100.1:7, [2001:db8::5]:443", "198.51.100.1", ""},
        {"the peer with a port", "127.0.0.1:80", "198.51.100.1", "198.51.100.1", ""},
        {"the peer in brackets", "[2001:db8::5]", "198.51.100.1", "198.51.100.1", ""},
        {"the peer as a mapped address", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1", ""},
        // Never the proxy, whose counters all users would share.
        {"a proxy without the header", "127.0.0.1", "", "", kNone},
        {"a proxy with an empty header", "127.0.0.1", " , ", "", kNone},
        {"all entries are proxies", "127.0.0.1", "127.0.0.1", "", kOnly},
        {"all entries are other proxies", "2001:db8::5", "127.0.0.1, 127.0.0.1", "", kOnly},
        {"unknown", "127.0.0.1", "198.51.100.1, unknown", "", written("\"unknown\"")},
        {"hidden", "127.0.0.1", "198.51.100.1, _hidden", "", written("\"_hidden\"")},
        {"a name", "127.0.0.1", "client.example", "", written("\"client.example\"")},
        {"bytes that cannot be shown", "127.0.0.1", "caf\xc3\xa9", "", written("something unreadable")},
        {"a long text", "127.0.0.1", std::string(65, 'x'), "", written("something unreadable")},
        {"a local client", "", "198.51.100.1", "", "the web server passes no IP address in REMOTE_ADDR"},
        {"a Unix socket of nginx", "unix:", "198.51.100.1", "", "the web server passes no IP address in REMOTE_ADDR"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const ClientAddress client = client_address(row.peer, row.forwarded_for, trusted);
        CHECK(client.address == row.client);
        CHECK(client.unknown_because == row.unknown_because);
    }
}

}  // namespace
}  // namespace postern::gateway
