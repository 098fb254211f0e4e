// `postern key rotate --factors`: every app and every recovery code works before, while and after factor.key changes.
#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "factor/totp.h"
#include "factor/typed_code.h"
#include "installation.h"
#include "keys/keys.h"
#include "preconditions.h"
#include "store/factors.h"
#include "support/audit_log.h"
#include "support/deployment.h"
#include "support/process.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kCode = "1234567890123456";

fs::path key_file(const Installation& installation) { return installation.keys_directory() / "factor.key"; }

keys::Keys open_keys(const Installation& installation) {
    return {installation.keys_directory(), keys::KeyUse::verify, false, true};
}

/// Returns the secret of the user's app as a login opens it; "-": the row does not open.
std::string secret_of(keys::Keys& keys, db::Database& database, const model::Subject& subject) {
    keys.reload_if_changed();
    const auto row = store::find_totp(database, subject);
    REQUIRE(row);
    const auto secret = factor::open_totp_secret(keys.factor_key(), subject, row->created_at, row->sealed);
    return secret ? std::string(secret->reveal()) : "-";
}

bool knows_code(keys::Keys& keys, db::Database& database, const model::Subject& subject) {
    keys.reload_if_changed();
    return store::has_unused_code(database, subject, factor::recovery_code_hash(keys.factor_key(), subject, kCode));
}

void put_code(const Installation& installation, const model::Subject& subject, util::Time at) {
    const keys::Keys keys = open_keys(installation);
    const std::string hash = factor::recovery_code_hash(keys.factor_key(), subject, kCode);
    write(installation,
          [&](db::Transaction& transaction) { store::replace_recovery_codes(transaction, subject, {hash}, at); });
}

/// Two users with apps, and a recovery code of the first, made an hour ago.
struct Fixture {
    Installation installation;
    model::Subject ada = put_app(installation, "ada");
    model::Subject bob = put_app(installation, "bob");
    db::Database database = installation.open();
    keys::Keys keys = open_keys(installation);
    std::string first = secret_of(keys, database, ada);
    std::string second = secret_of(keys, database, bob);

    Fixture() { put_code(installation, ada, util::SystemClock().now() - util::Seconds{3600}); }
    std::string file() const { return read_file(key_file(installation)); }
    bool all_open() {
        return first != "-" && secret_of(keys, database, ada) == first && secret_of(keys, database, bob) == second;
    }
    std::string sealed(const model::Subject& subject) { return store::find_totp(database, subject)->sealed; }
    std::string audit_since(std::size_t before) const { return read_file(installation.syslog_file()).substr(before); }
};

/// Starts the command, and kills it when factor.key has the new key and before any row is sealed with it.
void rotate_and_kill(const Fixture& f, Words options = {}) {
    const fs::path pid_file = f.installation.directory() / "pid";
    Words argv = {"/bin/sh", "-c",       "echo $$ > \"$0\"; exec \"$@\"", pid_file.string(), postern_program(), "key",
                  "rotate",  "--factors"};
    argv.insert(argv.end(), options.begin(), options.end());
    std::thread command([&] {
        run(argv, {{"PATH", "/usr/bin:/bin"}, {"POSTERN_CONFIG", f.installation.config_file().string()}});
    });
    while (fs::file_size(key_file(f.installation)) != 96) std::this_thread::yield();
    ::kill(static_cast<pid_t>(std::stol(read_file(pid_file))), SIGKILL);
    command.join();
}

}  // namespace

TEST_CASE("key rotate --factors: every app is sealed with a new key, and recovery codes keep theirs [FKEY-2]") {
    Fixture f;
    const std::string before = f.file();
    const auto rows = std::pair(f.sealed(f.ada), f.sealed(f.bob));
    const auto metadata = fs::status(key_file(f.installation)).permissions();
    const std::size_t logged = read_file(f.installation.syslog_file()).size();
    const std::string said = f.installation.must({"key", "rotate", "--factors"});
    CHECK(has(said, "2 apps sealed with it"));
    CHECK(has(said, "--end-codes"));
    CHECK(f.file().size() == 64);
    CHECK(f.file().substr(0, 32) != before);
    CHECK(f.file().substr(32) == before);  // for recovery codes
    CHECK(fs::status(key_file(f.installation)).permissions() == metadata);
    CHECK(f.sealed(f.ada) != rows.first);
    CHECK(f.sealed(f.bob) != rows.second);
    CHECK(f.all_open());
    CHECK(knows_code(f.keys, f.database, f.ada));
    CHECK(audit_events(f.audit_since(logged)) == "admin_command admin_command");
    // The former key opens no row any more.
    const auto row = *store::find_totp(f.database, f.ada);
    CHECK_FALSE(factor::open_totp_secret(util::Secret(before), f.ada, row.created_at, row.sealed));

    const std::string once = f.file();
    const auto again = f.installation.must_json({"key", "rotate", "--factors"});
    CHECK(integer_of(again, "resealed") == 2);
    CHECK(integer_of(again, "codes_ended") == 0);
    CHECK(f.file().size() == 64);
    CHECK(f.file().substr(0, 32) != once.substr(0, 32));
    CHECK(f.file().substr(32) == before);
    CHECK(f.all_open());
    CHECK(knows_code(f.keys, f.database, f.ada));
}

TEST_CASE("key rotate --factors: a login that reads meanwhile finds the key of each row [FKEY-2]") {
    Fixture f;
    std::atomic<bool> ends = false;
    std::int64_t wrong = 0;
    std::int64_t reads = 0;
    std::thread login([&] {
        auto database = f.installation.open();
        keys::Keys keys = open_keys(f.installation);
        for (; !ends || reads == 0; ++reads) {
            keys.reload_if_changed();
            for (const auto& [subject, secret] : {std::pair(f.ada, f.first), std::pair(f.bob, f.second)}) {
                const auto row = store::find_totp(database, subject);
                const auto opened = factor::open_totp_secret(keys.factor_key(), subject, row->created_at, row->sealed);
                if (!opened || opened->reveal() != secret) ++wrong;
            }
            const std::string hash = factor::recovery_code_hash(keys.factor_key(), f.ada, kCode);
            if (!store::has_unused_code(database, f.ada, hash)) ++wrong;
        }
    });
    f.installation.must({"key", "rotate", "--factors"});
    ends = true;
    login.join();
    CHECK(wrong == 0);
    CHECK(reads > 0);
    CHECK(f.all_open());
}

TEST_CASE("key rotate --factors: one that was killed goes on where it was [FKEY-2]") {
    if (is_on_postgresql()) return;  // a change that the database has not got is for `key share`: nodes.test.mjs
    Fixture f;
    const std::string before = f.file();
    rotate_and_kill(f);
    CHECK(f.file().size() == 96);
    CHECK(f.all_open());
    CHECK(knows_code(f.keys, f.database, f.ada));
    CHECK(has(f.installation.must({"doctor"}), "a rotation of factor.key has not ended"));
    // Between two batches: one row has the new key.
    const std::string cut_off = f.file();
    {
        crypto::SystemRandom random;
        const auto row = *store::find_totp(f.database, f.ada);
        db::Transaction transaction(f.database, db::Durability::full);
        REQUIRE(store::reseal_totp(
            transaction, f.ada, row.sealed,
            factor::seal_totp_secret(f.keys.factor_key(), f.ada, row.created_at, util::Secret(f.first), random)));
        transaction.commit();
    }
    CHECK(f.all_open());
    f.installation.must({"key", "rotate", "--factors"});
    CHECK(f.file() == cut_off.substr(0, 64));  // no third key was made
    CHECK(f.file().substr(32) == before);
    CHECK(f.all_open());
    CHECK(knows_code(f.keys, f.database, f.ada));
    CHECK_FALSE(has(f.installation.must({"doctor"}), "a rotation of factor.key"));
}

TEST_CASE(
    "key rotate --factors --end-codes: ends the codes of before, and nothing of the former key is left [FKEY-2]") {
    for (const bool is_killed : {false, true}) {
        CAPTURE(is_killed);
        if (is_killed && is_on_postgresql()) continue;
        Fixture f;
        const std::string before = f.file();
        put_code(f.installation, f.ada, util::SystemClock().now() + util::Seconds{60});  // by a clock that is ahead
        if (is_killed) rotate_and_kill(f, {"--end-codes"});
        Words command = {"key", "rotate", "--factors"};
        if (!is_killed) command.emplace_back("--end-codes");
        const auto done = f.installation.must_json(command);
        CHECK(integer_of(done, "resealed") == 2);
        CHECK(integer_of(done, "codes_ended") == 1);
        CHECK(f.file().size() == 32);
        CHECK(f.file() != before);
        CHECK(f.all_open());
        CHECK_FALSE(knows_code(f.keys, f.database, f.ada));
        CHECK(store::find_factors(f.database, f.ada).unused_codes == 0);
        put_code(f.installation, f.ada, util::SystemClock().now());
        CHECK(knows_code(f.keys, f.database, f.ada));
    }
}

TEST_CASE("key rotate --factors: a secret that no key opens is named and left [FKEY-2] [TOTP-11]") {
    Fixture f;
    write(f.database, [&](db::Transaction& transaction) {
        REQUIRE(store::reseal_totp(transaction, f.bob, f.sealed(f.bob), "AAAA"));
    });
    const auto result = f.installation.postern({"key", "rotate", "--factors"});
    CHECK(result.exit_code == 0);
    CHECK(has(result.out, "1 app sealed with it"));
    CHECK(has(result.err, f.bob.str() + " opens with neither key"));
    CHECK(f.sealed(f.bob) == "AAAA");
    CHECK(secret_of(f.keys, f.database, f.ada) == f.first);
}

TEST_CASE("key rotate --factors: what is refused changes nothing [FKEY-2]") {
    const Installation installation;
    const std::string before = read_file(key_file(installation));
    for (const Words& options : {Words{"--end-codes"},
                                 {"--factors", "--seal"},
                                 {"--factors", "--alg", "ES256"},
                                 {"--factors", "--lead", "0"},
                                 {"--factors", "--force"},
                                 {"--factors", "--stolen"}}) {
        CAPTURE(options.back());
        CHECK(installation.postern(joined({"key", "rotate"}, options)).exit_code == 2);
    }
    CHECK(read_file(key_file(installation)) == before);
    if (is_on_postgresql()) return;  // which has the file, and gives it back
    std::ofstream(key_file(installation)) << std::string(33, 'x');
    CHECK(has(installation.refused({"key", "rotate", "--factors"}), "32, 64 or 96 bytes"));
    CHECK(fs::file_size(key_file(installation)) == 33);
    fs::remove(key_file(installation));
    CHECK(has(installation.refused({"key", "rotate", "--factors"}), "`postern key repair`"));
    CHECK_FALSE(fs::exists(key_file(installation)));
}
