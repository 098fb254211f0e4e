// Which SVG files may stand in a page.
#include "text/svg_logo.h"

#include <doctest/doctest.h>

#include <string>

#include "text/png_size.h"

using namespace postern::text;

namespace {

std::string svg(const std::string& content, const std::string& attributes = "") {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"" + attributes + ">" + content + "</svg>";
}

}  // namespace

TEST_CASE("svg_logo: a drawing is written anew, with ids of its own [BRAND-3, L39]") {
    struct Row {
        const char* what;
        std::string file;
        std::string content;
    };
    const Row rows[] = {
        {"nothing in it", svg(""), "<g></g>"},
        {"a shape", svg("<path d='M0 0h8v8z'/>"), "<g><path d=\"M0 0h8v8z\"/></g>"},
        {"what the root says about its content", svg("<g/>", " fill=\"none\" width=\"8\" height='8' id=\"a\""),
         "<g fill=\"none\"><g/></g>"},
        {"an id and what refers to it",
         svg("<linearGradient id=\"a\"><stop offset=\"0\" stop-color=\"#f00\"/></linearGradient>"
             "<rect fill=\"url(#a)\"/>"),
         "<g><linearGradient id=\"logo-a\"><stop offset=\"0\" stop-color=\"#f00\"/></linearGradient>"
         "<rect fill=\"url(#logo-a)\"/></g>"},
        {"declaration, comment, title, description, blanks",
         "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- made by hand -->\n" +
             svg("\n  <title>A <!-- b --> name</title><desc>&amp; more</desc>\n<g >\n</g >\n") + "\n",
         "<g><g></g></g>"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.what));
        const auto logo = read_svg_logo(row.file);
        REQUIRE_MESSAGE(logo, logo.error().reason);
        CHECK(logo->content == row.content);
        CHECK(logo->view_box == "0 0 8 8");
    }
}

TEST_CASE("svg_logo: what is no drawing is refused, and named [BRAND-3, L39]") {
    struct Row {
        std::string file;
        const char* reason;  ///< a part of it
    };
    const Row rows[] = {
        {svg("<script>alert(1)</script>"), "<script>"},
        {svg("<SCRIPT/>"), "<SCRIPT>"},
        {svg("<style>*{}</style>"), "<style>"},
        {svg("<foreignObject/>"), "<foreignObject>"},
        {svg("<image href=\"a.png\"/>"), "<image>"},
        {svg("<use href=\"#a\"/>"), "<use>"},
        {svg("<a href=\"https://evil.example\"/>"), "<a>"},
        {svg("<animate/>"), "<animate>"},
        {svg("<text>A</text>"), "<text>"},
        {svg("<x:g/>"), "<x:g>"},
        {svg("A"), "has text"},
        {svg("<g onload=\"a()\"/>"), "onload"},
        {svg("<g style=\"fill:red\"/>"), "style"},
        {svg("<g class=\"a\"/>"), "class"},
        {svg("<g href=\"#a\"/>"), "href"},
        {svg("<g xlink:href=\"#a\"/>"), "xlink:href"},
        {svg("<g xmlns=\"http://www.w3.org/1999/xhtml\"/>"), "xmlns"},
        {svg("<g fill=\"url(https://evil.example/a)\"/>"), "fill"},
        {svg("<g fill=\"URL(#a)\"/>"), "fill"},
        {svg("<g fill=\"url(#a) red\"/>"), "fill"},
        {svg("<g fill=\"u\\72l(#a)\"/>"), "fill"},
        {svg("<g transform=\"url(#a)\"/>"), "transform"},
        {svg("<g fill=\"javascript:a\"/>"), "fill"},
        {svg("<g fill=\"{{csrf}}\"/>"), "fill"},
        {svg("<g fill=\"&#106;\"/>"), "fill"},
        {svg("<g fill=\"a<b\"/>"), "fill"},
        {svg("<g id=\"a b\"/>"), "id"},
        {svg("<g fill=red/>"), "without quotes"},
        {svg("<g fill/>"), "without a value"},
        {svg("<g fill=\"red\" fill=\"red\"/>"), "twice"},
        {svg("<g fill=\"red\"x=\"1\"/>"), "without a blank"},
        {svg("<g></h>"), "closes what is not open"},
        {svg("<title><g/></title>"), "in <title>"},
        {svg("<svg viewBox=\"0 0 8 8\"/>"), "one <svg>"},
        {svg("") + svg(""), "one <svg>"},
        {svg("") + "A", "has text"},
        {svg("<![CDATA[a]]>"), "CDATA"},
        {svg("<?php a ?>"), "processing instruction"},
        {"<!DOCTYPE svg [<!ENTITY a \"b\">]>" + svg(""), "document type"},
        {svg("<?xml version=\"1.0\"?>"), "in its middle"},
        {"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", "viewBox"},
        {"<svg viewBox=\"0 0 8\"></svg>", "viewBox"},
        {"<svg viewBox=\"0 0 8 8\">", "closed"},
        {"<svg viewBox=\"0 0 8 8\"><g fill=\"", "cut"},
        {"<svg viewBox=\"0 0 8 8\"><!-- ", "cut"},
        {"<svg viewBox=\"0 0 8 8\"", "not closed"},
        {"<g/>", "one <svg>"},
        {"<", "without a name"},
        {"", "not one <svg>"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        const auto logo = read_svg_logo(row.file);
        REQUIRE_FALSE(logo);
        CHECK_MESSAGE(logo.error().reason.find(row.reason) != std::string::npos, logo.error().reason);
    }
    CHECK(read_svg_logo("<svg viewBox=\"0 0 8 8\">\n\n<a/></svg>").error().line == 3);
}

TEST_CASE("svg_logo: the depth is bounded [BRAND-3]") {
    const auto nested = [](int depth) {
        std::string open, close;
        for (int i = 0; i < depth; ++i) {
            open += "<g>";
            close += "</g>";
        }
        return svg(open + close);
    };
    CHECK(read_svg_logo(nested(23)));
    CHECK_FALSE(read_svg_logo(nested(24)));
}

TEST_CASE("png_size: of a PNG, and of nothing else [BRAND-3]") {
    using namespace std::string_literals;
    const std::string header = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\x01\0\x08\x06\0\0\0...."s;
    const std::string end = "\0\0\0\0IEND\xae\x42\x60\x82"s;
    const auto size = png_size(header + end);
    REQUIRE(size);
    CHECK(size->width == 2);
    CHECK(size->height == 256);
    std::string empty_side = header + end;
    empty_side[19] = 0;
    for (const std::string& file : {""s, header, end, header + end + "x", "x" + header + end, empty_side,
                                    "GIF89a"s + std::string(60, 'a'), svg("")}) {
        CAPTURE(file);
        CHECK_FALSE(png_size(file));
    }
}
