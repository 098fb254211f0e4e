#include "http/credentials.h"

#include <doctest/doctest.h>

namespace postern::http {
namespace {

TEST_CASE(
    "split_credentials: any number of blanks between scheme and credentials, none of them part of either [RFC 9110 §11.4]") {
    struct Row {
        std::string_view value;
        std::string_view scheme;
        std::string_view credentials;
    };
    const Row rows[] = {
        {"Bearer x", "Bearer", "x"},
        {"Bearer  x", "Bearer", "x"},
        {"Bearer     x", "Bearer", "x"},
        {"bEARER x", "bEARER", "x"},
        // OWS around a field's value (RFC 9110 §5.5).
        {"Bearer x ", "Bearer", "x"},
        {"Bearer x \t ", "Bearer", "x"},
        {" \tBearer x", "Bearer", "x"},
        // What the caller refuses.
        {"Bearer", "Bearer", ""},
        {"Bearer ", "Bearer", ""},
        {"Bearer\tx", "Bearer\tx", ""},
        {"Bearer \tx", "Bearer", "\tx"},
        {"Bearer x y", "Bearer", "x y"},
        {"x", "x", ""},
        {"", "", ""},
        {"  ", "", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        const auto [scheme, credentials] = split_credentials(row.value);
        CHECK(scheme == row.scheme);
        CHECK(credentials == row.credentials);
    }
}

}  // namespace
}  // namespace postern::http
