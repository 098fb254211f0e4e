#include "fetch/url.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE("url_fault: https to a host and a port of the list, and nothing else [FETCH-4]") {
    struct Row {
        std::string url;
        const char* fault;  ///< "" for none
    };
    const std::string base = "https://app.example/";
    const Row rows[] = {
        {"https://app.example/client", ""},
        {"https://app.example", ""},
        {"HTTPS://App.Example./a?b=c", ""},
        {"https://app.example:443/a", ""},
        {"https://app.example:8443/a", ""},
        {"https://192.0.2.1/a", ""},
        {"https://[2001:db8::1]:8443/a", ""},
        {"https://a_b-c.example/a", ""},
        {base + std::string(2048 - base.size(), 'a'), ""},
        {base + std::string(2049 - base.size(), 'a'), "the URL is longer than 2048 bytes"},
        {"http://app.example/a", "the URL is not https"},
        {"ftp://app.example/a", "the URL is not https"},
        {"file:///etc/passwd", "the URL is not https"},
        {"https:app.example", "it is not an absolute URL"},
        {"/client", "it is not an absolute URL"},
        {"", "it is not an absolute URL"},
        {"https://app.example/a b", "it is not an absolute URL"},
        {"https://app.example/\xc3\xa4", "it is not an absolute URL"},
        {"https://\xc3\xa4.example/", "it is not an absolute URL"},
        {"https://app.example/a\r\nHost: b", "it is not an absolute URL"},
        {"https://app.example\\@evil.example/", "it is not an absolute URL"},
        {"https://me@app.example/", "the URL has user information"},
        {"https://@app.example/", "the URL has user information"},
        {"https://me:secret@app.example/", "the URL has user information"},
        {"https://app.example/#a", "the URL has a fragment"},
        {"https://app.example/#", "the URL has a fragment"},
        {"https:///a", "the host of the URL is neither a name nor an address"},
        {"https://a..b/", "the host of the URL is neither a name nor an address"},
        {"https://./", "the host of the URL is neither a name nor an address"},
        {"https://a%2eb/", "the host of the URL is neither a name nor an address"},
        // What resolvers, proxies and browsers read as an address of IPv4, in other than its usual spelling.
        {"https://127.1/", "the host of the URL is neither a name nor an address"},
        {"https://127.0.1/", "the host of the URL is neither a name nor an address"},
        {"https://2130706433/", "the host of the URL is neither a name nor an address"},
        {"https://2130706433./", "the host of the URL is neither a name nor an address"},
        {"https://0/", "the host of the URL is neither a name nor an address"},
        {"https://0x7f000001/", "the host of the URL is neither a name nor an address"},
        {"https://0X7F.1/", "the host of the URL is neither a name nor an address"},
        {"https://0x/", "the host of the URL is neither a name nor an address"},
        {"https://0177.0.0.1/", "the host of the URL is neither a name nor an address"},
        {"https://127.0.0.01/", "the host of the URL is neither a name nor an address"},
        {"https://127.0.0.0x1/", "the host of the URL is neither a name nor an address"},
        {"https://127.0.0.256/", "the host of the URL is neither a name nor an address"},
        {"https://1.127.0.0.1/", "the host of the URL is neither a name nor an address"},
        {"https://127.0.0.1../", "the host of the URL is neither a name nor an address"},
        {"https://app.example.7/", "the host of the URL is neither a name nor an address"},
        {"https://%31%32%37.0.0.1/", "the host of the URL is neither a name nor an address"},
        {"https://127%2e0.0.1/", "the host of the URL is neither a name nor an address"},
        {"https://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/", "it is not an absolute URL"},
        {"https://127\xe3\x80\x82"
         "0.0.1/",
         "it is not an absolute URL"},
        {"https://[::1%25lo]/", "it is not an absolute URL"},
        {"https://127.0.0.1./", ""},
        {"https://7.app.example/", ""},
        {"https://0x7f.app.example/", ""},
        {"https://a0x7f/", ""},
        {"https://a,b/", "the host of the URL is neither a name nor an address"},
        {"https://" + std::string(64, 'a') + ".example/", "the host of the URL is neither a name nor an address"},
        {"https://app.example:444/", "the port of the URL is not among \"outbound.ports\""},
        {"https://app.example:/", "the port of the URL is not among \"outbound.ports\""},
        {"https://app.example:0443/", "the port of the URL is not among \"outbound.ports\""},
        {"https://app.example:65979/", "the port of the URL is not among \"outbound.ports\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        CHECK(fetch::url_fault(row.url, {443, 8443}).value_or("") == row.fault);
    }
    CHECK(fetch::url_fault("https://app.example/", {8443}).has_value());
}

TEST_CASE("host_of: one spelling for a host, by which fetches are counted [FETCH-11]") {
    CHECK(fetch::host_of("https://App.Example.:8443/a") == "app.example");
    CHECK(fetch::host_of("https://[2001:DB8::1]/") == "[2001:db8::1]");
}
