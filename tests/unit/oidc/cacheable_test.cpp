// How public documents are kept and asked for again (RFC 9110 §8.8.3, §13.1.2; RFC 9111 §5.2.2).
#include "oidc/cacheable.h"

#include <doctest/doctest.h>

#include "crypto/digest.h"
#include "util/base64.h"

using namespace postern;

namespace {

const oidc::CacheableDocument kDocument(json::Object{{"a", "b"}});

int status_for(const std::string& if_none_match) {
    http::Request request;
    request.if_none_match = if_none_match;
    return kDocument.answer(request).status;
}

}  // namespace

TEST_CASE("cacheable: for at most an hour, with a tag of the content") {
    const auto response = kDocument.answer({});
    CHECK(response.status == 200);
    CHECK(response.body == R"({"a":"b"})");
    CHECK(kDocument.text() == response.body);
    CHECK(*response.find("Cache-Control") == "public, max-age=3600");
    CHECK(*response.find("ETag") == "\"" + util::base64url_encode(crypto::sha256(R"({"a":"b"})")) + "\"");
    CHECK(*response.find("ETag") != *oidc::CacheableDocument(json::Object{{"a", "c"}}).answer({}).find("ETag"));
}

TEST_CASE("cacheable: 304 without a body for a caller that has this content [RFC 9110 §13.1.2, §15.4.5]") {
    const std::string tag = *kDocument.answer({}).find("ETag");
    for (const std::string& names : {tag, "W/" + tag, "\"x\", " + tag, " W/\"x\" ,\t" + tag + " ", std::string("*")}) {
        CAPTURE(names);
        CHECK(status_for(names) == 304);
    }
    const std::string bare = tag.substr(1, tag.size() - 2);
    for (const std::string& other : {std::string("\"x\""), bare, tag + "x", "w/" + tag, "\"" + bare + "x\"",
                                     std::string("**"), std::string(",")}) {
        CAPTURE(other);
        CHECK(status_for(other) == 200);
    }
    http::Request request;
    request.if_none_match = tag;
    const auto response = kDocument.answer(request);
    CHECK(response.body.empty());
    CHECK(*response.find("ETag") == tag);
    CHECK(*response.find("Cache-Control") == "public, max-age=3600");
}
