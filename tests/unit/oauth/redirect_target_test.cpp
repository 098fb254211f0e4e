// What kind of program receives what is sent to a redirect URI.
#include "oauth/redirect_target.h"

#include <doctest/doctest.h>

using namespace postern;

TEST_CASE("is_loopback_or_private: what any program on the user's machine may receive") {
    for (const char* uri :
         {"http://127.0.0.1/cb", "http://[::1]:1/cb", "http://localhost:3000/", "com.example.app:/cb", "not a uri"}) {
        CAPTURE(uri);
        CHECK(oauth::is_loopback_or_private(uri));
    }
    for (const char* uri : {"https://app.example/cb", "https://localhost/cb", "https://127.0.0.1/cb"}) {
        CAPTURE(uri);
        CHECK_FALSE(oauth::is_loopback_or_private(uri));
    }
}
