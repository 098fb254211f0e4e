// Where a browser is led back to.
#include "gate/location.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE("encode_path: a path that goes into a Location holds nothing that ends it or names a host [GATE-11]") {
    struct Row {
        std::string path;
        const char* encoded;
    };
    const Row rows[] = {
        {"/a/b%2Fc", "/a/b%2Fc"},
        {"/a b", "/a%20b"},
        {"/a\r\nb", "/a%0D%0Ab"},
        {"/a#b?c", "/a%23b%3Fc"},
        {"/a%zzb", "/a%25zzb"},
        {"/\xc3\xbc", "/%C3%BC"},
        {"/<\">", "/%3C%22%3E"},
        {"//evil.test/", "/evil.test/"},
        {"///evil.test/", "/evil.test/"},
        {"/\\evil.test/", "/%5Cevil.test/"},
        {"//", "/"},
        {"", "/"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(gate::encode_path(row.path) == row.encoded);
    }
    CHECK(gate::encode_query("a=b&c=/?d e#f\r\n%20%") == "a=b&c=/?d%20e%23f%0D%0A%20%25");
}

TEST_CASE("location_of: path and query of a target, which its first ? separates [GATE-15]") {
    struct Row {
        const char* target;
        const char* path;
        const char* query;
        const char* location;
    };
    const Row rows[] = {
        {"/a", "/a", "", "/a"},
        {"/a?", "/a", "", "/a"},
        {"/a?b=c?d", "/a", "b=c?d", "/a?b=c?d"},
        {"//evil.test?b#c", "//evil.test", "b#c", "/evil.test?b%23c"},
        {"?b", "", "b", "/?b"},
        {"", "", "", "/"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.target);
        const gate::Target target = gate::split_target(row.target);
        CHECK(target.path == row.path);
        CHECK(target.query == row.query);
        CHECK(gate::location_of(target) == row.location);
    }
}
