// What browsers and clients say about languages.
#include "text/language_tag.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;
using Tags = std::vector<std::string>;

TEST_CASE("accepted_languages: by weight, then as they came; what is malformed or unwanted is left out [I18N-5]") {
    struct Row {
        const char* header;
        Tags ranges;
    };
    const Row rows[] = {
        {"", {}},
        {"de", {"de"}},
        {"de-DE,de;q=0.9,en;q=0.8", {"de-DE", "de", "en"}},
        {"en;q=0.5, fr, de;q=0.7", {"fr", "de", "en"}},
        {"en;q=0.001,de;q=0.01", {"de", "en"}},
        {"*, en", {"en"}},
        {"de;q=0, en;q=0.0, fr;q=0.000", {}},
        {"de;q=1.000, en;q=1.001, fr;q=2", {"de"}},
        {"de;q=, en;q=a, fr;x=1, es; q=0.5", {"es"}},
        {"d_e, de--at, -de, 1de, toolongsubtag, de-", {}},
        {"zh-Hans-CN ; q=0.4", {"zh-Hans-CN"}},
        {",,,de,,", {"de"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.header);
        CHECK(text::accepted_languages(row.header) == row.ranges);
    }
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "de,";
    CHECK(text::accepted_languages(many).size() == 20);
}

TEST_CASE("find_language: lookup by shorter and shorter ranges, then by the first subtag [I18N-5, RFC 4647 3.4]") {
    const Tags offered = {"ar", "de", "en", "pt-BR", "zh-Hans"};
    struct Row {
        Tags ranges;
        const char* found;
    };
    const Row rows[] = {
        {{"de"}, "de"},
        {{"DE-at"}, "de"},
        {{"de-Latn-AT-x-private"}, "de"},
        {{"nl", "fr", "en-GB"}, "en"},
        {{"pt"}, "pt-BR"},
        {{"pt-PT"}, "pt-BR"},
        {{"zh-CN"}, "zh-Hans"},
        {{"zh-Hans-CN"}, "zh-Hans"},
        {{"ar-EG", "de"}, "ar"},
        {{"d"}, ""},
        {{"deu"}, ""},
        {{"nl"}, ""},
        {{}, ""},
    };
    for (const Row& row : rows) {
        const auto found = text::find_language(row.ranges, offered);
        CAPTURE(row.found);
        CHECK((found ? offered[*found] : "") == row.found);
    }
}

TEST_CASE("wanted_languages: tags with blanks between them, as they came [OpenID Connect Core 3.1.2.1]") {
    CHECK(text::wanted_languages("fr-CA fr en") == Tags{"fr-CA", "fr", "en"});
    CHECK(text::wanted_languages("") == Tags{});
    CHECK(text::wanted_languages("  de  <b> ") == Tags{"de"});
}

TEST_CASE("is_right_to_left: by the first subtag [I18N-6]") {
    for (const char* tag : {"ar", "ar-EG", "AR", "he", "fa-IR"}) CHECK(text::is_right_to_left(tag));
    for (const char* tag : {"de", "arn", "en-AR", ""}) CHECK_FALSE(text::is_right_to_left(tag));
}
