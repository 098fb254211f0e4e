-- Schema version 1, as its release created it; the comments between its statements are left out.
PRAGMA application_id = 1349743726;
PRAGMA user_version = 1;
CREATE TABLE clients (
    id          TEXT NOT NULL PRIMARY KEY,  -- client_id, RFC 6749 §2.2
    name        TEXT NOT NULL,              -- what the consent page calls it (RFC 7591 §2, client_name)
    type        TEXT NOT NULL CHECK (type IN ('confidential', 'public')),  -- RFC 6749 §2.1
    native      INTEGER NOT NULL CHECK (native IN (0, 1)),       -- any port on http loopback redirect URIs, RFC 8252 §7.3
    first_party INTEGER NOT NULL CHECK (first_party IN (0, 1)),  -- the operator's own: consent is not asked
    enabled     INTEGER NOT NULL CHECK (enabled IN (0, 1)),      -- 0: may do nothing, and its tokens are inactive meanwhile
    grants      TEXT NOT NULL,              -- grant types it may use, RFC 6749 §1.3
    scope       TEXT NOT NULL,              -- scopes it may ask for, RFC 6749 §3.3
    auth_method TEXT NOT NULL,              -- how it authenticates, RFC 6749 §2.3 (names of RFC 7591 §2)
    pkce        TEXT NOT NULL CHECK (pkce IN ('required', 'optional')),  -- RFC 7636 §4.4.1
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE client_secrets (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    hash       TEXT NOT NULL,  -- secrets have 256 random bits or 32 characters, so a fast digest protects them
    expires_at INTEGER,        -- NULL: the present secret. Set: an old one, until then
    PRIMARY KEY (client_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_secrets_by_expiry ON client_secrets (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE redirect_uris (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL CHECK (kind IN ('authorization', 'logout')),  -- redirect_uri or post_logout_redirect_uri
    position  INTEGER NOT NULL,  -- the order of registration
    uri       TEXT NOT NULL,     -- compared byte by byte, RFC 9700 §4.1.3
    PRIMARY KEY (client_id, kind, position),
    UNIQUE (client_id, kind, uri)  -- "exactly one is registered" (RFC 6749 §3.1.2.3) must not be upset by a repetition
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    subject       TEXT NOT NULL PRIMARY KEY,  -- `sub`: random, never given to anybody else, OpenID Connect Core §2
    username      TEXT NOT NULL UNIQUE,       -- what is typed at login, compared byte by byte
    password_hash TEXT NOT NULL,              -- crypt(5); '' = no password login
    claims        TEXT NOT NULL,              -- a JSON object of OpenID Connect Core §5.1 claims
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),  -- 0: no login, no session, no active token
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL            -- the claim `updated_at`, OpenID Connect Core §5.1
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    cookie_hash  TEXT NOT NULL PRIMARY KEY,  -- of the cookie's present value, which changes at every login
    sid          TEXT NOT NULL,     -- inner id, stable over these changes: `sid` of OpenID Connect Front-Channel Logout 1.0 §3
    subject      TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    auth_time    INTEGER NOT NULL,  -- of the last password check: `auth_time` and `max_age`, OpenID Connect Core §2, §3.1.2.1
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,  -- decides idle expiry
    expires_at   INTEGER NOT NULL   -- absolute; use does not move it
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_subject ON sessions (subject);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE TABLE authorization_requests (
    request_key TEXT NOT NULL PRIMARY KEY,  -- digest of the request's id
    subject     TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,  -- who logged in for it or decided it
    logged_in   INTEGER NOT NULL CHECK (logged_in IN (0, 1)),  -- for this very request: prompt=login, OpenID Connect Core §3.1.2.1
    decision    TEXT NOT NULL CHECK (decision IN ('unset', 'approved', 'denied')),  -- denial is not absence: RFC 6749 §4.1.2.1
    used        INTEGER NOT NULL CHECK (used IN (0, 1)),       -- answered: one request yields at most one code
    expires_at  INTEGER NOT NULL            -- the seal's own expiry: after it the request cannot come back
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_requests_by_subject ON authorization_requests (subject);
CREATE INDEX authorization_requests_by_expiry ON authorization_requests (expires_at);
CREATE TABLE consents (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject    TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    granted_at INTEGER NOT NULL,  -- of the latest approval
    PRIMARY KEY (client_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX consents_by_subject ON consents (subject);
CREATE TABLE grants (
    id         TEXT NOT NULL PRIMARY KEY,  -- also the first half of every `jti` under it
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject    TEXT REFERENCES users (subject) ON DELETE CASCADE,  -- NULL: no user is involved, RFC 6749 §4.4
    scope      TEXT NOT NULL,     -- RFC 6749 §3.3
    auth_time  INTEGER NOT NULL,  -- of the user's login at that moment, OpenID Connect Core §2
    sid        TEXT NOT NULL,     -- the session it was given in
    created_at INTEGER NOT NULL,
    ended_at   INTEGER,           -- set: nothing under it is valid any more
    kept_until INTEGER NOT NULL   -- the latest expiry of anything under it, brought forward when it ends: then all of it may go
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_subject ON grants (subject);
CREATE INDEX grants_by_kept_until ON grants (kept_until);
CREATE TABLE authorization_codes (
    code_hash         TEXT NOT NULL PRIMARY KEY,
    grant_id          TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri      TEXT NOT NULL,     -- must come again, RFC 6749 §4.1.3
    redirect_uri_sent INTEGER NOT NULL CHECK (redirect_uri_sent IN (0, 1)),  -- 0: it was left out and may be left out again
    nonce             TEXT,              -- OpenID Connect Core §3.1.2.1
    code_challenge    TEXT,              -- S256, RFC 7636 §4.4
    max_age           INTEGER,           -- seconds, checked again at the token endpoint, OpenID Connect Core §3.1.2.1
    audience          TEXT,              -- recorded; the token request's own value decides
    expires_at        INTEGER NOT NULL,  -- RFC 6749 §4.1.2: ten minutes at most
    redeemed_at       INTEGER,           -- set once, by the one request that gets the tokens
    burned_at         INTEGER,           -- spent without a token: wrong verifier or redirect_uri
    CHECK (redeemed_at IS NULL OR burned_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);
CREATE TABLE access_tokens (
    token_hash TEXT NOT NULL PRIMARY KEY,
    jti        TEXT NOT NULL,     -- RFC 7519 §4.1.7
    grant_id   TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,     -- what introspection reports, RFC 7662 §2.2
    audience   TEXT,              -- RFC 7519 §4.1.3
    issued_at  INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,  -- equal to `exp`; the row may go then
    revoked_at INTEGER            -- RFC 7009 §2.1
) STRICT, WITHOUT ROWID;
CREATE INDEX access_tokens_by_grant ON access_tokens (grant_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
CREATE TABLE login_attempts (
    attempt_key TEXT NOT NULL PRIMARY KEY,  -- digest of an account's name or of an address
    failures    INTEGER NOT NULL,           -- since the window began
    ends_at     INTEGER NOT NULL            -- when the window ends and the row means nothing any more
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_by_end ON login_attempts (ends_at);
