// The headers that an application is told about its user.
#include "gate/told.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

namespace {

gate::ToldUser alice() {
    return {"alice", model::Subject("s1"),
            json::Object{{"name", "Alice M\xc3\xbcller"},
                         {"email", "alice@example.org"},
                         {"email_verified", true},
                         {"groups", json::strings({"staff", "admins"})}}};
}

model::Site site(model::UserHeader header = model::UserHeader::name) {
    return {.url = "https://x.example/", .max_age = {}, .session_ttl = {}, .user_header = header};
}

/// "NAME: VALUE" of each header with "|" between them, or "untold".
std::string told(const gate::ToldUser& user, const model::Site& of = site()) {
    const auto answer = gate::tell_user(of, user);
    if (!answer) return "untold";
    std::string text;
    for (const auto& [name, value] : answer->headers) text += (text.empty() ? "" : "|") + name + ": " + value;
    return text;
}

gate::ToldUser with(const char* claim, json::Value value) {
    gate::ToldUser user = alice();
    user.claims.set(claim, std::move(value));
    return user;
}

std::string left_out(const gate::ToldUser& user) {
    const auto answer = gate::tell_user(site(), user);
    if (!answer) return "untold";
    std::string text;
    for (const auto& name : answer->left_out) text += name + " ";
    return text;
}

}  // namespace

TEST_CASE("tell_user: the headers, as far as the claims go [GATE-12]") {
    CHECK(told(alice()) ==
          "Remote-User: alice|Remote-Name: Alice M\xc3\xbcller|Remote-Email: alice@example.org|"
          "Remote-Email-Verified: true|Remote-Groups: admins,staff|Remote-Subject: s1");
    CHECK(told({"alice", model::Subject("s1"), {}}) == "Remote-User: alice|Remote-Subject: s1");
    CHECK(told(with("email_verified", false)).find("Remote-Email-Verified: false") != std::string::npos);
    CHECK(told(with("email_verified", "true")).find("Remote-Email-Verified: false") != std::string::npos);
    CHECK(told(with("groups", json::Array{})).find("Remote-Groups") == std::string::npos);
}

TEST_CASE("tell_user: Remote-User is the name of the sign-in, and no claim replaces it [GATE-12]") {
    CHECK(told(with("preferred_username", "root")).starts_with("Remote-User: alice|"));
    CHECK(told(alice(), site(model::UserHeader::subject)).starts_with("Remote-User: s1|"));
    CHECK(told(alice(), site(model::UserHeader::email)).starts_with("Remote-User: alice@example.org|"));
    CHECK(told(with("email_verified", false), site(model::UserHeader::email)) == "untold");
    CHECK(told(with("email_verified", "true"), site(model::UserHeader::email)) == "untold");
    CHECK(told(with("email", nullptr), site(model::UserHeader::email)) == "untold");
    CHECK(told({"alice", model::Subject("s1"), {}}, site(model::UserHeader::email)) == "untold");
}

TEST_CASE("tell_user: a value that cannot stand in a header is left out whole, Remote-User refuses [GATE-12]") {
    for (const char* bad : {"a\r\nRemote-User: root", "a\nb", "a\x7f", " a", "a ", "a\tb", "\xff"}) {
        CAPTURE(bad);
        CHECK(told({bad, model::Subject("s1"), {}}) == "untold");
        CHECK(left_out(with("name", bad)) == "Remote-Name ");
        CHECK(left_out(with("email", bad)) == "Remote-Email ");
        CHECK(told(with("email", bad)).find("Remote-Email") == std::string::npos);
        CHECK(left_out(with("groups", json::strings({"staff", bad}))) == "Remote-Groups ");
        CHECK(told(with("name", bad)).find('\n') == std::string::npos);
    }
    CHECK(told({"", model::Subject("s1"), {}}) == "untold");
    CHECK(left_out(with("groups", json::strings({"a,b"}))) == "Remote-Groups ");
}

TEST_CASE("tell_user: what has no room is left out, Groups first, and never cut [GATE-12]") {
    const std::string big(3000, 'b');
    CHECK(left_out(with("groups", json::strings({big, big}))) == "Remote-Groups ");
    auto two = with("name", big);
    two.claims.set("email", big);
    CHECK(left_out(two) == "Remote-Groups Remote-Name ");
    CHECK(told(two).find("Remote-Email: " + big) != std::string::npos);
    auto three = with("name", big);
    three.claims.set("email", std::string(5000, 'e'));
    CHECK(left_out(three) == "Remote-Groups Remote-Name Remote-Email ");
    CHECK(told(three) == "Remote-User: alice|Remote-Subject: s1");
    CHECK(told({std::string(5000, 'u'), model::Subject("s1"), {}}) == "untold");
    CHECK(told({std::string(4096, 'u'), model::Subject("s1"), {}}) == "untold");
}
