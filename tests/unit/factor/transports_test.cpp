#include "factor/transports.h"

#include <doctest/doctest.h>

using namespace postern;

TEST_CASE("parse_transports: words of a-z, 0-9 and hyphens as they came, all others dropped [WEBAUTHN-29]") {
    using Words = std::vector<std::string>;
    const std::pair<const char*, Words> rows[] = {
        {"", {}},
        {" ", {}},
        {"usb", {"usb"}},
        {"internal hybrid", {"internal", "hybrid"}},
        {"hybrid internal", {"hybrid", "internal"}},
        {"usb usb", {"usb", "usb"}},
        {" usb  nfc ", {"usb", "nfc"}},
        {"smart-card ble2 not-known-yet", {"smart-card", "ble2", "not-known-yet"}},
        {"USB nfc", {"nfc"}},
        {"usb,nfc ble", {"ble"}},
        {"usb\tnfc", {}},
        {"usb\nnfc", {}},
        {"us\"b nfc", {"nfc"}},
        {"<b> nfc", {"nfc"}},
        {"\xC3\xA9 nfc", {"nfc"}},
        {"u_b nfc", {"nfc"}},
        {"a b c d e f g h", {"a", "b", "c", "d", "e", "f", "g", "h"}},
        {"a b c d e f g h i", {"a", "b", "c", "d", "e", "f", "g", "h"}},
        {"A b c d e f g h i", {"b", "c", "d", "e", "f", "g", "h", "i"}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.first);
        CHECK(factor::parse_transports(row.first) == row.second);
    }
    const std::string longest(32, 'x');
    CHECK(factor::parse_transports(longest) == Words{longest});
    CHECK(factor::parse_transports(longest + "x").empty());
}
