// Tokens of two users and two clients, for tests that list and count.
#pragma once

#include "unit/store/fixture.h"

namespace postern::test {

/// Two clients, two users and a client on its own behalf; each grant with a code, an access token and a refresh token.
inline db::Database with_tokens() {
    auto database = sample_database();
    written(database, [](db::Transaction& transaction) {
        store::insert_client(transaction, client("other"));
        store::insert_user(transaction, user("sub-2", "bob"));
        const auto give = [&](const char* id, const char* to, const char* subject, int when) {
            auto each = grant(id, subject);
            each.client_id = model::ClientId(to);
            each.created_at = kNow + Seconds{when};
            store::insert_grant(transaction, each);
            const std::string name = id;
            store::insert_code(transaction, code("code " + name, id));
            store::insert_access_token(transaction, token("token " + name, id));
            store::insert_refresh_token(transaction, refresh_token_of(id));
        };
        give("b", "client", "sub-1", -20);
        give("a", "client", "sub-2", -10);
        give("c", "other", "sub-1", -5);
        give("d", "other", "", -2);
    });
    return database;
}

}  // namespace postern::test
