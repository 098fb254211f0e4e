// `postern pages`: every page with sample values.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "installation.h"
#include "json/reader.h"
#include "support/deployment.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;
namespace json = postern::json;

std::set<std::string> names_in(const fs::path& directory) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
    return names;
}

}  // namespace

TEST_CASE("pages: each template with a title is there, as a page that a browser shows [BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path out = op.directory() / "pages";
    const auto printed = json::parse(op.must({"pages", out.string(), "--json"}));
    REQUIRE(printed);
    const auto names = names_in(out);
    CHECK(printed->if_object()->find("files")->if_array()->size() == names.size());
    int templates = 0;
    for (const auto& entry : fs::directory_iterator("templates")) {
        if (entry.path().extension() != ".html" || !has(read_file(entry.path()), "<title>")) continue;
        CAPTURE(entry.path().string());
        ++templates;
        CHECK(names.contains(entry.path().filename()));
    }
    CHECK(templates >= 20);
    for (const std::string& name : names) {
        CAPTURE(name);
        const std::string page = read_file(out / name);
        CHECK(page.starts_with("<!DOCTYPE html>"));
        CHECK(page.ends_with("</html>\n"));
        CHECK_FALSE(has(page, "{{"));
        CHECK(has(page, "<h1>"));
    }
}

TEST_CASE("pages: configuration and templates are what the server would use [BRAND-5, BRAND-1]") {
    const Installation op(Installation::Start::configured);
    op.reconfigure("branding", json::Object{{"name", "Example Org"}, {"help", "https://help.example"}});
    const fs::path out = op.directory() / "pages";
    op.must({"pages", out.string()});
    for (const std::string& name : names_in(out)) {
        CAPTURE(name);
        CHECK(has(read_file(out / name), " – Example Org</title>"));
        CHECK(has(read_file(out / name), "Get help"));
    }
}

TEST_CASE("pages: a directory that is not empty is refused, and nothing in it changes [BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path out = op.directory() / "pages";
    fs::create_directory(out);
    std::ofstream(out / "login.html") << "mine";
    const auto refused = op.postern({"pages", out.string()});
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "is not empty"));
    CHECK(read_file(out / "login.html") == "mine");
    CHECK(names_in(out).size() == 1);
    fs::remove(out / "login.html");
    op.must({"pages", out.string()});
}

TEST_CASE("pages: what cannot be shown is named, and nothing is written [BRAND-3, BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path logo = op.directory() / "logo.svg";
    std::ofstream(logo) << "our logo";
    op.reconfigure("branding", json::Object{{"name", "A"}, {"logo", logo.string()}});
    const fs::path out = op.directory() / "pages";
    const auto refused = op.postern({"pages", out.string()});
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "neither a PNG nor a whole SVG"));
    CHECK_FALSE(fs::exists(out));
}
