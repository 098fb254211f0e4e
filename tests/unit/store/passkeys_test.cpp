#include "store/passkeys.h"

#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::Subject;

namespace {

struct Fixture : TwoUsers {
    static store::Passkey passkey(const Subject& subject, std::string id, Time made = kNow) {
        return {.credential_id = std::move(id),
                .subject = subject,
                .rp_id = "id.example.org",
                .cose_key = std::string("\xa1\x00\xff", 3),
                .alg = -7,
                .sign_count = 5,
                .backup_eligible = true,
                .backed_up = true,
                .discoverable = false,
                .transports = "internal hybrid",
                .aaguid = std::string(16, '\0'),
                .name = "Adas Schlüssel",
                .created_at = made,
                .last_used_at = {},
                .suspended_at = {}};
    }
    bool add(const store::Passkey& passkey) { return written(database, store::insert_passkey, passkey); }
    bool use(std::string_view id, std::int64_t count, Time at = kNow + Seconds{9}) {
        return written(database, store::use_passkey, id, count, false, false, at);
    }
    std::vector<std::string> ids(const Subject& subject) {
        std::vector<std::string> found;
        for (const auto& passkey : store::list_passkeys(database, subject)) found.push_back(passkey.credential_id);
        return found;
    }
    std::int64_t count(std::string_view id) { return store::find_passkey(database, id)->sign_count; }
};

}  // namespace

TEST_CASE("a passkey: all of it comes back, bytes included [WEBAUTHN-25, WEBAUTHN-29, WebAuthn §7.1q]") {
    Fixture f;
    const std::string id("\0 id\xff", 5);
    store::Passkey passkey = Fixture::passkey(f.ada, id);
    passkey.last_used_at = kNow + Seconds{1};
    passkey.suspended_at = kNow + Seconds{2};
    CHECK(f.add(passkey));
    const auto found = store::find_passkey(f.database, id);
    REQUIRE(found);
    CHECK(*found == passkey);
    CHECK_FALSE(store::find_passkey(f.database, id.substr(0, 4)));

    passkey = Fixture::passkey(f.ada, "unknown");
    passkey.discoverable.reset();
    CHECK(f.add(passkey));
    CHECK_FALSE(store::find_passkey(f.database, "unknown")->discoverable);
    CHECK_FALSE(store::find_passkey(f.database, "unknown")->last_used_at);
}

TEST_CASE(
    "passkeys: a credential id is of one user; each user sees and changes its own [WEBAUTHN-9, ACCOUNT-16, WebAuthn §7.1p]") {
    Fixture f;
    CHECK(f.add(Fixture::passkey(f.ada, "second", kNow + Seconds{1})));
    CHECK(f.add(Fixture::passkey(f.ada, "first")));
    CHECK(f.add(Fixture::passkey(f.bob, "third")));
    CHECK_FALSE(f.add(Fixture::passkey(f.bob, "first")));
    CHECK_FALSE(f.add(Fixture::passkey(f.ada, "first")));
    CHECK(f.ids(f.ada) == std::vector<std::string>{"first", "second"});
    CHECK(f.ids(f.bob) == std::vector<std::string>{"third"});

    const auto rename = [&](const Subject& subject, const char* id) {
        return written(f.database, store::rename_passkey, subject, id, "Phone");
    };
    CHECK_FALSE(rename(f.bob, "first"));
    CHECK_FALSE(rename(f.ada, "none"));
    CHECK(rename(f.ada, "first"));
    CHECK(store::find_passkey(f.database, "first")->name == "Phone");
    CHECK(store::find_passkey(f.database, "second")->name == "Adas Schlüssel");

    const auto remove = [&](const Subject& subject, const char* id) {
        return written(f.database, store::remove_passkey, subject, id);
    };
    CHECK_FALSE(remove(f.bob, "first"));
    CHECK(remove(f.ada, "first"));
    CHECK_FALSE(remove(f.ada, "first"));
    CHECK(f.ids(f.ada) == std::vector<std::string>{"second"});
    CHECK(written(f.database, store::remove_passkeys, f.ada) == 1);
    CHECK(f.ids(f.bob) == std::vector<std::string>{"third"});
    CHECK(written(f.database, store::remove_user, f.bob, kNow, store::LogoutNotices{}));
    CHECK_FALSE(store::find_passkey(f.database, "third"));
}

TEST_CASE(
    "a counter goes upwards, or stays 0; a suspended passkey is not used [WEBAUTHN-15, WEBAUTHN-16, WebAuthn §7.2lp]") {
    Fixture f;
    CHECK(f.add(Fixture::passkey(f.ada, "counts")));
    CHECK_FALSE(f.use("counts", 5));
    CHECK_FALSE(f.use("counts", 4));
    CHECK_FALSE(f.use("counts", 0));
    CHECK_FALSE(f.use("none", 6));
    CHECK(f.use("counts", 6));
    CHECK(f.count("counts") == 6);
    CHECK_FALSE(store::find_passkey(f.database, "counts")->backed_up);
    CHECK_FALSE(store::find_passkey(f.database, "counts")->backup_eligible);
    CHECK(store::find_passkey(f.database, "counts")->last_used_at == kNow + Seconds{9});
    CHECK(f.use("counts", 4294967295));

    store::Passkey silent = Fixture::passkey(f.ada, "silent");
    silent.sign_count = 0;
    CHECK(f.add(silent));
    CHECK(f.use("silent", 0));
    CHECK(f.use("silent", 0));
    CHECK(f.use("silent", 1));
    CHECK_FALSE(f.use("silent", 0));

    const auto suspend = [&](Time at) { written(f.database, store::suspend_passkey, "silent", at); };
    const auto resume = [&](const Subject& subject) {
        return written(f.database, store::resume_passkey, subject, "silent");
    };
    CHECK_FALSE(resume(f.ada));
    suspend(kNow);
    suspend(kNow + Seconds{5});
    CHECK(store::find_passkey(f.database, "silent")->suspended_at == kNow);
    CHECK_FALSE(store::find_passkey(f.database, "counts")->suspended_at);
    CHECK_FALSE(f.use("silent", 2));
    CHECK(f.count("silent") == 1);
    CHECK_FALSE(resume(f.bob));
    CHECK(resume(f.ada));
    CHECK_FALSE(f.use("silent", 1));
    CHECK(f.use("silent", 2));
}

TEST_CASE("the handle of a user: the first that is kept, and no other [WEBAUTHN-10]") {
    Fixture f;
    const auto keep = [&](const Subject& subject, std::string_view given) {
        return written(f.database, store::set_handle_if_unset, subject, given);
    };
    const std::string handle(32, '\xfe');
    CHECK(store::find_handle(f.database, f.ada).empty());
    CHECK(keep(f.ada, handle));
    CHECK(keep(f.ada, handle));
    CHECK_FALSE(keep(f.ada, std::string(32, 'x')));
    CHECK(store::find_handle(f.database, f.ada) == handle);
    CHECK(store::find_handle(f.database, f.bob).empty());
    CHECK_FALSE(keep(Subject("none"), handle));
}

TEST_CASE("a challenge is spent once, and forgotten when its seal opens no more [WEBAUTHN-3, WebAuthn §13.4.3]") {
    Fixture f;
    const auto spend = [&](const char* challenge, Time expires_at) {
        return written(f.database, store::spend_challenge, challenge, expires_at);
    };
    CHECK(spend("one", kNow + Seconds{60}));
    CHECK_FALSE(spend("one", kNow + Seconds{60}));
    CHECK_FALSE(spend("one", kNow + Seconds{90}));
    CHECK(spend("two", kNow + Seconds{61}));
    const auto sweep = [&] {
        return written(f.database, [&](auto& t) { return store::sweep(t, kNow + Seconds{60}); });
    };
    CHECK(store::count_sweepable(f.database, kNow + Seconds{60}).at("spent_challenges") == 1);
    CHECK(sweep().at("spent_challenges") == 1);
    CHECK(sweep().at("spent_challenges") == 0);
    CHECK_FALSE(spend("two", kNow + Seconds{61}));
}

TEST_CASE("of two connections that spend one challenge or one count, one does [STORE-2] [WEBAUTHN-3]") {
    const DatabaseFile file;
    db::Database first(file.path, db::Access::read_write);
    db::Database second(file.path, db::Access::read_write);
    const Subject ada("ada");
    written(first, [&](auto& t) {
        store::insert_user(t, {ada, "ada", {}, true, kNow, kNow}, "hash");
        return store::insert_passkey(t, Fixture::passkey(ada, "id"));
    });
    const auto spend = [](db::Database& database) {
        return written(database, [](auto& t) {
            return std::pair(store::spend_challenge(t, "challenge", kNow),
                             store::use_passkey(t, "id", 6, true, true, kNow));
        });
    };
    // Both have looked before either spends.
    CHECK(store::find_passkey(first, "id")->sign_count == store::find_passkey(second, "id")->sign_count);
    CHECK((spend(first) == std::pair(true, true)));
    CHECK((spend(second) == std::pair(false, false)));
}
