// The protocol of saslauthd (cyrus-sasl, lib/checkpw.c and saslauthd/ipc_unix.c), and what comes of a conversation.
#include "login/saslauthd.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/fake_saslauthd.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using login::SaslauthdReply;

namespace {

std::string bytes_of(const util::Secret& request) { return std::string(request.reveal()); }

using Bytes = std::string;
Bytes operator""_b(const char* text, std::size_t size) { return {text, size}; }

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
