// What `branding` accepts, and which colours keep a program from starting.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "config/config.h"
#include "pages/settings.h"

using namespace postern;

namespace {

std::string file_with(const std::string& branding) {
    return R"({"issuer": "https://id.example.org", "branding": {)" + branding + "}}";
}

/// "key: reason" of the first problem, or "".
std::string problem_of(const std::string& branding) {
    const auto config = config::parse_config(file_with(branding));
    return config ? "" : config.error().front().key + ": " + config.error().front().reason;
}

}  // namespace

TEST_CASE("branding: nothing is said by itself, and the host names the service [BRAND-1]") {
    const auto config = config::parse_config(R"({"issuer": "https://id.example.org/auth"})");
    REQUIRE(config);
    CHECK(config->settings.branding.name.empty());
    CHECK(config->settings.branding.links.empty());
    CHECK(config->settings.service_name() == "id.example.org");
}

TEST_CASE("branding: all of it [BRAND-1, BRAND-2]") {
    const auto config = config::parse_config(file_with(
        R"("name": "Example Örg", "color": "#7A1FA2", "colorDark": "#ce93d8", "logo": "/etc/postern/logo.svg",
           "help": "mailto:help@example.org",
           "links": [{"text": {"": "Imprint", "de-AT": "Impressum"}, "url": "https://example.org/imprint"}])"));
    REQUIRE(config);
    const pages::Branding& branding = config->settings.branding;
    CHECK(config->settings.service_name() == "Example Örg");
    CHECK(branding.help == "mailto:help@example.org");
    REQUIRE(branding.links.size() == 1);
    CHECK(branding.links[0].text.at("de-at") == "Impressum");
    CHECK(branding.links[0].url == "https://example.org/imprint");
}

TEST_CASE("branding: what is refused, and by which key [BRAND-1, BRAND-2, BRAND-3]") {
    struct Row {
        const char* branding;
        const char* problem;  ///< the beginning of it
    };
    const Row rows[] = {
        {R"("name": "")", "branding.name: must be one line"},
        {R"("name": "a\nb")", "branding.name: must be one line"},
        {R"("name": " a")", "branding.name: must be one line"},
        {"\"name\": \"a\\u202eb\"", "branding.name: must be one line"},
        {R"("name": 1)", "branding.name: "},
        {R"("color": "teal")", "branding.color: must be a colour"},
        {R"("color": "#fff")", "branding.color: must be a colour"},
        {R"("colorDark": "#ffffff")", "branding.colorDark: needs branding.color"},
        {R"("logo": "logo.svg", "name": "A")", "branding.logo: "},
        {R"("logo": "/etc/logo.svg")", "branding.logo: needs branding.name"},
        {R"("help": "http://example.org")", "branding.help: must be an https URL"},
        {R"("help": "mailto:")", "branding.help: must be an https URL"},
        {R"("help": "mailto:a@b?subject=c")", "branding.help: must be an https URL"},
        {R"("help": "javascript:a@b")", "branding.help: must be an https URL"},
        {R"("links": {})", "branding.links: must be a list"},
        {R"("links": [{}])", "branding.links[0]: needs \"text\""},
        {R"("links": [{"text": "Imprint", "url": "https://a.example"}])", "branding.links[0]: needs \"text\""},
        {R"("links": [{"text": {"de": "Impressum"}, "url": "https://a.example"}])",
         "branding.links[0]: needs \"text\""},
        {R"("links": [{"text": {"": "A", "d e": "B"}, "url": "https://a.example"}])",
         "branding.links[0]: has a text for"},
        {R"("links": [{"text": {"": ""}, "url": "https://a.example"}])", "branding.links[0]: has a text that is not"},
        {R"("links": [{"text": {"": "A"}, "url": "http://a.example"}])", "branding.links[0]: needs \"url\""},
        {R"("links": [{"text": {"": "A"}, "url": "https://u@a.example"}])", "branding.links[0]: needs \"url\""},
        {R"("links": [{"text": {"": "A"}, "url": "https://a.example", "rel": "b"}])", "branding.links[0]: has \"rel\""},
        {R"("links": [{}, {}, {}, {}, {}, {}])", "branding.links: must be a list of up to 5"},
        {R"("colour": "#000000")", "branding.colour: is not a known key"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.branding));
        CHECK_MESSAGE(problem_of(row.branding).starts_with(row.problem), problem_of(row.branding));
    }
}

TEST_CASE("branding: a colour below 3 : 1 is refused with its ratio [BRAND-2]") {
    CHECK(problem_of(R"("color": "#ffcc00", "colorDark": "#ffcc00")") ==
          "branding.color: has a contrast of 1.31 : 1 with the light page, and needs 3 : 1");
    CHECK(
        problem_of(R"("color": "#003366")")
            .starts_with(
                "branding.colorDark: is needed, because branding.color has a contrast of 1.31 : 1 with the dark page"));
    CHECK(problem_of(R"("color": "#003366", "colorDark": "#222222")")
              .starts_with("branding.colorDark: has a contrast of 1.0"));
    CHECK(problem_of(R"("color": "#003366", "colorDark": "#7fb3e6")").empty());
    CHECK(problem_of(R"("color": "#0d8070")").empty());  // good for both
}

TEST_CASE("branding: the pages are what the colours are compared with [BRAND-2]") {
    std::ifstream file("templates/style.css");
    std::stringstream text;
    text << file.rdbuf();
    const std::string style = text.str();
    const auto dark = style.find("prefers-color-scheme: dark");
    REQUIRE(dark != std::string::npos);
    const auto value_of = [&](const std::string& name, std::size_t from) {
        const auto at = style.find("--" + name + ": ", from) + name.size() + 4;
        return style.substr(at, 7);
    };
    for (const auto& [surfaces, from] :
         {std::pair{pages::kLightSurfaces, std::size_t{0}}, std::pair{pages::kDarkSurfaces, dark}}) {
        CHECK(value_of("page", from) == text::to_text(surfaces.page));
        CHECK(value_of("card", from) == text::to_text(surfaces.card));
        CHECK(value_of("soft", from) == text::to_text(surfaces.soft));
    }
}
