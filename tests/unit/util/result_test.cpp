// Tests of lib/util/result.h and lib/util/tagged.h.
#include "util/result.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
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

namespace {

using Number = Result<int, std::string>;

Number half(int n) {
    if (n % 2 != 0) return std::string("odd");
    return n / 2;
}

Result<void, std::string> check_small(int n) {
    if (n > 10) return std::string("large");
    return {};
}

Number quarter(int n) {
    RETURN_IF_ERROR(check_small(n));
    ASSIGN_OR_RETURN(const int first, half(n));
    int second = 0;
    ASSIGN_OR_RETURN(second, half(first));
    return second;
}

/// The error travels from a Result of one type to a Result of another.
Result<std::unique_ptr<int>, std::string> boxed(int n) {
    if (n > 0) {
        ASSIGN_OR_RETURN(auto value, quarter(n));
        return std::make_unique<int>(value);
    }
    ASSIGN_OR_RETURN(auto box, boxed(-n));  // a value that can only be moved
    return box;
}

Result<std::map<int, int>, std::string> halves(int n) {
    ASSIGN_OR_RETURN(const auto found, Result<std::map<int, int>, std::string>(std::map<int, int>{{n, n / 2}}));
    if (n == 0) RETURN_IF_ERROR(check_small(11));
    return found;
}

}  // namespace

TEST_CASE("ASSIGN_OR_RETURN, RETURN_IF_ERROR: go on with the value, or leave with the first error") {
    CHECK(*quarter(8) == 2);
    CHECK(quarter(12).error() == "large");
    CHECK(quarter(7).error() == "odd");
    CHECK(quarter(6).error() == "odd");
    CHECK(**boxed(-8) == 2);
    CHECK(boxed(-6).error() == "odd");
    CHECK(halves(4)->at(4) == 2);
    CHECK(halves(0).error() == "large");
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
