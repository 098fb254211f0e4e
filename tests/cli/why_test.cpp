// `postern why`: a recorded refusal is explained, an unknown one too.
#include <doctest/doctest.h>

#include <algorithm>

#include "installation.h"
#include "server/refusal_ring.h"

using namespace postern;
using namespace postern::test;

namespace {

void record(const Installation& installation, const server::RefusalRecord& refusal) {
    server::RefusalRing ring((installation.database_file().parent_path() / "refusals.ring").string());
    REQUIRE(ring.record(refusal));
}

const server::RefusalRecord kRefusal = {"3f6c0a51d2b84e07",
                                        util::from_epoch(1770000000),
                                        "token",
                                        400,
                                        "invalid_grant",
                                        "The code has expired.",
                                        "expired 12 seconds before the request",
                                        "web"};

}  // namespace

TEST_CASE("why: shows what happened and what to change") {
    const Installation installation;
    record(installation, kRefusal);
    const std::string text = installation.must({"why", kRefusal.request_id});
    for (const char* part : {"2026-02-02 02:40:00 UTC", "token", "400", "invalid_grant", "The code has expired.",
                             "expired 12 seconds", "web", "what to change"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    const auto value = installation.must_json({"why", kRefusal.request_id});
    CHECK(text_of(value, "request_id") == kRefusal.request_id);
    CHECK(*member_of(value, "time").if_integer() == 1770000000);
    CHECK(*member_of(value, "status").if_integer() == 400);
    CHECK(text_of(value, "endpoint") == "token");
    CHECK(text_of(value, "error") == "invalid_grant");
    CHECK(text_of(value, "error_description") == kRefusal.description);
    CHECK(text_of(value, "detail") == kRefusal.detail);
    CHECK(text_of(value, "client_id") == "web");
    CHECK(text_of(value, "hint").size() > 40);
}

TEST_CASE("why: each error has its own advice, an unknown one some all the same") {
    const Installation installation;
    std::vector<std::string> hints;
    for (const char* error :
         {"invalid_client", "redirect_unregistered", "cookie_missing", "login_failed", "no_such_error"}) {
        server::RefusalRecord refusal = kRefusal;
        refusal.request_id = error;
        refusal.error = error;
        record(installation, refusal);
        hints.push_back(text_of(installation.must_json({"why", error}), "hint"));
        CHECK_FALSE(hints.back().empty());
    }
    std::sort(hints.begin(), hints.end());
    CHECK(std::adjacent_find(hints.begin(), hints.end()) == hints.end());
}

TEST_CASE("why: an id that is not recorded exits 1 and says why it may be gone") {
    const Installation installation;
    record(installation, kRefusal);
    for (const char* id : {"3f6c0a51d2b84e08", "3f6c0a51d2b84e0", "", "\x1b[2J"}) {
        const auto result = installation.postern({"why", id});
        CAPTURE(result.err);
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
        CHECK(result.err.find("overwritten") != std::string::npos);
    }
}

TEST_CASE("why: a record that cannot be read is not taken for one that is gone") {
    const Installation installation(Installation::Start::configured);
    const auto result = installation.postern({"why", kRefusal.request_id});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    CHECK(result.err.find("cannot be read") != std::string::npos);
}

TEST_CASE("why: text from a request cannot drive the terminal") {
    const Installation installation;
    server::RefusalRecord refusal = kRefusal;
    refusal.client_id =
        "a\x1b]0;x\x07"
        "b\nerror  forged";
    record(installation, refusal);
    const std::string text = installation.must({"why", kRefusal.request_id});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\nerror  forged") == std::string::npos);
}
