// A database with ada and bob, and the changes of ada that end what she was given before.
#pragma once

#include "store/factors.h"
#include "unit/store/fixture.h"

namespace postern::test {

struct TwoUsers {
    db::Database database = empty_database();
    model::Subject ada{"ada"};
    model::Subject bob{"bob"};

    TwoUsers() {
        for (const char* name : {"ada", "bob"})
            written(database, [&](auto& t) { return store::insert_user(t, user(name, name), "hash"); });
    }
};

struct UserChange {
    const char* when;
    void (*make)(db::Transaction& transaction, model::User& ada);
    bool ends;  ///< what was given before
};
inline const UserChange kUserChanges[] = {
    {"nothing", [](auto&, auto&) {}, false},
    {"other claims", [](auto& t, auto& ada) { store::update_user(t, ada); }, false},
    {"another name",
     [](auto& t, auto& ada) {
         ada.username = "lovelace";
         store::update_user(t, ada);
     },
     false},
    {"a password of another user",
     [](auto& t, auto&) { store::replace_password(t, model::Subject("bob"), "other", kNow, {}); }, false},
    {"another password", [](auto& t, auto& ada) { store::replace_password(t, ada.subject, "other", kNow, {}); }, true},
    {"another hash", [](auto& t, auto& ada) { store::set_password_hash(t, ada.subject, "other", kNow); }, true},
    {"another factor", [](auto& t, auto& ada) { store::raise_stamp(t, ada.subject); }, true},
    {"disabled",
     [](auto& t, auto& ada) {
         ada.enabled = false;
         store::update_user(t, ada);
     },
     true},
    {"disabled, and enabled again",
     [](auto& t, auto& ada) {
         for (const bool enabled : {false, true}) {
             ada.enabled = enabled;
             store::update_user(t, ada);
         }
     },
     true},
};

/// Makes the change.
inline void change_ada(db::Database& database, const UserChange& change) {
    auto ada = user("ada", "ada");
    written(database, change.make, ada);
}

}  // namespace postern::test
