#include "fetch/url.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;

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
                  "https://a..b/",
                  "https://./",
                  "https://a%2eb/",
                  "https://127.1/",
                  "https://127.0.1/",
                  "https://2130706433/",
                  "https://2130706433./",
                  "https://0/",
                  "https://0x7f000001/",
                  "https://0X7F.1/",
                  "https://0x/",
                  "https://0177.0.0.1/",
                  "https://127.0.0.01/",
                  "https://127.0.0.0x1/",
                  "https://127.0.0.256/",
                  "https://1.127.0.0.1/",
                  "https://127.0.0.1../",
                  "https://app.example.7/",
                  "https://%31%32%37.0.0.1/",
                  "https://127%2e0.0.1/",
                  "https://a,b/",
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
