// Values with a direction of their own in the text of a page.
#include "pages/isolates.h"

#include <doctest/doctest.h>

using namespace postern;

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
