#include "model/user.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/writer.h"

using namespace postern;
using model::ClaimChanges;

namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += name + ' ';
    return text;
}

}  // namespace

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
