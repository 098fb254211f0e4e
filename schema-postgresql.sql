-- Postern's tables on PostgreSQL: those of schema.sql, which has the comments. A test compares the two.
--
-- Keys are compared byte by byte, so that neither the locale of a database nor an update of the C library changes an index. The
-- right to update `gate`, which is never read, is the right to lock a row.

CREATE TABLE schema_version (
    only_row boolean NOT NULL PRIMARY KEY CHECK (only_row),
    product text NOT NULL,
    version bigint NOT NULL
);
INSERT INTO schema_version VALUES (true, 'postern', 5);

CREATE TABLE clients (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    name text NOT NULL,
    type text NOT NULL CHECK (type IN ('confidential', 'public')),
    native bigint NOT NULL CHECK (native IN (0, 1)),
    first_party bigint NOT NULL CHECK (first_party IN (0, 1)),
    enabled bigint NOT NULL CHECK (enabled IN (0, 1)),
    grants text NOT NULL,
    scope text NOT NULL,
    auth_method text NOT NULL,
    pkce text NOT NULL CHECK (pkce IN ('required', 'optional')),
    created_at bigint NOT NULL,
    restricted bigint NOT NULL DEFAULT 0 CHECK (restricted IN (0, 1)),
    groups text NOT NULL DEFAULT 'all' CHECK (groups IN ('all', 'own')),
    id_token_claims bigint NOT NULL DEFAULT 0 CHECK (id_token_claims IN (0, 1)),
    access_token_profile text NOT NULL DEFAULT '' CHECK (access_token_profile IN ('', 'interface', 'rfc9068')),
    groups_in_access_token bigint NOT NULL DEFAULT 0 CHECK (groups_in_access_token IN (0, 1)),
    default_resource text NOT NULL DEFAULT '',
    resources text NOT NULL DEFAULT '',
    own_claims bigint NOT NULL DEFAULT 0 CHECK (own_claims IN (0, 1)),
    last_used_at bigint,
    removable_at bigint,
    brought_by text NOT NULL DEFAULT '',
    level bigint NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3),
    names text NOT NULL DEFAULT '',
    introspection_claims text NOT NULL DEFAULT '',
    response_types text NOT NULL DEFAULT '',
    details text NOT NULL DEFAULT '',
    registered_by text NOT NULL DEFAULT '',
    registration_token_hash text NOT NULL DEFAULT '',
    origin text NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'document', 'dynamic')),
    gate bigint NOT NULL DEFAULT 0
);
CREATE INDEX clients_by_removable_at ON clients (removable_at) WHERE removable_at IS NOT NULL;
CREATE INDEX clients_by_open_registration ON clients (created_at)
    WHERE origin = 'dynamic' AND registered_by = '' AND removable_at IS NOT NULL;

CREATE TABLE registration_tokens (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    uses_left bigint NOT NULL CHECK (uses_left >= 0),
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX registration_tokens_by_expiry ON registration_tokens (expires_at);

CREATE TABLE resources (
    uri text COLLATE "C" NOT NULL PRIMARY KEY,
    name text NOT NULL,
    scope text NOT NULL,
    access_token_ttl bigint,
    enabled bigint NOT NULL CHECK (enabled IN (0, 1)),
    created_at bigint NOT NULL
);

CREATE TABLE resource_addresses (
    address text COLLATE "C" NOT NULL PRIMARY KEY,
    uri text COLLATE "C" NOT NULL REFERENCES resources (uri) ON DELETE CASCADE
);
CREATE INDEX resource_addresses_by_uri ON resource_addresses (uri);

CREATE TABLE client_secrets (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    hash text COLLATE "C" NOT NULL,
    expires_at bigint,
    PRIMARY KEY (client_id, hash)
);
CREATE INDEX client_secrets_by_expiry ON client_secrets (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE client_keys (
    client_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
    jwks text NOT NULL,
    jwks_uri text NOT NULL,
    alg text NOT NULL,
    CHECK ((jwks = '') <> (jwks_uri = ''))
);

CREATE TABLE redirect_uris (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('authorization', 'logout')),
    position bigint NOT NULL,
    uri text COLLATE "C" NOT NULL,
    PRIMARY KEY (client_id, kind, position),
    UNIQUE (client_id, kind, uri)
);

CREATE TABLE sites (
    url text COLLATE "C" NOT NULL PRIMARY KEY,
    client_id text COLLATE "C" NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE
);

CREATE TABLE users (
    subject text COLLATE "C" NOT NULL PRIMARY KEY,
    username text COLLATE "C" NOT NULL UNIQUE,
    password_hash text NOT NULL,
    claims text NOT NULL,
    enabled bigint NOT NULL CHECK (enabled IN (0, 1)),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    source text COLLATE "C" NOT NULL DEFAULT '',
    left_at bigint,
    second_factor bigint NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1)),
    stamp bigint NOT NULL DEFAULT 0,
    handle text COLLATE "C" NOT NULL DEFAULT '',
    enrol_until bigint NOT NULL DEFAULT 0,
    email_key text COLLATE "C" NOT NULL DEFAULT '',
    must_change_password bigint NOT NULL DEFAULT 0 CHECK (must_change_password IN (0, 1)),
    password_changed_at bigint,
    gate bigint NOT NULL DEFAULT 0
);
CREATE INDEX users_by_email_key ON users (email_key) WHERE email_key <> '';
CREATE INDEX users_by_folded_name ON users (lower(username));

CREATE TABLE groups (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    description text NOT NULL,
    created_at bigint NOT NULL,
    second_factor bigint NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))
);

CREATE TABLE group_members (
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    group_name text COLLATE "C" NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    added_at bigint NOT NULL,
    PRIMARY KEY (subject, group_name)
);
CREATE INDEX group_members_by_group ON group_members (group_name);

CREATE TABLE allowed_groups (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    group_name text COLLATE "C" NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    gate bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (client_id, group_name)
);
CREATE INDEX allowed_groups_by_group ON allowed_groups (group_name);

CREATE TABLE allowed_users (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    gate bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (client_id, subject)
);
CREATE INDEX allowed_users_by_subject ON allowed_users (subject);

CREATE TABLE client_claims (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    claim text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    scope text NOT NULL,
    PRIMARY KEY (client_id, claim)
);
CREATE INDEX client_claims_by_source ON client_claims (source);

CREATE TABLE client_group_names (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    group_name text COLLATE "C" NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (client_id, group_name)
);
CREATE INDEX client_group_names_by_group ON client_group_names (group_name);

CREATE TABLE sessions (
    cookie_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    sid text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    auth_time bigint NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    agent text NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '',
    level bigint NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3),
    amr text NOT NULL DEFAULT '',
    remembered bigint NOT NULL DEFAULT 0 CHECK (remembered IN (0, 1))
);
CREATE INDEX sessions_by_subject ON sessions (subject, sid);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE totp_secrets (
    subject text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (subject) ON DELETE CASCADE,
    sealed text NOT NULL,
    last_step bigint NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);

CREATE TABLE recovery_codes (
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    code_hash text COLLATE "C" NOT NULL,
    made_at bigint NOT NULL,
    used_at bigint,
    PRIMARY KEY (subject, code_hash)
);

CREATE TABLE passkeys (
    credential_id text COLLATE "C" NOT NULL PRIMARY KEY,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    rp_id text COLLATE "C" NOT NULL,
    cose_key text NOT NULL,
    alg bigint NOT NULL,
    sign_count bigint NOT NULL,
    backup_eligible bigint NOT NULL CHECK (backup_eligible IN (0, 1)),
    backed_up bigint NOT NULL CHECK (backed_up IN (0, 1)),
    discoverable bigint CHECK (discoverable IN (0, 1)),
    transports text NOT NULL,
    aaguid text NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    suspended_at bigint
);
CREATE INDEX passkeys_by_subject ON passkeys (subject);

CREATE TABLE spent_challenges (
    challenge_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);

CREATE TABLE remembered_devices (
    token_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    stamp bigint NOT NULL,
    agent text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX remembered_devices_by_subject ON remembered_devices (subject);
CREATE INDEX remembered_devices_by_expiry ON remembered_devices (expires_at);

CREATE TABLE links (
    token_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    purpose text NOT NULL CHECK (purpose IN ('invite', 'password', 'factors', 'email')),
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    stamp bigint NOT NULL,
    made_by text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    email text NOT NULL DEFAULT ''
);
CREATE INDEX links_by_subject ON links (subject);
CREATE INDEX links_by_expiry ON links (expires_at);

CREATE TABLE mail_requests (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('reset', 'invite', 'password', 'factors', 'email', 'notice', 'guess')),
    subject text COLLATE "C" REFERENCES users (subject) ON DELETE CASCADE,
    email_key text COLLATE "C",
    detail text NOT NULL,
    language text NOT NULL,
    created_at bigint NOT NULL,
    not_before bigint NOT NULL,
    tries bigint NOT NULL,
    failed_at bigint
);
CREATE INDEX mail_requests_by_subject ON mail_requests (subject) WHERE subject IS NOT NULL;
CREATE INDEX mail_requests_by_kind ON mail_requests (kind, not_before) WHERE failed_at IS NULL;
CREATE INDEX mail_requests_by_failure ON mail_requests (failed_at) WHERE failed_at IS NOT NULL;

CREATE TABLE activity (
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    number bigint NOT NULL,
    at bigint NOT NULL,
    what text COLLATE "C" NOT NULL,
    agent text NOT NULL,
    address text NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (subject, number)
);
CREATE INDEX activity_by_time ON activity (at);

CREATE TABLE authorization_requests (
    request_key text COLLATE "C" NOT NULL PRIMARY KEY,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    logged_in bigint NOT NULL CHECK (logged_in IN (0, 1)),
    decision text NOT NULL CHECK (decision IN ('unset', 'approved', 'denied')),
    used bigint NOT NULL CHECK (used IN (0, 1)),
    expires_at bigint NOT NULL
);
CREATE INDEX authorization_requests_by_subject ON authorization_requests (subject, used);
CREATE INDEX authorization_requests_by_expiry ON authorization_requests (expires_at);

CREATE TABLE consents (
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject text COLLATE "C" NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    scope text NOT NULL,
    granted_at bigint NOT NULL,
    claims text NOT NULL DEFAULT '',
    resources text NOT NULL DEFAULT '',
    PRIMARY KEY (client_id, subject)
);
CREATE INDEX consents_by_subject ON consents (subject);

CREATE TABLE grants (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject text COLLATE "C" REFERENCES users (subject) ON DELETE CASCADE,
    scope text NOT NULL,
    auth_time bigint NOT NULL,
    sid text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    ended_at bigint,
    kept_until bigint NOT NULL,
    userinfo_claims text NOT NULL DEFAULT '',
    id_token_claims text NOT NULL DEFAULT '',
    resources text NOT NULL DEFAULT '',
    acr text NOT NULL DEFAULT '',
    amr text NOT NULL DEFAULT '',
    ignored_scope text NOT NULL DEFAULT '',
    number bigint NOT NULL DEFAULT 0,
    dpop_jkt text NOT NULL DEFAULT '',
    x5t text NOT NULL DEFAULT ''
);
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_subject ON grants (subject, client_id, number) WHERE subject IS NOT NULL;
-- With the id, which an index of SQLite has by itself: what ends at once, perhaps all grants of a client, is deleted in
-- this order, and each batch would sort all of it.
CREATE INDEX grants_by_kept_until ON grants (kept_until, id);
CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> '';

CREATE TABLE authorization_codes (
    code_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    grant_id text COLLATE "C" NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    redirect_uri_sent bigint NOT NULL CHECK (redirect_uri_sent IN (0, 1)),
    nonce text,
    code_challenge text,
    max_age bigint,
    audience text,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    burned_at bigint,
    dpop_jkt text NOT NULL DEFAULT '',
    CHECK (redeemed_at IS NULL OR burned_at IS NULL)
);
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);

CREATE TABLE device_codes (
    device_hash text COLLATE "C" NOT NULL PRIMARY KEY,
    user_code_hash text COLLATE "C" NOT NULL UNIQUE,
    client_id text COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scope text NOT NULL,
    ignored_scope text NOT NULL,
    resources text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'used')),
    subject text COLLATE "C" REFERENCES users (subject) ON DELETE CASCADE,
    grant_id text COLLATE "C" NOT NULL DEFAULT '',
    address text NOT NULL,
    network text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_poll_at bigint,
    poll_interval bigint NOT NULL,
    slowed bigint NOT NULL DEFAULT 0 CHECK (slowed IN (0, 1))
);
CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);
CREATE INDEX device_codes_by_client ON device_codes (client_id);
CREATE INDEX device_codes_by_subject ON device_codes (subject) WHERE subject IS NOT NULL;

CREATE TABLE session_clients (
    sid text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    last_token_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (sid, client_id)
);
CREATE INDEX session_clients_by_expiry ON session_clients (expires_at);

CREATE TABLE logout_outbox (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    client_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    sid text COLLATE "C" NOT NULL,
    jti text NOT NULL,
    tries bigint NOT NULL DEFAULT 0,
    not_before bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX logout_outbox_by_time ON logout_outbox (not_before);
CREATE INDEX logout_outbox_by_expiry ON logout_outbox (expires_at);

CREATE TABLE access_tokens (
    grant_id text COLLATE "C" NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    issued_at bigint NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    jti text NOT NULL,
    scope text NOT NULL,
    audience text,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    cnf text NOT NULL DEFAULT '',
    PRIMARY KEY (grant_id, issued_at, token_hash)
);

CREATE TABLE refresh_tokens (
    grant_id text COLLATE "C" NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    token_hash text COLLATE "C" NOT NULL,
    opaque bigint NOT NULL CHECK (opaque IN (0, 1)),
    parent_hash text COLLATE "C",
    successor_hash text COLLATE "C",
    sibling_hash text COLLATE "C",
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('current', 'used', 'retried', 'superseded')),
    rotated_at bigint,
    revoked_at bigint,
    PRIMARY KEY (grant_id, token_hash),
    CHECK ((state = 'current') = (rotated_at IS NULL)),
    CHECK ((state IN ('used', 'retried')) = (successor_hash IS NOT NULL)),
    CHECK ((state = 'retried') = (sibling_hash IS NOT NULL))
);
CREATE INDEX refresh_tokens_opaque ON refresh_tokens (token_hash) WHERE opaque = 1;

CREATE TABLE login_attempts (
    attempt_key text COLLATE "C" NOT NULL PRIMARY KEY,
    failures bigint NOT NULL,
    ends_at bigint NOT NULL
);
CREATE INDEX login_attempts_by_end ON login_attempts (ends_at);
CREATE INDEX login_attempts_by_kind ON login_attempts (substr(attempt_key, 1, strpos(attempt_key, ':')), ends_at);

-- What was used once; on a file these marks are in files of their own. Not logged: a server that crashes forgets them (0141).
CREATE UNLOGGED TABLE replays (
    kind bigint NOT NULL,
    context text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (kind, context, key)
);
CREATE INDEX replays_by_expiry ON replays (expires_at);

CREATE TABLE fetched (
    url_digest text COLLATE "C" NOT NULL PRIMARY KEY,
    content_type text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    fetched_at bigint NOT NULL,
    fresh_until bigint NOT NULL,
    used_at bigint NOT NULL
);
CREATE INDEX fetched_by_use ON fetched (used_at);

CREATE TABLE fetch_limits (
    limit_key text COLLATE "C" NOT NULL PRIMARY KEY,
    fetches bigint NOT NULL,
    ends_at bigint NOT NULL
);
CREATE INDEX fetch_limits_by_end ON fetch_limits (ends_at);

-- PostgreSQL alone, because a database file has one node. A sealed copy of each file of the key directory, for the other nodes
-- (docs/decisions/0054). All rows have the same generation; without transport.key, which is on the nodes, they are ciphertext.
CREATE TABLE key_files (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    sealed text NOT NULL,
    generation bigint NOT NULL,
    changed_at bigint NOT NULL
);

-- The nodes that have taken the copies: which generation, their clock minus that of this server in milliseconds, and when.
CREATE TABLE key_nodes (
    node text COLLATE "C" NOT NULL PRIMARY KEY,
    generation bigint NOT NULL,
    clock_offset bigint NOT NULL,
    seen_at bigint NOT NULL
);
