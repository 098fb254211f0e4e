// What a message says in a language.
#include "text/catalogue.h"

#include <doctest/doctest.h>

#include "text/message.h"
#include "unit/text/compiled.h"

using namespace postern;
using text::Catalogue;
using text::fault_of_translation;
using text::Message;

TEST_CASE("Catalogue: the operator's words, the shipped ones of the language, then English [I18N-9]") {
    const std::string shipped_bytes = test::compiled({{"", "header"},
                                                      {"de\4Sign in", "Anmelden"},
                                                      {"de\4Code", "Code"},
                                                      {"de\4Empty", ""},
                                                      {"de\4English", "Deutsch"},
                                                      {"fr\4Cancel", "Annuler"}});
    const std::string own_bytes = test::compiled({{"", "header"}, {"Code", "Kennzahl"}});
    const text::MoFile shipped(shipped_bytes), own(own_bytes);
    const Catalogue german("de", &shipped, &own);
    CHECK(german.say("Sign in") == "Anmelden");
    CHECK(german.say("Code") == "Kennzahl");
    CHECK(german.say("Empty") == "Empty");
    CHECK(german.say("Cancel") == "Cancel");  // another language's
    CHECK(german.say("header") == "header");
    CHECK(german.say("") == "");  // the key of the header
    CHECK(german.name() == "Deutsch");
    CHECK(Catalogue().name() == "English");
    CHECK(std::string(german.direction()) == "ltr");
    CHECK(std::string(Catalogue("ar", nullptr, nullptr).direction()) == "rtl");
}

TEST_CASE("Catalogue: values take the place of their names once, and are translated if they are messages [I18N-7]") {
    const std::string bytes =
        test::compiled({{"de\4{who} is {state}", "{state}: {who} {who} {other}"}, {"de\4on", "an"}});
    const text::MoFile file(bytes);
    const Catalogue german("de", &file, nullptr);
    const Message message("{who} is {state}", {{"who", Message::verbatim("{state} on")}, {"state", "on"}});
    CHECK(german.say(message) == "an: {state} on {state} on {other}");
    CHECK(Catalogue().say(message) == "{state} on is on");
    CHECK(Catalogue().say(Message("{", {})) == "{");
    CHECK(german.say(Message::verbatim("on")) == "on");
    CHECK(german.say(Message::number(-7)) == "-7");
    CHECK(Message().empty());
}

TEST_CASE("Catalogue: a value that acts beyond its place is isolated in its sentence, and no other [I18N-6, A32]") {
    const std::string bytes = test::compiled({{"ar\4{who} at {where}", "{who} \u0639\u0644\u0649 {where}"},
                                              {"ar\4day {day}", "{day} \u064a\u0648\u0645"},
                                              {"ar\4day", "\u064a\u0648\u0645"}});
    const text::MoFile file(bytes);
    const Catalogue arabic("ar", &file, nullptr), english;
    const auto at = [](Message who, Message where) {
        return Message("{who} at {where}", {{"who", std::move(who)}, {"where", std::move(where)}});
    };
    const auto name = [](const char* text) { return Message::verbatim(text); };
    const Message host = Message::data("192.0.2.7");
    // from right to left every value
    CHECK(arabic.say(at(name("Firefox"), host)) == "\u2068Firefox\u2069 \u0639\u0644\u0649 \u2066192.0.2.7\u2069");
    CHECK(arabic.say(at(text::Words("Wiki").message(), host)).starts_with("\u2068Wiki\u2069"));
    // what belongs to the language itself has its direction
    CHECK(arabic.say(Message("day {day}", {{"day", Message::number(3)}})) == "3 \u064a\u0648\u0645");
    CHECK(arabic.say(at("day", Message())) == "\u064a\u0648\u0645 \u0639\u0644\u0649 ");
    // alone it is no part of a sentence: a link in a mail is copied with the line
    CHECK(arabic.say(host) == "192.0.2.7");
    CHECK(arabic.say(Message("{where}", {{"where", host}})) == "192.0.2.7");
    // from left to right only what would turn or cover something
    CHECK(english.say(at(name("ada"), host)) == "ada at 192.0.2.7");
    CHECK(english.say(at(name("\u05d0"), host)) == "\u2068\u05d0\u2069 at 192.0.2.7");
    CHECK(english.say(at(name("e\u0301"), host)) == "\u2068e\u0301\u2069 at 192.0.2.7");
    // no value brings controls of its own along
    CHECK(english.say(name("a\u202eb\u2069")) == "ab");
    CHECK(english.say(at(name("\u2066\u202e"), host)) == " at 192.0.2.7");
    CHECK(english.say(text::Words("a\u202eb").message()) == "ab");
}

TEST_CASE("Catalogue: the operator's own words by language, the general ones for every other [I18N-8]") {
    const Catalogue german("de", nullptr, nullptr), brazilian("pt-BR", nullptr, nullptr);
    const text::Words words(std::map<std::string, std::string>{{"", "Read"}, {"de", "Lesen"}, {"pt", "Ler"}});
    CHECK(german.say(words.message()) == "Lesen");
    CHECK(brazilian.say(words.message()) == "Ler");
    CHECK(Catalogue().say(words.message()) == "Read");
    CHECK(german.say(text::Words("one").message()) == "one");
    CHECK(german.say(text::Words().message()).empty());
}

TEST_CASE("fault_of_translation: the same placeholders and tags, and nothing that is markup [I18N-3, L40]") {
    struct Row {
        const char* english;
        const char* translation;
        bool is_good;
    };
    const Row rows[] = {
        {"Sign in", "Anmelden", true},
        {"You are <strong><bdi>{name}</bdi></strong>", "<strong><bdi>{name}</bdi></strong> sind Sie", true},
        {"{a} {b}", "{b} {a}", true},
        {"{a}", "{b}", false},
        {"{a}", "{a} {a}", false},
        {"{a}", "a", false},
        {"a", "{a}", false},
        {"a", "<b>a</b>", false},
        {"<strong>a</strong>", "<strong>a", false},
        {"<strong>a</strong>", "<strong class=\"x\">a</strong>", false},
        {"<strong>a</strong>", "a", false},
        {"<strong>a</strong>", "</strong>a<strong>", false},
        {"<strong><bdi>{a}</bdi></strong>", "<bdi><strong>{a}</bdi></strong>", false},
        {"<strong><bdi>{a}</bdi></strong>", "<bdi><strong>{a}</strong></bdi>", true},
        {"<bdi>{a}</bdi> <bdi>{b}</bdi>", "<bdi>{b}</bdi> <bdi>{a}</bdi>", true},
        {"a", "a < b", false},
        {"{a}", "{{a}}", false},
        {"{a}", "{{{a}}}", false},
        {"a", "a }", false},
        {"a", " a", false},
        {"a", "a ", false},
        {"a", "a\n", false},
        {"a", "", false},
        {"a", "a\xff", false},
        {"a", "a\xe2\x80\xae", false},
        {"a", "<script>alert(1)</script>", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.english);
        CAPTURE(row.translation);
        CHECK(fault_of_translation(row.english, row.translation).empty() == row.is_good);
    }
}
