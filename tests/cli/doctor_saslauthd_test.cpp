// `postern doctor`: what a login by saslauthd lacks is named, with its fix, and without it nothing is said of it.
#include <doctest/doctest.h>

#include <filesystem>

#include "installation.h"
#include "json/reader.h"
#include "preconditions.h"
#include "support/deployment.h"
#include "support/fake_saslauthd.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// The lines about it, with their fixes.
std::string said_of(const Installation& installation) {
    std::string said;
    const auto findings = json::parse(installation.postern({"doctor", "--json"}).out);
    REQUIRE(findings);
    for (const json::Value& finding : *findings->if_array()) {
        if (text_of(finding, "check") != "saslauthd") continue;
        said += text_of(finding, "state") + ": " + text_of(finding, "detail") + " | " + text_of(finding, "fix") + "\n";
    }
    return said;
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

}  // namespace

TEST_CASE("doctor: saslauthd is there, of whom, and refuses a made-up name [SOURCE-5]") {
    const Installation installation;
    CHECK(said_of(installation) == "");

    const fs::path place = installation.directory() / "sasl";
    fs::create_directory(place);
    const fs::path socket = place / "mux";
    installation.reconfigure(
        "login", json::Object{{"method", "saslauthd"}, {"saslauthd", json::Object{{"socket", socket.string()}}}});
    CHECK(begins(said_of(installation), "error: " + socket.string() + ": No such file or directory | start saslauthd"));
    write_file(socket, "");
    CHECK(begins(said_of(installation), "error: " + socket.string() + " is not a socket | "));
    fs::remove(socket);

    FakeSaslauthd fake(socket.string(), [](const auto&) { return FakeSaslauthd::says("NO"); });
    const std::string good = said_of(installation);
    CHECK(begins(good, "ok: " + socket.string() + ", of "));
    CHECK(good.find("refuses a made-up name") != std::string::npos);
    const auto first = fake.asked();
    REQUIRE(first.size() == 1);
    said_of(installation);
    CHECK(first.front().username != fake.asked().front().username);
    CHECK(first.front().username.size() >= 16);

    fake.answer({});
    CHECK(begins(said_of(installation), "error: a made-up name with a made-up password is accepted by saslauthd"));
    fake.answer([](const auto&) { return FakeSaslauthd::Reply{}; });
    CHECK(begins(said_of(installation), "error: saslauthd at " + socket.string() + " closed the connection"));
    fake.answer([](const auto&) { return FakeSaslauthd::says("NO"); });
    fs::permissions(place, fs::perms::all);
    CHECK(begins(said_of(installation), "error: " + place.string() + " (mode 0777): every user of this machine"));
}
