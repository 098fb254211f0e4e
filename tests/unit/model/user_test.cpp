#include "model/user.h"
#include "json/writer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;
using model::ClaimChanges;

namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += name + ' ';
    return text;
}

}  // namespace

TEST_CASE("is_user_name: what pages can show and users can type, of at most 128 bytes") {
    const std::pair<std::string, bool> rows[] = {
        {"alice", true},
        {"Alice Liddell", true},
        {"alice@EXAMPLE.ORG", true},
        {"/C=DE/CN=Alice", true},
        {"J\xc3\xb6rg", true},
        {std::string(128, 'a'), true},
        {std::string(129, 'a'), false},
        {"", false},
        {" ", false},
        {" alice", false},
        {"alice ", false},
        {"alice\t", false},
        {"al\nice", false},
        {std::string("al\0ice", 6), false},
        {"al\x7fice", false},
        {"J\xf6rg", false},
        {"alice\xe2\x80\xae", false},  // U+202E, right-to-left override
    };
    for (const auto& row : rows) {
        const std::string& name = row.first;
        const bool fits = row.second;
        CAPTURE(name);
        CHECK(model::is_user_name(name) == fits);
        CHECK(model::is_new_user_name(name) == fits);
    }
}

TEST_CASE("is_new_user_name: no invisible character; existing users with such a name keep it [RFC 8265 §3]") {
    const std::pair<std::string, bool> rows[] = {
        {"\u200b", false},        // zero width space
        {"\u00ad", false},        // soft hyphen
        {"\ufeff", false},        // byte order mark
        {"\u2060\u2060", false},  // word joiners
        {"\u3164", false},        // Hangul filler, a letter by its category
        {"\u034f", false},        // combining grapheme joiner
        {"\ufe0f", false},        // variation selector
        {"\U000e0041", false},    // tag
        {"\u2800", false},        // braille pattern without a dot
        {"\u00a0", false},        // no-break space
        {"\u3000\u2003", false},  // ideographic space, em space
        {"\u200d", false},        // joiner
        {"\ufeffalice", false},
        {"alice\ufeff", false},
        {"al\u00adice", false},
        {"ali\u200bce", false},
        {"\u00a0alice", false},
        {"alice\u2003", false},
        {"alice\u200d", false},
        {"\u200calice", false},
        {"Alice\u00a0Liddell", true},                    // seen as a blank
        {"\u0646\u0627\u0645\u200c\u0647\u0627", true},  // Persian, with the joiner that its spelling needs
        {"\u0d28\u0d4d\u200d\u0d30", true},              // Malayalam
        {"\u738b", true},
        {"\U0001f600", true},
    };
    for (const auto& row : rows) {
        const auto& name = row.first;
        const auto& fits = row.second;
        CAPTURE(name);
        CHECK(model::is_user_name(name));
        CHECK(model::is_new_user_name(name) == fits);
    }
}

TEST_CASE("change_claims: what was verified of a value goes with the value [OpenID Connect Core §5.1]") {
    const std::optional<json::Value> gone;
    struct Row {
        const char* when;
        ClaimChanges changes;
        const char* after;
        const char* changed;
        const char* dropped;
    };
    const Row rows[] = {
        {"another address",
         {{"email", "new@b"}},
         R"({"email":"new@b","phone_number":"+1","phone_number_verified":true,"name":"Al"})",
         "email ",
         "email_verified "},
        {"the same address",
         {{"email", "a@b"}},
         R"({"email":"a@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Al",)"
         R"("updated_at":7})",
         "",
         ""},
        {"the same in other letters",
         {{"email", "A@b"}},
         R"({"email":"A@b","phone_number":"+1","phone_number_verified":true,"name":"Al"})",
         "email ",
         "email_verified "},
        {"an address taken away",
         {{"email", gone}},
         R"({"phone_number":"+1","phone_number_verified":true,"name":"Al"})",
         "email ",
         "email_verified "},
        {"another address, verified",
         {{"email", "new@b"}, {"email_verified", true}},
         R"({"email":"new@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Al"})",
         "email ",
         ""},
        {"verified, and another address",
         {{"email_verified", true}, {"email", "new@b"}},
         R"({"email":"new@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Al"})",
         "email ",
         ""},
        {"another number",
         {{"phone_number", "+2"}},
         R"({"email":"a@b","email_verified":true,"phone_number":"+2","name":"Al"})",
         "phone_number ",
         "phone_number_verified "},
        {"both taken away, one with its proof",
         {{"phone_number", gone}, {"phone_number_verified", gone}, {"email", gone}},
         R"({"name":"Al"})",
         "phone_number phone_number_verified email ",
         "email_verified "},
        {"a claim without a proof",
         {{"name", "Bo"}},
         R"({"email":"a@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Bo"})",
         "name ",
         ""},
        {"the time of a source, with another name",
         {{"name", "Bo"}, {"updated_at", 8}},
         R"({"email":"a@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Bo",)"
         R"("updated_at":8})",
         "name updated_at ",
         ""},
        {"a claim that is not there taken away",
         {{"nickname", gone}},
         R"({"email":"a@b","email_verified":true,"phone_number":"+1","phone_number_verified":true,"name":"Al",)"
         R"("updated_at":7})",
         "",
         ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        json::Object claims{{"email", "a@b"},       {"email_verified", true},
                            {"phone_number", "+1"}, {"phone_number_verified", true},
                            {"name", "Al"},         {"updated_at", 7}};
        const auto result = model::change_claims(claims, row.changes);
        CHECK(json::write(claims) == row.after);
        CHECK(joined(result.changed) == row.changed);
        CHECK(joined(result.dropped) == row.dropped);
    }
}
