// Tests of lib/util/result.h and lib/util/tagged.h.
#include "util/result.h"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include "util/tagged.h"

using namespace postern::util;

TEST_CASE("Result: holds the value or the error, and reading the other one throws") {
    const Result<std::string, int> value(std::string("v"));
    CHECK(value);
    CHECK(*value == "v");
    CHECK(value->size() == 1);
    CHECK_THROWS_AS(static_cast<void>(value.error()), std::bad_variant_access);

    const Result<std::string, int> error(7);
    CHECK_FALSE(error);
    CHECK(error.error() == 7);
    CHECK_THROWS_AS(static_cast<void>(*error), std::bad_variant_access);
}

TEST_CASE("Result<void>: success carries nothing, a broken rule its reason") {
    const Result<void, int> kept{};
    CHECK(kept);
    CHECK_THROWS_AS(static_cast<void>(kept.error()), std::bad_optional_access);
    const Result<void, int> broken(7);
    CHECK_FALSE(broken);
    CHECK(broken.error() == 7);
}

TEST_CASE("Tagged: compares by value and mixes with no other tag and no plain string") {
    using A = Tagged<struct ATag>;
    using B = Tagged<struct BTag>;
    CHECK(A("x") == A("x"));
    CHECK(A("x") < A("y"));
    CHECK(A().empty());
    CHECK(A("x").str() == "x");
    static_assert(!std::is_convertible_v<std::string, A> && !std::is_convertible_v<A, std::string>);
    static_assert(!std::is_constructible_v<A, B>);
}
