// `postern key`: what becomes of a signing key, from its publication to its end.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "installation.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kHour{3600};
constexpr std::chrono::seconds kMonth{2592000};  // refreshTokenTTL

/// Returns the output of --json.
json::Value parsed(const std::string& text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return *std::move(value);
}

json::Value list(const Deployment& op) { return parsed(op.must({"key", "list", "--json"})); }

/// "alg state" of all keys, sorted.
std::string states(const json::Value& keys) {
    Words words;
    for (const json::Value& key : *keys.if_array()) words.push_back(text_of(key, "alg") + " " + text_of(key, "state"));
    std::ranges::sort(words);
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// The kid of the one key of that algorithm and state.
std::string kid_of(const json::Value& keys, const std::string& alg, const std::string& state) {
    std::string kid;
    for (const json::Value& key : *keys.if_array()) {
        if (text_of(key, "alg") != alg || text_of(key, "state") != state) continue;
        CHECK(kid.empty());
        kid = text_of(key, "kid");
    }
    CAPTURE(alg);
    CAPTURE(state);
    REQUIRE_FALSE(kid.empty());
    return kid;
}

std::int64_t time_of(const json::Value& keys, const std::string& kid, const char* member) {
    for (const json::Value& key : *keys.if_array()) {
        if (text_of(key, "kid") == kid) return integer_of(key, member);
    }
    FAIL("not listed");
    return 0;
}

bool is_published(const Deployment& op, const std::string& kid) {
    return has(read_file(op.keys_directory() / "jwks.json"), kid);
}

std::vector<fs::path> private_halves(const Deployment& op, const std::string& kid) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(op.keys_directory())) {
        if (has(entry.path().filename().string(), kid)) found.push_back(entry.path());
    }
    return found;
}

CommandResult refused(const Deployment& op, const Words& arguments) {
    const auto result = op.postern(arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    return result;
}

}  // namespace

TEST_CASE("key rotate: the next key of each algorithm in use is published for an hour before it signs [J18]") {
    Deployment op;
    const auto before = list(op);
    REQUIRE(states(before) == "ES256 active, RS256 active");
    const auto made = parsed(op.must({"key", "rotate", "--json"}));
    CHECK(states(made) == "ES256 next, RS256 next");
    CHECK(states(list(op)) == "ES256 active, ES256 next, RS256 active, RS256 next");
    for (const json::Value& key : *made.if_array()) {
        CHECK(is_published(op, text_of(key, "kid")));
        CHECK(integer_of(key, "signs_from") == op.now() + 3600);
        REQUIRE(private_halves(op, text_of(key, "kid")).size() == 1);
        CHECK(mode_of(private_halves(op, text_of(key, "kid"))[0]) == 0640);
    }
    CHECK(mode_of(op.keys_directory() / "jwks.json") == 0644);
    op.advance(kHour - std::chrono::seconds(1));
    CHECK(kid_of(list(op), "ES256", "active") == kid_of(before, "ES256", "active"));
    op.advance(std::chrono::seconds(1));
    CHECK(states(list(op)) == "ES256 active, ES256 retired, RS256 active, RS256 retired");
    CHECK(kid_of(list(op), "ES256", "active") == kid_of(made, "ES256", "next"));
    CHECK(kid_of(list(op), "RS256", "retired") == kid_of(before, "RS256", "active"));
    CHECK(has(op.must({"key", "list"}), kid_of(before, "RS256", "active")));
}

TEST_CASE("key rotate: every algorithm of ID tokens gets a key, one that has none at once [ALG-1]") {
    Deployment op;
    op.configure("idTokenAlgorithms", json::strings({"RS256", "EdDSA"}));
    op.must({"key", "rotate"});
    CHECK(states(list(op)) == "ES256 active, ES256 next, EdDSA active, RS256 active, RS256 next");
}

TEST_CASE("key rotate: an RSA key for PS256 stands beside one for RS256, and each is known by its alg [KEY-3]") {
    const Deployment op;
    CHECK(states(parsed(op.must({"key", "rotate", "--alg", "PS256", "--lead", "0", "--json"}))) == "PS256 active");
    CHECK(states(list(op)) == "ES256 active, PS256 active, RS256 active");
}

TEST_CASE("key rotate: --alg is about one algorithm, --lead 0 signs at once and warns that clients keep the set") {
    const Deployment op;
    const auto one = op.postern({"key", "rotate", "--alg", "ES256", "--lead", "0"});
    CHECK(one.exit_code == 0);
    CHECK(has(one.err, "note: clients may cache the key set for 3600 seconds"));
    CHECK(states(list(op)) == "ES256 active, ES256 retired, RS256 active");
    CHECK(has(op.postern({"key", "rotate", "--alg", "RS256", "--lead", "3599"}).err, "3600 seconds"));
    const auto long_enough = op.postern({"key", "rotate", "--alg", "ES256", "--lead", "3600"});
    CHECK(long_enough.exit_code == 0);
    CHECK(long_enough.err.empty());
}

TEST_CASE("key rotate: in the second of `init` too, --lead 0 has taken effect when the command ends") {
    const Installation installation(Installation::Start::configured);
    installation.must({"init"});
    for (int i = 1; i < 3; ++i) {
        CHECK(states(installation.must_json({"key", "rotate", "--lead", "0", "--alg", "ES256"})) == "ES256 active");
        const auto keys = installation.must_json({"key", "list"});
        CHECK(static_cast<int>(keys.if_array()->size()) == 2 + i);
        kid_of(keys, "ES256", "active");
    }
}

TEST_CASE("key rotate: while a key waits another one is refused, with the time; --force replaces it") {
    Deployment op;
    op.must({"key", "rotate", "--alg", "ES256", "--lead", "100"});
    const auto waiting = kid_of(list(op), "ES256", "next");
    const std::string jwks = read_file(op.keys_directory() / "jwks.json");
    for (const Words& arguments :
         std::vector<Words>{{"key", "rotate"}, {"key", "rotate", "--alg", "ES256", "--lead", "0"}}) {
        const auto result = refused(op, arguments);
        CHECK(is_one_plain_line(result.err));
        CHECK(has(result.err, "2026-01-02 00:01:40 UTC"));
    }
    CHECK(read_file(op.keys_directory() / "jwks.json") == jwks);            // RS256 has not changed either
    CHECK(op.postern({"key", "rotate", "--alg", "RS256"}).exit_code == 0);  // another algorithm's does not hinder

    op.must({"key", "rotate", "--alg", "ES256", "--lead", "0", "--force"});
    const auto now = list(op);
    CHECK(kid_of(now, "ES256", "active") != waiting);
    CHECK(private_halves(op, waiting).empty());
    CHECK(is_published(op, waiting));
    op.advance(kHour);
    CHECK(kid_of(list(op), "ES256", "active") == kid_of(now, "ES256", "active"));
}

TEST_CASE("key rotate: an algorithm in use without a key that signs gets one at once; one that is not in use waits") {
    Deployment op;
    const auto prepared = op.postern({"key", "rotate", "--alg", "EdDSA", "--lead", "50"});
    CHECK(prepared.exit_code == 0);
    CHECK(has(prepared.err, "does not sign with EdDSA"));
    CHECK(states(list(op)) == "ES256 active, EdDSA next, RS256 active");

    Deployment changed;
    changed.configure("accessTokenAlgorithm", "EdDSA");
    const auto result = changed.postern({"key", "rotate", "--alg", "EdDSA"});
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "at once"));
    CHECK(states(list(changed)) == "ES256 active, EdDSA active, RS256 active");
}

TEST_CASE("key rotate: without OpenID Connect its algorithm is not in use") {
    const Deployment op;
    json::Object config = op.config();
    config.erase("oidc");
    op.write_config(json::write(config));
    CHECK(states(parsed(op.must({"key", "rotate", "--json"}))) == "ES256 next");
}

TEST_CASE("key rotate: --seal renews seal.key alone, and signing keys when they are asked for too") {
    const Deployment op;
    const auto seal = op.keys_directory() / "seal.key";
    const std::string first = read_file(seal);
    const auto alone = op.postern({"key", "rotate", "--seal", "--json"});
    CHECK(alone.exit_code == 0);
    CHECK(parsed(alone.out).if_array()->empty());
    CHECK(has(alone.err, "must start again"));
    const std::string second = read_file(seal);
    CHECK(second.size() == 32);
    CHECK(second != first);
    CHECK(mode_of(seal) == 0640);
    CHECK(states(list(op)) == "ES256 active, RS256 active");
    op.must({"key", "rotate", "--seal", "--alg", "ES256"});
    CHECK(read_file(seal) != second);
    CHECK(states(list(op)) == "ES256 active, ES256 next, RS256 active");
    const std::string third = read_file(seal);
    refused(op, {"key", "rotate", "--seal", "--alg", "ES256"});  // one waits
    CHECK(read_file(seal) == third);
}

TEST_CASE("key: one command at a time changes the keys") {
    const Deployment op;
    const int lock = ::open(op.keys_directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(::flock(lock, LOCK_EX) == 0);
    for (const Words& arguments :
         std::vector<Words>{{"key", "rotate"}, {"key", "rotate", "--seal"}, {"key", "retire", "x"}}) {
        CHECK(has(refused(op, arguments).err, "another command"));
    }
    CHECK(states(list(op)) == "ES256 active, RS256 active");  // looking is free
    ::close(lock);
    op.must({"key", "rotate"});
}

TEST_CASE(
    "key retire: exits 1 until the last token has expired, says when that is, and then ends the key [OIDC Core "
    "§10.1.1]") {
    struct Row {
        const char* when;
        json::Object config;
        const char* alg;
        std::chrono::seconds longest;  ///< since the successor signs
    };
    const Row rows[] = {
        {"refresh tokens are signed by the access token's algorithm", {}, "ES256", kMonth},
        {"an ID token may come back while a grant lives, whatever signs refresh tokens",
         {{"useOpaqueRefreshTokens", true}},
         "RS256",
         kMonth},
        {"or while a session does", {{"refreshTokenTTL", 7200}}, "RS256", 12 * kHour},
        {"however long", {{"refreshTokenTTL", 60}, {"sessionTTL", 50400}}, "RS256", 14 * kHour},
        {"opaque refresh tokens need no key", {{"useOpaqueRefreshTokens", true}}, "ES256", kHour},
        {"the longest counts", {{"useOpaqueRefreshTokens", true}, {"accessTokenTTL", 7200}}, "ES256", 2 * kHour},
        {"the longest counts",
         {{"refreshTokenTTL", 60}, {"idTokenTTL", 100}, {"accessTokenTTL", 80}},
         "ES256",
         std::chrono::seconds(100)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CAPTURE(row.alg);
        Deployment op;
        for (const auto& [name, value] : row.config.members()) op.configure(name, value);
        const auto old = kid_of(list(op), row.alg, "active");
        op.must({"key", "rotate", "--lead", "50"});
        CHECK(has(refused(op, {"key", "retire", old}).err, "signs now"));
        CHECK(has(refused(op, {"key", "retire", kid_of(list(op), row.alg, "next"), "--force"}).err, "waits to sign"));
        op.advance(std::chrono::seconds(50));
        CHECK(time_of(list(op), old, "needed_until") == op.now() + row.longest.count());
        op.advance(row.longest - std::chrono::seconds(1));
        const auto early = refused(op, {"key", "retire", old});
        CHECK(is_one_plain_line(early.err));
        CHECK(has(early.err, "may be valid until 2026-"));
        CHECK(is_published(op, old));
        CHECK_FALSE(has(op.postern({"doctor"}).out, "postern key retire " + old));
        op.advance(std::chrono::seconds(1));
        CHECK(has(op.postern({"doctor"}).out, "postern key retire " + old));
        CHECK(text_of(parsed(op.must({"key", "retire", old, "--json"})), "kid") == old);
        CHECK_FALSE(is_published(op, old));
        CHECK(private_halves(op, old).empty());
        CHECK(has(refused(op, {"key", "retire", old}).err, "no key"));
    }
}

TEST_CASE("key retire: --force ends a retired key at once, never one that signs") {
    const Deployment op;
    const auto old = kid_of(list(op), "ES256", "active");
    op.must({"key", "rotate", "--lead", "0"});
    refused(op, {"key", "retire", old});
    const auto active = kid_of(list(op), "ES256", "active");
    CHECK(has(refused(op, {"key", "retire", active, "--force"}).err, "signs now"));
    CHECK(has(op.must({"key", "retire", old, "--force"}), old));
    CHECK_FALSE(is_published(op, old));
    CHECK(is_published(op, active));
}

TEST_CASE("key retire: a key of an algorithm that is no longer configured goes with --force only") {
    Deployment op;
    op.must({"key", "rotate", "--alg", "EdDSA", "--lead", "0"});
    op.configure("accessTokenAlgorithm", "EdDSA");
    const auto old = kid_of(list(op), "ES256", "active");
    CHECK(has(refused(op, {"key", "retire", old}).err, "the time of that change is unknown"));
    op.must({"key", "retire", old, "--force"});
    CHECK(states(list(op)) == "EdDSA active, RS256 active");
}

TEST_CASE("key: run as root, new files have the owner and group of those they follow") {
    if (::geteuid() != 0) return;  // only root can give files away
    const Installation installation(Installation::Start::configured);
    installation.must({"init", "--owner", "65534:12345"});
    REQUIRE(::chown((installation.keys_directory() / "seal.key").c_str(), 65534, 12346) == 0);
    installation.must({"key", "rotate", "--lead", "100", "--seal"});
    std::map<std::string, int> groups;
    for (const auto& entry : fs::directory_iterator(installation.keys_directory())) {
        struct stat status {};
        REQUIRE(::stat(entry.path().c_str(), &status) == 0);
        CAPTURE(entry.path().string());
        CHECK(status.st_uid == 65534);
        CHECK(status.st_gid == (entry.path().filename() == "seal.key" ? 12346U : 12345U));
        ++groups[entry.path().extension()];
    }
    CHECK(groups[".pem"] == 4);
}
