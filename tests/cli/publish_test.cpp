// `postern publish`: the public documents as files, the same as from the endpoints; `postern pages`: every page with
// sample values.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <system_error>

#include "installation.h"
#include "json/reader.h"
#include "json/writer.h"
#include "os/file.h"
#include "support/deployment.h"

using namespace postern::test;
namespace json = postern::json;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& directory) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

/// Whether a `postern` process has `path` open, as one that waits for its lock has.
bool is_open_in_command(const fs::path& path) {
    std::error_code ignored;  // processes end while they are listed
    for (const auto& process : fs::directory_iterator("/proc", ignored)) {
        std::string name;
        std::getline(std::ifstream(process.path() / "comm"), name);
        if (name != "postern") continue;
        for (const auto& open : fs::directory_iterator(process.path() / "fd", ignored))
            if (fs::read_symlink(open.path(), ignored) == path) return true;
    }
    return false;
}

/// Publishes to a place where that is refused in one line, which is returned.
std::string refused(const Deployment& op, const std::string& to) {
    const CommandResult result = op.postern({"publish", to});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    return result.err;
}

}  // namespace

TEST_CASE("publish: each file is byte for byte what the endpoint answers, readable by all") {
    const Deployment op(
        Deployment::Options{"https://op.example/auth", {{"scopeDescriptions", json::Object{{"api", "The API"}}}}});
    const fs::path to = op.directory() / "public" / ".well-known";
    const auto printed = json::parse(op.must({"publish", to.string(), "--json"}));
    REQUIRE(printed);
    CHECK(has(words_of(*printed, "files"), (to / "jwks.json").string()));
    const auto discovery = op.cgi("discovery");
    REQUIRE(discovery.status == 200);
    CHECK(read_file(to / "openid-configuration") == discovery.body);
    CHECK(read_file(to / "oauth-authorization-server") == discovery.body);
    CHECK(read_file(to / "jwks.json") == op.cgi("jwks").body);
    CHECK(entries(to) == 3);  // no temporary file
    for (const auto& entry : fs::directory_iterator(to)) CHECK(mode_of(entry.path()) == 0644);
    CHECK(mode_of(to) == 0755);
}

TEST_CASE("publish: run again, it replaces the files as a whole, after a rotation with the new keys") {
    const Deployment op;
    const fs::path to = op.directory();
    op.must({"publish", to.string()});
    const std::string before = read_file(to / "jwks.json");
    fs::create_hard_link(to / "jwks.json", to / "kept");
    op.must({"key", "rotate"});
    op.must({"publish", to.string()});
    CHECK(read_file(to / "jwks.json") == op.cgi("jwks").body);
    CHECK(read_file(to / "jwks.json") != before);
    CHECK(read_file(to / "kept") == before);  // another file, never half of each
}

TEST_CASE("publish: one run waits for another, and writes what the configuration says when its turn comes") {
    const Deployment op;
    const fs::path to = op.directory() / "public";
    fs::create_directory(to);
    postern::os::Descriptor other(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
    auto run = std::async(std::launch::async, [&] { return op.postern({"publish", to.string()}); });
    const auto has_ended = [&] { return run.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready; };
    while (!is_open_in_command(to)) REQUIRE_FALSE(has_ended());
    CHECK(entries(to) == 0);
    json::Object config = op.config();
    config.erase("oidc");
    op.write_config(json::write(config));
    other = postern::os::Descriptor();
    CHECK(run.get().exit_code == 0);
    CHECK(read_file(to / "oauth-authorization-server") == op.cgi("discovery").body);
    CHECK(entries(to) == 2);
}

TEST_CASE("publish: a directory that stays locked is refused, and nothing in it changes") {
    const Deployment op;
    const fs::path to = op.directory() / "public";
    fs::create_directory(to);
    const postern::os::Descriptor other(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
    CHECK(has(refused(op, to.string()), "fuser " + to.string()));
    CHECK(entries(to) == 0);
}

TEST_CASE("publish: without OpenID Connect there is no openid-configuration, and one from before is named") {
    const Deployment op;
    const fs::path to = op.directory() / "public";
    op.must({"publish", to.string()});
    json::Object config = op.config();
    config.erase("oidc");
    op.write_config(json::write(config));
    const auto again = op.postern({"publish", to.string()});
    CHECK(again.exit_code == 0);
    CHECK(has(again.err, (to / "openid-configuration").string()));
    CHECK_FALSE(has(again.out, "openid-configuration"));
    CHECK(read_file(to / "oauth-authorization-server") == op.cgi("discovery").body);
    fs::remove_all(to);
    CHECK(op.postern({"publish", to.string()}).err.empty());
    CHECK(entries(to) == 2);
}

TEST_CASE("publish: what cannot be written or read is refused in one line") {
    const Deployment op;
    write_file(op.directory() / "file", "");
    refused(op, (op.directory() / "file").string());
    write_file(op.keys_directory() / "jwks.json", "{}");
    refused(op, (op.directory() / "new").string());
    CHECK_FALSE(fs::exists(op.directory() / "new"));
    op.write_config("{");
    CHECK(op.postern({"publish", (op.directory() / "new").string()}).exit_code != 0);
    CHECK_FALSE(fs::exists(op.directory() / "new"));
}

TEST_CASE("publish: for a former host the file that lets its passkeys be used here, and no other [WEBAUTHN-27]") {
    const Deployment op(
        Deployment::Options{"https://id.new.example/auth", {{"login", json::Object{{"rpId", "id.old.example"}}}}});
    const fs::path to = op.directory() / "public";
    CHECK(op.must({"publish", to.string(), "--related-origin"}) == (to / "webauthn").string() + "\n");
    CHECK(read_file(to / "webauthn") == R"({"origins":["https://id.new.example"]})");
    CHECK(mode_of(to / "webauthn") == 0644);
    CHECK(entries(to) == 1);
}

TEST_CASE("publish: without a former host there is no file for one [WEBAUTHN-27]") {
    for (const char* rp_id : {"op.example", "example.org", ""}) {
        CAPTURE(rp_id);
        const std::string issuer = *rp_id == 'e' ? "https://id.example.org" : "https://op.example";
        const json::Object login = *rp_id ? json::Object{{"rpId", rp_id}} : json::Object{};
        const Deployment op(Deployment::Options{issuer, {{"login", login}}});
        const fs::path to = op.directory() / "public";
        const CommandResult refused = op.postern({"publish", to.string(), "--related-origin"});
        CHECK(refused.exit_code == 1);
        CHECK(has(refused.err, "browsers need no such file"));
        CHECK_FALSE(fs::exists(to));
    }
}

namespace {

using namespace postern::test;
namespace fs = std::filesystem;
namespace json = postern::json;

std::set<std::string> names_in(const fs::path& directory) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
    return names;
}

}  // namespace

TEST_CASE("pages: each template with a title is there, as a page that a browser shows [BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path out = op.directory() / "pages";
    const auto printed = json::parse(op.must({"pages", out.string(), "--json"}));
    REQUIRE(printed);
    const auto names = names_in(out);
    CHECK(printed->if_object()->find("files")->if_array()->size() == names.size());
    int templates = 0;
    for (const auto& entry : fs::directory_iterator("templates")) {
        if (entry.path().extension() != ".html" || !has(read_file(entry.path()), "<title>")) continue;
        CAPTURE(entry.path().string());
        ++templates;
        CHECK(names.contains(entry.path().filename()));
    }
    CHECK(templates >= 20);
    for (const std::string& name : names) {
        CAPTURE(name);
        const std::string page = read_file(out / name);
        CHECK(page.starts_with("<!DOCTYPE html>"));
        CHECK(page.ends_with("</html>\n"));
        CHECK_FALSE(has(page, "{{"));
        CHECK(has(page, "<h1>"));
    }
}

TEST_CASE("pages: configuration and templates are what the server would use [BRAND-5, BRAND-1]") {
    const Installation op(Installation::Start::configured);
    op.reconfigure("branding", json::Object{{"name", "Example Org"}, {"help", "https://help.example"}});
    const fs::path out = op.directory() / "pages";
    op.must({"pages", out.string()});
    for (const std::string& name : names_in(out)) {
        CAPTURE(name);
        CHECK(has(read_file(out / name), " – Example Org</title>"));
        CHECK(has(read_file(out / name), "Get help"));
    }
}

TEST_CASE("pages: a directory that is not empty is refused, and nothing in it changes [BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path out = op.directory() / "pages";
    fs::create_directory(out);
    std::ofstream(out / "login.html") << "mine";
    CHECK(has(op.refused({"pages", out.string()}), "is not empty"));
    CHECK(read_file(out / "login.html") == "mine");
    CHECK(names_in(out).size() == 1);
    fs::remove(out / "login.html");
    op.must({"pages", out.string()});
}

TEST_CASE("pages: what cannot be shown is named, and nothing is written [BRAND-3, BRAND-5]") {
    const Installation op(Installation::Start::configured);
    const fs::path logo = op.directory() / "logo.svg";
    std::ofstream(logo) << "our logo";
    op.reconfigure("branding", json::Object{{"name", "A"}, {"logo", logo.string()}});
    const fs::path out = op.directory() / "pages";
    CHECK(has(op.refused({"pages", out.string()}), "neither a PNG nor a whole SVG"));
    CHECK_FALSE(fs::exists(out));
}
