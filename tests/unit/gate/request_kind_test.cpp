// Which requests are of a person who waits for a page.
#include "gate/request_kind.h"

#include <doctest/doctest.h>

using namespace postern;
using gate::RequestKind;

TEST_CASE("request_kind: who waits for a page [GATE-15]") {
    struct Row {
        const char* method;
        gate::Variables headers;
        RequestKind kind;
    };
    const gate::Variables page = {{"HTTP_SEC_FETCH_MODE", "navigate"}, {"HTTP_SEC_FETCH_DEST", "document"}};
    const auto with = [](gate::Variables headers, const char* key, const char* value) {
        headers[key] = value;
        return headers;
    };
    const gate::Variables html = {{"HTTP_ACCEPT", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}};
    const Row rows[] = {
        {"GET", page, RequestKind::navigation},
        {"HEAD", page, RequestKind::navigation},
        {"POST", page, RequestKind::form},
        {"PUT", page, RequestKind::other},
        {"DELETE", page, RequestKind::other},
        {"OPTIONS", page, RequestKind::other},
        {"PROPFIND", page, RequestKind::other},
        {"get", page, RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_DEST", "iframe"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_DEST", "frame"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_DEST", "image"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_DEST", ""), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_MODE", "cors"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_FETCH_MODE", "websocket"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_PURPOSE", "prefetch"), RequestKind::other},
        {"GET", with(page, "HTTP_SEC_PURPOSE", "prefetch;prerender"), RequestKind::other},
        {"GET", with(page, "HTTP_PURPOSE", "Prefetch"), RequestKind::other},
        {"GET", with(html, "HTTP_SEC_FETCH_MODE", "no-cors"), RequestKind::other},
        {"GET", html, RequestKind::navigation},
        {"POST", html, RequestKind::form},
        {"GET", with(html, "HTTP_X_REQUESTED_WITH", "XMLHttpRequest"), RequestKind::other},
        {"GET", with(html, "HTTP_PURPOSE", "prefetch"), RequestKind::other},
        {"GET", {{"HTTP_ACCEPT", "*/*"}}, RequestKind::other},
        {"GET", {{"HTTP_ACCEPT", "application/json"}}, RequestKind::other},
        {"GET", {}, RequestKind::other},
    };
    for (const Row& row : rows) {
        CAPTURE(row.method);
        for (const auto& [key, value] : row.headers) CAPTURE(key + "=" + value);
        CHECK(static_cast<int>(gate::request_kind(row.method, row.headers)) == static_cast<int>(row.kind));
    }
}
