#include "keys/key_files.h"

#include <doctest/doctest.h>

#include "support/files.h"

using namespace postern;
using namespace postern::test;
using keys::KeyError;
using keys::KeyFileName;

TEST_CASE("KeyFileName: a name says algorithm, time and kid, in one spelling") {
    const auto name = KeyFileName::parse("ES256.1700000000.abc-_9.pem");
    REQUIRE(name);
    CHECK(name->algorithm == crypto::Algorithm::ES256);
    CHECK(name->signs_from == Time{Seconds{1700000000}});
    CHECK(name->kid == "abc-_9");
    CHECK(name->to_string() == "ES256.1700000000.abc-_9.pem");
    CHECK(KeyFileName::parse("EdDSA.0.k.pem"));

    for (const char* other :
         {"", ".pem", "ES256.pem", "ES256.1.pem", "ES256.1..pem", "ES256.1.k.PEM", "ES256.1.k.pem.bak", "es256.1.k.pem",
          "HS256.1.k.pem", "ES256.01.k.pem", "ES256.-1.k.pem", "ES256.+1.k.pem", "ES256.1 .k.pem",
          "ES256.9223372036854775808.k.pem", "ES256.1.a.b.pem", ".ES256.1.k.pem"}) {
        CAPTURE(other);
        CHECK_FALSE(KeyFileName::parse(other));
    }
}

TEST_CASE("make_key_pair: the kid is the key's thumbprint and can be written on a command line [RFC 7638]") {
    for (int i = 0; i < 1000; ++i) {  // one in 64 would begin with a dash
        const auto pair = keys::make_key_pair(crypto::Algorithm::EdDSA);
        REQUIRE(pair.jwk.kid == jose::thumbprint(pair.key.public_key()));
        REQUIRE_FALSE(pair.jwk.kid.starts_with('-'));
    }
    CHECK(keys::make_key_pair(crypto::Algorithm::ES256).key.algorithm() == crypto::Algorithm::ES256);
}

TEST_CASE("private_keys_in: by time, then by kid; other files are none of its business") {
    const TemporaryDirectory directory;
    for (const char* name :
         {"ES256.20.b.pem", "RS256.3.c.pem", "ES256.20.a.pem", "jwks.json", "seal.key", ".ES256.1.x.pem.new"}) {
        write_file(directory / name, "");
    }
    std::string kids;
    for (const auto& name : keys::private_keys_in(directory.path())) kids += name.kid;
    CHECK(kids == "cab");

    write_file(directory / "copy.pem", "");
    const auto message = refusal<KeyError>([&] { keys::private_keys_in(directory.path()); });
    CHECK(mentions(message, directory / "copy.pem"));
}

TEST_CASE("read_private_file: only a regular file that others cannot touch, and the message says what to do") {
    const TemporaryDirectory directory;
    const auto path = directory / "key";
    write_file(path, std::string("a\0b", 3));
    for (const unsigned mode : {0600U, 0640U, 0400U, 0440U, 0660U}) {
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(keys::read_private_file(path).reveal() == std::string_view("a\0b", 3));
    }
    for (const unsigned mode : {0644U, 0604U, 0602U, 0601U, 0666U, 0777U}) {
        CAPTURE(mode);
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        const auto message = refusal<KeyError>([&] { keys::read_private_file(path); });
        CHECK(mentions(message, path));
        CHECK(mentions(message, "chmod 0640 " + path));
    }
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    std::filesystem::create_symlink(path, directory / "link");
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    std::filesystem::create_directory(directory / "directory");
    REQUIRE(::chmod((directory / "directory").c_str(), 0700) == 0);
    write_file(directory / "huge", std::string((1 << 20) + 1, 'x'));
    REQUIRE(::chmod((directory / "huge").c_str(), 0600) == 0);
    for (const char* name : {"link", "fifo", "directory", "missing", "huge"}) {
        CAPTURE(name);
        CHECK(mentions(refusal<KeyError>([&] { keys::read_private_file(directory / name); }), directory / name));
    }
}

TEST_CASE("read_public_file: all may read it, not all may write it") {
    const TemporaryDirectory directory;
    const auto path = directory / "jwks.json";
    write_file(path, "{}");
    for (const unsigned mode : {0644U, 0664U, 0600U}) {
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(keys::read_public_file(path).bytes == "{}");
    }
    for (const unsigned mode : {0646U, 0666U, 0602U}) {
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(mentions(refusal<KeyError>([&] { keys::read_public_file(path); }), "chmod 0644 " + path));
    }
}

TEST_CASE("version_of: a replaced file has another version, of equal size too") {
    const TemporaryDirectory directory;
    keys::write_key_file(directory.path(), "jwks.json", "one", 0644);
    const auto path = directory / "jwks.json";
    const auto first = keys::version_of(path);
    CHECK(keys::version_of(path) == first);
    CHECK(keys::read_public_file(path).version == first);
    keys::write_key_file(directory.path(), "jwks.json", "two", 0644);
    CHECK(keys::version_of(path) != first);
    CHECK_THROWS_AS(keys::version_of(directory / "missing"), KeyError);
}

TEST_CASE("write_key_file: replaces whole files with exactly the mode asked for, and leaves no temporary one") {
    const TemporaryDirectory directory;
    write_file(directory / ".seal.key.new", "left by a run that was killed");
    const auto former = ::umask(0077);
    keys::write_key_file(directory.path(), "seal.key", "first", 0640);
    ::umask(former);
    CHECK(mode_of(directory / "seal.key") == 0640);
    keys::write_key_file(directory.path(), "seal.key", "second", 0640);
    CHECK(read_file(directory / "seal.key") == "second");
    CHECK_FALSE(std::filesystem::exists(directory / ".seal.key.new"));
    CHECK(mentions(refusal<KeyError>([&] { keys::write_key_file(directory / "no", "seal.key", "x", 0640); }),
                   directory / "no/seal.key"));
}
