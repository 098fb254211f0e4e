// The operator's name, colours, logo and links in the pages.
#include "pages/branding.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "pages/page.h"
#include "util/base64.h"

namespace {

using namespace postern;
namespace fs = std::filesystem;

/// What a case is about.
struct Wanted {
    std::string name = {};
    std::string color = {};
    std::string color_dark = {};
    std::string logo = {};
    std::string help = {};
    std::vector<pages::BrandLink> links = {};
    pages::Branding branding() const { return {name, color, color_dark, logo, help, links}; }
};

std::string login_with(const Wanted& wanted, const std::string& directory = "templates") {
    oauth::Settings settings;
    settings.branding = wanted.branding();
    const pages::LoginPage page{.client_name = "Our wiki",
                                .action = "https://op.example/login",
                                .csrf = "token",
                                .resume = "sealed",
                                .username = "",
                                .message = ""};
    const auto book = pages::read_pages(directory, settings);
    return book->in(book->languages()->last_resort()).login(page, 200).body;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A directory that is gone with it.
struct Directory {
    fs::path path = fs::temp_directory_path() / ("postern-branding-" + std::to_string(getpid()));
    Directory() { fs::create_directories(path); }
    ~Directory() { fs::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return path / name;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

constexpr const char* kSvg = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>)";

std::string png() {
    using namespace std::string_literals;
    return "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0....\0\0\0\0IEND\xae\x42\x60\x82"s;
}

}  // namespace

TEST_CASE("branding: without it a page has nothing of it [BRAND-1]") {
    const std::string page = login_with({});
    CHECK(has(page, "<h1>Sign in</h1>\n"));
    CHECK(has(page, "<title>Sign in to Our wiki</title>\n"));
    CHECK_FALSE(has(page, "<link rel=\"icon\""));
    CHECK(has(page, "</form>\n</main>\n"));
    CHECK(has(page, "<svg class=\"mark\""));
    for (const char* part : {"foot", "Get help", "Forgot", "class=\"logo\"", ".logo"}) CHECK_FALSE(has(page, part));
}

TEST_CASE("branding: the name is in titles and above the sign-in, escaped [BRAND-1]") {
    const std::string page = login_with({.name = "A & <b> {{csrf}}"});
    CHECK(has(page, "<title>Sign in to Our wiki – A &#38; &#60;b&#62; &#123;&#123;csrf&#125;&#125;</title>"));
    CHECK(has(page, "<h1>Sign in to <bdi>A &amp; &lt;b&gt; {{csrf}}</bdi></h1>"));
    CHECK_FALSE(has(page, "<h1>Sign in</h1>"));
}

TEST_CASE("branding: help and links are at the foot, in the language of the page [BRAND-1]") {
    const std::string page = login_with({.help = "mailto:help@example.org",
                                         .links = {{{{"", "Impressum"}, {"en", "Imprint"}}, "https://a.example/?a&b"},
                                                   {{{"", "Privacy"}}, "https://b.example/"}}});
    CHECK(has(page, "<footer class=\"foot\">"));
    CHECK(has(page, "<a id=\"get-help\" href=\"mailto:help@example.org\">Get help</a>"));
    CHECK(has(page,
              "<a href=\"https://a.example/?a&amp;b\" dir=\"auto\">Imprint</a>\n"
              "<a href=\"https://b.example/\" dir=\"auto\">Privacy</a>"));
    const std::string links_alone = login_with({.links = {{{{"", "Imprint"}}, "https://a.example/"}}});
    CHECK(has(links_alone, "Imprint"));
    CHECK_FALSE(has(links_alone, "Get help"));
    CHECK_FALSE(has(links_alone, "Forgot"));
}

TEST_CASE("branding: colours are rules of the one style, for both schemes [BRAND-2]") {
    const std::string page = login_with({.color = "#7A1FA2", .color_dark = "#ce93d8"});
    const auto light = page.find("@media not all and (prefers-color-scheme: dark)");
    const auto dark = page.find("@media (prefers-color-scheme: dark)", light);
    REQUIRE(light != std::string::npos);
    REQUIRE(dark != std::string::npos);
    CHECK(has(page.substr(light, dark - light), "--accent: #7a1fa2;"));
    CHECK(has(page.substr(light, dark - light), "--on-accent: #ffffff;"));
    CHECK(has(page.substr(dark), "--accent: #ce93d8;"));
    CHECK(has(page.substr(dark), "--on-accent: #000000;"));
    CHECK_FALSE(has(page, "color: var(--ink); }\n}"));
    // Enough for a button, and not for text.
    CHECK(has(login_with({.color = "#0d8070"}), "a:not(.button), .done { color: var(--ink); }"));
}

TEST_CASE("branding: the logo is a picture with a data: URL, and a PNG the icon as well [BRAND-3, BRAND-4, L39]") {
    const Directory directory;
    const std::string text = "\xef\xbb\xbf <?xml version=\"1.0\"?>\n" + std::string(kSvg) + "\n";
    for (const std::string& drawing :
         {std::string(kSvg), text, kSvg + std::string(65536 - std::string(kSvg).size(), '\n')}) {
        const std::string page = login_with({.name = "A \"B\"", .logo = directory.write("logo", drawing)});
        CHECK(has(page, "<img class=\"logo\" alt=\"A &#34;B&#34;\" src=\"data:image/svg+xml;base64," +
                            util::base64_encode(drawing) + "\">\n"));
        CHECK_FALSE(has(page, "<link rel=\"icon\""));
        CHECK_FALSE(has(page, "class=\"mark\""));
    }
    const std::string page = login_with({.name = "A", .logo = directory.write("logo", png())});
    const std::string address = "data:image/png;base64," + util::base64_encode(png());
    CHECK(has(page, "<img class=\"logo\" width=\"2\" height=\"3\" alt=\"A\" src=\"" + address + "\">"));
    CHECK(has(page, "<link rel=\"icon\" type=\"image/png\" href=\"" + address + "\">"));
}

TEST_CASE("branding: a logo that browsers would not show is named [BRAND-3]") {
    const Directory directory;
    std::string without_width = png();
    without_width[19] = 0;
    struct Row {
        std::string file;
        const char* why;
    };
    const Row rows[] = {
        {directory.write("text.svg", "our logo"), "neither a PNG nor a whole SVG"},
        {directory.write("cut.svg", std::string(kSvg).substr(0, 70)), "neither a PNG nor a whole SVG"},
        {directory.write("empty.svg", ""), "neither a PNG nor a whole SVG"},
        {directory.write("page.html", "<!DOCTYPE html><title>A</title>"), "has no xmlns"},
        {directory.write("plain.svg", "<svg viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8z\"/></svg>"), "has no xmlns"},
        {directory.write("cut.png", "\x89PNG\r\n"), "damaged PNG"},
        {directory.write("longer.png", png() + "x"), "damaged PNG"},
        {directory.write("flat.png", without_width), "damaged PNG"},
        {directory.write("large.svg", kSvg + std::string(65537 - std::string(kSvg).size(), '\n')), "large.svg"},
        {directory.write("photo.jpg", "\xff\xd8\xff"), "neither a PNG nor an SVG"},
        {directory.write("photo.png", "\xff\xd8\xff"), "neither a PNG nor an SVG"},
        {(directory.path / "absent.svg").string(), "absent.svg"},
        {directory.path.string(), "branding.logo"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        std::string said;
        try {
            login_with({.name = "A", .logo = row.file});
        } catch (const std::runtime_error& error) {
            said = error.what();
        }
        CHECK_MESSAGE(has(said, row.why), said);
        CHECK(said.starts_with("branding.logo "));
    }
}

TEST_CASE("branding: templates of an operator keep working, and what they lack is named [BRAND-4]") {
    const Directory directory;
    for (const auto& entry : fs::directory_iterator("templates")) fs::copy(entry.path(), directory.path);
    const Wanted wanted{.name = "A", .logo = directory.write("logo.png", png()), .help = "https://help.example"};
    const pages::Branding branding = wanted.branding();
    const std::string at = directory.path.string();
    CHECK(pages::find_unbranded(at, branding).empty());
    std::string login = directory.read("login.html");
    for (const std::string tag : {"{{> foot.html}}", "{{> mark.svg}}"}) login.erase(login.find(tag), tag.size());
    directory.write("login.html", login);
    directory.write("head.html", "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
    CHECK(pages::find_unbranded(at, branding).size() == 3);
    CHECK(has(login_with(wanted, at), "<title>Sign in to Our wiki – A</title>"));
    fs::remove(directory.path / "foot.html");
    const auto lacks = pages::find_unbranded(at, branding);
    REQUIRE(lacks.size() == 4);
    CHECK(has(lacks[0], "head.html"));
    CHECK(has(lacks[1], "foot.html"));
    CHECK(has(lacks[2], "login.html does not splice in foot.html"));
    CHECK(has(lacks[3], "login.html does not splice in mark.svg"));
    CHECK_NOTHROW(login_with(wanted, at));
    CHECK(pages::find_unbranded(at, {}).empty());
}
