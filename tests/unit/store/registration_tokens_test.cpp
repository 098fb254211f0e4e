#include "store/registration_tokens.h"

#include <algorithm>
#include <vector>

#include "store/clients.h"
#include "store/sweep.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::RegistrationToken;
using model::ValueHash;

namespace {

RegistrationToken initial_token(const std::string& id, std::int64_t uses = 2) {
    return {id, ValueHash(id + "-hash"), "For " + id, uses, kNow, kNow + Seconds{60}};
}

model::Client registered(const std::string& id, Time created_at, const std::string& by = "") {
    auto made = client(id);
    made.origin = model::Origin::dynamic;
    made.registered_by = by;
    made.created_at = created_at;
    made.removable_at = created_at + Seconds{3600};
    return made;
}

}  // namespace

TEST_CASE("registration tokens: what was stored is listed, and counts until it is used up or expires [REG-2]") {
    auto database = sample_database();
    const auto one = initial_token("one"), two = initial_token("two", 1);
    CHECK(written(database, store::insert_registration_token, one));
    CHECK(written(database, store::insert_registration_token, two));
    CHECK_FALSE(written(database, store::insert_registration_token, one));
    auto same_value = initial_token("three");
    same_value.token_hash = one.token_hash;
    CHECK_FALSE(written(database, store::insert_registration_token, same_value));
    CHECK(store::list_registration_tokens(database) == std::vector{one, two});
    CHECK(store::list_registration_tokens(database, {1}) == std::vector{one});

    CHECK(store::is_usable_registration_token(database, one.token_hash, kNow + Seconds{59}));
    CHECK_FALSE(store::is_usable_registration_token(database, one.token_hash, kNow + Seconds{60}));
    CHECK_FALSE(store::is_usable_registration_token(database, ValueHash("other"), kNow));
    CHECK_FALSE(written(database, store::use_registration_token, one.token_hash, kNow + Seconds{60}));
    CHECK(written(database, store::use_registration_token, one.token_hash, kNow));
    CHECK(written(database, store::use_registration_token, one.token_hash, kNow));
    CHECK_FALSE(written(database, store::use_registration_token, one.token_hash, kNow));
    CHECK_FALSE(store::is_usable_registration_token(database, one.token_hash, kNow));
    CHECK(store::list_registration_tokens(database)[0].uses_left == 0);

    CHECK(written(database, store::remove_registration_token, "two"));
    CHECK_FALSE(written(database, store::remove_registration_token, "two"));
    written(database, [](auto& t) { return store::sweep(t, kNow + Seconds{60}); });
    CHECK(store::list_registration_tokens(database).empty());
}

TEST_CASE("clients: a registration comes back as it was, and an update leaves who registered it [REG-20, 3PI-1]") {
    auto database = sample_database();
    auto made = registered("dynamic", kNow, "token-hash");
    made.registration_token_hash = "management-hash";
    made.name = "";
    made.metadata = {model::ApplicationType::native, "https://app.example/login", "https://app.example/p",
                     "https://app.example/t"};
    written(database, [&](auto& t) { return store::insert_client(t, made); });
    CHECK(store::find_client(database, made.id, kNow) == made);
    auto changed = made;
    changed.registered_by = "other";
    changed.registration_token_hash = "other";
    changed.metadata = {};
    written(database, [&](auto& t) { return store::update_client(t, changed); });
    const auto found = store::find_client(database, made.id, kNow);
    REQUIRE(found);
    CHECK(found->registered_by == "token-hash");
    CHECK(found->registration_token_hash == "management-hash");
    CHECK(found->metadata == model::RegisteredMetadata{});
}

TEST_CASE("clients: registrations without a token are counted, and the oldest that nobody uses makes room [REG-30]") {
    auto database = sample_database();
    auto used = registered("used", kNow - Seconds{900});
    used.last_used_at = kNow;
    auto decided = registered("decided", kNow - Seconds{900});
    decided.removable_at.reset();
    auto document = registered("document", kNow - Seconds{900});
    document.origin = model::Origin::document;
    for (const auto& made : {used, decided, document, registered("with token", kNow - Seconds{900}, "hash"),
                             registered("old", kNow - Seconds{800}), registered("new", kNow - Seconds{10})})
        written(database, [&](auto& t) { return store::insert_client(t, made); });
    CHECK(store::count_open_registrations(database) == 3);
    CHECK(store::count_fleeting_clients(database) == 1);  // of documents
    CHECK(store::list_clients(database, kNow, {}, model::Origin::dynamic).size() == 5);
    CHECK(store::list_clients(database, kNow, {}, model::Origin::document).size() == 1);
    CHECK(store::find_unused_registrations(database, kNow, Seconds{700}) ==
          std::vector{model::ClientId("old"), model::ClientId("with token")});

    const auto before = kNow - Seconds{600};
    CHECK(store::has_unapproved(database, before));
    CHECK(written(database, store::remove_oldest_unapproved, before));
    CHECK_FALSE(store::has_unapproved(database, before));
    CHECK_FALSE(store::is_client(database, model::ClientId("old")));
    CHECK_FALSE(written(database, store::remove_oldest_unapproved, before));
    CHECK(store::count_open_registrations(database) == 2);
}

TEST_CASE(
    "clients: a registration is unused when it surely was, and when nothing that it has counts [REG-20, REG-23]") {
    auto database = sample_database();
    constexpr Seconds kDay{86400};
    auto used = registered("used", kNow - 9 * kDay);
    used.last_used_at = kNow - 3 * kDay;
    auto decided = registered("decided", kNow - 9 * kDay);
    decided.removable_at.reset();
    for (const auto& made : {used, decided, registered("new", kNow - Seconds{10})})
        written(database, [&](auto& t) { return store::insert_client(t, made); });
    const auto unused_for = [&](Seconds time, Seconds later = Seconds{0}) {
        const auto ids = store::find_unused_registrations(database, kNow + later, time);
        for (const char* id : {"used", "decided", "new"}) {
            const model::ClientId client(id);
            CHECK(store::is_unused_registration(database, client, kNow + later, time) ==
                  (std::ranges::find(ids, client) != ids.end()));
        }
        return ids;
    };
    const std::vector<model::ClientId> none, one = {used.id};
    CHECK(unused_for(2 * kDay) == one);
    CHECK(unused_for(2 * kDay + Seconds{1}) == none);  // the use may have been a day after the one that is told

    auto given = grant("live");
    given.client_id = used.id;
    written(database, [&](auto& t) { store::insert_grant(t, given, kNow + Seconds{60}); });
    CHECK(unused_for(kDay) == none);
    CHECK(unused_for(kDay, Seconds{60}) == one);
    written(database, [&](auto& t) { return store::end_grant(t, given.id, kNow); });
    CHECK(unused_for(kDay) == one);
}
