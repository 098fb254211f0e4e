// A database with ada and bob, for the tests of what belongs to one user and ends when that user changes.
#pragma once

#include "unit/store/fixture.h"

namespace postern::test {

struct TwoUsers {
    db::Database database = empty_database();
    model::User ada = user("sub-ada", "ada");

    TwoUsers() {
        for (const model::User& each : {ada, user("sub-bob", "bob")})
            written(database, [&](db::Transaction& t) { return store::insert_user(t, each, "hash"); });
    }
};

}  // namespace postern::test
