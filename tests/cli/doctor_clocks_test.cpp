// `postern doctor`: by how much the clocks of clients are off that were refused for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "installation.h"
#include "refusal/reason.h"
#include "server/refusal_ring.h"

using namespace postern;
using namespace postern::test;
using refusal::Reason;

namespace {

struct Refusal {
    std::string client;
    Reason reason = Reason::invalid_client_assertion_time;
    std::string detail;
    util::Seconds ago{60};
};

void record(const Installation& installation, const std::vector<Refusal>& refusals) {
    server::RefusalRing ring((installation.database_file().parent_path() / "refusals.ring").string());
    for (const Refusal& refusal : refusals) {
        server::RefusalRecord kept;
        kept.request_id = "3f6c0a51d2b84e07";
        kept.time = util::SystemClock().now() - refusal.ago;
        kept.endpoint = "token";
        kept.status = 401;
        kept.error = refusal::error_word(refusal.reason);
        kept.reason = refusal::row_of(refusal.reason).word;
        kept.detail = refusal.detail;
        kept.client_id = refusal.client;
        REQUIRE(ring.record(kept));
    }
}

}  // namespace

TEST_CASE("doctor: clients that were refused for their clocks, and the seconds of the last refusal [KEY-7, DPOP-8]") {
    const Installation installation(Installation::Start::initialised, {{"clientAssertions", true}});
    CHECK(installation.findings("client clocks").empty());
    record(installation,
           {
               {"robot", Reason::invalid_client_assertion_time, "it expired 290 s ago"},
               {"app", Reason::invalid_dpop_proof_time, "its \"iat\" is 100 s ago"},
               {"robot", Reason::invalid_client_assertion_time, "it expired 310 s ago"},
               {"signer", Reason::invalid_request_object_time, "\"nbf\" is 90 s ahead"},
               {"", Reason::invalid_dpop_proof_time, "\"iat\" is 3600 s ahead"},
               {"other", Reason::invalid_client_assertion, "of another key"},
               {"yesterday", Reason::invalid_client_assertion_time, "it expired 1 s ago", util::Seconds(25 * 3600)},
           });
    const std::string found = installation.findings("client clocks");
    CAPTURE(found);
    CHECK(std::ranges::count(found, '\n') == 4);
    CHECK(has(found,
              "warning: the client \"robot\" signs with times that do not fit the clock of this server, and was "
              "refused 2 times in the last 24 hours"));
    CHECK(has(found, ": it expired 310 s ago | let NTP set the clock of the client"));
    CHECK_FALSE(has(found, "290 s"));
    CHECK(has(found, "the client \"app\""));
    CHECK(has(found, "its \"iat\" is 100 s ago"));
    CHECK(has(found, "the client \"signer\""));
    CHECK(has(found, "a client that is not known"));
    CHECK_FALSE(has(found, "other"));
    CHECK_FALSE(has(found, "yesterday"));

    installation.reconfigure("clientAssertions", false);
    CHECK(installation.findings("client clocks").empty());
}

TEST_CASE("doctor: five clients whose clocks are off are named, and the others counted [KEY-7]") {
    const Installation installation(Installation::Start::initialised, {{"clientAssertions", true}});
    for (int i = 1; i <= 7; ++i)
        record(installation, {{"robot" + std::to_string(i), Reason::invalid_client_assertion_time, "it expired"}});
    const std::string found = installation.findings("client clocks");
    CHECK(std::ranges::count(found, '\n') == 6);
    CHECK(has(found, "\"robot7\""));
    CHECK_FALSE(has(found, "\"robot2\""));
    CHECK(has(found, "warning: 2 more clients whose times do not fit"));
}
