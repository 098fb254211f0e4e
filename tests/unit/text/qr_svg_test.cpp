// A QR code as an SVG path: drawn again from the path, and looked at where ISO/IEC 18004 says what must be there.
#include "text/qr_svg.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

using postern::text::qr_svg;
using postern::text::QrSvg;

#ifdef POSTERN_QRENCODE

namespace {

using Rows = std::vector<std::string>;  // '#' is dark

/// Of a path that is made of rectangles of one row, inside the view and nowhere twice.
Rows draw(const QrSvg& code) {
    Rows rows(code.size, std::string(code.size, '.'));
    const char* at = code.path.c_str();
    while (*at != '\0') {
        std::size_t x = 0, y = 0, width = 0, back = 0;
        int length = 0;
        const int read = std::sscanf(at, "M%zu %zuh%zuv1h-%zuz%n", &x, &y, &width, &back, &length);
        REQUIRE(read == 4);
        REQUIRE(length > 0);
        REQUIRE(width == back);
        REQUIRE(y < code.size);
        REQUIRE(x + width <= code.size);
        for (std::size_t n = x; n < x + width; ++n) {
            REQUIRE(rows[y][n] == '.');
            rows[y][n] = '#';
        }
        at += length;
    }
    return rows;
}

Rows part(const Rows& rows, std::size_t x, std::size_t y, std::size_t size) {
    Rows cut;
    for (std::size_t n = y; n < y + size; ++n) cut.push_back(rows[n].substr(x, size));
    return cut;
}

}  // namespace

TEST_CASE("qr_svg: a square with finder patterns in three corners and a quiet zone of 4 around it [TOTP-3]") {
    const Rows finder = {"#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"};
    struct Row {
        const char* when;
        std::string text;
        std::size_t version;
    };
    const Row rows[] = {
        {"one letter", "A", 1},
        {"14 bytes, as many as fit", std::string(14, 'a'), 1},
        {"a byte more", std::string(15, 'a'), 2},
        {"lower case is kept, which the alphanumeric mode cannot", "otpauth://totp", 1},
        {"an app's address",
         "otpauth://totp/id.example.org:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=id.example.org"
         "&algorithm=SHA1&digits=6&period=30",
         8},
        {"as many bytes as there can be", std::string(2331, 'a'), 40},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto code = qr_svg(row.text);
        REQUIRE(code);
        CHECK(code->size == 17 + 4 * row.version + 8);
        CHECK(code->path.find_first_not_of("Mhvz0123456789- ") == std::string::npos);
        const Rows drawn = draw(*code);
        const std::size_t far = code->size - 4 - 7;
        CHECK(part(drawn, 4, 4, 7) == finder);
        CHECK(part(drawn, far, 4, 7) == finder);
        CHECK(part(drawn, 4, far, 7) == finder);
        const std::string light(code->size, '.');
        for (std::size_t n = 0; n < 4; ++n) {
            CHECK(drawn[n] == light);
            CHECK(drawn[code->size - 1 - n] == light);
            for (const std::string& line : drawn) {
                CHECK(line[n] == '.');
                CHECK(line[code->size - 1 - n] == '.');
            }
        }
        // §7.9.1: the two bits of the error correction level, 00 for M, under the mask 10.
        CHECK(drawn[4 + 8].substr(4, 2) == "#.");
    }
}

TEST_CASE("qr_svg: what cannot be drawn is said to be so, and nothing is cut [TOTP-3]") {
    CHECK_FALSE(qr_svg(""));
    CHECK_FALSE(qr_svg(std::string("a\0b", 3)));
    CHECK_FALSE(qr_svg(std::string(2332, 'a')));
}

TEST_CASE("qr_svg: two texts have two drawings, and one text has one [TOTP-3]") {
    CHECK(qr_svg("a")->path != qr_svg("b")->path);
    CHECK(qr_svg("a")->path != qr_svg("A")->path);
    CHECK(qr_svg("a")->path == qr_svg("a")->path);
}

#else

TEST_CASE("qr_svg: a build without libqrencode draws nothing [TOTP-3]") { CHECK_FALSE(qr_svg("a")); }

#endif
