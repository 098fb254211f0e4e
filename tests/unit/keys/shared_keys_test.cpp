#include "keys/shared_keys.h"

#include <doctest/doctest.h>
#include <algorithm>

#include "keys/key_directory.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;
using keys::KeyDirectory;
using keys::KeyError;
using keys::KeyFile;
using keys::Keys;
using keys::KeyUse;
using keys::SealFault;

namespace {

/// The key directories of two nodes, each with a key of its own.
struct Nodes {
    Nodes() {
        for (const char* node : {"a", "b"}) Keys::create(directory / node, {Algorithm::EdDSA}, kNow);
    }
    std::string a() const { return directory / "a"; }
    std::string b() const { return directory / "b"; }

    TemporaryDirectory directory;
    crypto::SeededRandom random{"nodes"};
};

std::vector<std::string> contents(const std::vector<KeyFile>& files) {
    std::vector<std::string> all;
    for (const KeyFile& file : files) all.push_back(file.name + "=" + std::string(file.bytes.reveal()));
    std::ranges::sort(all);
    return all;
}
std::vector<std::string> contents(const std::string& directory) { return contents(keys::read_key_files(directory)); }

KeyFile& file_of(std::vector<KeyFile>& files, const std::string& ending) {
    return *std::ranges::find_if(files, [&](const KeyFile& file) { return file.name.ends_with(ending); });
}

void make_transport_key(Nodes& nodes) { keys::NewTransportKey(nodes.a(), nodes.random).put_in_place(); }

}  // namespace

TEST_CASE("open_files: what was sealed with the same key, for the same names and generation, and nothing else") {
    Nodes nodes;
    const util::Secret transport(std::string(32, 't'));
    const auto files = keys::read_key_files(nodes.a());
    REQUIRE(files.size() == 4);
    const auto sealed = keys::seal_files(transport, 7, files, nodes.random);
    for (const auto& [name, text] : sealed) CHECK_FALSE(mentions(text, "PRIVATE"));
    CHECK(contents(*keys::open_files(transport, 7, sealed)) == contents(files));

    for (const std::int64_t generation : {6, 8})
        CHECK(keys::open_files(transport, generation, sealed).error() == SealFault::other_key);
    CHECK(keys::open_files(util::Secret(std::string(32, 'u')), 7, sealed).error() == SealFault::other_key);
    CHECK(keys::open_files(transport, 7, {}).error() == SealFault::other_key);
}

TEST_CASE("open_files: each file is one of those that were sealed together, and none of them is missing") {
    Nodes nodes;
    const util::Secret transport(std::string(32, 't'));
    const auto files = keys::read_key_files(nodes.a());
    const auto sealed = keys::seal_files(transport, 7, files, nodes.random);
    const auto others = keys::seal_files(transport, 7, keys::read_key_files(nodes.b()), nodes.random);
    const auto again = keys::seal_files(transport, 7, files, nodes.random);
    const auto refused = [&](const keys::SealedKeyFiles& rows) {
        CHECK(keys::open_files(transport, 7, rows).error() == SealFault::other_set);
    };
    const std::string pem = sealed.begin()->first;
    REQUIRE(pem.ends_with(".pem"));
    for (const auto& [name, text] : sealed) {
        CAPTURE(name);
        auto missing = sealed;
        missing.erase(name);
        refused(missing);
        keys::SealedKeyFiles alone{{name, text}};
        refused(alone);
        auto damaged = sealed;
        char& character = damaged[name][20];
        character = character == 'A' ? 'B' : 'A';
        refused(damaged);
        auto of_another_time = sealed;
        of_another_time[name] = again.at(name);  // the same bytes
        refused(of_another_time);
    }
    for (const auto& [name, text] : others) {
        CAPTURE(name);
        auto added_or_exchanged = sealed;
        added_or_exchanged[name] = text;
        refused(added_or_exchanged);
    }
    auto exchanged = sealed;
    std::swap(exchanged[pem], exchanged["seal.key"]);
    refused(exchanged);
}

TEST_CASE("transport.key: 32 bytes that only their owner can read") {
    Nodes nodes;
    CHECK_FALSE(keys::has_transport_key(nodes.a()));
    CHECK_THROWS_WITH_AS(keys::read_transport_key(nodes.a()), doctest::Contains("transport.key: is missing"), KeyError);
    make_transport_key(nodes);
    const std::string file = nodes.a() + "/transport.key";
    CHECK(mode_of(file) == 0600);
    const std::string first(keys::read_transport_key(nodes.a()).reveal());
    CHECK(first.size() == 32);
    for (const mode_t mode : {0640U, 0604U, 0620U}) {
        std::filesystem::permissions(file, std::filesystem::perms(mode));
        CHECK_THROWS_WITH_AS(keys::read_transport_key(nodes.a()), doctest::Contains("chmod 0600"), KeyError);
    }
    make_transport_key(nodes);  // a new one
    CHECK(mode_of(file) == 0600);
    CHECK(keys::read_transport_key(nodes.a()).reveal() != first);
    write_file(file, std::string(31, 'x'));
    CHECK_THROWS_WITH_AS(keys::read_transport_key(nodes.a()), doctest::Contains("exactly 32 bytes"), KeyError);
    keys::remove_transport_key(nodes.a());
    CHECK_FALSE(keys::has_transport_key(nodes.a()));
}

TEST_CASE("NewTransportKey: until it is in use, the old one stays") {
    Nodes nodes;
    { const keys::NewTransportKey refused(nodes.a(), nodes.random); }
    CHECK_FALSE(keys::has_transport_key(nodes.a()));
    make_transport_key(nodes);
    const std::string file = nodes.a() + "/transport.key";
    const std::string old = read_file(file);
    { const keys::NewTransportKey refused(nodes.a(), nodes.random); }
    CHECK(read_file(file) == old);
    CHECK_FALSE(std::filesystem::exists(file + ".new"));
}

TEST_CASE("settle_transport_key: a new key that a crash left is taken when the files are sealed with it") {
    Nodes nodes;
    make_transport_key(nodes);
    const std::string file = nodes.a() + "/transport.key";
    const std::string old = read_file(file);
    const auto files = keys::read_key_files(nodes.a());
    const auto sealed = keys::seal_files(keys::read_transport_key(nodes.a()), 7, files, nodes.random);
    keys::settle_transport_key(nodes.a(), 7, sealed);  // there is none
    keys::NewTransportKey made(nodes.a(), nodes.random);
    made.leave();
    CHECK(mode_of(file + ".new") == 0600);
    const auto renewed = keys::seal_files(made.key(), 8, files, nodes.random);
    for (const auto& [generation, rows] : {std::pair{7, sealed}, {8, sealed}, {7, renewed}, {0, {}}}) {
        keys::settle_transport_key(nodes.a(), generation, rows);
        CHECK(read_file(file) == old);
        CHECK(std::filesystem::exists(file + ".new"));
    }
    keys::settle_transport_key(nodes.a(), 8, renewed);
    CHECK(read_file(file) == made.key().reveal());
    CHECK(mode_of(file) == 0600);
    CHECK_FALSE(std::filesystem::exists(file + ".new"));
    keys::remove_transport_key(nodes.a());
}

TEST_CASE("read_generation: 0 without a file, then what was written") {
    Nodes nodes;
    CHECK(keys::read_generation(nodes.a()).number == 0);
    for (const bool is_changing : {false, true}) {
        keys::write_generation(nodes.a(), {41, is_changing});
        CHECK(keys::read_generation(nodes.a()).number == 41);
        CHECK(keys::read_generation(nodes.a()).is_changing == is_changing);
    }
    write_file(nodes.a() + "/generation", "-1\n");
    CHECK_THROWS_AS(keys::read_generation(nodes.a()), KeyError);
}

TEST_CASE("KeyDirectory::take: a process follows, and verifies what each node has signed until the end") {
    Nodes nodes;
    Keys process(nodes.b(), KeyUse::sign, true);
    const auto own = process.signing_key(Algorithm::EdDSA, kNow).kid;
    KeyDirectory directory(nodes.b());
    const auto files = keys::read_key_files(nodes.a());
    const auto changed = directory.take(files);
    CHECK(changed.size() == 5);  // three written, one removed
    CHECK(contents(nodes.b()) == contents(files));
    for (const KeyFile& file : files)
        CHECK(mode_of(nodes.b() + "/" + file.name) == (file.name == "jwks.json" ? 0644U : 0640U));
    process.reload_if_changed();
    CHECK(process.signing_key(Algorithm::EdDSA, kNow).kid != own);
    CHECK(process.published().size() == 1);
    CHECK(directory.take(files).empty());
}

TEST_CASE("KeyDirectory::take: what was lost comes back, also all of it") {
    Nodes nodes;
    const auto files = keys::read_key_files(nodes.b());
    KeyDirectory directory(nodes.b());
    for (const KeyFile& lost : files) {
        std::filesystem::remove(nodes.b() + "/" + lost.name);
        CHECK(directory.take(files) == std::vector<std::string>{lost.name});
        CHECK(contents(nodes.b()) == contents(files));
    }
    for (const KeyFile& lost : files) std::filesystem::remove(nodes.b() + "/" + lost.name);
    CHECK(directory.take(files).size() == 4);
    CHECK(contents(nodes.b()) == contents(files));
}

TEST_CASE("KeyDirectory::take: files that processes could not use, or that are none of ours, change nothing") {
    Nodes nodes;
    struct Row {
        const char* what;
        void (*spoil)(std::vector<KeyFile>&);
    };
    const Row rows[] = {
        {"no jwks.json",
         [](auto& files) { std::erase_if(files, [](auto& file) { return file.name == "jwks.json"; }); }},
        {"no seal.key", [](auto& files) { std::erase_if(files, [](auto& file) { return file.name == "seal.key"; }); }},
        {"a short seal.key", [](auto& files) { file_of(files, "seal.key").bytes = util::Secret("short"); }},
        {"a key that is not published",
         [](auto& files) { file_of(files, "jwks.json").bytes = util::Secret(R"({"keys":[]})"); }},
        {"no set of keys", [](auto& files) { file_of(files, "jwks.json").bytes = util::Secret("[]"); }},
        {"another key than its name says", [](auto& files) { file_of(files, ".pem").name = "EdDSA.5.x.pem"; }},
        {"no key", [](auto& files) { file_of(files, ".pem").bytes = util::Secret("x"); }},
        {"a path",
         [](auto& files) {
             files.push_back({"../x.pem", util::Secret("x")});
         }},
        {"another file",
         [](auto& files) {
             files.push_back({"transport.key", util::Secret("x")});
         }},
    };
    const auto before = contents(nodes.b());
    KeyDirectory directory(nodes.b());
    for (const Row& row : rows) {
        CAPTURE(row.what);
        auto files = keys::read_key_files(nodes.a());
        row.spoil(files);
        CHECK_THROWS_AS(directory.take(files), KeyError);
        CHECK(contents(nodes.b()) == before);
    }
}
