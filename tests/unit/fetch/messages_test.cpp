#include "fetch/messages.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

namespace {

fetch::Order order() {
    fetch::Order order;
    order.limits.ports = {443, 8443};
    order.limits.allow = {fetch::parse_network("10.0.0.0/8").value(), fetch::parse_network("fd00::/8").value()};
    order.limits.ca = "/etc/ca.pem";
    order.limits.proxy = "http://proxy:3128";
    order.methods = fetch::Methods::get_and_post;
    order.question = fetch::write_question({fetch::Purpose::client_document, "https://app.example/"});
    return order;
}

}  // namespace

TEST_CASE("messages: question, order and reply are read as they were written [FETCH-3]") {
    const auto read = fetch::read_order(fetch::write_order(order()));
    REQUIRE(read);
    CHECK(read->limits.ports == std::vector<std::uint16_t>{443, 8443});
    REQUIRE(read->limits.allow.size() == 2);
    CHECK(fetch::format_network(read->limits.allow[1]) == "fd00::/8");
    CHECK(read->limits.ca == "/etc/ca.pem");
    CHECK(read->limits.proxy == "http://proxy:3128");
    CHECK(read->methods == fetch::Methods::get_and_post);
    const auto question = fetch::read_question(read->question);
    REQUIRE(question);
    CHECK(question->url == "https://app.example/");

    const auto keys = fetch::read_question(fetch::write_question({fetch::Purpose::jwks, "https://app.example/jwks"}));
    REQUIRE(keys);
    CHECK(keys->purpose == fetch::Purpose::jwks);
    CHECK(keys->url == "https://app.example/jwks");

    const auto bare = fetch::read_order(fetch::write_order({}));
    REQUIRE(bare);
    CHECK(bare->methods == fetch::Methods::get);
    CHECK(bare->limits.allow.empty());
    CHECK_FALSE(bare->limits.ca);
    CHECK_FALSE(bare->limits.proxy);

    const std::string body("\0\xff{}", 4);
    const auto reply = fetch::read_reply(fetch::write_reply(fetch::Answer{200, "a/b", "c", "d", "e", "f", body}));
    REQUIRE(reply);
    CHECK(reply->status == 200);
    CHECK(reply->content_type + reply->cache_control + reply->expires + reply->date + reply->age == "a/bcdef");
    CHECK(reply->body == body);
    const auto failure = fetch::read_reply(fetch::write_reply(std::string("no route")));
    REQUIRE_FALSE(failure);
    CHECK(failure.error() == "no route");
}

TEST_CASE("messages: the question of a logout token has a body, and another question has none [FETCH-3, BCL-7]") {
    const std::string post =
        fetch::write_question({fetch::Purpose::logout_token, "https://app.example/", "logout_token=a.b.c"});
    const auto read = fetch::read_question(post);
    REQUIRE(read);
    CHECK(read->purpose == fetch::Purpose::logout_token);
    CHECK(read->url == "https://app.example/");
    CHECK(read->body == "logout_token=a.b.c");
    for (std::size_t length = 0; length < post.size(); ++length)
        CHECK_FALSE(fetch::read_question(post.substr(0, length)));
    CHECK_FALSE(fetch::read_question(post + "x"));
    const auto get = fetch::read_question(fetch::write_question({fetch::Purpose::client_document, "https://a/", "b"}));
    REQUIRE(get);
    CHECK(get->body.empty());
    const std::string longest(fetch::kLongestPost, 'x');
    CHECK_FALSE(fetch::read_question(fetch::write_question({fetch::Purpose::logout_token, "https://a/", longest})));
}

TEST_CASE("messages: bytes that are cut, longer or of another kind are none [FETCH-3]") {
    const std::string question = fetch::write_question({fetch::Purpose::client_document, "https://app.example/"});
    const std::string whole = fetch::write_order(order());
    const std::string reply = fetch::write_reply(fetch::Answer{200, "a/b", "", "", "", "", "{}"});
    for (std::size_t length = 0; length < question.size(); ++length)
        CHECK_FALSE(fetch::read_question(question.substr(0, length)));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_FALSE(fetch::read_order(whole.substr(0, length)));
    for (std::size_t length = 0; length < reply.size(); ++length)
        CHECK_FALSE(fetch::read_reply(reply.substr(0, length)));
    CHECK_FALSE(fetch::read_question(question + "x"));
    CHECK_FALSE(fetch::read_order(whole + "x"));
    CHECK_FALSE(fetch::read_reply(reply + "x"));
    CHECK_FALSE(fetch::read_question(whole));
    CHECK_FALSE(fetch::read_reply(whole));
    CHECK_FALSE(fetch::read_reply("\xff\xff\xff\xff"));
    const std::string longest(fetch::kLongestAnswer, 'x');
    CHECK_FALSE(fetch::read_reply(fetch::write_reply(fetch::Answer{200, "", "", "", "", "", longest})));
}
