#include "fetch/allowed.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace postern;

namespace {

bool may_connect(const std::string& text, const std::vector<std::string>& allow = {}) {
    std::vector<fetch::Network> networks;
    for (const std::string& network : allow) networks.push_back(fetch::parse_network(network).value());
    return fetch::may_connect(fetch::parse_address(text).value(), networks);
}

/// A range of the registries: its neighbours, and whether they are public.
struct Row {
    const char* before;
    bool before_is_public;
    const char* first;
    const char* last;
    const char* after;
    bool after_is_public;
};

constexpr const char* kNone = "";

}  // namespace

TEST_CASE(
    "may_connect: no address of a special range, but its neighbours on both sides [FETCH-5, N01, RFC 6890 §2.2.2]") {
    const Row rows[] = {
        {kNone, true, "0.0.0.0", "0.255.255.255", "1.0.0.0", true},
        {"9.255.255.255", true, "10.0.0.0", "10.255.255.255", "11.0.0.0", true},
        {"100.63.255.255", true, "100.64.0.0", "100.127.255.255", "100.128.0.0", true},
        {"126.255.255.255", true, "127.0.0.0", "127.255.255.255", "128.0.0.0", true},
        {"169.253.255.255", true, "169.254.0.0", "169.254.255.255", "169.255.0.0", true},
        {"172.15.255.255", true, "172.16.0.0", "172.31.255.255", "172.32.0.0", true},
        {"191.255.255.255", true, "192.0.0.0", "192.0.0.255", "192.0.1.0", true},
        {"192.0.1.255", true, "192.0.2.0", "192.0.2.255", "192.0.3.0", true},
        {"192.31.195.255", true, "192.31.196.0", "192.31.196.255", "192.31.197.0", true},
        {"192.52.192.255", true, "192.52.193.0", "192.52.193.255", "192.52.194.0", true},
        {"192.88.98.255", true, "192.88.99.0", "192.88.99.255", "192.88.100.0", true},
        {"192.167.255.255", true, "192.168.0.0", "192.168.255.255", "192.169.0.0", true},
        {"192.175.47.255", true, "192.175.48.0", "192.175.48.255", "192.175.49.0", true},
        {"198.17.255.255", true, "198.18.0.0", "198.19.255.255", "198.20.0.0", true},
        {"198.51.99.255", true, "198.51.100.0", "198.51.100.255", "198.51.101.0", true},
        {"203.0.112.255", true, "203.0.113.0", "203.0.113.255", "203.0.114.0", true},
        {"223.255.255.255", true, "224.0.0.0", "239.255.255.255", "240.0.0.0", false},
        {"239.255.255.255", false, "240.0.0.0", "255.255.255.255", kNone, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.first);
        // As it is, and inside of the addresses of IPv6 that carry it.
        for (const std::string prefix : {"", "::ffff:", "64:ff9b::"}) {
            CAPTURE(prefix);
            CHECK_FALSE(may_connect(prefix + row.first));
            CHECK_FALSE(may_connect(prefix + row.last));
            if (row.before != kNone) CHECK(may_connect(prefix + row.before) == row.before_is_public);
            if (row.after != kNone) CHECK(may_connect(prefix + row.after) == row.after_is_public);
        }
    }
}

TEST_CASE(
    "may_connect: of IPv6 what is global, without special ranges [FETCH-5, N01, RFC 6890 §2.2.3, RFC 4291 §2.4]") {
    const std::string ones = ":ffff:ffff:ffff:ffff:ffff:ffff";
    struct Range {
        const char* first;
        std::string last;
    };
    const Range special[] = {
        {"::", "::"},            // unspecified
        {"::1", "::1"},          // loopback
        {"::2", "::ffff:ffff"},  // with an IPv4 address, RFC 4291 §2.5.5.1
        {"::8.8.8.8", "::8.8.8.8"},
        {"::ffff:0:0:0", "::ffff:0:ffff:ffff"},  // translated IPv4, RFC 7915
        {"::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1"},
        {"::1:0:0", "64:ff9a:ffff" + ones.substr(5)},  // reserved
        {"64:ff9b:0:0:0:1::", "64:ff9b:0:ffff" + ones.substr(10)},
        {"64:ff9b:1::", "64:ff9b:1" + ones.substr(5)},    // translation inside a network
        {"64:ff9b:2::", "ff:ffff" + ones},                // reserved
        {"100::", "100::ffff:ffff:ffff:ffff"},            // discarded
        {"100:0:0:1::", "100::1:ffff:ffff:ffff:ffff"},    // dummy prefix
        {"100:0:0:2::", "1fff:ffff" + ones},              // reserved
        {"2001::", "2001:1ff" + ones},                    // protocol assignments
        {"2001:0:7f00:1::", "2001:0:808:808::"},          // Teredo
        {"2001:1::1", "2001:1::3"},                       // anycast of PCP, TURN and DNS-SD
        {"2001:2::", "2001:2:0" + ones.substr(5)},        // benchmarks
        {"2001:3::", "2001:3" + ones},                    // AMT
        {"2001:4:112::", "2001:4:112" + ones.substr(5)},  // AS112
        {"2001:10::", "2001:3f" + ones},                  // ORCHID, ORCHIDv2, remote identification of drones
        {"2001:db8::", "2001:db8" + ones},                // documentation
        {"2620:4f:8000::", "2620:4f:8000" + ones.substr(5)},
        {"3fff::", "3fff:fff" + ones},   // documentation
        {"4000::", "5eff:ffff" + ones},  // reserved
        {"5f00::", "5f00:ffff" + ones},  // segment identifiers
        {"5f01::", "fbff:ffff" + ones},  // reserved
        {"fc00::", "fdff:ffff" + ones},  // unique local
        {"fe00::", "fe7f:ffff" + ones},  // reserved
        {"fe80::", "febf:ffff" + ones},  // link-local
        {"fec0::", "feff:ffff" + ones},  // site-local
        {"ff00::", "ffff:ffff" + ones},  // multicast
    };
    for (const Range& range : special) {
        CAPTURE(range.first);
        CHECK_FALSE(may_connect(range.first));
        CHECK_FALSE(may_connect(range.last));
    }
    const std::string global[] = {"2000::",         "2000:ffff" + ones,
                                  "2001:200::",     "2001:db7:ffff" + ones.substr(5),
                                  "2001:db9::",     "2620:4f:7fff" + ones.substr(5),
                                  "2620:4f:8001::", "3ffe:ffff" + ones,
                                  "3fff:1000::",    "3fff:ffff" + ones};
    for (const std::string& address : global) {
        CAPTURE(address);
        CHECK(may_connect(address));
    }
}

TEST_CASE("host_fault: what a proxy would connect to in its own network [FETCH-5, N01, RFC 6761 §6.3]") {
    for (const char* host :
         {"127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::]", "[::ffff:10.0.0.1]", "[::ffff:0:10.0.0.1]",
          "[64:ff9b::a00:1]", "[2002:a00:1::]", "[fd00::1]", "localhost", "app.localhost"}) {
        CAPTURE(host);
        CHECK(fetch::host_fault(host, {}));
    }
    for (const char* host : {"8.8.8.8", "[2a00::1]", "app.example", "localhost.example", "notlocalhost"})
        CHECK_FALSE(fetch::host_fault(host, {}));
    const std::vector<fetch::Network> allow = {fetch::parse_network("127.0.0.0/8").value()};
    for (const char* host : {"127.0.0.1", "localhost", "app.localhost"}) CHECK_FALSE(fetch::host_fault(host, allow));
    CHECK(fetch::host_fault("[::1]", allow).has_value());
}

TEST_CASE("may_connect: an address of 6to4 is what the address inside of it is [FETCH-5, RFC 3056 §2]") {
    CHECK_FALSE(may_connect("2002:7f00:1::1"));      // 127.0.0.1
    CHECK_FALSE(may_connect("2002:a9fe:a9fe::"));    // 169.254.169.254
    CHECK_FALSE(may_connect("2002:c0a8:101:1::1"));  // 192.168.1.1
    CHECK(may_connect("2002:808:808::1"));           // 8.8.8.8
    CHECK(may_connect("2001:ffff:7f00:1::1"));
    CHECK(may_connect("2003:7f00:1::1"));
}

TEST_CASE("may_connect: public addresses, those of a network that is allowed, and no others [FETCH-5]") {
    for (const char* address : {"8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450::1"})
        CHECK(may_connect(address));
    CHECK(may_connect("10.1.2.3", {"10.1.0.0/16"}));
    CHECK(may_connect("::ffff:10.1.2.3", {"10.1.0.0/16"}));
    CHECK_FALSE(may_connect("10.2.2.3", {"10.1.0.0/16"}));
    CHECK_FALSE(may_connect("64:ff9b::10.1.2.3", {"10.1.0.0/16"}));
    CHECK(may_connect("64:ff9b::10.1.2.3", {"64:ff9b::/96"}));
    CHECK(may_connect("fd12::1", {"10.0.0.0/8", "fd12::/16"}));
    CHECK_FALSE(may_connect("fd13::1", {"10.0.0.0/8", "fd12::/16"}));
    CHECK(may_connect("127.0.0.1", {"127.0.0.1"}));
    CHECK_FALSE(may_connect("127.0.0.2", {"127.0.0.1"}));
}

TEST_CASE("parse_network: CIDR without bits behind its prefix, which format_network writes again [RFC 4632 §3.1]") {
    const std::pair<const char*, const char*> rows[] = {
        {"10.0.0.0/8", "10.0.0.0/8"},       {"127.0.0.1", "127.0.0.1/32"},
        {"0.0.0.0/0", "0.0.0.0/0"},         {"::/0", "::/0"},
        {"fd00::/8", "fd00::/8"},           {"::1", "::1/128"},
        {"172.16.0.0/12", "172.16.0.0/12"}, {"::ffff:10.0.0.0/104", "10.0.0.0/8"}};
    for (const auto& row : rows) {
        CAPTURE(row.first);
        const auto network = fetch::parse_network(row.first);
        REQUIRE(network);
        CHECK(fetch::format_network(*network) == row.second);
    }
    for (const char* refused :
         {"10.0.0.1/8", "172.20.0.0/11", "fd00::1/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1",
          "10.0.0.0/ 8", "10.0.0/8", "/8", "", "example.org", "fe80::1%eth0", "010.0.0.0/8"}) {
        CAPTURE(refused);
        CHECK_FALSE(fetch::parse_network(refused));
    }
}

TEST_CASE("url_fault: https to a host and a port of the list, and nothing else [FETCH-4]") {
    const std::string base = "https://app.example/";
    const struct {
        const char* fault;  ///< "" for none
        std::vector<std::string> urls;
    } rows[] = {// Of names that are refused, most are what resolvers, proxies and browsers read as an address of IPv4.
                {"",
                 {"https://app.example/client", base + std::string(2048 - base.size(), 'a'), "https://app.example",
                  "HTTPS://App.Example./a?b=c", "https://app.example:443/a", "https://app.example:8443/a",
                  "https://192.0.2.1/a", "https://[2001:db8::1]:8443/a", "https://a_b-c.example/a",
                  "https://127.0.0.1./", "https://7.app.example/", "https://0x7f.app.example/", "https://a0x7f/"}},
                {"the URL is longer than 2048 bytes", {base + std::string(2049 - base.size(), 'a')}},
                {"the URL is not https", {"http://app.example/a", "ftp://app.example/a", "file:///etc/passwd"}},
                {"it is not an absolute URL",
                 {"https:app.example", "/client", "", "https://app.example/a b", "https://app.example/\xc3\xa4",
                  "https://\xc3\xa4.example/", "https://app.example/a\r\nHost: b",
                  "https://app.example\\@evil.example/", "https://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/",
                  "https://127\xe3\x80\x82"
                  "0.0.1/",
                  "https://[::1%25lo]/"}},
                {"the URL has user information",
                 {"https://me@app.example/", "https://@app.example/", "https://me:secret@app.example/"}},
                {"the URL has a fragment", {"https://app.example/#a", "https://app.example/#"}},
                {"the host of the URL is neither a name nor an address",
                 {"https:///a",
                  // clang-format off
                  "https://a..b/", "https://./", "https://a%2eb/", "https://127.1/", "https://127.0.1/",
                  "https://2130706433/", "https://2130706433./", "https://0/", "https://0x7f000001/", "https://0X7F.1/",
                  "https://0x/", "https://0177.0.0.1/", "https://127.0.0.01/", "https://127.0.0.0x1/",
                  "https://127.0.0.256/", "https://1.127.0.0.1/", "https://127.0.0.1../", "https://app.example.7/",
                  "https://%31%32%37.0.0.1/", "https://127%2e0.0.1/", "https://a,b/",
                  // clang-format on
                  "https://" + std::string(64, 'a') + ".example/"}},
                {"the port of the URL is not among \"outbound.ports\"",
                 {"https://app.example:444/", "https://app.example:/", "https://app.example:0443/",
                  "https://app.example:65979/"}}};
    for (const auto& row : rows)
        for (const std::string& url : row.urls) {
            CAPTURE(url);
            CHECK(fetch::url_fault(url, {443, 8443}).value_or("") == row.fault);
        }
    CHECK(fetch::url_fault("https://app.example/", {8443}).has_value());
}

TEST_CASE("host_of: one spelling for a host, by which fetches are counted [FETCH-11]") {
    CHECK(fetch::host_of("https://App.Example.:8443/a") == "app.example");
    CHECK(fetch::host_of("https://[2001:DB8::1]/") == "[2001:db8::1]");
}
