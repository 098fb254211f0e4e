#include "store/links.h"

#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::LinkPurpose;
using model::Subject;
using model::ValueHash;

namespace {

struct Fixture : TwoUsers {
    model::Link link(const char* hash, LinkPurpose purpose = LinkPurpose::password, const char* subject = "ada") const {
        return {.token_hash = ValueHash(hash),
                .purpose = purpose,
                .subject = Subject(subject),
                .made_by = "root",
                .created_at = kNow,
                .expires_at = kNow + Seconds{60},
                .used_at = std::nullopt};
    }
    bool insert(const model::Link& made) { return written(database, store::insert_link, made); }
    bool spend(const char* hash, Time now = kNow) {
        const auto found = find(hash);
        return found && written(database, store::spend_link, found->link, now);
    }
    std::optional<store::FoundLink> find(const char* hash) { return store::find_link(database, ValueHash(hash)); }
};

}  // namespace

TEST_CASE("links: what was stored is found by its digest, and looking spends nothing [LINK-1, LINK-3]") {
    for (const LinkPurpose purpose : {LinkPurpose::invite, LinkPurpose::password, LinkPurpose::factors}) {
        CAPTURE(std::string(model::to_string(purpose)));
        Fixture f;
        REQUIRE(f.insert(f.link("digest", purpose)));
        for (int i = 0; i < 3; ++i) {
            const auto found = f.find("digest");
            REQUIRE(found);
            CHECK(found->link == f.link("digest", purpose));
            CHECK(found->username == "ada");
            CHECK_FALSE(found->is_void);
        }
        for (const char* other : {"", "digesu", "DIGEST", "digest ", "diges"}) CHECK_FALSE(f.find(other));
        CHECK(f.spend("digest"));
    }
}

TEST_CASE("links: none for a user that is not there") {
    Fixture f;
    CHECK_FALSE(f.insert(f.link("digest", LinkPurpose::password, "sub-none")));
    CHECK(count(f.database, "SELECT count(*) FROM links") == 0);
}

TEST_CASE("links: one use, before it expires [LINK-3, STORE-2, L28]") {
    struct Row {
        const char* when;
        Seconds after;
        bool good;
    };
    for (const Row& row : {Row{"at once", Seconds{0}, true}, Row{"in the last second", Seconds{59}, true},
                           Row{"when it expires", Seconds{60}, false}, Row{"later", Seconds{61}, false}}) {
        CAPTURE(std::string(row.when));
        Fixture f;
        f.insert(f.link("digest"));
        CHECK(f.spend("digest", kNow + row.after) == row.good);
        CHECK(f.find("digest")->link.used_at.has_value() == row.good);
        CHECK_FALSE(f.spend("digest", kNow + row.after));
    }
}

TEST_CASE("links: a newer one of the same purpose and user takes its place, and no other [LINK-4]") {
    Fixture f;
    f.insert(f.link("first"));
    f.insert(f.link("invitation", LinkPurpose::invite));
    f.insert(f.link("of bob", LinkPurpose::password, "bob"));
    f.insert(f.link("second"));
    CHECK_FALSE(f.find("first"));
    for (const char* good : {"second", "invitation", "of bob"}) {
        CAPTURE(good);
        CHECK_FALSE(f.find(good)->is_void);
    }
    // One that failed to be stored leaves the others.
    CHECK_FALSE(f.insert(f.link("third", LinkPurpose::password, "sub-none")));
    CHECK(f.spend("second"));
}

TEST_CASE("links: a change of the user voids those that were made before it [LINK-4, STORE-4, STORE-6, L28]") {
    for (const UserChange& change : kUserChanges) {
        CAPTURE(std::string(change.when));
        Fixture f;
        f.insert(f.link("digest"));
        change_ada(f.database, change);
        CHECK(f.find("digest")->is_void == change.ends);
        CHECK(f.spend("digest") != change.ends);
    }
}

TEST_CASE("links: one that is made after the change is good [LINK-4]") {
    Fixture f;
    written(f.database, [&](auto& t) { store::replace_password(t, f.ada, "other", kNow, {}); });
    f.insert(f.link("digest"));
    CHECK(f.spend("digest"));
}

TEST_CASE("links: a change that is committed between looking and spending counts [STORE-2, STORE-6]") {
    Fixture f;
    f.insert(f.link("digest"));
    const auto found = f.find("digest");
    written(f.database, [&](auto& t) { store::replace_password(t, f.ada, "other", kNow, {}); });
    CHECK_FALSE(written(f.database, store::spend_link, found->link, kNow));
}

TEST_CASE("links: without a commit it is not spent [STORE-2]") {
    Fixture f;
    f.insert(f.link("digest"));
    {
        db::Transaction t(f.database, db::Durability::full);
        CHECK(store::spend_link(t, f.link("digest"), kNow));
    }
    CHECK(f.spend("digest"));
}

TEST_CASE("links: of removed users there are none, and expired ones are swept [LINK-4, STORE-4]") {
    Fixture f;
    f.insert(f.link("digest"));
    f.insert(f.link("of bob", LinkPurpose::invite, "bob"));
    written(f.database, store::remove_user, f.ada, kNow, store::LogoutNotices{});
    CHECK_FALSE(f.find("digest"));
    const auto sweep = [&](Time now) {
        return written(f.database, [&](auto& t) { return store::sweep(t, now); }).at("links");
    };
    CHECK(sweep(kNow + Seconds{59}) == 0);
    CHECK(f.find("of bob"));
    CHECK(sweep(kNow + Seconds{60}) == 1);
    CHECK_FALSE(f.find("of bob"));
}
