// Tests of lib/json/value.cpp.
#include "json/value.h"

#include <doctest/doctest.h>

using namespace postern::json;

namespace {

std::string names_of(const Object& object) {
    std::string names;
    for (const auto& [name, value] : object.members()) names += name + ' ';
    return names;
}

}  // namespace

TEST_CASE("Object: members stay in the order in which they were added, a replaced one in its place") {
    Object object{{"b", 1}, {"a", 2}};
    object.set("c", 3);
    object.set("b", 4);
    CHECK(names_of(object) == "b a c ");
    CHECK(*object.find("b")->if_integer() == 4);
    CHECK(object.size() == 3);
}

TEST_CASE("Object: a name is there once, however it got there") {
    const Object object{{"a", 1}, {"a", 2}};
    CHECK(object.size() == 1);
    CHECK(*object.find("a")->if_integer() == 2);
}

TEST_CASE("Object: find compares names byte by byte") {
    const Object object{{"sub", "s"}, {std::string("nul\0", 4), 1}};
    CHECK(object.find("sub") != nullptr);
    CHECK(object.find("Sub") == nullptr);
    CHECK(object.find("su") == nullptr);
    CHECK(object.find("") == nullptr);
    CHECK(object.find("nul") == nullptr);
}

TEST_CASE("Object: erase takes out one member and leaves the others in order") {
    Object object{{"a", 1}, {"b", 2}, {"c", 3}};
    object.erase("b");
    CHECK(names_of(object) == "a c ");
    object.erase("not there");
    CHECK(object.size() == 2);
    CHECK_FALSE(object.empty());
    CHECK(Object().empty());
}

TEST_CASE("Value: is of exactly one type") {
    struct Row {
        Value value;
        const char* type;
    };
    const Row rows[] = {
        {Value(), "null"},
        {nullptr, "null"},
        {true, "bool"},
        {1, "integer"},
        {std::int64_t{1}, "integer"},
        {1.0, "number"},
        {"text", "string"},
        {std::string_view("text"), "string"},
        {Array{1, 2}, "array"},
        {Object{{"a", 1}}, "object"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.type);
        const std::string type = row.type;
        CHECK(row.value.is_null() == (type == "null"));
        CHECK((row.value.if_bool() != nullptr) == (type == "bool"));
        CHECK((row.value.if_integer() != nullptr) == (type == "integer"));
        CHECK((row.value.if_number() != nullptr) == (type == "number"));
        CHECK((row.value.if_string() != nullptr) == (type == "string"));
        CHECK((row.value.if_array() != nullptr) == (type == "array"));
        CHECK((row.value.if_object() != nullptr) == (type == "object"));
    }
}

TEST_CASE("strings: an array with the same strings in the same order") {
    const Value value = strings({"a", "", "b"});
    REQUIRE(value.if_array() != nullptr);
    REQUIRE(value.if_array()->size() == 3);
    CHECK(*value.if_array()->at(0).if_string() == "a");
    CHECK(value.if_array()->at(1).if_string()->empty());
    CHECK(*value.if_array()->at(2).if_string() == "b");
    CHECK(strings({}).if_array()->empty());
}
