#include "keys/keys.h"

#include <doctest/doctest.h>

#include "db/error.h"
#include "json/writer.h"
#include "keys/key_files.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;
using keys::KeyError;
using keys::KeyFileName;
using keys::Keys;
using keys::KeyState;
using keys::KeyUse;

namespace {

/// A key directory of our own making, with the public halves of exactly the keys that were published.
class KeyDirectory {
public:
    KeyDirectory() { Keys::create(path(), {}, kNow); }

    std::string path() const { return directory_ / "keys"; }
    std::string operator/(const std::string& name) const { return path() + "/" + name; }

    /// The kid. The smallest kind of key to make.
    std::string add(Time signs_from, bool with_pem = true, Algorithm algorithm = Algorithm::EdDSA) {
        const auto key = crypto::PrivateKey::generate(algorithm);
        const auto kid = jose::thumbprint(key.public_key());
        if (with_pem)
            keys::write_key_file(path(), KeyFileName{algorithm, signs_from, kid}.to_string(), key.to_pem().reveal(),
                                 0640);
        published_.push_back({kid, key.public_key()});
        publish();
        return kid;
    }
    void unpublish(const std::string& kid) {
        std::erase_if(published_, [&](const jose::Jwk& jwk) { return jwk.kid == kid; });
        publish();
    }
    std::string pem_of(const std::string& kid, Time signs_from) const {
        return *this / KeyFileName{Algorithm::EdDSA, signs_from, kid}.to_string();
    }
    void publish() const { keys::write_key_file(path(), "jwks.json", json::write(jose::to_json(published_)), 0644); }

private:
    TemporaryDirectory directory_;
    jose::JwkSet published_;
};

std::string refused(const std::string& directory, KeyUse use = KeyUse::sign, bool with_seal = true) {
    return refusal<KeyError>([&] { Keys(directory, use, with_seal); });
}

}  // namespace

TEST_CASE(
    "Keys::create: one key per algorithm, its public half, a seal key, a factor key, each with its mode [FKEY-1]") {
    const TemporaryDirectory directory;
    const auto path = directory / "keys";
    const auto former = ::umask(0077);
    Keys::create(path, {Algorithm::RS256, Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::ES256},
                 kNow);
    ::umask(former);

    CHECK(mode_of(path) == 0750);
    CHECK(mode_of(path + "/jwks.json") == 0644);
    CHECK(mode_of(path + "/seal.key") == 0640);
    CHECK(std::filesystem::file_size(path + "/seal.key") == 32);
    CHECK(mode_of(path + "/factor.key") == 0640);
    CHECK(std::filesystem::file_size(path + "/factor.key") == 32);
    CHECK(read_file(path + "/factor.key") != read_file(path + "/seal.key"));
    Keys keys(path, KeyUse::sign, true, true);
    CHECK(keys.factor_key().reveal() == read_file(path + "/factor.key"));
    CHECK(keys.published().size() == 4);
    CHECK(keys.seal_key().reveal().size() == 32);
    for (const Algorithm algorithm : {Algorithm::RS256, Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA}) {
        const auto& key = keys.signing_key(algorithm, kNow);
        CHECK(key.key.algorithm() == algorithm);
        CHECK(key.kid == jose::thumbprint(key.key.public_key()));
        CHECK(mode_of(path + "/" + KeyFileName{algorithm, kNow, key.kid}.to_string()) == 0640);
        const auto token = jose::sign_compact(key.key, key.kid, jose::TokenType::access_token, "{}");
        CHECK(keys.verifier().verify(token, jose::TokenType::access_token));
    }
    CHECK(std::distance(std::filesystem::directory_iterator(path), {}) == 7);
    CHECK_FALSE(mentions(read_file(path + "/jwks.json"), "\"d\""));  // nothing private in it
}

TEST_CASE("Keys::create: replaces nothing") {
    for (const char* name : {"jwks.json", "seal.key", "factor.key", "ES256.5.k.pem"}) {
        CAPTURE(name);
        const TemporaryDirectory directory;
        write_file(directory / name, "precious");
        const auto message = refusal<KeyError>([&] { Keys::create(directory.path(), {Algorithm::EdDSA}, kNow); });
        CHECK(mentions(message, directory / name));
        CHECK(read_file(directory / name) == "precious");
        CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
    }
    const TemporaryDirectory directory;
    CHECK(mentions(refusal<KeyError>([&] { Keys::create(directory / "no/keys", {}, kNow); }), directory / "no/keys"));
}

TEST_CASE("Keys::create: two directories have nothing in common") {
    const TemporaryDirectory directory;
    for (const char* name : {"one", "two"}) Keys::create(directory / name, {Algorithm::EdDSA}, kNow);
    const Keys one(directory / "one", KeyUse::sign, true);
    const Keys two(directory / "two", KeyUse::sign, true);
    CHECK(one.seal_key().reveal() != two.seal_key().reveal());
    CHECK(one.published()[0].kid != two.published()[0].kid);
}

TEST_CASE("Keys: opens nothing that its use does not need") {
    KeyDirectory directory;
    const auto kid = directory.add(kNow);
    REQUIRE(::chmod(directory.pem_of(kid, kNow).c_str(), 0644) == 0);
    REQUIRE(::chmod((directory / "seal.key").c_str(), 0644) == 0);
    CHECK(Keys(directory.path(), KeyUse::publish, false).published().size() == 1);
    CHECK_NOTHROW(Keys(directory.path(), KeyUse::verify, false).verifier());
    CHECK_THROWS_AS(Keys(directory.path(), KeyUse::publish, false).verifier(), KeyError);
    CHECK_THROWS_AS(Keys(directory.path(), KeyUse::verify, false).seal_key(), KeyError);
    CHECK_THROWS_AS(Keys(directory.path(), KeyUse::verify, false).signing_key(Algorithm::EdDSA, kNow), KeyError);
    CHECK(mentions(refused(directory.path(), KeyUse::sign, false), directory.pem_of(kid, kNow)));
    CHECK(mentions(refused(directory.path(), KeyUse::verify, true), directory / "seal.key"));
}

TEST_CASE(
    "Keys: factor.key is read where it is declared and there; a missing one is a failure of the store [FKEY-1, RFC 6238 §5.1]") {
    KeyDirectory directory;
    const auto open = [&](bool with_factors) { return Keys(directory.path(), KeyUse::verify, true, with_factors); };
    CHECK(open(true).has_factor_key());
    CHECK_FALSE(open(false).has_factor_key());
    CHECK_THROWS_AS(open(false).factor_key(), db::StoreError);

    REQUIRE(::chmod((directory / "factor.key").c_str(), 0644) == 0);
    CHECK_NOTHROW(open(false));
    CHECK(mentions(refusal<KeyError>([&] { open(true); }), "chmod 0640 " + (directory / "factor.key")));
    REQUIRE(::chmod((directory / "factor.key").c_str(), 0640) == 0);
    for (const std::size_t size : {0, 31, 33, 65, 97, 128}) {
        write_file(directory / "factor.key", std::string(size, 'k'));
        CHECK(mentions(refusal<KeyError>([&] { open(true); }), "32, 64 or 96 bytes"));
    }
    for (const std::size_t size : {32, 64, 96}) {  // of one that is or was rotated
        write_file(directory / "factor.key", std::string(size, 'k'));
        CHECK(open(true).factor_key().reveal().size() == size);
    }

    std::filesystem::remove(directory / "factor.key");
    const Keys without = open(true);
    CHECK_FALSE(without.has_factor_key());
    CHECK(without.seal_key().reveal().size() == 32);
    CHECK(mentions(refusal<db::StoreError>([&] { without.factor_key(); }), "postern key repair"));
}

TEST_CASE("Keys: refuses to start with a file that is not as it should be, and names it") {
    struct Row {
        const char* when;
        void (*spoil)(const KeyDirectory&, const std::string& pem);
        const char* named;  ///< "" = the pem
        const char* fix;
    };
    const Row rows[] = {
        {"private key readable by others",
         [](const KeyDirectory&, const std::string& pem) { ::chmod(pem.c_str(), 0644); }, "", "chmod 0640"},
        {"private key writable by others",
         [](const KeyDirectory&, const std::string& pem) { ::chmod(pem.c_str(), 0642); }, "", "chmod 0640"},
        {"private key is a symbolic link",
         [](const KeyDirectory& d, const std::string& pem) {
             std::filesystem::rename(pem, d / "elsewhere");
             std::filesystem::create_symlink(d / "elsewhere", pem);
         },
         "", "symbolic link"},
        {"private key is garbage",
         [](const KeyDirectory&, const std::string& pem) { write_file(pem, "-----BEGIN garbage"); }, "", "backup"},
        {"private key is empty", [](const KeyDirectory&, const std::string& pem) { write_file(pem, ""); }, "",
         "backup"},
        {"private key is another one",
         [](const KeyDirectory&, const std::string& pem) {
             write_file(pem, std::string(crypto::PrivateKey::generate(Algorithm::EdDSA).to_pem().reveal()));
         },
         "", "a different key than its name says"},
        {"private key is of another algorithm",
         [](const KeyDirectory&, const std::string& pem) {
             write_file(pem, std::string(crypto::PrivateKey::generate(Algorithm::ES256).to_pem().reveal()));
         },
         "", "a different key than its name says"},
        {"a pem with another name", [](const KeyDirectory& d, const std::string&) { write_file(d / "old.pem", "x"); },
         "old.pem", "move it"},
        {"jwks.json writable by others",
         [](const KeyDirectory& d, const std::string&) { ::chmod((d / "jwks.json").c_str(), 0646); }, "jwks.json",
         "chmod 0644"},
        {"jwks.json missing",
         [](const KeyDirectory& d, const std::string&) { std::filesystem::remove(d / "jwks.json"); }, "jwks.json",
         "backup"},
        {"jwks.json is garbage",
         [](const KeyDirectory& d, const std::string&) { write_file(d / "jwks.json", "{\"keys\":"); }, "jwks.json",
         "backup"},
        {"seal.key readable by others",
         [](const KeyDirectory& d, const std::string&) { ::chmod((d / "seal.key").c_str(), 0644); }, "seal.key",
         "chmod 0640"},
        {"seal.key missing", [](const KeyDirectory& d, const std::string&) { std::filesystem::remove(d / "seal.key"); },
         "seal.key", "backup"},
        {"seal.key a byte short",
         [](const KeyDirectory& d, const std::string&) { write_file(d / "seal.key", std::string(31, 'k')); },
         "seal.key", "32 bytes"},
        {"seal.key a byte long",
         [](const KeyDirectory& d, const std::string&) { write_file(d / "seal.key", std::string(33, 'k')); },
         "seal.key", "32 bytes"},
        {"directory writable by others",
         [](const KeyDirectory& d, const std::string&) { ::chmod(d.path().c_str(), 0757); }, ".", "chmod 0750"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        KeyDirectory directory;
        const auto pem = directory.pem_of(directory.add(kNow), kNow);
        REQUIRE(refused(directory.path()) == "");
        row.spoil(directory, pem);
        const auto message = refused(directory.path());
        const std::string named = row.named;
        CHECK(mentions(message, named.empty() ? pem : named == "." ? directory.path() : directory / named));
        CHECK(mentions(message, row.fix));
    }
    const TemporaryDirectory directory;
    CHECK(mentions(refused(directory / "missing"), "postern init"));
}

TEST_CASE(
    "Keys: a private key whose public half is not published is refused, because its signatures could not be verified") {
    KeyDirectory directory;
    directory.add(kNow);
    const auto kid = directory.add(kNow + Seconds{5});
    CHECK(refused(directory.path()) == "");
    directory.unpublish(kid);
    CHECK(mentions(refused(directory.path()), directory.pem_of(kid, kNow + Seconds{5})));
    CHECK(refused(directory.path(), KeyUse::verify) == "");
}

TEST_CASE("signing_key: the newest key of the algorithm that signs already [OpenID Connect Core §10.1.1]") {
    KeyDirectory directory;
    const auto old = directory.add(kNow);
    const auto middle = directory.add(kNow + Seconds{100});
    const auto next = directory.add(kNow + Seconds{200});
    const auto other = directory.add(kNow + Seconds{50}, true, Algorithm::ES256);
    const Keys keys(directory.path(), KeyUse::sign, false);
    const auto kid_at = [&](int second) { return keys.signing_key(Algorithm::EdDSA, kNow + Seconds{second}).kid; };
    CHECK(kid_at(0) == old);
    CHECK(kid_at(99) == old);
    CHECK(kid_at(100) == middle);
    CHECK(kid_at(199) == middle);
    CHECK(kid_at(200) == next);
    CHECK(keys.signing_key(Algorithm::ES256, kNow + Seconds{1000}).kid == other);
    CHECK_THROWS_AS(keys.signing_key(Algorithm::EdDSA, kNow - Seconds{1}), KeyError);
    CHECK_THROWS_AS(keys.signing_key(Algorithm::RS256, kNow), KeyError);
}

TEST_CASE("Keys::list: next, active, retired, from the published set and the file names") {
    KeyDirectory directory;
    const auto without_pem = directory.add(Time{}, false);
    const auto old = directory.add(kNow - Seconds{100});
    const auto active = directory.add(kNow);
    const auto next = directory.add(kNow + Seconds{1});
    const auto other = directory.add(kNow - Seconds{1000}, true, Algorithm::ES256);
    REQUIRE(::chmod(directory.pem_of(old, kNow - Seconds{100}).c_str(), 0000) == 0);  // names are enough
    write_file(directory.pem_of(old, kNow - Seconds{100}), "garbage");

    const auto state_of = [&](const std::string& kid, Time now) -> keys::KeyInfo {
        for (const auto& key : Keys::list(directory.path(), now)) {
            if (key.kid == kid) return key;
        }
        FAIL("not listed");
        return {};
    };
    CHECK(state_of(without_pem, kNow).state == KeyState::retired);
    CHECK(state_of(old, kNow).state == KeyState::retired);
    CHECK(state_of(active, kNow).state == KeyState::active);
    CHECK(state_of(next, kNow).state == KeyState::next);
    CHECK(state_of(other, kNow).state == KeyState::active);
    CHECK(state_of(next, kNow).signs_from == kNow + Seconds{1});
    CHECK(state_of(other, kNow).algorithm == Algorithm::ES256);
    CHECK(state_of(active, kNow + Seconds{1}).state == KeyState::retired);
    CHECK(state_of(next, kNow + Seconds{1}).state == KeyState::active);

    // Of its algorithm: the older key of another one ends nothing.
    CHECK(state_of(old, kNow).signs_until == kNow);
    CHECK(state_of(active, kNow).signs_until == kNow + Seconds{1});
    CHECK(state_of(next, kNow).signs_until == std::nullopt);
    CHECK(state_of(other, kNow).signs_until == std::nullopt);
    // Nobody wrote down when the private half went, but the directory has not changed since.
    struct stat changed {};
    REQUIRE(::stat(directory.path().c_str(), &changed) == 0);
    CHECK(state_of(without_pem, kNow).signs_until == util::from_epoch(changed.st_mtim.tv_sec));

    std::string order;
    for (const auto& key : Keys::list(directory.path(), kNow)) order += key.kid + " ";
    CHECK(order == other + " " + without_pem + " " + old + " " + active + " " + next + " ");

    directory.unpublish(next);
    CHECK(Keys::list(directory.path(), kNow).size() == 4);
}

TEST_CASE("reload_if_changed: a new set is taken over at the next look, an unchanged one is not read again") {
    KeyDirectory directory;
    const auto first = directory.add(kNow);
    Keys keys(directory.path(), KeyUse::sign, true);
    const auto* const before = &keys.verifier();
    keys.reload_if_changed();
    CHECK(&keys.verifier() == before);

    const auto second = directory.add(kNow + Seconds{1});
    write_file(directory / "seal.key", std::string(32, 'n'));
    keys.reload_if_changed();
    CHECK(keys.published().size() == 2);
    CHECK(keys.signing_key(Algorithm::EdDSA, kNow + Seconds{1}).kid == second);
    CHECK(keys.seal_key().reveal() == std::string(32, 'n'));

    directory.unpublish(first);
    std::filesystem::remove(directory.pem_of(first, kNow));
    keys.reload_if_changed();
    CHECK(keys.published().size() == 1);
    CHECK_THROWS_AS(keys.signing_key(Algorithm::EdDSA, kNow), KeyError);
}

TEST_CASE("reload_if_changed: a set that cannot be used is an error each time, and replaces nothing") {
    KeyDirectory directory;
    const auto kid = directory.add(kNow);
    Keys keys(directory.path(), KeyUse::sign, true);
    keys::write_key_file(directory.path(), "jwks.json", "garbage", 0644);
    CHECK_THROWS_AS(keys.reload_if_changed(), KeyError);
    CHECK_THROWS_AS(keys.reload_if_changed(), KeyError);
    CHECK(keys.published().size() == 1);
    CHECK(keys.signing_key(Algorithm::EdDSA, kNow).kid == kid);
    directory.publish();
    CHECK_NOTHROW(keys.reload_if_changed());
    std::filesystem::remove(directory / "jwks.json");
    CHECK_THROWS_AS(keys.reload_if_changed(), KeyError);
}
