-- Postern's database: the state between two requests, with the clause that needs it.
--
-- `postern init` creates it from this text, which is built into the programs. Times are whole seconds since 1970-01-01 UTC, booleans
-- are 0 and 1, scopes and grant types are words separated by single spaces, digests are SHA-256 in lower-case hex.
-- A code, token, cookie or client secret is never stored, only its digest (RFC 6819 §5.1.4.1.3): a stolen copy of this file
-- contains nothing that can be presented.

-- "Pstn" marks the file as Postern's. Another value is refused, so that Postern never writes to another program's database.
PRAGMA application_id = 1349743726;
-- The version of this schema. A program works with exactly one.
PRAGMA user_version = 5;

-- Registered clients (RFC 6749 §2).
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
    created_at  INTEGER NOT NULL,
    restricted  INTEGER NOT NULL DEFAULT 0 CHECK (restricted IN (0, 1)),  -- 1: only for users that allowed_users or
                                                                          -- allowed_groups name
    groups      TEXT NOT NULL DEFAULT 'all' CHECK (groups IN ('all', 'own')),  -- in the claim `groups`; own: those of
                                                                               -- allowed_groups
    id_token_claims INTEGER NOT NULL DEFAULT 0 CHECK (id_token_claims IN (0, 1)),  -- 1: the claims of its scopes are in
                                                                                   -- the ID token, too
    access_token_profile TEXT NOT NULL DEFAULT '' CHECK (access_token_profile IN ('', 'interface', 'rfc9068')),  -- '': as
                                                                                                         -- configured
    groups_in_access_token INTEGER NOT NULL DEFAULT 0 CHECK (groups_in_access_token IN (0, 1)),  -- RFC 9068 §2.2.3.1
    default_resource TEXT NOT NULL DEFAULT '',  -- `aud` of a token whose request names none, RFC 9068 §3; '': as configured
    resources TEXT NOT NULL DEFAULT '',         -- URIs that its tokens may be for, RFC 8707 §2; '': no limit
    own_claims INTEGER NOT NULL DEFAULT 0 CHECK (own_claims IN (0, 1)),  -- 1: client_claims has claims of it
    last_used_at INTEGER,                       -- not of the operator: the latest sign-in to it, by the day; NULL: none
    removable_at INTEGER,                       -- not of the operator: it may be deleted then; NULL: it stays
    brought_by TEXT NOT NULL DEFAULT '',        -- of a document, or registered without a token: subject of the user who
                                                -- approved it first, perhaps removed since; else ''
    level INTEGER NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3),  -- the least that a login for it must be worth, as
                                                                     -- in sessions; 0: any login
    names TEXT NOT NULL DEFAULT '',             -- its name in other languages: a line "de Name" for each, or none
    introspection_claims TEXT NOT NULL DEFAULT '',  -- claims of users that introspection tells it, RFC 7662 §2.2; '': none
    response_types TEXT NOT NULL DEFAULT '',    -- that it may ask for, RFC 7591 §2, with commas between; '': those of its grants
    details TEXT NOT NULL DEFAULT '',           -- what is only read with the client: a JSON object with names of RFC 7591; '': none
    registered_by TEXT NOT NULL DEFAULT '',     -- of a client that registered itself: registration_tokens.token_hash, perhaps
                                                -- removed since; '': without a token, or not registered so
    registration_token_hash TEXT NOT NULL DEFAULT '',  -- of the token with which it reads and deletes its registration, RFC 7592 §2
    origin TEXT NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'document', 'dynamic'))  -- document: a copy of what
                                                -- the document at the URL that is its id says, made when a user approved it;
                                                -- dynamic: it registered itself, RFC 7591
) STRICT, WITHOUT ROWID;
CREATE INDEX clients_by_removable_at ON clients (removable_at) WHERE removable_at IS NOT NULL;
CREATE INDEX clients_by_open_registration ON clients (created_at)
    WHERE origin = 'dynamic' AND registered_by = '' AND removable_at IS NOT NULL;

-- Initial access tokens, with which clients may register themselves (RFC 7591 §3).
CREATE TABLE registration_tokens (
    id         TEXT NOT NULL PRIMARY KEY,  -- what the operator calls it
    token_hash TEXT NOT NULL UNIQUE,       -- of 256 random bits
    name       TEXT NOT NULL,              -- whom the operator gave it to; '': not said
    uses_left  INTEGER NOT NULL CHECK (uses_left >= 0),  -- registrations
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX registration_tokens_by_expiry ON registration_tokens (expires_at);

-- APIs for which access tokens are made (RFC 8707 §2).
CREATE TABLE resources (
    uri        TEXT NOT NULL PRIMARY KEY,  -- `aud` of its tokens, byte for byte
    name       TEXT NOT NULL,              -- its name on the consent page
    scope      TEXT NOT NULL,              -- what a token for it can have of the scopes that were granted; '': all
    access_token_ttl INTEGER,              -- seconds; NULL: as configured
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),  -- 0: no new tokens for it
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What clients call a resource: its own URI, and aliases of the operator.
CREATE TABLE resource_addresses (
    address TEXT NOT NULL PRIMARY KEY,  -- in one spelling: scheme and host in lower case, no default port, a path
    uri     TEXT NOT NULL REFERENCES resources (uri) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX resource_addresses_by_uri ON resource_addresses (uri);

-- Client secrets (RFC 6749 §2.3.1). More than one while an old one is being replaced.
CREATE TABLE client_secrets (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    hash       TEXT NOT NULL,  -- secrets have 256 random bits or 32 characters, so a fast digest protects them
    expires_at INTEGER,        -- NULL: the current secret. Set: an old one, valid until then
    PRIMARY KEY (client_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_secrets_by_expiry ON client_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- Keys of clients that authenticate by a JWT (RFC 7523 §2.2) or by a certificate of theirs (RFC 8705 §2.2): a row for each
-- client with private_key_jwt or self_signed_tls_client_auth, and where one with tls_client_auth signs its requests.
CREATE TABLE client_keys (
    client_id TEXT NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
    jwks      TEXT NOT NULL,  -- a JWK set, RFC 7517 §5: public keys that can verify, and nothing else; '': at jwks_uri
    jwks_uri  TEXT NOT NULL,  -- where the client publishes its keys, RFC 7591 §2; '': in jwks
    alg       TEXT NOT NULL,  -- token_endpoint_auth_signing_alg, OpenID Connect Registration §2; '': any that fits a key
    CHECK ((jwks = '') <> (jwks_uri = ''))
) STRICT, WITHOUT ROWID;

-- Registered redirect targets (RFC 6749 §3.1.2.2; OpenID Connect RP-Initiated Logout 1.0 §3.1).
CREATE TABLE redirect_uris (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL CHECK (kind IN ('authorization', 'logout')),  -- redirect_uri or post_logout_redirect_uri
    position  INTEGER NOT NULL,  -- the order of registration
    uri       TEXT NOT NULL,     -- compared byte by byte, RFC 9700 §4.1.3
    PRIMARY KEY (client_id, kind, position),
    UNIQUE (client_id, kind, uri)  -- a duplicate must not break "exactly one is registered" (RFC 6749 §3.1.2.3)
) STRICT, WITHOUT ROWID;

-- Sites: clients that the gate protects in the web server. What else is known of them is in clients.details.
CREATE TABLE sites (
    url       TEXT NOT NULL PRIMARY KEY,  -- scheme and host in lower case, no default port, `/` at the end
    client_id TEXT NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Users: the resource owners of RFC 6749 §1.1.
CREATE TABLE users (
    subject       TEXT NOT NULL PRIMARY KEY,  -- `sub`: random, never reassigned, OpenID Connect Core §2
    username      TEXT NOT NULL UNIQUE,       -- typed at login, compared byte by byte
    password_hash TEXT NOT NULL,              -- crypt(5); '' = no password login
    claims        TEXT NOT NULL,              -- a JSON object of OpenID Connect Core §5.1 claims
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),  -- 0: no login, no session, no active token
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,           -- the claim `updated_at`, OpenID Connect Core §5.1
    source        TEXT NOT NULL DEFAULT '',   -- whose file has the user (`user import --sync`); '' = none
    left_at       INTEGER,                    -- set: disabled since then, because that file had the user no more
    second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1)),  -- 1: must log in with one
    stamp         INTEGER NOT NULL DEFAULT 0, -- grows with each change of the password or of a second factor, and when
                                              -- the user is disabled: what was sealed with an earlier one is void
    handle        TEXT NOT NULL DEFAULT '',   -- what passkeys have instead of `sub`, base64url: WebAuthn §5.4.3; '' = none
    enrol_until   INTEGER NOT NULL DEFAULT 0, -- before it, the first second factor may be set up because a link was used; 0
                                              -- when the stamp grows
    email_key     TEXT NOT NULL DEFAULT '',   -- digest of the claim `email` in lower case: who asks for a link may type the
                                              -- address; '' = none, or one that no mail is sent to
    must_change_password INTEGER NOT NULL DEFAULT 0 CHECK (must_change_password IN (0, 1)), -- 1: a login by password begins
                                              -- with another one; it changes with the password alone
    password_changed_at INTEGER               -- when password_hash was last set; NULL = not known
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_email_key ON users (email_key) WHERE email_key <> '';
CREATE INDEX users_by_folded_name ON users (lower(username));  -- letters A to Z: names that differ in their case alone

-- Groups of users. They have no rights of their own: a client is told them, or is for their members alone.
CREATE TABLE groups (
    name        TEXT NOT NULL PRIMARY KEY,  -- 1 to 64 of A-Z a-z 0-9 . _ -, compared byte by byte
    description TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))  -- 1: its members must log in with one
) STRICT, WITHOUT ROWID;

-- Who is in which group.
CREATE TABLE group_members (
    subject    TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    added_at   INTEGER NOT NULL,
    PRIMARY KEY (subject, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_by_group ON group_members (group_name);

-- The groups whose members may use a client that is restricted. Without an entry here or in allowed_users no user may.
CREATE TABLE allowed_groups (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    PRIMARY KEY (client_id, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX allowed_groups_by_group ON allowed_groups (group_name);

-- The users who may use it, whatever groups they are in.
CREATE TABLE allowed_users (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject   TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    PRIMARY KEY (client_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX allowed_users_by_subject ON allowed_users (subject);

-- Claims that one client is told under a name of its own, instead of a claim of that name.
CREATE TABLE client_claims (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    claim     TEXT NOT NULL,  -- the name
    source    TEXT NOT NULL,  -- of the value: groups, group:NAME, claim:NAME or const:TEXT
    scope     TEXT NOT NULL,  -- the scope without which it is not told
    PRIMARY KEY (client_id, claim)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_claims_by_source ON client_claims (source);

-- Groups that one client is told under another name.
CREATE TABLE client_group_names (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    group_name TEXT NOT NULL REFERENCES groups (name) ON DELETE CASCADE,
    name       TEXT NOT NULL,  -- what it is told
    PRIMARY KEY (client_id, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_group_names_by_group ON client_group_names (group_name);

-- Login sessions. A browser without a login has no row.
CREATE TABLE sessions (
    cookie_hash  TEXT NOT NULL PRIMARY KEY,  -- of the cookie's current value, which changes at every login
    sid          TEXT NOT NULL,     -- internal id, which does not change then: `sid` of OpenID Connect Front-Channel Logout 1.0 §3
    subject      TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    auth_time    INTEGER NOT NULL,  -- of the last login, 0 if unknown: `auth_time` and `max_age`, OpenID Connect Core §2, §3.1.2.1
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,  -- decides idle expiry
    expires_at   INTEGER NOT NULL,  -- absolute; use does not move it
    agent        TEXT NOT NULL DEFAULT '',  -- browser and system, as the account's pages name them
    address      TEXT NOT NULL DEFAULT '',  -- from which it was begun; '': not kept
    level        INTEGER NOT NULL DEFAULT 0 CHECK (level >= 0 AND level <= 3),  -- what the login is worth: 1 a password, 2 with
                                            -- a code, 3 with a passkey; 0: not known
    amr          TEXT NOT NULL DEFAULT '',  -- its methods, words of RFC 8176 §2; '': not known
    remembered   INTEGER NOT NULL DEFAULT 0 CHECK (remembered IN (0, 1))  -- 1: a remembered device took the place of the
                                            -- second factor
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_subject ON sessions (subject, sid);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Authenticator apps (RFC 6238), one for each user at most.
CREATE TABLE totp_secrets (
    subject      TEXT NOT NULL PRIMARY KEY REFERENCES users (subject) ON DELETE CASCADE,
    sealed       TEXT NOT NULL,     -- the secret under factor.key, for this user and created_at
    last_step    INTEGER NOT NULL,  -- the latest step whose code was used: no earlier one counts, RFC 6238 §5.2
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER            -- NULL: for no login yet
) STRICT, WITHOUT ROWID;

-- Recovery codes: each is worth one code of the app, once.
CREATE TABLE recovery_codes (
    subject   TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,     -- HMAC under factor.key, after the name of that key: codes are too short for a plain digest
    made_at   INTEGER NOT NULL,
    used_at   INTEGER,           -- NULL: it has not been used
    PRIMARY KEY (subject, code_hash)
) STRICT, WITHOUT ROWID;

-- Passkeys (WebAuthn §4, credential record). Bytes are in base64url. The public keys are no secrets.
CREATE TABLE passkeys (
    credential_id   TEXT NOT NULL PRIMARY KEY,  -- one passkey belongs to one user, WebAuthn §7.1
    subject         TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    rp_id           TEXT NOT NULL,     -- the host for which it was made; it answers for no other one
    cose_key        TEXT NOT NULL,     -- its public key, RFC 9052 §7, as it came
    alg             INTEGER NOT NULL,  -- of that key, a number of RFC 9053 §2
    sign_count      INTEGER NOT NULL,  -- grows with each use, WebAuthn §6.1.1; 0: the authenticator keeps none
    backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),  -- WebAuthn §6.1.3
    backed_up       INTEGER NOT NULL CHECK (backed_up IN (0, 1)),        -- is on more than one device
    discoverable    INTEGER CHECK (discoverable IN (0, 1)),  -- found without its id, WebAuthn §10.1.3; NULL: not known
    transports      TEXT NOT NULL,     -- words of WebAuthn §5.8.4, or unknown ones; '': not known
    aaguid          TEXT NOT NULL,     -- model of the authenticator, WebAuthn §6.5.1; nothing proves it
    name            TEXT NOT NULL,     -- what its owner calls it
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER,           -- NULL: for no login yet
    suspended_at    INTEGER            -- its counter did not grow, so there may be a copy: WebAuthn §7.2; NULL: it counts
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_subject ON passkeys (subject);

-- Challenges that an answer has used, so that none is used twice (WebAuthn §13.4.3). The others travel sealed.
CREATE TABLE spent_challenges (
    challenge_hash TEXT NOT NULL PRIMARY KEY,
    expires_at     INTEGER NOT NULL  -- the seal's own expiry, after which the challenge cannot come back
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);

-- Browsers in which a right password of the user is enough (`login.rememberDevice`), as long as the user is as when they were
-- remembered.
CREATE TABLE remembered_devices (
    token_hash   TEXT NOT NULL PRIMARY KEY,  -- of 256 random bits, the cookie's current value, which changes at each use
    id           TEXT NOT NULL,              -- names it in the account's pages, and does not change
    subject      TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    stamp        INTEGER NOT NULL,           -- users.stamp when it was remembered: void when that has grown
    agent        TEXT NOT NULL,              -- browser and system, as in sessions
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL            -- of the first value; use does not move it
) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_devices_by_subject ON remembered_devices (subject);
CREATE INDEX remembered_devices_by_expiry ON remembered_devices (expires_at);

-- Links that the operator hands to a user, or that a mail brings. Each counts once, for what its purpose says, and only as long as
-- the user is as when it was made.
CREATE TABLE links (
    token_hash TEXT NOT NULL PRIMARY KEY,  -- of 256 random bits, which the link has
    -- invite: the first password. password: another one. factors: another one, and no second factor any more. email: another
    -- e-mail address.
    purpose    TEXT NOT NULL CHECK (purpose IN ('invite', 'password', 'factors', 'email')),
    subject    TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    stamp      INTEGER NOT NULL,           -- users.stamp when it was made: void when that has grown
    made_by    TEXT NOT NULL,              -- the user of the machine who ran the command
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,                    -- set once, by the request that did what the link is for
    email      TEXT NOT NULL DEFAULT ''    -- the address to which it was sent; '': it was not sent by mail
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_subject ON links (subject);
CREATE INDEX links_by_expiry ON links (expires_at);

-- Messages that wait to be sent: what for, and to whom. A link and its token are made when one is sent, so that nothing here can be
-- presented. Deleted when the message is sent. Strangers can cause rows of kind reset, whose number is limited.
CREATE TABLE mail_requests (
    id         TEXT NOT NULL PRIMARY KEY,
    -- reset: a link that gives a password, asked for on the page. invite, password, factors: a link of the operator. email: a link
    -- that confirms an address. notice: the password or a second factor has changed. guess: a second step failed behind the password.
    kind       TEXT NOT NULL CHECK (kind IN ('reset', 'invite', 'password', 'factors', 'email', 'notice', 'guess')),
    subject    TEXT REFERENCES users (subject) ON DELETE CASCADE,  -- NULL: no user has the name that was typed
    email_key  TEXT,                       -- of reset: digest of what was typed, as users.email_key; NULL: not asked for so
    detail     TEXT NOT NULL,              -- of links of the operator: seconds and who made it; of email: the address; of notice:
                                           -- a word of activity.what and the address
    language   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,           -- the next try; while one runs, when another may begin
    tries      INTEGER NOT NULL,
    failed_at  INTEGER                     -- it is not tried any more
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_requests_by_subject ON mail_requests (subject) WHERE subject IS NOT NULL;
CREATE INDEX mail_requests_by_kind ON mail_requests (kind, not_before) WHERE failed_at IS NULL;
CREATE INDEX mail_requests_by_failure ON mail_requests (failed_at) WHERE failed_at IS NOT NULL;

-- What has happened to accounts of late, for their owners and the operator: at most 50 lines of a user. Of browsers their
-- label is kept, never the header.
CREATE TABLE activity (
    subject TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    number  INTEGER NOT NULL,  -- the user's lines in the order of their commits
    at      INTEGER NOT NULL,
    what    TEXT NOT NULL,     -- a word of a closed list, in lib/model/activity.cpp
    agent   TEXT NOT NULL,     -- browser and system, as in sessions; 'administrator': the command did it
    address TEXT NOT NULL,     -- '': not kept
    detail  TEXT NOT NULL,     -- methods of a login, client_id, name of a passkey, names of claims; as `what` says
    PRIMARY KEY (subject, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_by_time ON activity (at);

-- What an authenticated user has done with an authorization request (RFC 6749 §4.1.1). The request itself travels sealed
-- through the browser; a visitor without a login causes no row.
CREATE TABLE authorization_requests (
    request_key TEXT NOT NULL PRIMARY KEY,  -- digest of the request's id
    subject     TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,  -- the user who logged in for it or decided it
    logged_in   INTEGER NOT NULL CHECK (logged_in IN (0, 1)),  -- for this very request: prompt=login, OpenID Connect Core §3.1.2.1
    decision    TEXT NOT NULL CHECK (decision IN ('unset', 'approved', 'denied')),  -- denial is not absence: RFC 6749 §4.1.2.1
    used        INTEGER NOT NULL CHECK (used IN (0, 1)),       -- answered: one request yields at most one code
    expires_at  INTEGER NOT NULL            -- the seal's own expiry, after which the request cannot come back
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_requests_by_subject ON authorization_requests (subject, used);
CREATE INDEX authorization_requests_by_expiry ON authorization_requests (expires_at);

-- All scopes and claims that a user has approved for a client, so that each is asked once (OpenID Connect Core §3.1.2.4).
CREATE TABLE consents (
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    subject    TEXT NOT NULL REFERENCES users (subject) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    granted_at INTEGER NOT NULL,  -- of the latest approval
    claims     TEXT NOT NULL DEFAULT '',  -- claims requested by name, beyond the scopes: OpenID Connect Core §5.5
    resources  TEXT NOT NULL DEFAULT '',  -- of requests that named APIs: a line for each, its URI and the scope, RFC 8707 §2.1
    PRIMARY KEY (client_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX consents_by_subject ON consents (subject);

-- One authorization by a user, or by a client on its own behalf (RFC 6749 §1.3). Codes and tokens belong to it, and ending it ends
-- them all, as a replayed code requires (RFC 6749 §4.1.2).
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
    id_token_claims TEXT NOT NULL DEFAULT '',  -- claims in ID tokens, likewise
    resources  TEXT NOT NULL DEFAULT '',       -- URIs of the APIs that its tokens may be for, RFC 8707 §2.2; '': not named
    acr        TEXT NOT NULL DEFAULT '',       -- what the user's login was worth, OpenID Connect Core §2; '': not known
    amr        TEXT NOT NULL DEFAULT '',       -- its methods, likewise
    ignored_scope TEXT NOT NULL DEFAULT '',    -- words that were asked for and not given: a refresh may repeat them
    number     INTEGER NOT NULL DEFAULT 0,     -- one more than the largest of this user and client; 0: no user, or before version 4
    dpop_jkt   TEXT NOT NULL DEFAULT '',       -- thumbprint of the key that its refresh tokens are bound to, RFC 9449 §5; '': none
    x5t        TEXT NOT NULL DEFAULT ''        -- SHA-256 of the certificate that they are bound to, RFC 8705 §4; '': none
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_subject ON grants (subject, client_id, number) WHERE subject IS NOT NULL;
CREATE INDEX grants_by_kept_until ON grants (kept_until);
CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> '';

-- Authorization codes (RFC 6749 §4.1.2) and the values they are bound to. A used one stays as long as its grant, so that a replay
-- is recognised while there are tokens to revoke.
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
    burned_at         INTEGER,           -- used up without a token: wrong verifier, redirect_uri or key, or revoked (RFC 7009)
    dpop_jkt          TEXT NOT NULL DEFAULT '',  -- thumbprint of the key that must redeem it, RFC 9449 §10; '': any
    CHECK (redeemed_at IS NULL OR burned_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);

-- Device codes (RFC 8628 §3.2): what a device without a browser was given, until a user approves it in one. Strangers can cause
-- rows of public clients, whose number is limited. A row stays for ten minutes behind its expiry, so that a late poll hears why.
CREATE TABLE device_codes (
    device_hash    TEXT NOT NULL PRIMARY KEY,
    user_code_hash TEXT NOT NULL UNIQUE,  -- of the letters that the user types, in upper case
    client_id      TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scope          TEXT NOT NULL,
    ignored_scope  TEXT NOT NULL,         -- as in grants
    resources      TEXT NOT NULL,         -- as in grants
    state          TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'used')),
    subject        TEXT REFERENCES users (subject) ON DELETE CASCADE,  -- who approved or denied it; NULL: nobody yet
    grant_id       TEXT NOT NULL DEFAULT '',  -- of the approval, '' before; the row outlives a grant that has ended
    address        TEXT NOT NULL,         -- from which the code was asked for, shown to the user; '': not known
    network        TEXT NOT NULL,         -- digest of that address, or of its /64; '': not known, or the client has authenticated
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,      -- expires_in, RFC 8628 §3.2
    last_poll_at   INTEGER,               -- the latest poll that was not too soon
    poll_interval  INTEGER NOT NULL,      -- seconds, RFC 8628 §3.2, §3.5
    slowed         INTEGER NOT NULL DEFAULT 0 CHECK (slowed IN (0, 1))  -- 1: it grew since the latest poll that was not too soon
) STRICT, WITHOUT ROWID;
CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);
CREATE INDEX device_codes_by_client ON device_codes (client_id);
CREATE INDEX device_codes_by_subject ON device_codes (subject) WHERE subject IS NOT NULL;

-- Which clients have an ID token of which session, and are told of its end (OpenID Connect Back-Channel Logout 1.0 §2.3,
-- Front-Channel Logout 1.0 §3): clients with an address for it alone. Grants are not enough: they are deleted earlier.
CREATE TABLE session_clients (
    sid           TEXT NOT NULL,     -- of sessions, whose rows change their key at each login
    client_id     TEXT NOT NULL,     -- perhaps of a client that is gone: a key would have each token wait for changes of clients
    last_token_at INTEGER NOT NULL,  -- of the latest ID token
    expires_at    INTEGER NOT NULL,  -- as the session's
    PRIMARY KEY (sid, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_clients_by_expiry ON session_clients (expires_at);

-- Logout tokens that wait to be sent (OpenID Connect Back-Channel Logout 1.0 §2.5). A row is made with the end of its session,
-- and has no address: that of the client is read when it is sent. Client and user may be gone by then.
CREATE TABLE logout_outbox (
    id         TEXT NOT NULL PRIMARY KEY,
    client_id  TEXT NOT NULL,     -- `aud`
    subject    TEXT NOT NULL,     -- `sub`
    sid        TEXT NOT NULL,
    jti        TEXT NOT NULL,     -- the same in each try: a receiver can tell that it has had the token
    tries      INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL,  -- of the next try; a deliverer that takes the row moves it
    expires_at INTEGER NOT NULL   -- it is given up then
) STRICT, WITHOUT ROWID;
CREATE INDEX logout_outbox_by_time ON logout_outbox (not_before);
CREATE INDEX logout_outbox_by_expiry ON logout_outbox (expires_at);

-- Access tokens (RFC 6749 §1.4): a token is active only while its row says so (RFC 7662 §2.2). A row is found by claims of the
-- signed token, its grant (`jti`) and its time (`iat`), and by its digest. So the tokens of a grant are stored next to each
-- other, and writing one changes one page.
CREATE TABLE access_tokens (
    grant_id   TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    issued_at  INTEGER NOT NULL,  -- equal to `iat`
    token_hash TEXT NOT NULL,
    jti        TEXT NOT NULL,     -- RFC 7519 §4.1.7
    scope      TEXT NOT NULL,     -- what introspection reports, RFC 7662 §2.2
    audience   TEXT,              -- RFC 7519 §4.1.3
    expires_at INTEGER NOT NULL,  -- equal to `exp`; the row may be deleted then
    revoked_at INTEGER,           -- RFC 7009 §2.1
    cnf        TEXT NOT NULL DEFAULT '',  -- the keys that it is bound to: 'jkt:' and a thumbprint, RFC 9449 §6, 'x5t:' and that of a certificate,
                                          -- RFC 8705 §3, or both with a blank between them; '': a bearer token
    PRIMARY KEY (grant_id, issued_at, token_hash)
) STRICT, WITHOUT ROWID;

-- Refresh tokens (RFC 6749 §1.5). Each is valid for one use, which yields the next; used ones stay as long as their grant, so
-- that a stolen one is recognised when it is presented (RFC 9700 §4.14.2).
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

-- Failed logins, counted against guessing (RFC 6749 §10.10, RFC 6819 §4.4.3.1). The only rows that an unauthenticated caller
-- can cause, so the number of each kind is limited, and no kind takes the room of another. Also the addresses from which each
-- name has logged in recently (keys that begin with known:), where failures from other addresses do not count.
CREATE TABLE login_attempts (
    attempt_key TEXT NOT NULL PRIMARY KEY,  -- the kind of counter with its colon, and a digest of the user name, the address or
                                            -- both; of known:, digests of the name and of the place
    failures    INTEGER NOT NULL,           -- since the start of the window
    ends_at     INTEGER NOT NULL            -- the end of the window, after which the row has no effect
) STRICT, WITHOUT ROWID;
CREATE INDEX login_attempts_by_end ON login_attempts (ends_at);
CREATE INDEX login_attempts_by_kind ON login_attempts (substr(attempt_key, 1, instr(attempt_key, ':')), ends_at);

-- Documents of others that were fetched over HTTPS: a cache, RFC 9111. Strangers can cause rows, so their number is limited.
CREATE TABLE fetched (
    url_digest   TEXT NOT NULL PRIMARY KEY,  -- of the URL, and of what the document is for
    content_type TEXT NOT NULL,
    body         TEXT NOT NULL,
    fetched_at   INTEGER NOT NULL,
    fresh_until  INTEGER NOT NULL,  -- 0: what was fetched later was invalid
    used_at      INTEGER NOT NULL   -- rounded down by up to an hour; the least recently used rows are deleted
) STRICT;
CREATE INDEX fetched_by_use ON fetched (used_at);

-- How often documents were fetched in this minute, how long that took, and which URLs and hosts have just failed. Short-lived,
-- and few: no more is fetched than they allow.
CREATE TABLE fetch_limits (
    limit_key TEXT NOT NULL PRIMARY KEY,  -- all; waited; host:, from:, failed: or silent: and a digest
    fetches   INTEGER NOT NULL,           -- since the start of the window; of waited and from: milliseconds; of silent: in a row
    ends_at   INTEGER NOT NULL            -- the end of the window, after which the row has no effect
) STRICT, WITHOUT ROWID;
CREATE INDEX fetch_limits_by_end ON fetch_limits (ends_at);
