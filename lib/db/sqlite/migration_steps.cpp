// What makes an older schema this release's. A step is never changed once it has been released: what it makes must be
// what the release that follows it expects.
#include "db/sqlite/migration_steps.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "crypto/digest.h"
#include "db/engine.h"
#include "text/mail.h"
#include "util/text.h"

namespace postern::db {
namespace {

constexpr const char* kToVersion2[] = {
    "ALTER TABLE consents ADD COLUMN claims TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN userinfo_claims TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN id_token_claims TEXT NOT NULL DEFAULT ''",
    "DROP INDEX grants_by_subject",
    "CREATE INDEX grants_by_subject ON grants (subject) WHERE subject IS NOT NULL",
    "CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> ''",
    "CREATE TABLE refresh_tokens ("
    " token_hash TEXT NOT NULL PRIMARY KEY,"
    " grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    " parent_hash TEXT,"
    " issued_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('current', 'used', 'retried', 'superseded')),"
    " rotated_at INTEGER,"
    " revoked_at INTEGER,"
    " CHECK ((state = 'current') = (rotated_at IS NULL))"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id)",
    "CREATE INDEX refresh_tokens_by_parent ON refresh_tokens (parent_hash) WHERE parent_hash IS NOT NULL",
    "PRAGMA user_version = 2",
};

// The key of a token begins with its grant, which the token itself names. A refresh token of an earlier version may be
// opaque, and its successor may have been deleted before it.
constexpr const char* kToVersion3[] = {
    "DROP INDEX IF EXISTS grants_by_subject",  // which an early version 2 had over all grants
    "DROP INDEX IF EXISTS grants_by_sid",
    "CREATE INDEX grants_by_subject ON grants (subject) WHERE subject IS NOT NULL",
    "CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> ''",
    "ALTER TABLE access_tokens RENAME TO old_access_tokens",
    "CREATE TABLE access_tokens ("
    " grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    " issued_at INTEGER NOT NULL,"
    " token_hash TEXT NOT NULL,"
    " jti TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " audience TEXT,"
    " expires_at INTEGER NOT NULL,"
    " revoked_at INTEGER,"
    " PRIMARY KEY (grant_id, issued_at, token_hash)"
    ") STRICT, WITHOUT ROWID",
    "INSERT INTO access_tokens"
    " SELECT t.grant_id, t.issued_at, t.token_hash, t.jti, t.scope, t.audience, t.expires_at, t.revoked_at"
    " FROM grants g CROSS JOIN old_access_tokens t ON t.grant_id = g.id ORDER BY g.id",
    "DROP TABLE old_access_tokens",
    "ALTER TABLE refresh_tokens RENAME TO old_refresh_tokens",
    "CREATE TABLE refresh_tokens ("
    " grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    " token_hash TEXT NOT NULL,"
    " opaque INTEGER NOT NULL CHECK (opaque IN (0, 1)),"
    " parent_hash TEXT,"
    " successor_hash TEXT,"
    " sibling_hash TEXT,"
    " issued_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('current', 'used', 'retried', 'superseded')),"
    " rotated_at INTEGER,"
    " revoked_at INTEGER,"
    " PRIMARY KEY (grant_id, token_hash),"
    " CHECK ((state = 'current') = (rotated_at IS NULL)),"
    " CHECK ((state IN ('used', 'retried')) = (successor_hash IS NOT NULL)),"
    " CHECK ((state = 'retried') = (sibling_hash IS NOT NULL))"
    ") STRICT, WITHOUT ROWID",
    "INSERT INTO refresh_tokens"
    " SELECT t.grant_id, t.token_hash, 1, t.parent_hash,"
    " CASE WHEN t.state IN ('used', 'retried') THEN COALESCE((SELECT s.token_hash FROM old_refresh_tokens s"
    " WHERE s.parent_hash = t.token_hash ORDER BY s.token_hash LIMIT 1), '') END,"
    " CASE WHEN t.state = 'retried' THEN COALESCE((SELECT s.token_hash FROM old_refresh_tokens s"
    " WHERE s.parent_hash = t.token_hash ORDER BY s.token_hash LIMIT 1 OFFSET 1), '') END,"
    " t.issued_at, t.expires_at, t.state, t.rotated_at, t.revoked_at"
    " FROM grants g CROSS JOIN old_refresh_tokens t ON t.grant_id = g.id ORDER BY g.id",
    "DROP TABLE old_refresh_tokens",
    "CREATE INDEX refresh_tokens_opaque ON refresh_tokens (token_hash) WHERE opaque = 1",
    "PRAGMA user_version = 3",
};

// Groups, who may use which client, where it is told claims and what its access tokens are for, and where users come
// from. Nothing that was there changes: each client is for every user, and its tokens for every API, as before.
constexpr const char* kToVersion4[] = {
    "ALTER TABLE clients ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0 CHECK (restricted IN (0, 1))",
    "ALTER TABLE clients ADD COLUMN groups TEXT NOT NULL DEFAULT 'all' CHECK (groups IN ('all', 'own'))",
    "ALTER TABLE clients ADD COLUMN id_token_claims INTEGER NOT NULL DEFAULT 0 CHECK (id_token_claims IN (0, 1))",
    "ALTER TABLE users ADD COLUMN source TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN left_at INTEGER",
    "ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE groups ("
    " name TEXT NOT NULL PRIMARY KEY,"
    " description TEXT NOT NULL,"
    " created_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE TABLE group_members ("
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,"
    " added_at INTEGER NOT NULL,"
    " PRIMARY KEY (subject, group_name)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX group_members_by_group ON group_members (group_name)",
    "CREATE TABLE allowed_groups ("
    " client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,"
    " PRIMARY KEY (client_id, group_name)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX allowed_groups_by_group ON allowed_groups (group_name)",
    "CREATE TABLE allowed_users ("
    " client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " PRIMARY KEY (client_id, subject)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX allowed_users_by_subject ON allowed_users (subject)",
    "ALTER TABLE clients ADD COLUMN access_token_profile TEXT NOT NULL DEFAULT ''"
    " CHECK (access_token_profile IN ('', 'interface', 'rfc9068'))",
    "ALTER TABLE clients ADD COLUMN groups_in_access_token INTEGER NOT NULL DEFAULT 0"
    " CHECK (groups_in_access_token IN (0, 1))",
    "ALTER TABLE clients ADD COLUMN default_resource TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN resources TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN own_claims INTEGER NOT NULL DEFAULT 0 CHECK (own_claims IN (0, 1))",
    "CREATE TABLE client_claims ("
    " client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " claim TEXT NOT NULL,"
    " source TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " PRIMARY KEY (client_id, claim)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX client_claims_by_source ON client_claims (source)",
    "CREATE TABLE client_group_names ("
    " client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,"
    " name TEXT NOT NULL,"
    " PRIMARY KEY (client_id, group_name)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX client_group_names_by_group ON client_group_names (group_name)",
    "ALTER TABLE consents ADD COLUMN resources TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN resources TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE resources ("
    " uri TEXT NOT NULL PRIMARY KEY,"
    " name TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " access_token_ttl INTEGER,"
    " enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),"
    " created_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE TABLE resource_addresses ("
    " address TEXT NOT NULL PRIMARY KEY,"
    " uri TEXT NOT NULL REFERENCES resources (uri) ON DELETE CASCADE"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX resource_addresses_by_uri ON resource_addresses (uri)",
    "ALTER TABLE clients ADD COLUMN origin TEXT NOT NULL DEFAULT 'operator'"
    " CHECK (origin IN ('operator', 'document'))",
    "ALTER TABLE clients ADD COLUMN last_used_at INTEGER",
    "ALTER TABLE clients ADD COLUMN removable_at INTEGER",
    "ALTER TABLE clients ADD COLUMN brought_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN level INTEGER NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3)",
    "ALTER TABLE clients ADD COLUMN names TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))",
    "ALTER TABLE users ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE groups ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))",
    "ALTER TABLE sessions ADD COLUMN level INTEGER NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3)",
    "ALTER TABLE sessions ADD COLUMN amr TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0 CHECK (remembered IN (0, 1))",
    "ALTER TABLE grants ADD COLUMN acr TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN amr TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN ignored_scope TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN number INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE totp_secrets ("
    " subject TEXT NOT NULL PRIMARY KEY REFERENCES users (subject) ON DELETE CASCADE,"
    " sealed TEXT NOT NULL,"
    " last_step INTEGER NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " last_used_at INTEGER"
    ") STRICT, WITHOUT ROWID",
    "CREATE TABLE recovery_codes ("
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " code_hash TEXT NOT NULL,"
    " made_at INTEGER NOT NULL,"
    " used_at INTEGER,"
    " PRIMARY KEY (subject, code_hash)"
    ") STRICT, WITHOUT ROWID",
    "ALTER TABLE users ADD COLUMN handle TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE users ADD COLUMN enrol_until INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE users ADD COLUMN email_key TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX users_by_email_key ON users (email_key) WHERE email_key <> ''",
    "ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0"
    " CHECK (must_change_password IN (0, 1))",
    "ALTER TABLE users ADD COLUMN password_changed_at INTEGER",
    "CREATE TABLE passkeys ("
    " credential_id TEXT NOT NULL PRIMARY KEY,"
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " rp_id TEXT NOT NULL,"
    " cose_key TEXT NOT NULL,"
    " alg INTEGER NOT NULL,"
    " sign_count INTEGER NOT NULL,"
    " backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),"
    " backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),"
    " discoverable INTEGER CHECK (discoverable IN (0, 1)),"
    " transports TEXT NOT NULL,"
    " aaguid TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " last_used_at INTEGER,"
    " suspended_at INTEGER"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX passkeys_by_subject ON passkeys (subject)",
    "CREATE TABLE spent_challenges ("
    " challenge_hash TEXT NOT NULL PRIMARY KEY,"
    " expires_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at)",
    "CREATE TABLE remembered_devices ("
    " token_hash TEXT NOT NULL PRIMARY KEY,"
    " id TEXT NOT NULL,"
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " stamp INTEGER NOT NULL,"
    " agent TEXT NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " last_used_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX remembered_devices_by_subject ON remembered_devices (subject)",
    "CREATE INDEX remembered_devices_by_expiry ON remembered_devices (expires_at)",
    "CREATE TABLE links ("
    " token_hash TEXT NOT NULL PRIMARY KEY,"
    " purpose TEXT NOT NULL CHECK (purpose IN ('invite', 'password', 'factors', 'email')),"
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " stamp INTEGER NOT NULL,"
    " made_by TEXT NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " used_at INTEGER,"
    " email TEXT NOT NULL DEFAULT ''"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX links_by_subject ON links (subject)",
    "CREATE INDEX links_by_expiry ON links (expires_at)",
    "CREATE TABLE mail_requests ("
    " id TEXT NOT NULL PRIMARY KEY,"
    " kind TEXT NOT NULL CHECK (kind IN ('reset', 'invite', 'password', 'factors', 'email', 'notice', 'guess')),"
    " subject TEXT REFERENCES users (subject) ON DELETE CASCADE,"
    " email_key TEXT,"
    " detail TEXT NOT NULL,"
    " language TEXT NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " not_before INTEGER NOT NULL,"
    " tries INTEGER NOT NULL,"
    " failed_at INTEGER"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX mail_requests_by_subject ON mail_requests (subject) WHERE subject IS NOT NULL",
    "CREATE INDEX mail_requests_by_kind ON mail_requests (kind, not_before) WHERE failed_at IS NULL",
    "CREATE INDEX mail_requests_by_failure ON mail_requests (failed_at) WHERE failed_at IS NOT NULL",
    "CREATE TABLE activity ("
    " subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,"
    " number INTEGER NOT NULL,"
    " at INTEGER NOT NULL,"
    " what TEXT NOT NULL,"
    " agent TEXT NOT NULL,"
    " address TEXT NOT NULL,"
    " detail TEXT NOT NULL,"
    " PRIMARY KEY (subject, number)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX activity_by_time ON activity (at)",
    "CREATE INDEX clients_by_removable_at ON clients (removable_at) WHERE removable_at IS NOT NULL",
    "CREATE TABLE fetched ("
    " url_digest TEXT NOT NULL PRIMARY KEY,"
    " content_type TEXT NOT NULL,"
    " body TEXT NOT NULL,"
    " fetched_at INTEGER NOT NULL,"
    " fresh_until INTEGER NOT NULL,"
    " used_at INTEGER NOT NULL"
    ") STRICT",
    "CREATE INDEX fetched_by_use ON fetched (used_at)",
    "CREATE TABLE fetch_limits ("
    " limit_key TEXT NOT NULL PRIMARY KEY,"
    " fetches INTEGER NOT NULL,"
    " ends_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX fetch_limits_by_end ON fetch_limits (ends_at)",
    "DROP INDEX sessions_by_subject",
    "CREATE INDEX sessions_by_subject ON sessions (subject, sid)",
    "DROP INDEX authorization_requests_by_subject",
    "CREATE INDEX authorization_requests_by_subject ON authorization_requests (subject, used)",
    "DROP INDEX grants_by_subject",
    "CREATE INDEX grants_by_subject ON grants (subject, client_id, number) WHERE subject IS NOT NULL",
    "CREATE INDEX login_attempts_by_kind ON login_attempts (substr(attempt_key, 1, instr(attempt_key, ':')), ends_at)",
    "CREATE INDEX users_by_folded_name ON users (lower(username))",
    "PRAGMA user_version = 4",
};

// What introspection tells a client, its response types and the algorithm of its ID tokens, codes of devices, whom the
// end of a session is told to, clients that register themselves, and sites.
constexpr const char* kToVersion5[] = {
    "ALTER TABLE clients ADD COLUMN introspection_claims TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN response_types TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN details TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE device_codes ("
    " device_hash TEXT NOT NULL PRIMARY KEY,"
    " user_code_hash TEXT NOT NULL UNIQUE,"
    " client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " scope TEXT NOT NULL,"
    " ignored_scope TEXT NOT NULL,"
    " resources TEXT NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'used')),"
    " subject TEXT REFERENCES users (subject) ON DELETE CASCADE,"
    " grant_id TEXT NOT NULL DEFAULT '',"
    " address TEXT NOT NULL,"
    " network TEXT NOT NULL,"
    " created_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " last_poll_at INTEGER,"
    " poll_interval INTEGER NOT NULL,"
    " slowed INTEGER NOT NULL DEFAULT 0 CHECK (slowed IN (0, 1))"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX device_codes_by_expiry ON device_codes (expires_at)",
    "CREATE INDEX device_codes_by_client ON device_codes (client_id)",
    "CREATE INDEX device_codes_by_subject ON device_codes (subject) WHERE subject IS NOT NULL",
    "CREATE TABLE session_clients ("
    " sid TEXT NOT NULL,"
    " client_id TEXT NOT NULL,"
    " last_token_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " PRIMARY KEY (sid, client_id)"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX session_clients_by_expiry ON session_clients (expires_at)",
    "CREATE TABLE logout_outbox ("
    " id TEXT NOT NULL PRIMARY KEY,"
    " client_id TEXT NOT NULL,"
    " subject TEXT NOT NULL,"
    " sid TEXT NOT NULL,"
    " jti TEXT NOT NULL,"
    " tries INTEGER NOT NULL DEFAULT 0,"
    " not_before INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX logout_outbox_by_time ON logout_outbox (not_before)",
    "CREATE INDEX logout_outbox_by_expiry ON logout_outbox (expires_at)",
    "ALTER TABLE clients ADD COLUMN registered_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clients ADD COLUMN registration_token_hash TEXT NOT NULL DEFAULT ''",
    // The words that a CHECK allows cannot be altered.
    "ALTER TABLE clients ADD COLUMN new_origin TEXT NOT NULL DEFAULT 'operator'"
    " CHECK (new_origin IN ('operator', 'document', 'dynamic'))",
    "UPDATE clients SET new_origin = origin",
    "ALTER TABLE clients DROP COLUMN origin",
    "ALTER TABLE clients RENAME COLUMN new_origin TO origin",
    "CREATE INDEX clients_by_open_registration ON clients (created_at)"
    " WHERE origin = 'dynamic' AND registered_by = '' AND removable_at IS NOT NULL",
    "CREATE TABLE registration_tokens ("
    " id TEXT NOT NULL PRIMARY KEY,"
    " token_hash TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL,"
    " uses_left INTEGER NOT NULL CHECK (uses_left >= 0),"
    " created_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX registration_tokens_by_expiry ON registration_tokens (expires_at)",
    "CREATE TABLE sites ("
    " url TEXT NOT NULL PRIMARY KEY,"
    " client_id TEXT NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE"
    ") STRICT, WITHOUT ROWID",
    "CREATE TABLE client_keys ("
    " client_id TEXT NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,"
    " jwks TEXT NOT NULL,"
    " jwks_uri TEXT NOT NULL,"
    " alg TEXT NOT NULL,"
    " CHECK ((jwks = '') <> (jwks_uri = ''))"
    ") STRICT, WITHOUT ROWID",
    "ALTER TABLE grants ADD COLUMN dpop_jkt TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN x5t TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE authorization_codes ADD COLUMN dpop_jkt TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE access_tokens ADD COLUMN cnf TEXT NOT NULL DEFAULT ''",
    "PRAGMA user_version = 5",
};

/// As model::email_key. SQL has no SHA-256.
std::string email_key(const std::string& address) {
    return text::is_mail_address(address) ? crypto::sha256_hex(util::to_lower(address)) : "";
}

void fill_email_keys(Database& database) {
    constexpr std::size_t kBatch = 1000;
    std::string last;
    for (std::vector<std::pair<std::string, std::string>> batch;; batch.clear()) {
        auto row = database.query(
            "SELECT u.subject, e.value FROM users u, json_each(u.claims) e"
            " WHERE u.subject > $1 AND e.key = 'email' AND e.type = 'text' ORDER BY u.subject LIMIT $2",
            last, kBatch);
        while (row.step()) batch.emplace_back(row.text(0), row.text(1));
        if (batch.empty()) return;
        last = batch.back().first;
        for (const auto& [subject, email] : batch)
            database.query("UPDATE users SET email_key = $2 WHERE subject = $1", subject, email_key(email)).execute();
    }
}

constexpr MigrationStep kSteps[] = {
    {1, kToVersion2, nullptr}, {2, kToVersion3, nullptr}, {3, kToVersion4, fill_email_keys}, {4, kToVersion5, nullptr}};

static_assert(kSteps[0].from + static_cast<int>(std::size(kSteps)) == kSchemaVersion,
              "a step from each version to the next");

}  // namespace

std::span<const MigrationStep> migration_steps() { return kSteps; }

}  // namespace postern::db
