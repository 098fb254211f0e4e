#include "web/destination.h"

#include <doctest/doctest.h>

using namespace postern;

TEST_CASE("destination: the host as browsers read it, or the scheme of a program [CIMD-12, RFC 3986 §6.2.2]") {
    struct Row {
        const char* uri;
        const char* shown;
    };
    const Row rows[] = {
        {"https://app.example/cb", "app.example"},
        {"https://App.Example:8443/cb?a", "app.example"},
        {"http://127.0.0.1:33418/cb", "127.0.0.1"},
        {"https://[2001:db8::1]/cb", "[2001:db8::1]"},
        {"https://xn--bcher-kva.example/cb", "xn--bcher-kva.example"},
        {"https://%65vil.example/cb", "evil.example"},
        {"https://%45VIL.example/cb", "evil.example"},
        {"https://app.example%2Eevil.example/cb", "app.example.evil.example"},
        {"https://%31%32%37.1/cb", "127.0.0.1"},
        {"https://2130706433/cb", "127.0.0.1"},
        {"https://0x7f000001/cb", "127.0.0.1"},
        {"https://0177.0.0.1/cb", "127.0.0.1"},
        // What no browser opens stays as it is: nothing of it is made plainer than it is.
        {"https://app.example%2f.evil.example/cb", "app.example%2f.evil.example"},
        {"https://app.example%00.evil.example/cb", "app.example%00.evil.example"},
        {"https://%c3%a4.example/cb", "%c3%a4.example"},
        {"https://a+b.example/cb", "a+b.example"},
        {"https://1.2.3.4.5/cb", "1.2.3.4.5"},
        {"com.example.app://host/cb", "com.example.app: (an app on this device)"},
        {"COM.example:/cb", "com.example: (an app on this device)"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CHECK(web::destination(row.uri) == row.shown);
    }
}

TEST_CASE("destinations: each different one, in their order [REG-31]") {
    CHECK(web::destinations({}) == "");
    CHECK(web::destinations({"https://a.example/1"}) == "a.example");
    CHECK(web::destinations({"http://localhost:1/", "https://A.example/1", "http://localhost:2/", "https://a.example/2",
                             "com.example.app:/cb"}) ==
          "localhost, a.example, com.example.app: (an app on this device)");
}
