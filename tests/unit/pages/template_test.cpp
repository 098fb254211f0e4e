// Which template texts are refused, and what becomes of values.
#include "pages/template.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "pages/renderer.h"
#include "pages/template_text.h"
#include "unit/text/compiled.h"

using namespace postern;
using pages::Template;
using pages::Values;

namespace {

const pages::Partials kPartials = {
    {"style.css", "abc"}, {"mark.svg", "<svg></svg>"}, {"nested", "{{> style.css}}"}, {"raw", "{{{x}}}"}};

std::string render(const std::string& body, const Values& values) {
    return Template{"t.html", "<style></style>" + body, kPartials}.render(values).substr(15);
}

/// What was said when the text was read and parsed, or "" when it was accepted.
std::string refusal_of(const std::string& text) {
    try {
        const Template accepted{"dir/t.html", text, kPartials};
        accepted.parse();
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Directory {
public:
    Directory() {
        char path[] = "/tmp/postern-template-XXXXXX";
        REQUIRE(::mkdtemp(path) != nullptr);
        path_ = path;
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() { std::filesystem::remove_all(path_); }

    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream{file(name), std::ios::binary} << bytes;
        return file(name);
    }

private:
    std::string path_;
};

std::string read_refusal(const std::string& path) {
    try {
        pages::read_template_file(path);
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("render: a value cannot leave its place in text or in a quoted attribute") {
    struct Row {
        const char* value;
        const char* printed;
    };
    const Row rows[] = {
        {"plain \xC3\xBC", "plain \xC3\xBC"},
        {"<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"},
        {"'\";--", "&apos;&quot;;--"},
        {"&lt;", "&amp;lt;"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.value);
        CHECK(render("<p title=\"{{v}}\">{{v}}</p>", {.texts = {{"v", row.value}}, .lists = {}}) ==
              "<p title=\"" + std::string{row.printed} + "\">" + row.printed + "</p>");
    }
}

TEST_CASE("render: a value is never read again as template text [L14]") {
    for (const char* value : {"{{secret}}", "{{#secret}}x{{/secret}}", "{{{secret}}}", "{{> style.css}}", "{{=[ ]=}}",
                              "${7*7}", "%s%n", "$(id)"}) {
        CAPTURE(value);
        std::string printed = value;
        if (const auto angle = printed.find('>'); angle != std::string::npos) printed.replace(angle, 1, "&gt;");
        CHECK(render("{{v}}|{{secret}}", {.texts = {{"v", value}, {"secret", "s"}}, .lists = {}}) == printed + "|s");
    }
}

TEST_CASE("render: sections follow empty texts and lists") {
    const Values values{.texts = {{"full", "f"}, {"empty", ""}, {"note", "outer"}},
                        .lists = {{"none", {}},
                                  {"items",
                                   {Values{.texts = {{"note", "1"}}, .lists = {}},
                                    Values{.texts = {{"note", ""}}, .lists = {}}, Values{}}}}};
    struct Row {
        const char* body;
        const char* printed;
    };
    const Row rows[] = {
        {"{{#full}}[{{full}}]{{/full}}{{^full}}no{{/full}}", "[f]"},
        {"{{#empty}}[{{empty}}]{{/empty}}{{^empty}}no{{/empty}}", "no"},
        {"{{#absent}}yes{{/absent}}{{^absent}}no{{/absent}}{{absent}}", "no"},
        {"{{#none}}yes{{/none}}{{^none}}no{{/none}}", "no"},
        // An empty text in an item hides the outer one of that name; a missing one does not.
        {"{{#items}}({{#note}}{{note}}{{/note}}){{/items}}", "(1)()(outer)"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        CHECK(render(row.body, values) == row.printed);
    }
}

TEST_CASE("render: one template answers many requests, each from its own values") {
    const Template page{"t.html", "<style></style>{{#v}}{{v}}{{/v}}", kPartials};
    CHECK(page.render({.texts = {{"v", "one"}}, .lists = {}}) == "<style></style>one");
    CHECK(page.render({}) == "<style></style>");
    CHECK(page.render({.texts = {{"v", "two"}}, .lists = {}}) == "<style></style>two");
}

TEST_CASE("Template: what would take escaping or clarity away is refused, naming the file") {
    struct Row {
        const char* body;
        const char* because;  ///< "" = accepted
    };
    const Row rows[] = {
        {"{{v}}", ""},
        {"{{ v }}", ""},
        {"{ {v}", ""},
        {"{{! a note }}", ""},
        {"{{{v}}}", "unescaped"},
        {"{{{{v}}}}", "unescaped"},
        {"{{ {v} }}", "unescaped"},
        {"{{&v}}", "unescaped"},
        {"{{ & v}}", "unescaped"},
        {"{{\n\t& v}}", "unescaped"},
        {"{{\f& v}}", "unescaped"},
        {"{{! {{& v}}", "unescaped"},
        {"{{> raw}}", "unescaped"},
        {"{{=[ ]=}}", "delimiters"},
        {"{{ =[ ]= }}", "delimiters"},
        {"{{> mark.svg}}", ""},
        {"{{>mark.svg}}", ""},
        {"{{> other.svg}}", "other.svg"},
        {"{{> }}", "not known"},
        {"{{> mark.svg", "not closed"},
        {"{{ > mark.svg}}", "cannot splice"},
        {"{{> nested}}", "cannot splice"},
        {"{{#v}}x{{/v}}", ""},
        {"{{#v}}x", "Unclosed"},
        {"{{/v}}", "Unopened"},
        {"{{#v}}{{#w}}{{/v}}{{/w}}", "Unclosed"},
        {"{{v", "Unclosed"},
        {"{{", "Unclosed"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        const std::string why = refusal_of("<style></style>" + std::string{row.body});
        if (*row.because == '\0') {
            CHECK(why == "");
        } else {
            CHECK(contains(why, "dir/t.html"));
            CHECK(contains(why, row.because));
        }
    }
}

TEST_CASE("pictures: a page has one where its markup or style has a data: address, not for what users are called") {
    struct Row {
        const char* text;
        bool has_picture;
    };
    const Row rows[] = {
        {"<style></style><p>{{name}}</p>", false},
        {"<style></style><img alt=\"\" src=\"data:image/png;base64,AA==\">", true},
        {"<style></style><link rel=\"icon\" href='data:,'>", true},
        {"<style>p { background: url(data:image/gif;base64,AA==) }</style>", true},
        {"<style></style><script>f({client_data: 1});</script>", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const Template page("t.html", row.text, kPartials, pages::Scripts::one);
        CHECK((page.pictures() == http::Pictures::data) == row.has_picture);
        page.render({.texts = {{"name", "data:image/png"}}, .lists = {}});
        CHECK((page.pictures() == http::Pictures::data) == row.has_picture);
    }
}

TEST_CASE("style_hash: SHA-256 of exactly the bytes between the tags [CSP Level 3 §2.3.1, FIPS 180-4]") {
    struct Row {
        const char* text;
        const char* hash;
    };
    const Row rows[] = {
        {"<style></style>", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
        {"<p><style>abc</style></p>", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
        {"<style>{{> style.css}}</style>{{v}}", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
        {"<STYLE>abc</STYLE>", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        CHECK(Template("t.html", row.text, kPartials).style_hash() == row.hash);
    }
    CHECK(Template("t.html", "<style>abc </style>", kPartials).style_hash() != rows[1].hash);
}

TEST_CASE("render: the style is there byte for byte as it was written, wherever it stands") {
    const Values values{.texts = {{"shown", "yes"}, {"the style of the page", "x"}}, .lists = {}};
    for (const std::string style : {"", "a{b:c}", "@media print{a{b:c}}", "\n  a > b { c: \"&<{d}\" }\n\n", "}}}"}) {
        CAPTURE(style);
        const std::string element = "<style>" + style + "</style>";
        CHECK(Template{"t.html", element + "{{shown}}", kPartials}.render(values) == element + "yes");
        CHECK(Template{"t.html", "a\n{{#shown}}\n" + element + "\n{{/shown}}\nb", kPartials}.render(values) ==
              "a\n" + element + "\nb");
        CHECK(Template{"t.html", element + "{{^shown}}-{{/shown}}", kPartials}.render({}) == element + "-");
    }
    CHECK(Template{"t.html", "<style>{{> style.css}}</style>", kPartials}.render({}) == "<style>abc</style>");
}

TEST_CASE("Template: a style that one constant hash cannot allow is refused") {
    for (const char* text : {"<p></p>", "<style>abc", "<style media=\"print\">abc</style>", "<style >abc</style>",
                             "<style>a</style><style>b</style>", "<style>a</style><STYLE media=print>b</STYLE>",
                             "<style>{{colour}}</style>"}) {
        CAPTURE(text);
        CHECK(contains(refusal_of(text), "dir/t.html"));
        CHECK(contains(refusal_of(text), "style"));
    }
}

TEST_CASE("script_hash: SHA-256 of the one script, where a script is allowed [CSP Level 3 §2.3.1]") {
    const std::string page = "<style></style>";
    const auto hash_of = [&](const std::string& body) {
        const Template read("t.html", page + body, kPartials, pages::Scripts::one);
        return read.script_hashes(read.render({}));
    };
    CHECK(hash_of("<script>abc</script>") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    CHECK(hash_of("<SCRIPT>abc</Script>") == hash_of("<script>abc</script>"));
    CHECK(hash_of("<script>abc </script>") != hash_of("<script>abc</script>"));
    CHECK(hash_of("") == "");
    CHECK(Template("t.html", page, kPartials).script_hashes(page) == "");
}

TEST_CASE("Template: a script in the style is refused") {
    CHECK_THROWS_WITH_AS(Template("t.html", "<style><script>a</script></style>", kPartials, pages::Scripts::one),
                         "template t.html: has a script in its style", std::runtime_error);
}

TEST_CASE("TemplateReader: what is no template is found when it is read, whenever it is parsed") {
    const auto directory = std::filesystem::temp_directory_path() / ("pt-template-" + std::to_string(getpid()));
    std::filesystem::copy("templates", directory);
    std::ofstream(directory / "faulty.html") << "{{#open}}<style></style>";
    std::ofstream(directory / "unescaped.html") << "{{{v}}}<style></style>";
    const auto read = [&](const char* name, pages::Parsing parsing) {
        return pages::TemplateReader(directory, {}, std::make_shared<const text::Languages>(), parsing)(name);
    };
    for (const pages::Parsing parsing : {pages::Parsing::at_once, pages::Parsing::when_shown}) {
        CHECK(read("logged_out.html", parsing).render({}).starts_with("<!DOCTYPE html>"));
        for (const char* name : {"faulty.html", "unescaped.html", "missing.html"})
            CHECK_THROWS_AS(read(name, parsing), std::runtime_error);
    }
    std::filesystem::remove_all(directory);
}

TEST_CASE("script_hashes: those of the scripts that this page has [CSP Level 3 §2.3.1]") {
    const Template page("t.html", "<style></style><script>abc</script>{{#more}}<script>abc </script>{{/more}}{{text}}",
                        kPartials, pages::Scripts::several);
    const auto hashes = [&](const pages::Values& values) { return page.script_hashes(page.render(values)); };
    const std::string first = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    CHECK(hashes({}) == first);
    const std::string both = hashes({.texts = {{"more", "yes"}}, .lists = {}});
    CHECK(both.starts_with(first + " sha256-"));
    CHECK(both.size() == 2 * first.size() + 1);
    CHECK(hashes({.texts = {{"text", "<script>abc </script>"}}, .lists = {}}) == first);
    const text::Languages english;
    const auto response =
        pages::Renderer(english, english.last_resort()).respond(page, {.texts = {{"more", "yes"}}, .lists = {}}, 200);
    CHECK(contains(*response.find("Content-Security-Policy"), "; script-src '" + first + "' 'sha256-"));
    for (const char* text : {"<script>a<script>b</script>", "<script>a</script><script async>b</script>",
                             "<script>a</script>{{#x}}<script>{{x}}</script>{{/x}}"})
        CHECK_THROWS_AS(Template("t.html", "<style></style>" + std::string(text), kPartials, pages::Scripts::several),
                        std::runtime_error);
}

TEST_CASE("Template: a script that would not run is refused, naming the file") {
    struct Row {
        const char* body;
        pages::Scripts scripts;
    };
    using pages::Scripts;
    const Row rows[] = {
        {"<script>a</script>", Scripts::none},
        {"<SCRIPT>a</SCRIPT>", Scripts::none},
        {"<script src=\"x.js\"></script>", Scripts::none},
        {"<script src=\"x.js\"></script>", Scripts::one},
        {"<script >a</script>", Scripts::one},
        {"<script>a", Scripts::one},
        {"<script>a</script><script>b</script>", Scripts::one},
        {"<script>{{v}}</script>", Scripts::one},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        std::string why;
        try {
            const Template accepted{"dir/t.html", "<style></style>" + std::string{row.body}, kPartials, row.scripts};
        } catch (const std::runtime_error& error) {
            why = error.what();
        }
        CHECK(contains(why, "dir/t.html"));
        CHECK(contains(why, "script"));
    }
}

TEST_CASE("read_template_file: line ends are the ones a browser hashes [HTML, input preprocessing]") {
    const Directory directory;
    CHECK(pages::read_template_file(directory.write("t", "a\r\nb\rc\n\r\r\nd\r")) == "a\nb\nc\n\n\nd\n");
    CHECK(pages::read_template_file(directory.write("empty", "")) == "");
}

TEST_CASE("read_template_file: anything but a readable, small, regular file is refused by name [G09]") {
    constexpr std::size_t kLimit = std::size_t{256} * 1024;
    const Directory directory;
    const std::string good = directory.write("good", "text");
    std::filesystem::create_symlink(good, directory.file("link"));
    std::filesystem::create_directory(directory.file("directory"));
    REQUIRE(::mkfifo(directory.file("pipe").c_str(), 0600) == 0);
    directory.write("full", std::string(kLimit, 'x'));
    directory.write("large", std::string(kLimit + 1, 'x'));
    directory.write("latin1", "caf\xE9");

    CHECK(read_refusal(good) == "");
    CHECK(read_refusal(directory.file("full")) == "");
    CHECK(pages::read_template_file(directory.file("full")).size() == kLimit);
    struct Row {
        const char* name;
        const char* because;
    };
    const Row rows[] = {
        {"missing", "No such file"},    {"link", "symbolic link"}, {"directory", "not a regular file"},
        {"pipe", "not a regular file"}, {"large", "256 KiB"},      {"latin1", "UTF-8"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CHECK(contains(read_refusal(directory.file(row.name)), directory.file(row.name)));
        CHECK(contains(read_refusal(directory.file(row.name)), row.because));
    }
}

TEST_CASE("Template: what is marked is translated, with its values and tags, and nothing else comes in [I18N-1]") {
    const std::string bytes =
        test::compiled({{"de\4Hello <strong>{name}</strong>", "<strong>{name}</strong>, guten \"Tag\" & mehr"},
                        {"de\4Bad", "{{{name}}}<b>"},
                        {"de\4Worse", "{#name}x{/name}"}});
    const text::MoFile file(bytes);
    const text::Catalogue german("de", &file, nullptr);
    const Values values{.texts = {{"name", "<i>"}}, .lists = {}};
    const Template page{
        "t.html",
        "<style></style><p lang=\"{{lang}}\" dir=\"{{dir}}\">{{_}}Hello <strong>{{name}}</strong>{{/_}} {{name}}</p>",
        kPartials};
    CHECK(page.render(values) ==
          "<style></style><p lang=\"en\" dir=\"ltr\">Hello <strong>&lt;i&gt;</strong> &lt;i&gt;</p>");
    CHECK(page.render(values, german) ==
          "<style></style><p lang=\"de\" dir=\"ltr\"><strong>&lt;i&gt;</strong>, guten &quot;Tag&quot; &amp; mehr "
          "&lt;i&gt;</p>");
    CHECK(page.style_hash() == Template("t.html", "<style></style>", kPartials).style_hash());
    for (const char* marked : {"Bad", "Worse"}) {
        const Template hostile{"t.html", "<style></style>{{_}}" + std::string(marked) + "{{/_}}", kPartials};
        std::string said;
        try {
            said = hostile.render(values, german);
        } catch (const std::runtime_error&) {
        }
        CHECK_FALSE(contains(said, "<i>"));
        CHECK_FALSE(contains(said, "<b>"));
    }
}

TEST_CASE("Template: a page is put into a language once, when it is shown in it first [I18N-2]") {
    std::string bytes = test::compiled({{"de\4Code", "Kode"}, {"fr\4Code", "Mode"}});
    const text::MoFile file(bytes);
    const text::Catalogue german("de", &file, nullptr);
    const text::Catalogue french("fr", &file, nullptr);
    const Template page{"t.html", "<style></style>{{_}}Code{{/_}} {{a}}", kPartials};
    const auto shown = [&](const text::Catalogue& language, const std::string& value) {
        return page.render({.texts = {{"a", value}}, .lists = {}}, language);
    };
    CHECK(shown(german, "1") == "<style></style>Kode 1");
    // Other words in the catalogue would be seen if it were asked again.
    bytes.replace(bytes.find("Kode"), 4, "xxxx");
    bytes.replace(bytes.find("Mode"), 4, "yyyy");
    CHECK(shown(german, "2") == "<style></style>Kode 2");
    CHECK(shown(french, "3") == "<style></style>yyyy 3");
    bytes.replace(bytes.find("yyyy"), 4, "zzzz");
    CHECK(shown(french, "4") == "<style></style>yyyy 4");
    CHECK(Template("t.html", "<style></style>{{_}}Code{{/_}}", kPartials).render({}, german) == "<style></style>xxxx");
}

TEST_CASE("Template: a marked text with sections, other tags or blanks at its ends is not translated [I18N-1]") {
    const std::string bytes = test::compiled({{"x", "y"}});
    const text::MoFile file(bytes);
    const text::Catalogue german("de", &file, nullptr);
    const auto refusal = [&](const std::string& marked) -> std::string {
        try {
            return Template{"t.html", "<style></style>{{_}}" + marked + "{{/_}}", kPartials}.render({}, german);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    };
    for (const char* marked : {"{{#a}}x{{/a}}", "<a href=\"x\">y</a>", " x", "x ", "x<br>y", "{{> style.css}}<", ""}) {
        CAPTURE(marked);
        CHECK(contains(refusal(marked), "cannot be translated"));
    }
    CHECK_FALSE(contains(refusal("<bdi>{{a}}</bdi> and <code>{{b}}</code>"), "cannot"));
}

TEST_CASE("isolates_as_elements: elements in text, and in attributes and titles what there was [I18N-6]") {
    struct Row {
        const char* what;
        std::string html;
        std::string written;
    };
    const Row rows[] = {
        {"text without", "<p>Our wiki</p>", "<p>Our wiki</p>"},
        {"a name", "<p>\u2068Our wiki\u2069</p>", "<p><bdi>Our wiki</bdi></p>"},
        {"data", "<p>on \u2066192.0.2.7\u2069.</p>", "<p>on <bdi dir=\"ltr\">192.0.2.7</bdi>.</p>"},
        {"two that touch", "\u2068a\u2069\u2068b\u2069", "<bdi>a</bdi><bdi>b</bdi>"},
        {"one in another", "\u2068a \u2066b\u2069\u2069", "<bdi>a <bdi dir=\"ltr\">b</bdi></bdi>"},
        {"characters that begin alike", "\u2066a\u2069 \u2070\u2065", "<bdi dir=\"ltr\">a</bdi> \u2070\u2065"},
        {"an attribute", "<a title=\"\u2068a\u2069\">b</a>", "<a title=\"\u2068a\u2069\">b</a>"},
        {"an attribute with signs", "<a title='\">\u2068a\u2069'>\u2068b\u2069</a>",
         "<a title='\">\u2068a\u2069'><bdi>b</bdi></a>"},
        {"a title", "<title>\u2068a\u2069</title>\u2068b\u2069", "<title>\u2068a\u2069</title><bdi>b</bdi>"},
        {"a script", "<script>\"<p>\u2068a\u2069\"</script>\u2069", "<script>\"<p>\u2068a\u2069\"</script></bdi>"},
        {"a comment", "<!-- don't \u2068a\u2069 -->\u2068b\u2069", "<!-- don't \u2068a\u2069 --><bdi>b</bdi>"},
        {"an element that does not end", "<title>\u2068a\u2069", "<title>\u2068a\u2069"},
        {"a tag that does not end", "\u2068b\u2069<a title=\"\u2068", "<bdi>b</bdi><a title=\"\u2068"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(pages::isolates_as_elements(row.html) == row.written);
    }
}
