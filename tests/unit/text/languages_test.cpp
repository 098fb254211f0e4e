// Which languages a directory of templates offers, and which of them is chosen.
#include "text/languages.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "unit/text/compiled.h"

using namespace postern;
using text::Languages;

namespace {

namespace fs = std::filesystem;

class Directory {
public:
    Directory() { fs::create_directories(path_ / "po"); }
    ~Directory() { fs::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    std::string path() const { return path_.string(); }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
    }
    void write_shipped() const {
        write("languages.mo", test::compiled({{"", "Content-Type: text/plain\nX-Languages: de ar\n"},
                                              {"de\4Code", "Kode"},
                                              {"ar\4Code", "\xd8\xb1\xd9\x85\xd8\xb2"}}));
    }

private:
    fs::path path_ = fs::temp_directory_path() / ("pt-languages-" + std::to_string(getpid()));
};

std::string refusal_of(const Directory& directory, const std::vector<std::string>& wanted, const std::string& last) {
    try {
        const Languages opened(directory.path(), wanted, last);
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("Languages: English alone where nothing is shipped, else what is, as the configuration limits it [I18N-4]") {
    const Directory directory;
    using Tags = std::vector<std::string>;
    CHECK(Languages().tags() == Tags{"en"});
    CHECK(Languages(directory.path(), {}, "en").tags() == Tags{"en"});
    directory.write_shipped();
    CHECK(Languages(directory.path(), {}, "en").tags() == Tags{"ar", "de", "en"});
    CHECK(Languages(directory.path(), {"de", "en"}, "de").tags() == Tags{"de", "en"});
    CHECK(Languages(directory.path(), {"de"}, "de").last_resort().say("Code") == "Kode");
    CHECK(Languages(directory.path(), {}, "en").find("en")->say("Code") == "Code");
    CHECK(refusal_of(directory, {"fr"}, "en").find("\"fr\"") != std::string::npos);
    CHECK(refusal_of(directory, {"de"}, "en").find("\"en\"") != std::string::npos);
    directory.write("languages.mo", "no catalogue");
    CHECK(refusal_of(directory, {}, "en").find("languages.mo") != std::string::npos);
}

TEST_CASE("Languages: the request's wish, the reader's, the claim, the browser's, the last resort [I18N-5]") {
    const Directory directory;
    directory.write_shipped();
    const Languages languages(directory.path(), {}, "en");
    struct Row {
        text::LanguageWishes wishes;
        const char* chosen;
    };
    const Row rows[] = {
        {{"de", "ar", "ar", "ar"}, "de"},
        {{"fr", "de", "ar", "ar"}, "de"},
        {{std::nullopt, "fr", "de", "ar"}, "de"},
        {{std::nullopt, std::nullopt, std::nullopt, "fr, de;q=0.5"}, "de"},
        {{std::nullopt, std::nullopt, std::nullopt, "fr"}, "en"},
        {{"<b>", "", "", ""}, "en"},
        {{}, "en"},
    };
    for (const Row& row : rows) CHECK(languages.choose(row.wishes).tag() == row.chosen);
    CHECK(Languages(directory.path(), {}, "ar").choose({}).tag() == "ar");
}

TEST_CASE("Languages: the shipped catalogue says for which texts it was made [I18N-4]") {
    const Directory directory;
    CHECK(Languages().messages() == std::nullopt);
    CHECK(Languages(directory.path(), {}, "en").messages() == std::nullopt);
    directory.write_shipped();
    CHECK(Languages(directory.path(), {}, "en").messages() == "");
    directory.write("languages.mo", test::compiled({{"", "X-Languages: de\nX-Messages: 0123abcd\n"}}));
    CHECK(Languages(directory.path(), {}, "en").messages() == "0123abcd");
}

TEST_CASE("Languages: an operator's catalogue of a language that is not offered is named [I18N-9]") {
    const Directory directory;
    directory.write_shipped();
    for (const char* name : {"po/fi.mo", "po/de.mo", "po/en.mo", "po/de.po"})
        directory.write(name, test::compiled({{"", "header"}, {"Code", "Number"}}));
    const auto warnings = Languages(directory.path(), {}, "en").warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front() == "catalogue " + directory.path() + "/po/fi.mo is of a language that is not offered");
    CHECK(Languages(directory.path(), {"de"}, "de").warnings().size() == 2);
}

TEST_CASE(
    "Languages: an operator's catalogue replaces single messages; a faulty one is not used, and is named [I18N-9]") {
    const Directory directory;
    directory.write_shipped();
    directory.write("po/de.mo", test::compiled({{"", "header"}, {"Code", "Kennzahl"}}));
    directory.write("po/en.mo", test::compiled({{"", "header"}, {"Code", "Number"}}));
    const Languages good(directory.path(), {}, "en");
    CHECK(good.warnings().empty());
    CHECK(good.find("de")->say("Code") == "Kennzahl");
    CHECK(good.find("en")->say("Code") == "Number");

    for (const std::string& bytes : {test::compiled({{"Code", "<script>"}}), test::compiled({{"{a}", "{b}"}}),
                                     test::compiled({{"Code", "x"}}).substr(0, 44), std::string("no catalogue")}) {
        directory.write("po/de.mo", bytes);
        const Languages faulty(directory.path(), {}, "en");
        REQUIRE(faulty.warnings().size() == 1);
        CHECK(faulty.warnings().front().find("po/de.mo") != std::string::npos);
        CHECK(faulty.find("de")->say("Code") == "Kode");
    }
}
