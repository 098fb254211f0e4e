// `postern doctor`: the faults of saslauthd and of fetching over HTTPS are named with their fixes, and where neither is
// configured there is no finding about them.
#include <doctest/doctest.h>

#include <filesystem>

#include "fetch/messages.h"
#include "installation.h"
#include "os/landlock.h"
#include "support/deployment.h"
#include "support/fake_saslauthd.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

std::string said_of(const json::Object& outbound) {
    const Installation installation;
    installation.reconfigure("outbound", outbound);
    return installation.findings("outbound");
}

}  // namespace

TEST_CASE("doctor: what \"outbound\" needs and does not find is named with its fix [FETCH-2]") {
    const Installation place(Installation::Start::configured);
    const fs::path program = place.directory() / "program";
    const fs::path authorities = place.directory() / "ca.pem";
    const json::Object good{{"enabled", true}, {"program", program.string()}, {"ca", authorities.string()}};
    // Of the program itself, which is not there without libcurl, doctor looks for this; it starts nothing.
    const std::string marker = std::string(fetch::kMarkerBegins).append(fetch::kMarkerEnds);
    write_file(program, "#!/bin/sh\ntouch " + (place.directory() / "started").string() + "\n# " + marker + "\n");
    write_file(authorities, "");
    fs::permissions(program, fs::perms(0755));
    std::string reason;
    if (os::landlock_version(reason) >= 4)
        CHECK(said_of(good) == "ok: " + program.string() + " fetches documents of clients | \n");
    else
        CHECK(said_of(good).starts_with("warning: this kernel cannot restrict the ports"));

    CHECK(said_of({{"enabled", false}, {"program", "/nowhere/fetch"}}) == "");
    CHECK(said_of({}) == "");

    CHECK_FALSE(fs::exists(place.directory() / "started"));
    const fs::path own = build_directory() / "libexec/fetch/fetch";
    if (fs::exists(own)) {
        json::Object real = good;
        real.set("program", own.string());
        CHECK_FALSE(has(said_of(real), "is not the program"));
    }
    for (const std::string& other : {std::string("/bin/sh"), (build_directory() / "bin/postern").string()}) {
        CAPTURE(other);
        json::Object wrong = good;
        wrong.set("program", other);
        CHECK(said_of(wrong).starts_with("error: " + other + " is not the program that fetches"));
    }

    fs::permissions(program, fs::perms(0644));
    CHECK(said_of(good).starts_with("error: " + program.string() + ", which fetches, cannot be executed | chmod 755"));
    fs::remove(program);
    CHECK(said_of(good).starts_with("error: " + program.string() +
                                    ", which fetches, is not there | install the package"));
    write_file(program, marker);
    fs::permissions(program, fs::perms(0755));
    fs::remove(authorities);
    CHECK(said_of(good).starts_with("error: " + authorities.string() + ", the certificates of \"outbound.ca\""));
}

TEST_CASE("doctor: saslauthd is there, of whom, and refuses a made-up name [SOURCE-5]") {
    const Installation installation;
    CHECK(installation.findings("saslauthd") == "");

    const fs::path place = installation.directory() / "sasl";
    fs::create_directory(place);
    const fs::path socket = place / "mux";
    installation.reconfigure(
        "login", json::Object{{"method", "saslauthd"}, {"saslauthd", json::Object{{"socket", socket.string()}}}});
    CHECK(installation.findings("saslauthd")
              .starts_with("error: " + socket.string() + ": No such file or directory | start saslauthd"));
    write_file(socket, "");
    CHECK(installation.findings("saslauthd").starts_with("error: " + socket.string() + " is not a socket | "));
    fs::remove(socket);

    FakeSaslauthd fake(socket.string(), [](const auto&) { return FakeSaslauthd::says("NO"); });
    const std::string good = installation.findings("saslauthd");
    CHECK(good.starts_with("ok: " + socket.string() + ", of "));
    CHECK(has(good, "refuses a made-up name"));
    const auto first = fake.asked();
    REQUIRE(first.size() == 1);
    installation.findings("saslauthd");
    CHECK(first.front().username != fake.asked().front().username);
    CHECK(first.front().username.size() >= 16);

    fake.answer({});
    CHECK(installation.findings("saslauthd")
              .starts_with("error: a made-up name with a made-up password is accepted by saslauthd"));
    fake.answer([](const auto&) { return FakeSaslauthd::Reply{}; });
    CHECK(installation.findings("saslauthd")
              .starts_with("error: saslauthd at " + socket.string() + " closed the connection"));
    fake.answer([](const auto&) { return FakeSaslauthd::says("NO"); });
    fs::permissions(place, fs::perms::all);
    CHECK(installation.findings("saslauthd")
              .starts_with("error: " + place.string() + " (mode 0777): every user of this machine"));
}
