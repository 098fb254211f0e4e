#include "keys/key_directory.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ptrace.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "keys/key_files.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;
using keys::KeyDirectory;
using keys::KeyError;
using keys::KeyFileName;
using keys::Keys;
using keys::KeyState;
using keys::KeyUse;

namespace {

/// What `postern init` leaves, with the smallest kind of key.
class Fixture {
public:
    explicit Fixture(const std::vector<Algorithm>& algorithms = {Algorithm::EdDSA}) {
        Keys::create(path(), algorithms, kNow);
    }
    std::string path() const { return directory_ / "keys"; }
    std::string operator/(const std::string& name) const { return path() + "/" + name; }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path()))
            found.push_back(entry.path().filename().string());
        std::sort(found.begin(), found.end());
        return found;
    }
    std::string pem_of(const keys::KeyInfo& key) const {
        return *this / KeyFileName{key.algorithm, key.signs_from, key.kid}.to_string();
    }

private:
    TemporaryDirectory directory_;
};

std::string kid_at(const Keys& keys, Time time, Algorithm algorithm = Algorithm::EdDSA) {
    return keys.signing_key(algorithm, time).kid;
}

KeyState state_of(const std::string& path, const std::string& kid, Time now) {
    for (const auto& key : Keys::list(path, now)) {
        if (key.kid == kid) return key.state;
    }
    FAIL("not listed");
    return {};
}

/// What `signer` signs at `time`, every verifier believes.
bool believed(const Keys& signer, Time time, const std::vector<Keys*>& verifiers) {
    const auto& key = signer.signing_key(Algorithm::EdDSA, time);
    const auto token = jose::sign_compact(key.key, key.kid, jose::TokenType::access_token, "{}");
    return std::all_of(verifiers.begin(), verifiers.end(),
                       [&](Keys* keys) { return bool(keys->verifier().verify(token, jose::TokenType::access_token)); });
}

/// Runs `work` in a process of its own and kills it at its `stop`th system call, before or after that has been done.
/// False when it came to its end before.
bool killed_at(int stop, const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    for (int stops = 0; WIFSTOPPED(status); ++stops) {
        if (stops == stop) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return true;
        }
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        ::waitpid(child, &status, 0);
    }
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return false;
}

/// The moment at which it is asked decides what it says.
class WatchingClock final : public util::Clock {
public:
    explicit WatchingClock(std::function<Time()> say) : say_(std::move(say)) {}
    Time now() const override { return say_(); }

private:
    std::function<Time()> say_;
};

}  // namespace

TEST_CASE("KeyDirectory::add: a key is published at once and signs after its lead [OIDC Core §10.1.1, J18]") {
    const Fixture fixture({Algorithm::EdDSA, Algorithm::ES256});
    Keys running(fixture.path(), KeyUse::sign, true);
    const auto old = kid_at(running, kNow);
    const auto added =
        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{100}}}, util::FixedClock(kNow + Seconds{5}));
    REQUIRE(added.size() == 1);
    CHECK(added[0].signs_from == kNow + Seconds{105});
    CHECK(added[0].state == KeyState::next);
    CHECK(mode_of(fixture.pem_of(added[0])) == 0640);

    running.reload_if_changed();
    CHECK(running.published().size() == 3);
    CHECK(kid_at(running, kNow + Seconds{104}) == old);
    CHECK(kid_at(running, kNow + Seconds{105}) == added[0].kid);
    CHECK(state_of(fixture.path(), added[0].kid, kNow + Seconds{104}) == KeyState::next);
    CHECK(state_of(fixture.path(), old, kNow + Seconds{105}) == KeyState::retired);
    Keys verifying(fixture.path(), KeyUse::verify, false);
    CHECK(believed(running, kNow + Seconds{104}, {&verifying}));
    CHECK(believed(running, kNow + Seconds{105}, {&verifying}));
}

TEST_CASE(
    "KeyDirectory::add: the lead counts from the publication; a reader between two steps reads again after them") {
    const Fixture fixture;
    Keys running(fixture.path(), KeyUse::sign, true);
    const WatchingClock clock([&] {
        running.reload_if_changed();
        return kNow + Seconds{50};
    });
    KeyDirectory directory(fixture.path());
    const auto added = directory.add({{Algorithm::EdDSA, Seconds{7}}}, clock);
    CHECK(added[0].signs_from == kNow + Seconds{57});
    CHECK(running.published().size() == 2);  // before it was reloaded for the second time
    CHECK(kid_at(running, kNow + Seconds{57}) != added[0].kid);
    running.reload_if_changed();
    CHECK(kid_at(running, kNow + Seconds{57}) == added[0].kid);
}

TEST_CASE("KeyDirectory::add, Keys::create: with a clock before 1970 nothing is made, for no process could read it") {
    const Fixture fixture;
    const auto before = fixture.names();
    const auto published = read_file(fixture / "jwks.json");
    const util::FixedClock wrong(Time{Seconds{-1}});
    const auto message = refusal<KeyError>([&] {
        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{0}}}, wrong);
    });
    CHECK(mentions(message, "set the clock"));
    CHECK(fixture.names() == before);
    CHECK(read_file(fixture / "jwks.json") == published);
    KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{0}}}, util::FixedClock(Time{}));
    CHECK(Keys::list(fixture.path(), kNow).size() == 2);

    const TemporaryDirectory empty;
    CHECK_THROWS_AS(Keys::create(empty.path(), {Algorithm::EdDSA}, wrong.now()), KeyError);
    CHECK(std::filesystem::is_empty(empty.path()));
}

TEST_CASE("KeyDirectory::add: without a lead it signs at once, a second after the active key at the earliest") {
    const Fixture fixture({Algorithm::EdDSA, Algorithm::ES256});
    struct Row {
        Algorithm algorithm;
        Seconds now, begin;
    };
    for (const Row& row :
         {Row{Algorithm::EdDSA, Seconds{0}, Seconds{1}}, Row{Algorithm::EdDSA, Seconds{1}, Seconds{2}},
          Row{Algorithm::ES256, Seconds{9}, Seconds{9}}, Row{Algorithm::RS256, Seconds{0}, Seconds{0}}}) {
        const auto now = kNow + row.now;
        const auto added = KeyDirectory(fixture.path()).add({{row.algorithm, Seconds{0}}}, util::FixedClock(now));
        CHECK(added[0].signs_from == kNow + row.begin);
        const Keys keys(fixture.path(), KeyUse::sign, false);
        CHECK(kid_at(keys, kNow + row.begin, row.algorithm) == added[0].kid);
    }
}

TEST_CASE("KeyDirectory::add: a key that still waits never signs") {
    const Fixture fixture({Algorithm::EdDSA, Algorithm::ES256});
    const util::FixedClock clock(kNow);
    const auto waiting =
        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{100}}, {Algorithm::ES256, Seconds{100}}}, clock);
    const auto added = KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{10}}}, clock);
    const Keys keys(fixture.path(), KeyUse::sign, false);
    CHECK(kid_at(keys, kNow + Seconds{10}) == added[0].kid);
    CHECK(kid_at(keys, kNow + Seconds{1000}) == added[0].kid);
    CHECK(kid_at(keys, kNow + Seconds{100}, Algorithm::ES256) == waiting[1].kid);  // another algorithm's is left alone
    CHECK_FALSE(std::filesystem::exists(fixture.pem_of(waiting[0])));
}

TEST_CASE("KeyDirectory::add: a waiting key that was replaced is published no longer, unless it may have signed") {
    const Time now = util::SystemClock().now();  // the files have its time stamps
    struct Row {
        const char* when;
        Seconds lead;  ///< of the one that is replaced
        Seconds later;
        bool published;
    };
    const Row rows[] = {
        {"its time is far away", Seconds{3600}, Seconds{5}, false},
        {"its time is near", Seconds{60}, Seconds{5}, true},
        {"the clock was set back", Seconds{3600}, Seconds{-86400}, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Fixture fixture;
        const auto waiting = KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, row.lead}}, util::FixedClock(now));
        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{100}}}, util::FixedClock(now + row.later));
        const auto keys = Keys::list(fixture.path(), now);
        const auto found = std::ranges::find(keys, waiting[0].kid, &keys::KeyInfo::kid);
        CHECK((found != keys.end()) == row.published);
        if (found != keys.end()) CHECK(found->state == KeyState::retired);
        CHECK_FALSE(std::filesystem::exists(fixture.pem_of(waiting[0])));
    }
}

TEST_CASE("KeyDirectory::restore: killed at any system call, another run completes it and no key is lost") {
    int kills = 0;
    for (bool killed = true; killed; ++kills) {
        CAPTURE(kills);
        const Fixture fixture({Algorithm::EdDSA, Algorithm::ES256});
        const auto kid = kid_at(Keys(fixture.path(), KeyUse::sign, true), kNow, Algorithm::ES256);
        for (const keys::KeyInfo& key : Keys::list(fixture.path(), kNow))
            if (key.algorithm == Algorithm::EdDSA) std::filesystem::remove(fixture.pem_of(key));
        for (const char* name : {"jwks.json", "seal.key", "factor.key"})
            std::filesystem::remove(fixture.path() + "/" + name);
        const auto restore = [&] {
            return KeyDirectory(fixture.path()).restore({Algorithm::EdDSA, Algorithm::ES256}, util::FixedClock(kNow));
        };
        killed = killed_at(kills, [&] { restore(); });
        restore();
        const Keys keys(fixture.path(), KeyUse::sign, true);
        CHECK(kid_at(keys, kNow, Algorithm::ES256) == kid);
        CHECK_FALSE(kid_at(keys, kNow, Algorithm::EdDSA).empty());
        const auto again = restore();
        CHECK_FALSE(again.published);
        CHECK_FALSE(again.seal);
        CHECK_FALSE(again.factors);
        CHECK(again.keys.empty());
    }
    CHECK(kills > 10);
}

TEST_CASE("KeyDirectory: between any two steps, and killed at any system call, what is there works [J18]") {
    const auto later = kNow + Seconds{500};
    int kills = 0;
    for (bool killed = true; killed; ++kills) {
        CAPTURE(kills);
        const Fixture fixture;
        Keys running(fixture.path(), KeyUse::sign, true);
        const auto first = kid_at(running, kNow);
        killed = killed_at(kills, [&] {
            KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{100}}}, util::FixedClock(kNow));
            KeyDirectory(fixture.path()).renew_seal();
            KeyDirectory(fixture.path()).remove(first);
        });
        Keys started(fixture.path(), KeyUse::sign, true);
        Keys verifying(fixture.path(), KeyUse::verify, false);
        running.reload_if_changed();
        CHECK(believed(running, later, {&started, &verifying}));
        CHECK(believed(started, later, {&running, &verifying}));
        if (!killed) CHECK(kid_at(started, later) != first);

        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{600}}}, util::FixedClock(kNow));
        running.reload_if_changed();
        CHECK(believed(running, kNow + Seconds{600}, {&running}));
        for (const auto& name : fixture.names()) CHECK_FALSE(name.starts_with('.'));
    }
    CHECK(kills > 50);
}

TEST_CASE("Keys: read while keys come and go, they fit together [J18]") {
    const Fixture fixture;
    const util::FixedClock clock(kNow + Seconds{10});
    std::atomic<bool> ended = false;
    std::thread command([&] {
        for (int round = 0; round < 40; ++round) {
            KeyDirectory directory(fixture.path());
            const auto added = directory.add({{Algorithm::EdDSA, Seconds{100 + round}}}, clock);
            directory.remove(added[0].kid);
        }
        ended = true;
    });
    int loaded = 0;
    int failed = 0;
    while (!ended) {
        try {
            const Keys keys(fixture.path(), KeyUse::sign, true);
            ++loaded;
        } catch (const KeyError& error) {
            MESSAGE(std::string(error.what()));
            ++failed;
        }
    }
    command.join();
    CHECK(loaded > 20);
    CHECK(failed == 0);
}

TEST_CASE("KeyDirectory: held by one at a time, as long as it lives") {
    const Fixture fixture;
    {
        const KeyDirectory first(fixture.path());
        CHECK(mentions(refusal<KeyError>([&] { const KeyDirectory second(fixture.path()); }), "another command"));
    }
    CHECK(refusal<KeyError>([&] { const KeyDirectory second(fixture.path()); }) == "");
    CHECK(mentions(refusal<KeyError>([&] { const KeyDirectory none(fixture / "none"); }), "postern init"));
}

TEST_CASE("KeyDirectory::remove: the key is neither published nor there; the others are as they were") {
    const Fixture fixture;
    Keys running(fixture.path(), KeyUse::sign, false);
    const auto old = Keys::list(fixture.path(), kNow)[0];
    const auto added =
        KeyDirectory(fixture.path()).add({{Algorithm::EdDSA, Seconds{0}}}, util::FixedClock(kNow + Seconds{9}));
    KeyDirectory(fixture.path()).remove(old.kid);
    CHECK_FALSE(std::filesystem::exists(fixture.pem_of(old)));
    running.reload_if_changed();
    REQUIRE(running.published().size() == 1);
    CHECK(running.published()[0].kid == added[0].kid);
    CHECK(kid_at(running, kNow + Seconds{9}) == added[0].kid);
    CHECK_THROWS_AS(running.signing_key(Algorithm::EdDSA, kNow), KeyError);
    KeyDirectory(fixture.path()).remove("unknown");
    CHECK(Keys(fixture.path(), KeyUse::sign, false).published().size() == 1);
}

TEST_CASE("KeyDirectory::renew_seal: running processes take the new key over, the signing keys stay") {
    const Fixture fixture;
    Keys running(fixture.path(), KeyUse::sign, true);
    const std::string before(running.seal_key().reveal());
    const auto kid = kid_at(running, kNow);
    KeyDirectory(fixture.path()).renew_seal();
    running.reload_if_changed();
    CHECK(running.seal_key().reveal().size() == before.size());
    CHECK(running.seal_key().reveal() != before);
    CHECK(kid_at(running, kNow) == kid);
}

TEST_CASE("KeyDirectory: new files have the mode, group and owner of those they follow") {
    const Fixture fixture;
    const auto old = Keys::list(fixture.path(), kNow)[0];
    struct Row {
        std::string name;
        mode_t mode;
        gid_t group;
    };
    const gid_t other = ::geteuid() == 0 ? 12345 : ::getegid();
    const Row rows[] = {{"jwks.json", 0444, other}, {"seal.key", 0440, other + (::geteuid() == 0 ? 1 : 0)}};
    for (const Row& row : rows) {
        REQUIRE(::chown((fixture / row.name).c_str(), static_cast<uid_t>(-1), row.group) == 0);
        REQUIRE(::chmod((fixture / row.name).c_str(), row.mode) == 0);
    }
    REQUIRE(::chown(fixture.pem_of(old).c_str(), ::geteuid() == 0 ? 65534 : static_cast<uid_t>(-1), other) == 0);
    REQUIRE(::chmod(fixture.pem_of(old).c_str(), 0440) == 0);

    KeyDirectory directory(fixture.path());
    const auto added = directory.add({{Algorithm::EdDSA, Seconds{1}}}, util::FixedClock(kNow));
    directory.renew_seal();
    struct stat status {};
    for (const Row& row : rows) {
        CAPTURE(row.name);
        REQUIRE(::stat((fixture / row.name).c_str(), &status) == 0);
        CHECK((status.st_mode & 07777) == row.mode);
        CHECK(status.st_gid == row.group);
    }
    REQUIRE(::stat(fixture.pem_of(added[0]).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0440);
    CHECK(status.st_gid == other);
    if (::geteuid() == 0) CHECK(status.st_uid == 65534);
}
