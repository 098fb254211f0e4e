#include "store/links.h"

#include "store/factors.h"
#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::LinkPurpose;
using model::Subject;
using model::ValueHash;

namespace {

struct Fixture : TwoUsers {
    model::Link link(const char* hash, LinkPurpose purpose = LinkPurpose::password,
                     const char* subject = "sub-ada") const {
        return {.token_hash = ValueHash(hash),
                .purpose = purpose,
                .subject = Subject(subject),
                .made_by = "root",
                .created_at = kNow,
                .expires_at = kNow + Seconds{60},
                .used_at = std::nullopt};
    }
    bool insert(const model::Link& made) {
        return written(database, [&](db::Transaction& t) { return store::insert_link(t, made); });
    }
    bool spend(const char* hash, Time now = kNow) {
        const auto found = find(hash);
        return found && written(database, [&](db::Transaction& t) { return store::spend_link(t, found->link, now); });
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
            CHECK(found->link.token_hash == ValueHash("digest"));
            CHECK(found->link.purpose == purpose);
            CHECK(found->link.subject == f.ada.subject);
            CHECK(found->link.made_by == "root");
            CHECK(found->link.created_at == kNow);
            CHECK(found->link.expires_at == kNow + Seconds{60});
            CHECK_FALSE(found->link.used_at);
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
    f.insert(f.link("of bob", LinkPurpose::password, "sub-bob"));
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
    struct Row {
        const char* when;
        void (*change)(db::Transaction& transaction, model::User& ada);
        bool good;
    };
    const Row rows[] = {
        {"nothing", [](db::Transaction&, model::User&) {}, true},
        {"other claims", [](db::Transaction& t, model::User& ada) { store::update_user(t, ada); }, true},
        {"another name",
         [](db::Transaction& t, model::User& ada) {
             ada.username = "lovelace";
             store::update_user(t, ada);
         },
         true},
        {"another password",
         [](db::Transaction& t, model::User& ada) { store::replace_password(t, ada.subject, "other", kNow); }, false},
        {"another factor", [](db::Transaction& t, model::User& ada) { store::raise_stamp(t, ada.subject); }, false},
        {"disabled",
         [](db::Transaction& t, model::User& ada) {
             ada.enabled = false;
             store::update_user(t, ada);
         },
         false},
        {"disabled, and enabled again",
         [](db::Transaction& t, model::User& ada) {
             ada.enabled = false;
             store::update_user(t, ada);
             ada.enabled = true;
             store::update_user(t, ada);
         },
         false},
        {"a change of another user",
         [](db::Transaction& t, model::User&) { store::replace_password(t, Subject("sub-bob"), "other", kNow); }, true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        f.insert(f.link("digest"));
        written(f.database, [&](db::Transaction& t) { row.change(t, f.ada); });
        CHECK(f.find("digest")->is_void != row.good);
        CHECK(f.spend("digest") == row.good);
    }
}

TEST_CASE("links: one that is made after the change is good [LINK-4]") {
    Fixture f;
    written(f.database, [&](db::Transaction& t) { store::replace_password(t, f.ada.subject, "other", kNow); });
    f.insert(f.link("digest"));
    CHECK(f.spend("digest"));
}

TEST_CASE("links: a change that is committed between looking and spending counts [STORE-2, STORE-6]") {
    Fixture f;
    f.insert(f.link("digest"));
    const auto found = f.find("digest");
    written(f.database, [&](db::Transaction& t) { store::replace_password(t, f.ada.subject, "other", kNow); });
    CHECK_FALSE(written(f.database, [&](db::Transaction& t) { return store::spend_link(t, found->link, kNow); }));
}

TEST_CASE("links: without a commit it is not spent [STORE-2]") {
    Fixture f;
    f.insert(f.link("digest"));
    {
        db::Transaction transaction(f.database, db::Durability::full);
        CHECK(store::spend_link(transaction, f.link("digest"), kNow));
    }
    CHECK(f.spend("digest"));
}

TEST_CASE("links: of removed users there are none, and expired ones are swept [LINK-4, STORE-4]") {
    Fixture f;
    f.insert(f.link("digest"));
    f.insert(f.link("of bob", LinkPurpose::invite, "sub-bob"));
    written(f.database, [&](db::Transaction& t) { store::remove_user(t, f.ada.subject); });
    CHECK_FALSE(f.find("digest"));
    const auto sweep = [&](Time now) {
        return written(f.database, [&](db::Transaction& t) { return store::sweep(t, now); }).at("links");
    };
    CHECK(sweep(kNow + Seconds{59}) == 0);
    CHECK(f.find("of bob"));
    CHECK(sweep(kNow + Seconds{60}) == 1);
    CHECK_FALSE(f.find("of bob"));
}
