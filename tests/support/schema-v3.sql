-- Schema version 3, as its release created it; the comments between its statements are left out.
PRAGMA application_id = 1349743726;
PRAGMA user_version = 3;
CREATE TABLE clients (
    id          TEXT NOT NULL PRIMARY KEY,  -- client_id, RFC 6749 §2.2
    name        TEXT NOT NULL,              -- its name on the consent page (RFC 7591 §2, client_name)
    type        TEXT NOT NULL CHECK (type IN ('confidential', 'public')),  -- RFC 6749 §2.1
    native      INTEGER NOT NULL CHECK (native IN (0, 1)),       -- any port on http loopback redirect URIs, RFC 8252 §7.3
    first_party INTEGER NOT NULL CHECK (first_party IN (0, 1)),  -- the operator's own: no consent is asked
    enabled     INTEGER NOT NULL CHECK (enabled IN (0, 1)),      -- 0: every request is refused, and its tokens are inactive
    grants      TEXT NOT NULL,              -- grant types it may use, RFC 6749 §1.3
    scope       TEXT NOT NULL,              -- scopes it may request, RFC 6749 §3.3
    auth_method TEXT NOT NULL,              -- how it authenticates, RFC 6749 §2.3 (names of RFC 7591 §2)
    pkce        TEXT NOT NULL CHECK (pkce IN ('required', 'optional')),  -- RFC 7636 §4.4.1
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE client_secrets (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    hash       TEXT NOT NULL,  -- secrets have 256 random bits or 32 characters, so a fast digest protects them
    expires_at INTEGER,        -- NULL: the current secret. Set: an old one, valid until then
    PRIMARY KEY (client_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_secrets_by_expiry ON client_secrets (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE redirect_uris (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL CHECK (kind IN ('authorization', 'logout')),  -- redirect_uri or post_logout_redirect_uri
    position  INTEGER NOT NULL,  -- the order of registration
    uri       TEXT NOT NULL,     -- compared byte by byte, RFC 9700 §4.1.3
    PRIMARY KEY (client_id, kind, position),
    UNIQUE (client_id, kind, uri)  -- a duplicate must not break "exactly one is registered" (RFC 6749 §3.1.2.3)
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    subject       TEXT NOT NULL PRIMARY KEY,  -- `sub`: random, never reassigned, OpenID Connect Core §2
    username      TEXT NOT NULL UNIQUE,       -- typed at login, compared byte by byte
    password_hash TEXT NOT NULL,              -- crypt(5); '' = no password login
    claims        TEXT NOT NULL,              -- a JSON object of OpenID Connect Core §5.1 claims
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),  -- 0: no login, no session, no active token
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL            -- the claim `updated_at`, OpenID Connect Core §5.1
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    cookie_hash  TEXT NOT NULL PRIMARY KEY,  -- of the cookie's current value, which changes at every login
    sid          TEXT NOT NULL,     -- internal id, which does not change then: `sid` of OpenID Connect Front-Channel Logout 1.0 §3
    subject      TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    auth_time    INTEGER NOT NULL,  -- of the last login, 0 if unknown: `auth_time` and `max_age`, OpenID Connect Core §2, §3.1.2.1
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,  -- decides idle expiry
    expires_at   INTEGER NOT NULL   -- absolute; use does not move it
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_subject ON sessions (subject);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE TABLE authorization_requests (
    request_key TEXT NOT NULL PRIMARY KEY,  -- digest of the request's id
    subject     TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,  -- the user who logged in for it or decided it
    logged_in   INTEGER NOT NULL CHECK (logged_in IN (0, 1)),  -- for this very request: prompt=login, OpenID Connect Core §3.1.2.1
    decision    TEXT NOT NULL CHECK (decision IN ('unset', 'approved', 'denied')),  -- denial is not absence: RFC 6749 §4.1.2.1
    used        INTEGER NOT NULL CHECK (used IN (0, 1)),       -- answered: one request yields at most one code
    expires_at  INTEGER NOT NULL            -- the seal's own expiry, after which the request cannot come back
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_requests_by_subject ON authorization_requests (subject);
CREATE INDEX authorization_requests_by_expiry ON authorization_requests (expires_at);
CREATE TABLE consents (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject    TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    granted_at INTEGER NOT NULL,  -- of the latest approval
    claims     TEXT NOT NULL DEFAULT '',  -- claims requested by name, beyond the scopes: OpenID Connect Core §5.5
    PRIMARY KEY (client_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX consents_by_subject ON consents (subject);
CREATE TABLE grants (
    id         TEXT NOT NULL PRIMARY KEY,  -- also the first half of every `jti` under it; since version 3 in order of creation
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject    TEXT REFERENCES users (subject) ON DELETE CASCADE,  -- NULL: no user is involved, RFC 6749 §4.4
    scope      TEXT NOT NULL,     -- RFC 6749 §3.3
    auth_time  INTEGER NOT NULL,  -- of the user's login at that time, 0 if unknown, OpenID Connect Core §2
    sid        TEXT NOT NULL,     -- the session in which it was created, '' for none
    created_at INTEGER NOT NULL,
    ended_at   INTEGER,           -- set: nothing under it is valid any more
    kept_until INTEGER NOT NULL,  -- the latest expiry of its codes and tokens, earlier if it ends: then all may be deleted
    userinfo_claims TEXT NOT NULL DEFAULT '',  -- claims in UserInfo beyond the scope, OpenID Connect Core §5.5
    id_token_claims TEXT NOT NULL DEFAULT ''   -- claims in ID tokens, likewise
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_subject ON grants (subject) WHERE subject IS NOT NULL;
CREATE INDEX grants_by_kept_until ON grants (kept_until);
CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> '';
CREATE TABLE authorization_codes (
    code_hash         TEXT NOT NULL PRIMARY KEY,
    grant_id          TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri      TEXT NOT NULL,     -- must be repeated, RFC 6749 §4.1.3
    redirect_uri_sent INTEGER NOT NULL CHECK (redirect_uri_sent IN (0, 1)),  -- 0: it was omitted and may be omitted again
    nonce             TEXT,              -- OpenID Connect Core §3.1.2.1
    code_challenge    TEXT,              -- S256, RFC 7636 §4.4
    max_age           INTEGER,           -- seconds, checked again at the token endpoint, OpenID Connect Core §3.1.2.1
    audience          TEXT,              -- recorded; the token request's own value decides
    expires_at        INTEGER NOT NULL,  -- RFC 6749 §4.1.2: ten minutes at most
    redeemed_at       INTEGER,           -- set once, by the one request that gets the tokens
    burned_at         INTEGER,           -- used up without a token: wrong verifier or redirect_uri, or revoked (RFC 7009)
    CHECK (redeemed_at IS NULL OR burned_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);
CREATE TABLE access_tokens (
    grant_id   TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    issued_at  INTEGER NOT NULL,  -- equal to `iat`
    token_hash TEXT NOT NULL,
    jti        TEXT NOT NULL,     -- RFC 7519 §4.1.7
    scope      TEXT NOT NULL,     -- what introspection reports, RFC 7662 §2.2
    audience   TEXT,              -- RFC 7519 §4.1.3
    expires_at INTEGER NOT NULL,  -- equal to `exp`; the row may be deleted then
    revoked_at INTEGER,           -- RFC 7009 §2.1
    PRIMARY KEY (grant_id, issued_at, token_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE refresh_tokens (
    grant_id       TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    token_hash     TEXT NOT NULL,
    opaque         INTEGER NOT NULL CHECK (opaque IN (0, 1)),  -- 1: a random value, which does not contain its grant
    parent_hash    TEXT,              -- the token whose use yielded this one; NULL: the first of the grant
    successor_hash TEXT,              -- the token that its use yielded
    sibling_hash   TEXT,              -- the token that its retry yielded
    issued_at      INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,  -- the same for all of a grant; use does not extend it
    -- current: usable. used: yielded a successor. retried: used, and a retry within the grace yielded a second successor.
    -- superseded: another successor of the same token was used instead.
    state          TEXT NOT NULL CHECK (state IN ('current', 'used', 'retried', 'superseded')),
    rotated_at     INTEGER,           -- when it stopped being current
    revoked_at     INTEGER,           -- RFC 7009 §2.1
    PRIMARY KEY (grant_id, token_hash),
    CHECK ((state = 'current') = (rotated_at IS NULL)),
    CHECK ((state IN ('used', 'retried')) = (successor_hash IS NOT NULL)),
    CHECK ((state = 'retried') = (sibling_hash IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_opaque ON refresh_tokens (token_hash) WHERE opaque = 1;
CREATE TABLE login_attempts (
    attempt_key TEXT NOT NULL PRIMARY KEY,  -- the kind of counter, and a digest of the user name, the address or both
    failures    INTEGER NOT NULL,           -- since the start of the window
    ends_at     INTEGER NOT NULL            -- the end of the window, after which the row has no effect
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_by_end ON login_attempts (ends_at);
