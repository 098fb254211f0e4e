// A client's secret is changed while the client runs: both work for as long as was said, then only the new one.
#include <doctest/doctest.h>

#include "json/reader.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

/// What the token endpoint says to the client with that secret.
std::string verdict_with(const Deployment& op, const std::string& secret) {
    CgiRequest request = post_form("grant_type=client_credentials");
    request.headers = {{"Authorization", basic(kMachine, secret)}};
    return op.cgi("token", request).verdict();
}

/// The secret that the command made, with these options.
std::string rotate(const Deployment& op, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"client", "secret", kMachine, "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto printed = json::parse(op.must(arguments));
    REQUIRE((printed && printed->if_object()));
    return text_of(*printed->if_object(), "client_secret");
}

const std::string kGood = "200";
const std::string kBad = "401 invalid_client";

TEST_CASE("client secret: --keep-old lets the old secret work to the second, the new one at once") {
    Deployment op;
    const std::string old = secret_of(kMachine);
    REQUIRE(verdict_with(op, old) == kGood);
    const std::string fresh = rotate(op, {"--keep-old", "60"});
    CHECK(verdict_with(op, fresh) == kGood);
    CHECK(verdict_with(op, old) == kGood);
    CHECK(verdict_with(op, fresh + "x") == kBad);
    op.advance(seconds(59));
    CHECK(verdict_with(op, old) == kGood);
    op.advance(seconds(1));
    CHECK(verdict_with(op, old) == kBad);
    CHECK(verdict_with(op, fresh) == kGood);
}

TEST_CASE("client secret: of three secrets in a row each ends at its own time") {
    Deployment op;
    const std::string first = secret_of(kMachine);
    const std::string second = rotate(op, {"--keep-old", "100"});
    op.advance(seconds(10));
    const std::string third = rotate(op, {"--keep-old", "30"});
    CHECK(verdict_with(op, second) == kGood);
    op.advance(seconds(30));
    CHECK(verdict_with(op, second) == kBad);
    CHECK(verdict_with(op, third) == kGood);
    op.advance(seconds(60));
    CHECK(verdict_with(op, first) == kBad);
}

}  // namespace
