// The protocol of saslauthd (cyrus-sasl, lib/checkpw.c and saslauthd/ipc_unix.c), who is let in, and who is made.
#include "login/saslauthd.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "login/password_check.h"
#include "store/users.h"
#include "support/fake_saslauthd.h"
#include "support/rules_fixture.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using login::ProofFault;
using login::SaslauthdReply;

namespace {

std::string bytes_of(const util::Secret& request) { return std::string(request.reveal()); }

using Bytes = std::string;
Bytes operator""_b(const char* text, std::size_t size) { return {text, size}; }

constexpr std::optional<ProofFault> kRight;

std::optional<ProofFault> fault_of(const login::ProofResult& result) {
    return result ? kRight : std::optional(result.error().fault);
}
model::Subject subject_of(const login::ProofResult& result) {
    return result ? result->subject : result.error().subject;
}

struct Fixture {
    TemporaryDirectory directory;
    FakeSaslauthd fake{directory / "mux"};
    RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User ada = fixture.add_user("ada");

    Fixture() {
        fixture.settings.login.method = login::Method::saslauthd;
        fixture.settings.login.saslauthd = login::Saslauthd{.socket = fake.path()};
        fixture.settings.login.max_failures = 2;
    }
    login::ProofResult attempt(const std::string& name, const std::string& password,
                               const std::string& address = "192.0.2.1") {
        return login::attempt_password(context, name, util::Secret(password), address);
    }
    void disable(model::User user) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        user.enabled = false;
        REQUIRE(store::update_user(transaction, user));
        transaction.commit();
    }
    bool is_still_right(const login::ProofResult& proof) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        return proof->spend(transaction);
    }
};

}  // namespace

TEST_CASE("saslauthd_request: name, password, service and realm, each behind its length [SOURCE-1]") {
    CHECK(bytes_of(login::saslauthd_request("ada", util::Secret("pass word"), "postern", "")) ==
          "\0\3ada\0\11pass word\0\7postern\0\0"_b);
    CHECK(bytes_of(login::saslauthd_request("\xc3\xa9", util::Secret("\xff"), "s", "EXAMPLE.ORG")) ==
          "\0\2\xc3\xa9\0\1\xff\0\1s\0\13EXAMPLE.ORG"_b);
    const std::string longest(255, 'x');
    CHECK(bytes_of(login::saslauthd_request(longest, util::Secret(longest), longest, longest)).substr(0, 3) ==
          "\0\377x"_b);
    const std::string longer(256, 'x');
    CHECK_THROWS_AS(login::saslauthd_request(longer, util::Secret("p"), "s", "r"), std::logic_error);
    CHECK_THROWS_AS(login::saslauthd_request("n", util::Secret(longer), "s", "r"), std::logic_error);
    CHECK_THROWS_AS(login::saslauthd_request("n", util::Secret("p"), longer, "r"), std::logic_error);
    CHECK_THROWS_AS(login::saslauthd_request("n", util::Secret("p"), "s", longer), std::logic_error);
}

TEST_CASE("parse_saslauthd_reply: OK and NO, and nothing that resembles them [SOURCE-1, L35]") {
    struct Row {
        const char* when;
        Bytes received;
        SaslauthdReply reply;
    };
    const std::vector<Row> rows = {
        {"right", "\0\2OK"_b, SaslauthdReply::yes},
        {"right, explained", "\0\22OK remote success"_b.substr(0, 20), SaslauthdReply::incomplete},
        {"right, explained in full", FakeSaslauthd::framed("OK remote authentication successful"), SaslauthdReply::yes},
        {"right, with a blank", "\0\3OK "_b, SaslauthdReply::yes},
        {"wrong", "\0\2NO"_b, SaslauthdReply::no},
        {"wrong, explained", FakeSaslauthd::framed("NO PAM auth error"), SaslauthdReply::no},
        {"the longest", FakeSaslauthd::framed("NO " + std::string(1021, 'x')), SaslauthdReply::no},
        {"nothing yet", ""_b, SaslauthdReply::incomplete},
        {"half a length", "\0"_b, SaslauthdReply::incomplete},
        {"a length", "\0\2"_b, SaslauthdReply::incomplete},
        {"half a word", "\0\2O"_b, SaslauthdReply::incomplete},
        {"a word, and more is to come", "\0\3OK"_b, SaslauthdReply::incomplete},
        {"no text", "\0\0"_b, SaslauthdReply::unusable},
        {"text too short", "\0\1O"_b, SaslauthdReply::unusable},
        {"too short by its length alone", "\0\1"_b, SaslauthdReply::unusable},
        {"longer than the longest", "\4\1OK"_b, SaslauthdReply::unusable},
        {"the longest length there is", "\377\377"_b, SaslauthdReply::unusable},
        {"a byte behind it", "\0\2OK\n"_b, SaslauthdReply::unusable},
        {"a second reply behind it", "\0\2NO\0\2OK"_b, SaslauthdReply::unusable},
        {"a length of the other byte order", "\2\0OK"_b, SaslauthdReply::incomplete},
        {"another word that begins so", "\0\4OKAY"_b, SaslauthdReply::unusable},
        {"another refusal that begins so", "\0\4NONE"_b, SaslauthdReply::unusable},
        {"a NUL behind it", "\0\3OK\0"_b, SaslauthdReply::unusable},
        {"lower case", "\0\2ok"_b, SaslauthdReply::unusable},
        {"a blank in front", "\0\3 OK"_b, SaslauthdReply::unusable},
        {"another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"_b, SaslauthdReply::unusable},
        {"text without a length", "OK"_b, SaslauthdReply::unusable},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        CHECK(login::parse_saslauthd_reply(row.received) == row.reply);
    }
}

TEST_CASE("ask_saslauthd: yes, no, or an error that names the socket [SOURCE-1]") {
    const TemporaryDirectory directory;
    FakeSaslauthd fake(directory / "mux");
    const login::Saslauthd settings{.socket = fake.path(), .service = "wiki", .realm = "example.org"};
    const auto ask = [&] { return login::ask_saslauthd(settings, "ada", util::Secret("secret")); };

    CHECK(ask());
    CHECK(fake.asked() == std::vector<FakeSaslauthd::Asked>{{"ada", "secret", "wiki", "example.org"}});
    fake.answer([](const auto&) { return FakeSaslauthd::says("NO"); });
    CHECK_FALSE(ask());
    fake.answer([](const auto&) { return FakeSaslauthd::Reply{.pieces = {Bytes(1, '\0'), "\2O", "K"}}; });
    CHECK(ask());
    fake.answer([](const auto&) { return FakeSaslauthd::Reply{.pieces = {"\0\2OK"_b}, .hangs = true}; });
    CHECK(ask());  // without waiting for the end

    const std::vector<FakeSaslauthd::Reply> unusable = {
        {.pieces = {}},
        {.pieces = {"\0\2"_b}},
        {.pieces = {"\0\2O"_b}},
        {.pieces = {"\0\4OKAY"_b}},
        {.pieces = {"\0\2OKOK"_b}},
        {.pieces = {std::string(5000, 'x')}},
    };
    for (const FakeSaslauthd::Reply& reply : unusable) {
        fake.answer([reply](const auto&) { return reply; });
        CHECK_THROWS_WITH_AS(ask(), doctest::Contains(fake.path().c_str()), login::SaslauthdError);
    }
    const login::Saslauthd nowhere{.socket = directory / "nothing"};
    CHECK_THROWS_WITH_AS(login::ask_saslauthd(nowhere, "ada", util::Secret("secret")),
                         doctest::Contains("No such file"), login::SaslauthdError);
}

TEST_CASE("attempt_password by saslauthd: a right password is that of the user whose name it is [SOURCE-3, SOURCE-4]") {
    Fixture f;
    const auto verdict = f.attempt("ada", "secret");
    CHECK(fault_of(verdict) == kRight);
    CHECK(subject_of(verdict) == f.ada.subject);
    CHECK(f.is_still_right(verdict));
    CHECK(f.fake.asked() == std::vector<FakeSaslauthd::Asked>{{"ada", "secret", "postern", ""}});
}

TEST_CASE(
    "attempt_password by saslauthd: a hash that is stored from before does not count, and must not change meanwhile") {
    Fixture f;
    const auto set_hash = [&](const std::string& hash) {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::set_password_hash(transaction, f.ada.subject, hash, f.fixture.clock.now());
        transaction.commit();
    };
    set_hash("$y$former");
    const auto verdict = f.attempt("ada", "secret");
    CHECK(fault_of(verdict) == kRight);
    CHECK(f.is_still_right(verdict));
    set_hash("$y$another");
    CHECK_FALSE(f.is_still_right(verdict));
}

TEST_CASE("attempt_password by saslauthd: refused after an answer, and not before 500 ms [SOURCE-2, SOURCE-3, L35]") {
    struct Row {
        const char* when;
        const char* name;
        const char* reply;
        bool is_disabled;
        const char* detail;
        bool names_user;
    };
    const Row rows[] = {
        {"a wrong password", "ada", "NO", false, "saslauthd refused the name and password", true},
        {"a name that nobody has", "eve", "NO", false, "saslauthd refused the name and password", false},
        {"a name that is not known here", "eve", "OK", false, "there is no such user", false},
        {"disabled here", "ada", "OK", true, "the user is disabled", true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        if (row.is_disabled) f.disable(f.ada);
        f.fake.answer([&](const auto&) { return FakeSaslauthd::says(row.reply); });
        const auto begun = std::chrono::steady_clock::now();
        const auto verdict = f.attempt(row.name, "secret");
        CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(500));
        CHECK(fault_of(verdict) == ProofFault::wrong);
        CHECK(verdict.error().detail.find(row.detail) != std::string::npos);
        CHECK((subject_of(verdict) == f.ada.subject) == row.names_user);
        CHECK(f.fake.asked().size() == 1);
    }
}

TEST_CASE("rest_of_refusal: what 500 ms leave, and never less than nothing [SOURCE-2]") {
    using namespace std::chrono_literals;
    CHECK(login::rest_of_refusal(0ms) == 500ms);
    CHECK(login::rest_of_refusal(1ns) == 500ms - 1ns);
    CHECK(login::rest_of_refusal(499ms) == 1ms);
    CHECK(login::rest_of_refusal(500ms) == 0ms);
    CHECK(login::rest_of_refusal(5s) == 0ms);
}

TEST_CASE("attempt_password by saslauthd: what no user can have is refused without asking [SOURCE-3]") {
    Fixture f;
    f.fixture.settings.login.auto_create = true;
    const std::pair<std::string, std::string> refused[] = {
        {"", "secret"},
        {"ada", ""},
        {"ada", std::string(256, 'x')},
        {"ada", std::string("sec\0ret", 7)},
        {std::string("a\0da", 4), "secret"},
        {std::string(129, 'a'), "secret"},
        {std::string(256, 'a'), "secret"},
        {" ada", "secret"},
        {"ada ", "secret"},
        {"a\nda", "secret"},
        {"a\xff", "secret"},
    };
    for (const auto& [name, password] : refused) {
        CAPTURE(name);
        CAPTURE(password);
        CHECK(fault_of(f.attempt(name, password)) == ProofFault::wrong);
    }
    CHECK(f.fake.asked().empty());
    CHECK(fault_of(f.attempt("ada", std::string(255, 'x'))) == kRight);
    CHECK(fault_of(f.attempt(std::string(128, 'a'), "x")) == kRight);
    CHECK(f.fake.asked().size() == 2);
}

TEST_CASE(
    "attempt_password by saslauthd: with autoCreate a name becomes a user, once, and without a password [SOURCE-3]") {
    Fixture f;
    f.fixture.settings.login.auto_create = true;
    const auto first = f.attempt("Eve", "secret");
    CHECK(fault_of(first) == kRight);
    const auto eve = store::find_user_by_name(f.fixture.database, "Eve");
    REQUIRE(eve);
    CHECK(subject_of(first) == eve->subject);
    CHECK(store::find_password_hash(f.fixture.database, eve->subject) == "");
    CHECK(subject_of(f.attempt("Eve", "secret")) == eve->subject);
    CHECK(subject_of(f.attempt("eve", "secret")) == eve->subject);
    CHECK(subject_of(f.attempt("ada", "secret")) == f.ada.subject);
    // Made is what a password was right for, and what can be seen.
    f.fake.answer([](const auto&) { return FakeSaslauthd::says("NO"); });
    CHECK(fault_of(f.attempt("bob", "wrong")) == ProofFault::wrong);
    CHECK_FALSE(store::find_user_by_name(f.fixture.database, "bob"));
    f.fake.answer({});
    CHECK(fault_of(f.attempt("al\xe2\x80\x8b"
                             "ice",
                             "secret")) == ProofFault::wrong);  // U+200B
}

TEST_CASE(
    "attempt_password by saslauthd: a name in another case is the same user's, with the same counters [TOTP-9, Q10]") {
    Fixture f;
    f.fixture.settings.login.auto_create = true;
    struct Row {
        const char* typed;
        const char* asked;  ///< of saslauthd: the name that is stored, so that a directory with both answers for one
        bool is_ada;
    };
    const Row rows[] = {
        {"ada", "ada", true},    {"Ada", "ada", true}, {"ADA", "ada", true},
        {"adÃ¡", "adÃ¡", false},  // no user is made of it: a directory may fold what is not folded here
        {"Eve", "Eve", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.typed);
        const auto verdict = f.attempt(row.typed, "secret");
        const auto asked = f.fake.asked();
        REQUIRE(asked.size() == 1);
        CHECK(asked[0] == FakeSaslauthd::Asked{row.asked, "secret", "postern", ""});
        CHECK((subject_of(verdict) == f.ada.subject) == row.is_ada);
    }
    CHECK_FALSE(store::find_user_by_name(f.fixture.database, "Ada"));
    CHECK_FALSE(store::find_user_by_name(f.fixture.database, "adÃ¡"));
    CHECK(store::find_user_by_name(f.fixture.database, "Eve"));
    // Two that differ in their case, of an earlier release or the operator's: each is asked for as it is spelled.
    f.fixture.add_user("EVE");
    for (const char* name : {"Eve", "EVE"}) {
        CHECK(subject_of(f.attempt(name, "secret")) == store::find_user_by_name(f.fixture.database, name)->subject);
        CHECK(f.fake.asked().back().username == name);
    }
    CHECK(f.attempt("eve", "secret").error().detail.find("differs from another one's in its case") !=
          std::string::npos);

    f.fake.answer(FakeSaslauthd::knows("ada", "secret"));
    for (const char* name : {"ada", "ADA"}) CHECK(fault_of(f.attempt(name, "wrong")) == ProofFault::wrong);
    for (const char* name : {"ada", "Ada", "aDA"}) CHECK(fault_of(f.attempt(name, "secret")) == ProofFault::throttled);
}

TEST_CASE("attempt_password by saslauthd: failures are counted as those of passwords are, then nothing is asked") {
    Fixture f;
    f.fake.answer(FakeSaslauthd::knows("ada", "secret"));
    for (int i = 0; i < 2; ++i) CHECK(fault_of(f.attempt("ada", "wrong")) == ProofFault::wrong);
    CHECK(f.fake.asked().size() == 2);
    CHECK(fault_of(f.attempt("ada", "secret")) == ProofFault::throttled);
    CHECK(f.fake.asked().empty());
    CHECK(fault_of(f.attempt("ada", "secret", "192.0.2.2")) == kRight);
    f.fixture.clock.advance(f.fixture.settings.login.window);
    CHECK(fault_of(f.attempt("ada", "secret")) == kRight);
}

TEST_CASE("attempt_password by saslauthd: no answer is no failure of the user, and says nothing about the password") {
    Fixture f;
    f.fake.answer([](const auto&) { return FakeSaslauthd::says("OKAY"); });
    for (int i = 0; i < 5; ++i) CHECK_THROWS_AS(f.attempt("ada", "secret"), login::SaslauthdError);
    f.fake.answer({});
    CHECK(fault_of(f.attempt("ada", "secret")) == kRight);
}
