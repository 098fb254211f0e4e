#include "login/new_password.h"

#include <doctest/doctest.h>

#include "crypto/random.h"
#include "factor/password_list.h"
#include "factor/password_quality.h"
#include "os/file.h"
#include "support/rules_fixture.h"
#include "unit/text/said.h"

using namespace postern;
using namespace postern::test;
using factor::PasswordFlaw;

namespace {

json::Object claims_with_email(json::Value email) { return json::Object{{"email", std::move(email)}}; }

struct Refused {
    std::optional<PasswordFlaw> flaw;
    std::string text;
};

/// nullopt: it may be the password of alice.example@example.org.
std::optional<Refused> judge(const oauth::Context& context, const std::string& fresh, const std::string& again) {
    const auto form = http::Params::parse("new=" + fresh + "&again=" + again, 10);
    REQUIRE(form);
    const auto owner = login::password_owner(context.settings, "alice.example@example.org", {});
    const auto read = login::read_new_password(context, *form, owner);
    if (read) return std::nullopt;
    return Refused{read.error().flaw, text::said(read.error().text)};
}

}  // namespace

TEST_CASE("read_new_password: the same password twice, which may be one [PASSWORD-1, PASSWORD-2]") {
    struct Row {
        const char* when;
        const char* form;
        bool good;
    };
    const Row rows[] = {
        {"twice the same", "new=four+words+in+a+row&again=four+words+in+a+row", true},
        {"another one", "new=four+words+in+a+row&again=four+words+in+a+rov", false},
        {"longer", "new=four+words+in+a+row&again=four+words+in+a+rows", false},
        {"once", "new=four+words+in+a+row", false},
        {"once, and empty", "new=four+words+in+a+row&again=", false},
        {"the second alone", "again=four+words+in+a+row", false},
        {"none", "", false},
        {"too short", "new=short&again=short", false},
        {"the user name", "new=alice.example%40example.org&again=alice.example%40example.org", false},
    };
    RulesFixture f;
    const oauth::Context context = f.context();
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto form = http::Params::parse(row.form, 10);
        REQUIRE(form);
        const auto read = login::read_new_password(context, *form,
                                                   login::password_owner(f.settings, "alice.example@example.org", {}));
        CHECK(bool(read) == row.good);
        if (read) CHECK(read->reveal() == "four words in a row");
        if (!read) CHECK_FALSE(read.error().text.empty());
    }
}

TEST_CASE("read_new_password: says in a sentence what is wrong, and to the log in a word [PASSWORD-2, AUDIT-1]") {
    RulesFixture f;
    const oauth::Context context = f.context();
    const auto short_one = judge(context, "fourteen+chars", "fourteen+chars");
    REQUIRE(short_one);
    CHECK(short_one->flaw == PasswordFlaw::too_short);
    CHECK(short_one->text.find("at least 15 characters") != std::string::npos);
    const auto different = judge(context, "four+words+in+a+row", "three+words+in+a+row");
    REQUIRE(different);
    CHECK(different->flaw == std::nullopt);
    for (const auto& [fresh, again] : {std::pair("four+words+in+a+row%09", "four+words+in+a+row%09"),
                                       {"%0D%0Afour+words+in+a+row", "four+words+in+a+row"},
                                       {"four+words+in+a+row", "four+words+in+a+row%0A"},
                                       {"%09", "%09"}}) {
        const auto pasted = judge(context, fresh, again);
        REQUIRE(pasted);
        CHECK(pasted->flaw == PasswordFlaw::untypable);
        CHECK(pasted->text == "There is a tab or a line break in the password. Enter it without one.");
    }
    const auto unseen = judge(context, "four+words+in+a+row%E2%80%8B", "four+words+in+a+row%E2%80%8B");
    REQUIRE(unseen);
    CHECK(unseen->text == "The new password has a character that cannot be typed.");
    if (factor::estimates_password_strength()) {
        const auto weak = judge(context, "passwordpassword", "passwordpassword");
        REQUIRE(weak);
        CHECK(weak->flaw == PasswordFlaw::guessable);
        CHECK(weak->text == "Too easy to guess: it is made of common words or patterns.");
    }
    CHECK(login::log_reason(PasswordFlaw::guessable) == "new password: guessable");
    for (const PasswordFlaw flaw :
         {PasswordFlaw::too_short, PasswordFlaw::too_long, PasswordFlaw::untypable, PasswordFlaw::user_name,
          PasswordFlaw::email, PasswordFlaw::local_part, PasswordFlaw::host, PasswordFlaw::listed})
        CHECK(text::said(login::describe(flaw, {.min_length = 15})).ends_with("."));
}

TEST_CASE("read_new_password: length, strength and list are those of the configuration [PASSWORD-1, 2, 3, L36]") {
    RulesFixture f;
    f.settings.login.password_min_length = 20;
    CHECK(judge(f.context(), "four+words+in+a+row", "four+words+in+a+row")->flaw == PasswordFlaw::too_short);
    CHECK_FALSE(judge(f.context(), "four+words+in+a+row1", "four+words+in+a+row1"));
    f.settings.login.password_min_length = 15;
    f.settings.login.password_min_strength = 0;
    CHECK_FALSE(judge(f.context(), "passwordpassword", "passwordpassword"));

    std::string bytes;
    factor::write_password_entry(bytes, factor::password_entry("four words in a row"));
    const std::string file = "/tmp/postern-new-password-" + crypto::random_id(f.random);
    REQUIRE(os::replace_file(file, bytes, 0600));
    const factor::PasswordList list(file);
    std::remove(file.c_str());
    oauth::Context context = f.context();
    oauth::Context with_list{context.settings, context.store, context.keys,    context.clock, context.random,
                             context.log,      context.trail, context.fetcher, &list};
    CHECK(judge(with_list, "four+words+in+a+row", "four+words+in+a+row")->flaw == PasswordFlaw::listed);
    CHECK_FALSE(judge(with_list, "four+words+in+a+roW", "four+words+in+a+roW"));
}

TEST_CASE("password_owner: address and host, where they are known [PASSWORD-2]") {
    oauth::Settings settings;
    settings.issuer = "https://id.example.org:8443/auth";
    const auto owner = login::password_owner(settings, "ada", claims_with_email("ada@example.net"));
    CHECK(owner.username == "ada");
    CHECK(owner.email == "ada@example.net");
    CHECK(owner.issuer_host == "id.example.org");
    CHECK(login::password_owner(settings, "ada", {}).email.empty());
    CHECK(login::password_owner(settings, "ada", claims_with_email(5)).email.empty());

    RulesFixture f;
    const auto user = f.add_user("ada");
    CHECK(login::find_password_owner(f.context(), user.subject, "ada").username == "ada");
    CHECK(login::find_password_owner(f.context(), model::Subject("unknown"), "ada").email.empty());
}
