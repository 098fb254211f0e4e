// Decides which rows no rule can ask for any more.
#include "store/sweep.h"

namespace postern::store {
namespace {

// $1 is now, $2 the number of rows. Each finds its rows by an index on the expiry.
constexpr const char* kStatements[] = {
    "DELETE FROM sessions WHERE cookie_hash IN"
    " (SELECT cookie_hash FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM authorization_requests WHERE request_key IN"
    " (SELECT request_key FROM authorization_requests WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM login_attempts WHERE attempt_key IN"
    " (SELECT attempt_key FROM login_attempts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)",
    "DELETE FROM client_secrets WHERE (client_id, hash) IN"
    " (SELECT client_id, hash FROM client_secrets WHERE expires_at IS NOT NULL AND expires_at <= $1"
    " ORDER BY expires_at LIMIT $2)",
    // `jti` names the grant, so that an expired token can still end it without a row (RFC 7009 §2.1).
    "DELETE FROM access_tokens WHERE token_hash IN"
    " (SELECT token_hash FROM access_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    // Takes its codes along, spent ones too: a replay of them has nothing left to take back (RFC 6749 §4.1.2).
    "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE kept_until <= $1 ORDER BY kept_until LIMIT $2)",
};

}  // namespace

void sweep(Transaction& transaction, util::Time now, int batch) {
    for (const char* sql : kStatements) {
        transaction.database().prepare(sql).bind(1, util::to_epoch(now)).bind(2, std::int64_t{batch}).execute();
    }
}

}  // namespace postern::store
