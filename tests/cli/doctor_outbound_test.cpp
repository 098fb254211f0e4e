// `postern doctor`: what fetching over HTTPS lacks is named, with its fix, and without "outbound" nothing is said of
// it.
#include <doctest/doctest.h>

#include <filesystem>

#include "fetch/messages.h"
#include "json/reader.h"
#include "os/landlock.h"
#include "preconditions.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// The lines about it, with their fixes.
std::string said_of(const json::Object& outbound) {
    const Installation installation;
    installation.reconfigure("outbound", outbound);
    std::string said;
    const auto findings = json::parse(installation.postern({"doctor", "--json"}).out);
    REQUIRE(findings);
    for (const json::Value& finding : *findings->if_array()) {
        if (text_of(finding, "check") != "outbound") continue;
        said += text_of(finding, "state") + ": " + text_of(finding, "detail") + " | " + text_of(finding, "fix") + "\n";
    }
    return said;
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
        CHECK(said_of(good).find("warning: this kernel cannot restrict the ports") == 0);

    CHECK(said_of({{"enabled", false}, {"program", "/nowhere/fetch"}}) == "");
    CHECK(said_of({}) == "");

    CHECK_FALSE(fs::exists(place.directory() / "started"));
    const fs::path own = build_directory() / "libexec/fetch/fetch";
    if (fs::exists(own)) {
        json::Object real = good;
        real.set("program", own.string());
        CHECK(said_of(real).find("is not the program") == std::string::npos);
    }
    for (const std::string& other : {std::string("/bin/sh"), (build_directory() / "bin/postern").string()}) {
        CAPTURE(other);
        json::Object wrong = good;
        wrong.set("program", other);
        CHECK(said_of(wrong).find("error: " + other + " is not the program that fetches") == 0);
    }

    fs::permissions(program, fs::perms(0644));
    CHECK(said_of(good).find("error: " + program.string() + ", which fetches, cannot be executed | chmod 755") == 0);
    fs::remove(program);
    CHECK(said_of(good).find("error: " + program.string() + ", which fetches, is not there | install the package") ==
          0);
    write_file(program, marker);
    fs::permissions(program, fs::perms(0755));
    fs::remove(authorities);
    CHECK(said_of(good).find("error: " + authorities.string() + ", the certificates of \"outbound.ca\"") == 0);
}
