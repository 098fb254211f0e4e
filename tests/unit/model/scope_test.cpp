#include "model/scope.h"

#include <doctest/doctest.h>

#include <string>

using postern::model::Scope;

namespace {

std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? " s" : "s") + std::to_string(i);
    return text;
}

}  // namespace

TEST_CASE("Scope::parse: words of NQCHAR between single spaces, in order, each once [RFC 6749 §3.3a]") {
    struct Row {
        const char* when;
        std::string text;
        std::string kept;
    };
    const Row rows[] = {
        {"nothing", "", ""},
        {"one", "openid", "openid"},
        {"order is kept", "profile openid", "profile openid"},
        {"each once", "a b a b c", "a b c"},
        {"case matters", "Openid openid", "Openid openid"},
        {"the edges of NQCHAR", "! # [ ] ~", "! # [ ] ~"},
        {"64 words", words(64), words(64)},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        const auto scope = Scope::parse(row.text);
        REQUIRE(scope);
        CHECK(scope->to_string() == row.kept);
        CHECK(scope->empty() == row.kept.empty());
    }
}

TEST_CASE("Scope::parse: anything else is refused [RFC 6749 §3.3a, §A.4, A09]") {
    struct Row {
        const char* when;
        std::string text;
    };
    const Row rows[] = {
        {"a space before", " openid"},
        {"a space behind", "openid "},
        {"two spaces", "openid  profile"},
        {"only a space", " "},
        {"a tab", "openid\tprofile"},
        {"a line feed", "openid\nprofile"},
        {"a quote", "open\"id"},
        {"a backslash", "open\\id"},
        {"DEL", "open\x7f"},
        {"above ASCII", "caf\xc3\xa9"},
        {"NUL", std::string("open\0id", 7)},
        {"65 words", words(65)},
        {"65 times one word",
         [] {
             std::string text = "a";
             for (int i = 1; i < 65; ++i) text += " a";
             return text;
         }()},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        CHECK_FALSE(Scope::parse(row.text));
    }
}

TEST_CASE("Scope: whole words are compared, byte by byte [RFC 6749 §3.3]") {
    const auto scope = *Scope::parse("openid profile");
    CHECK(scope.contains("openid"));
    CHECK_FALSE(scope.contains("open"));
    CHECK_FALSE(scope.contains("Openid"));
    CHECK_FALSE(scope.contains(""));
    CHECK_FALSE(scope.contains("openid profile"));
}

TEST_CASE("Scope::is_subset_of: order does not matter, every word does [RFC 6749 §3.3b]") {
    const auto all = *Scope::parse("a b c");
    CHECK(Scope().is_subset_of(all));
    CHECK(Scope::parse("c a")->is_subset_of(all));
    CHECK(all.is_subset_of(all));
    CHECK_FALSE(Scope::parse("a d")->is_subset_of(all));
    CHECK_FALSE(all.is_subset_of(*Scope::parse("a b")));
    CHECK_FALSE(all.is_subset_of(Scope()));
}

TEST_CASE("Scope::add and remove: no effect when it is there, or not there") {
    Scope scope;
    scope.add("a");
    scope.add("b");
    scope.add("a");
    CHECK(scope.to_string() == "a b");
    scope.remove("c");
    CHECK(scope.to_string() == "a b");
    scope.remove("a");
    CHECK(scope == *Scope::parse("b"));
}
