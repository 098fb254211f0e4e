// Tests of lib/oauth/audit.cpp.
#include "audit/trail.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "util/text.h"

namespace postern::oauth {
namespace {

/// Every `word` of the text.
std::string words_in_backquotes(std::string_view text) {
    std::string words;
    bool inside = false;
    for (const auto part : util::split(text, '`')) {
        if (inside) words += (words.empty() ? "" : " ") + std::string(part);
        inside = !inside;
    }
    return words;
}

/// The rows "event|members" of the section of that title.
std::string documented(const std::string& file, const std::string& title) {
    std::ifstream text(file);
    REQUIRE(text);
    std::string rows;
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("#")) inside = line == title;
        if (!inside || !line.starts_with("| `")) continue;
        const auto cells = util::split(line, '|');
        REQUIRE(cells.size() >= 4);
        rows += words_in_backquotes(cells[1]) + "|" + words_in_backquotes(cells[2]) + "\n";
    }
    return rows;
}

TEST_CASE("audit: the operator's manual lists every event with its members, and no other") {
    std::string rows;
    for (const audit::Row& row : audit::table()) rows += std::string(row.name) + "|" + std::string(row.members) + "\n";
    CHECK(documented("docs/OPERATIONS.md", "## The audit log") == rows);
}

TEST_CASE("audit: names tell events apart, and no member stands twice") {
    std::set<std::string_view> names;
    for (const audit::Row& row : audit::table()) {
        CHECK(names.insert(row.name).second);
        CHECK(audit::row(row.event).name == row.name);
        const auto members = util::split(row.members, ' ');
        CHECK(std::set<std::string_view>(members.begin(), members.end()).size() == members.size());
    }
}

TEST_CASE("audit: a digest is the beginning of what sha256sum prints, and of what storage has") {
    CHECK(audit::short_digest("abc") == "ba7816bf8f01cfea");  // FIPS 180-2 appendix B.1
    const model::ValueHash hash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(audit::credential("code", hash).second == audit::short_digest("abc"));
    model::Grant grant;
    grant.id = model::GrantId("abc");
    grant.sid = model::Sid("abc");
    for (const auto& [name, value] : audit::with_grant(grant, {})) {
        if (name == "grant" || name == "session") CHECK(value == "ba7816bf8f01cfea");
    }
}

TEST_CASE("audit::Trail: keeps the events of one request, without what does not apply to them") {
    audit::Trail trail;
    trail.begin("request-1", "192.0.2.1");
    model::Grant grant;  // of a client on its own behalf: no user, no session
    grant.id = model::GrantId("g");
    grant.client_id = model::ClientId("machine");
    trail.add(audit::Event::token_issued,
              audit::with_grant(grant, {{"scope", ""}, audit::yes_or_no("retried", false)}));
    REQUIRE(trail.entries().size() == 1);
    std::string members;
    for (const auto& [name, value] : trail.entries()[0].members) members += std::string(name) + " ";
    CHECK(members == "client_id grant retried ");
    trail.begin("request-2", "192.0.2.2");
    CHECK(trail.entries().empty());
    CHECK(trail.request_id() == "request-2");
    CHECK(trail.address() == "192.0.2.2");
}

TEST_CASE("audit::Trail: the user of a request is who was noted, then who the last event is about") {
    const model::Subject alice("sub-alice");
    audit::Trail trail;
    trail.begin("request-1", "");
    CHECK(trail.user() == "");
    trail.note_user(alice);
    CHECK(trail.user() == "sub-alice");
    trail.add(audit::Event::client_authentication_failed, {audit::client(model::ClientId("app"))});
    CHECK(trail.user() == "sub-alice");
    trail.add(audit::Event::second_factor_failed, {audit::subject(model::Subject("sub-bob"))});
    CHECK(trail.user() == "sub-bob");
    trail.note_user(alice);
    trail.add(audit::Event::login_failed, {audit::subject(model::Subject())});  // a name that nobody has
    CHECK(trail.user() == "");
    trail.note_user(alice);
    trail.begin("request-2", "");
    CHECK(trail.user() == "");
}

}  // namespace
}  // namespace postern::oauth
