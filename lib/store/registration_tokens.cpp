// Decides which initial access tokens are accepted, and how often.
#include "store/registration_tokens.h"

namespace postern::store {

bool insert_registration_token(db::Transaction& transaction, const model::RegistrationToken& token) {
    return transaction.run(
               "INSERT INTO registration_tokens (id, token_hash, name, uses_left, created_at, expires_at)"
               " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
               token.id, token.token_hash, token.name, token.uses_left, token.created_at, token.expires_at) == 1;
}

bool is_usable_registration_token(db::Database& database, const model::ValueHash& token_hash, util::Time now) {
    return database
        .query("SELECT 1 FROM registration_tokens WHERE token_hash = $1 AND uses_left > 0 AND expires_at > $2",
               token_hash, now)
        .step();
}

bool use_registration_token(db::Transaction& transaction, const model::ValueHash& token_hash, util::Time now) {
    return transaction.run(
               "UPDATE registration_tokens SET uses_left = uses_left - 1"
               " WHERE token_hash = $1 AND uses_left > 0 AND expires_at > $2",
               token_hash, now) == 1;
}

std::vector<model::RegistrationToken> list_registration_tokens(db::Database& database, db::Limit limit) {
    auto rows = database.query(
        "SELECT id, token_hash, name, uses_left, created_at, expires_at FROM registration_tokens"
        " ORDER BY created_at, id LIMIT $1",
        limit.rows);
    std::vector<model::RegistrationToken> tokens;
    while (rows.step()) {
        auto& token = tokens.emplace_back();
        rows >> token.id >> token.token_hash >> token.name >> token.uses_left >> token.created_at >> token.expires_at;
    }
    return tokens;
}

bool remove_registration_token(db::Transaction& transaction, const std::string& id) {
    return transaction.run("DELETE FROM registration_tokens WHERE id = $1", id) == 1;
}

}  // namespace postern::store
