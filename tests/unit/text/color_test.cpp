// Contrast against the figures of WCAG 2.2.
#include "text/color.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern::text;

TEST_CASE("color: #rrggbb and nothing else [BRAND-2]") {
    REQUIRE(parse_color("#0C6857"));
    CHECK(*parse_color("#0C6857") == Color{12, 104, 87});
    CHECK(to_text(*parse_color("#0C6857")) == "#0c6857");
    for (const char* refused : {"", "#fff", "0c6857", "#0c685", "#0c68577", "#0c685g", "red", "#0c 857", " #0c6857"}) {
        CAPTURE(std::string(refused));
        CHECK_FALSE(parse_color(refused));
    }
}

TEST_CASE("color: contrast as WCAG 2.2 defines it, whichever is lighter [BRAND-2]") {
    CHECK(contrast(kBlack, kWhite) == doctest::Approx(21));
    CHECK(contrast(kWhite, kBlack) == doctest::Approx(21));
    CHECK(contrast(kWhite, kWhite) == doctest::Approx(1));
    CHECK(contrast(*parse_color("#767676"), kWhite) == doctest::Approx(4.54).epsilon(0.002));
    CHECK(contrast(*parse_color("#949494"), kWhite) == doctest::Approx(3.03).epsilon(0.002));
    CHECK(contrast(*parse_color("#ff0000"), kWhite) == doctest::Approx(4.0).epsilon(0.002));
}

TEST_CASE("color: black or white can be read on every colour [BRAND-2]") {
    CHECK(best_on(*parse_color("#ffcc00")) == kBlack);
    CHECK(best_on(*parse_color("#0c6857")) == kWhite);
    for (int red = 0; red < 256; red += 15)
        for (int green = 0; green < 256; green += 15)
            for (int blue = 0; blue < 256; blue += 15) {
                const Color color{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                                  static_cast<std::uint8_t>(blue)};
                REQUIRE(contrast(color, best_on(color)) > 4.5);
            }
}
