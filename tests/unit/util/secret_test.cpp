// Tests of lib/util/secret.cpp.
#include "util/secret.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

using namespace postern::util;

namespace {

/// Whether the bytes of the object itself (where short strings live) hold `text`.
bool object_holds(const Secret& secret, std::string_view text) {
    std::array<char, sizeof(Secret)> bytes{};
    std::memcpy(bytes.data(), static_cast<const void*>(&secret), bytes.size());
    return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

}  // namespace

static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret> && std::is_nothrow_move_assignable_v<Secret>);

TEST_CASE("Secret: reveals what it was given") {
    CHECK(Secret(std::string("hunter2")).reveal() == "hunter2");
    CHECK(Secret(std::string("a\0b", 3)).reveal().size() == 3);
    CHECK(Secret().empty());
    CHECK_FALSE(Secret(std::string("x")).empty());
}

TEST_CASE("Secret: a move leaves no short secret behind in the source") {
    Secret first(std::string("hunter2"));
    REQUIRE(object_holds(first, "hunter2"));  // the next checks look at the right place
    Secret second(std::move(first));
    CHECK_FALSE(object_holds(first, "unter2"));
    CHECK(second.reveal() == "hunter2");

    Secret third(std::string("old pass"));
    third = std::move(second);
    CHECK_FALSE(object_holds(second, "unter2"));
    CHECK_FALSE(object_holds(third, "old pass"));
    CHECK(third.reveal() == "hunter2");
}

TEST_CASE("Secret: a long secret moves whole") {
    const std::string text(100, 's');
    Secret first(text);
    Secret second;
    second = std::move(first);
    CHECK(second.reveal() == text);
    CHECK(first.empty());  // NOLINT(bugprone-use-after-move): the promise under test
}

TEST_CASE("Secret: assigned to itself it stays") {
    Secret secret(std::string("hunter2"));
    Secret& same = secret;
    secret = std::move(same);
    CHECK(secret.reveal() == "hunter2");
}

TEST_CASE("wipe: zeros the whole buffer, what a longer value left behind included") {
    std::string bytes(64, 's');
    const std::size_t capacity = bytes.capacity();
    bytes.resize(8);
    wipe(bytes);
    CHECK(bytes.empty());
    REQUIRE(bytes.capacity() == capacity);
    const char* buffer = bytes.data();
    CHECK(std::all_of(buffer, buffer + capacity, [](char c) { return c == '\0'; }));
}
