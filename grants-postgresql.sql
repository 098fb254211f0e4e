-- What the role of each program may do: no more than its statements need, which a test proves for each right. `postern
-- init` runs this as the role postern_owner of examples/postgresql/roles.sql. It may be run again, by the owner of the
-- tables.
--
-- The right to update one column is the right to lock rows. The command acts as the owner and needs no grant.

GRANT SELECT ON schema_version TO
    postern_recover, postern_par, postern_device_authorization, postern_device, postern_registration,
    postern_gate;
GRANT SELECT ON schema_version, clients TO
    postern_authorize, postern_login, postern_scopes, postern_token, postern_introspect, postern_userinfo,
    postern_revoke, postern_logout, postern_account;
GRANT SELECT ON redirect_uris TO
    postern_authorize, postern_login, postern_scopes, postern_token, postern_userinfo, postern_revoke, postern_logout,
    postern_account;
GRANT SELECT ON client_secrets TO postern_token, postern_introspect, postern_revoke;

-- All but the password hash, which the login page and the account alone may read.
GRANT SELECT (subject, username, claims, enabled, created_at, updated_at) ON users TO
    postern_userinfo, postern_login, postern_token, postern_account;
GRANT SELECT (password_hash) ON users TO postern_login, postern_account;
GRANT SELECT (must_change_password) ON users TO postern_login, postern_account;
GRANT SELECT (password_changed_at) ON users TO postern_account;
GRANT SELECT (subject, username, enabled) ON users TO
    postern_authorize, postern_scopes, postern_introspect, postern_revoke, postern_logout;
GRANT UPDATE (gate) ON users TO postern_authorize, postern_login, postern_logout;
GRANT UPDATE (password_hash, stamp, enrol_until, must_change_password, password_changed_at) ON users TO postern_account;

-- Who may use a client. A command that changes it waits for transactions that have just looked: that takes a lock.
GRANT SELECT, UPDATE (gate) ON allowed_users, allowed_groups TO postern_authorize;
GRANT SELECT ON allowed_users TO postern_token;
GRANT SELECT ON allowed_groups TO postern_token, postern_userinfo;
GRANT SELECT ON group_members TO postern_authorize, postern_token, postern_userinfo, postern_account;

-- What a client is told under names of its own; the consent page and the account say what of it is about the user.
GRANT SELECT ON client_claims TO postern_token, postern_userinfo, postern_scopes, postern_account;
GRANT SELECT ON client_group_names TO postern_token, postern_userinfo;

-- What a token may be for, and what the consent page says of it.
GRANT SELECT ON resources, resource_addresses TO postern_authorize, postern_scopes, postern_token;

GRANT SELECT, UPDATE (last_seen_at) ON sessions TO postern_authorize;
GRANT SELECT, INSERT, DELETE ON sessions TO postern_login, postern_account;
GRANT SELECT ON sessions TO postern_scopes;
GRANT SELECT, DELETE ON sessions TO postern_logout;

GRANT SELECT, INSERT, UPDATE (subject, used) ON authorization_requests TO postern_authorize;
GRANT SELECT, INSERT, UPDATE (subject, logged_in, decision) ON authorization_requests TO
    postern_login, postern_scopes, postern_account;
GRANT SELECT, DELETE ON authorization_requests TO postern_logout;
GRANT DELETE ON authorization_requests TO postern_account;

GRANT SELECT, INSERT, UPDATE (scope, granted_at, claims, resources) ON consents TO postern_authorize;
GRANT SELECT, DELETE ON consents TO postern_account;

-- The oldest grants of one user to one client end when there are too many.
GRANT SELECT, INSERT, UPDATE (ended_at, kept_until) ON grants TO postern_authorize;
GRANT SELECT, INSERT, UPDATE (ended_at, kept_until) ON grants TO postern_token;
GRANT SELECT, UPDATE (ended_at, kept_until) ON grants TO postern_revoke, postern_logout, postern_account;
GRANT SELECT ON grants TO postern_introspect, postern_userinfo;

GRANT SELECT, INSERT ON authorization_codes TO postern_authorize;
GRANT SELECT, UPDATE (redeemed_at, burned_at) ON authorization_codes TO postern_token;
GRANT SELECT, UPDATE (burned_at) ON authorization_codes TO postern_revoke;

GRANT SELECT, INSERT, DELETE ON access_tokens TO postern_token;
GRANT SELECT, UPDATE (revoked_at) ON access_tokens TO postern_revoke;
GRANT SELECT ON access_tokens TO postern_introspect, postern_userinfo;
GRANT SELECT (grant_id, issued_at) ON access_tokens, refresh_tokens TO postern_account;

GRANT SELECT, INSERT, UPDATE (state, rotated_at, successor_hash, sibling_hash) ON refresh_tokens TO postern_token;
GRANT SELECT, UPDATE (revoked_at) ON refresh_tokens TO postern_revoke;
GRANT SELECT ON refresh_tokens TO postern_introspect;

-- Second factors: who must have one, who has which, and the stamp with which a half login is void when one has changed.
-- The login spends codes; the account makes and removes them.
GRANT SELECT (stamp, second_factor, enrol_until) ON users TO postern_authorize, postern_login, postern_account;
GRANT SELECT (name, second_factor) ON groups TO postern_authorize, postern_login, postern_account;
GRANT SELECT (subject, group_name) ON group_members TO postern_login;
GRANT SELECT (subject) ON totp_secrets TO postern_authorize;
GRANT SELECT (subject, used_at) ON recovery_codes TO postern_authorize;
GRANT SELECT, UPDATE (last_step, last_used_at) ON totp_secrets TO postern_login;
GRANT SELECT (subject, code_hash, used_at), UPDATE (used_at) ON recovery_codes TO postern_login;
GRANT SELECT, INSERT, UPDATE (sealed, last_step, created_at, last_used_at), DELETE ON totp_secrets TO postern_account;
GRANT SELECT (subject, used_at), INSERT, DELETE ON recovery_codes TO postern_account;

-- Passkeys: the account makes, names and removes them; the login notes their use. Both spend challenges.
GRANT SELECT (handle) ON users TO postern_login, postern_account;
GRANT UPDATE (handle) ON users TO postern_account;
GRANT SELECT (subject, rp_id, suspended_at) ON passkeys TO postern_authorize;
GRANT SELECT, UPDATE (sign_count, backup_eligible, backed_up, last_used_at, suspended_at) ON passkeys TO postern_login;
GRANT SELECT, INSERT, UPDATE (name), DELETE ON passkeys TO postern_account;
GRANT INSERT ON spent_challenges TO postern_login, postern_account;

-- Activity: each of the three adds lines, for which it reads the others' numbers, and deletes the oldest; the account
-- shows them. The login looks for one of the last day where one a day is enough.
GRANT SELECT (subject, number), INSERT, DELETE ON activity TO postern_authorize;
GRANT SELECT (subject, number, at, what), INSERT, DELETE ON activity TO postern_login;
GRANT SELECT, INSERT, DELETE ON activity TO postern_account;

GRANT SELECT, INSERT, UPDATE (failures, ends_at), DELETE ON login_attempts TO postern_login, postern_account;

-- Links: whose it is, then a new password and the end of what there was, and of second factors for a link that says so;
-- or a passkey. The program that opens them reads no password hash and no passkey. The command makes them.
GRANT SELECT, UPDATE (used_at) ON links TO postern_recover;
GRANT SELECT (subject, number), INSERT, DELETE ON activity TO postern_recover;
GRANT SELECT (subject, username, claims, enabled, stamp, handle), UPDATE (password_hash, stamp, handle, enrol_until, must_change_password,
    password_changed_at) ON users TO postern_recover;
GRANT SELECT (subject), DELETE ON sessions TO postern_recover;
GRANT SELECT (subject, used), DELETE ON authorization_requests TO postern_recover;
GRANT SELECT (subject, ended_at), UPDATE (ended_at, kept_until) ON grants TO postern_recover;
GRANT SELECT (attempt_key), DELETE ON login_attempts TO postern_recover;
GRANT SELECT (subject), DELETE ON totp_secrets, recovery_codes TO postern_recover;
GRANT SELECT (subject, credential_id), INSERT, DELETE ON passkeys TO postern_recover;
GRANT INSERT ON spent_challenges TO postern_recover;

-- Device codes: one program makes them for clients, another lets users answer them and makes the grants, and the token
-- endpoint takes polls.
GRANT SELECT ON clients, redirect_uris, client_secrets, resources, resource_addresses TO postern_device_authorization;
GRANT SELECT, INSERT (device_hash, user_code_hash, client_id, scope, ignored_scope, resources, address, network, created_at,
    expires_at, poll_interval) ON device_codes TO postern_device_authorization;
GRANT SELECT, INSERT, UPDATE (failures, ends_at), DELETE ON login_attempts TO postern_device_authorization, postern_device;
GRANT SELECT ON clients, redirect_uris, client_claims, resources, resource_addresses TO postern_device;
GRANT SELECT (subject, username, enabled, stamp, second_factor, enrol_until), UPDATE (gate) ON users TO postern_device;
GRANT SELECT, UPDATE (gate) ON allowed_users, allowed_groups TO postern_device;
GRANT SELECT ON group_members TO postern_device;
GRANT SELECT (name, second_factor) ON groups TO postern_device;
GRANT SELECT (subject) ON totp_secrets TO postern_device;
GRANT SELECT (subject, used_at) ON recovery_codes TO postern_device;
GRANT SELECT (subject, rp_id, suspended_at) ON passkeys TO postern_device;
GRANT SELECT, UPDATE (last_seen_at) ON sessions TO postern_device;
GRANT SELECT, UPDATE (state, subject, grant_id) ON device_codes TO postern_device;
GRANT SELECT, INSERT, UPDATE (ended_at, kept_until) ON grants TO postern_device;
GRANT SELECT (subject, number), INSERT, DELETE ON activity TO postern_device;
GRANT SELECT, UPDATE (state, last_poll_at, poll_interval, slowed) ON device_codes TO postern_token;

-- Skipping rows that others have locked takes a lock, which is the right to update a column.
GRANT SELECT ON schema_version TO postern_sweep;
GRANT SELECT, UPDATE (expires_at), DELETE ON
    sessions, authorization_requests, client_secrets, authorization_codes, access_tokens, refresh_tokens,
    spent_challenges, links, device_codes
    TO postern_sweep;
GRANT SELECT, UPDATE (kept_until), DELETE ON grants TO postern_sweep;
GRANT SELECT (id, expires_at), UPDATE (expires_at), DELETE ON registration_tokens TO postern_sweep;
GRANT SELECT, UPDATE (ends_at), DELETE ON login_attempts TO postern_sweep;
GRANT SELECT (subject, number, at), UPDATE (at), DELETE ON activity TO postern_sweep;

-- With "responseTypes" that have token or id_token, or with "implicit", the authorization endpoint makes tokens:
--     GRANT SELECT (claims, created_at, updated_at) ON users TO postern_authorize;
--     GRANT SELECT, INSERT ON access_tokens TO postern_authorize;
--     GRANT SELECT ON client_claims, client_group_names TO postern_authorize;
-- With `postern client set --introspection-claim`, introspection tells claims of users; the second is for the claim groups:
--     GRANT SELECT (claims, created_at, updated_at) ON users TO postern_introspect;
--     GRANT SELECT ON group_members, allowed_groups, client_group_names TO postern_introspect;
-- With "login": {"method": "remote_user"}, and its autoCreate; for autoCreate of "saslauthd" the second alone:
--     GRANT UPDATE (claims, updated_at, email_key) ON users TO postern_login;
--     GRANT INSERT ON users TO postern_login;
-- With its groupsFromEnvironment, the login page makes memberships and takes them away, and ends what they gave:
--     GRANT SELECT (description, created_at) ON groups TO postern_login;
--     GRANT INSERT, DELETE ON group_members TO postern_login;
--     GRANT SELECT (client_id, subject), UPDATE (gate) ON allowed_users TO postern_login;
--     GRANT SELECT (client_id, group_name), UPDATE (gate) ON allowed_groups TO postern_login;
--     GRANT SELECT (client_id, subject, ended_at), UPDATE (ended_at, kept_until) ON grants TO postern_login;
-- With "login": {"rememberDevice": SECONDS}, browsers are remembered, and forgotten:
--     GRANT SELECT (token_hash, subject, stamp, created_at, last_used_at, expires_at), INSERT, UPDATE (token_hash, last_used_at), DELETE ON remembered_devices TO postern_login;
--     GRANT SELECT, DELETE ON remembered_devices TO postern_account;
--     GRANT SELECT, UPDATE (expires_at), DELETE ON remembered_devices TO postern_sweep;
-- With "account": {"editableClaims": [...]}, users change their claims:
--     GRANT UPDATE (claims, updated_at, email_key) ON users TO postern_account;
-- With "mail", messages are asked for, and a link that came by mail changes the address or proves it:
--     GRANT INSERT ON mail_requests TO postern_login;
--     GRANT INSERT ON mail_requests TO postern_account;
--     GRANT SELECT (kind, failed_at), INSERT ON mail_requests TO postern_recover;
--     GRANT SELECT (failures, ends_at), INSERT, UPDATE (failures, ends_at) ON login_attempts TO postern_recover;
--     GRANT SELECT (created_at, updated_at), UPDATE (claims, updated_at, email_key) ON users TO postern_recover;
--     GRANT SELECT (id, failed_at), UPDATE (failed_at), DELETE ON mail_requests TO postern_sweep;
-- With "outbound", authorize, and par if there is one, keep documents that they have fetched, and count fetches; both expire:
--     GRANT SELECT, INSERT, UPDATE (content_type, body, fetched_at, fresh_until, used_at), DELETE ON fetched TO postern_authorize;
--     GRANT SELECT, INSERT, UPDATE (fetches, ends_at), DELETE ON fetch_limits TO postern_authorize;
--     GRANT SELECT, UPDATE (used_at), DELETE ON fetched TO postern_sweep;
--     GRANT SELECT, UPDATE (ends_at), DELETE ON fetch_limits TO postern_sweep;
--     GRANT SELECT, INSERT, UPDATE (content_type, body, fetched_at, fresh_until, used_at), DELETE ON fetched TO postern_par;
--     GRANT SELECT, INSERT, UPDATE (fetches, ends_at), DELETE ON fetch_limits TO postern_par;
-- With "backchannelLogout" or "frontchannelLogout", clients of a session are noted with their ID tokens, and forgotten with it:
--     GRANT SELECT, INSERT, UPDATE (last_token_at, expires_at) ON session_clients TO postern_authorize;
--     GRANT SELECT, INSERT, UPDATE (last_token_at, expires_at) ON session_clients TO postern_token;
--     GRANT SELECT (subject, sid, expires_at) ON sessions TO postern_token;
--     GRANT UPDATE (gate) ON users TO postern_token;
--     GRANT SELECT (sid, client_id), UPDATE (expires_at), DELETE ON session_clients TO postern_login;
--     GRANT SELECT, DELETE ON session_clients TO postern_logout;
--     GRANT SELECT (sid, client_id), UPDATE (expires_at), DELETE ON session_clients TO postern_account;
--     GRANT SELECT (sid, client_id), DELETE ON session_clients TO postern_recover;
--     GRANT SELECT (sid) ON sessions TO postern_recover;
--     GRANT SELECT (sid, client_id, expires_at), UPDATE (expires_at), DELETE ON session_clients TO postern_sweep;
-- With "backchannelLogout", logout tokens wait for `postern session deliver`, whose role is postern_notify:
--     GRANT INSERT ON logout_outbox TO postern_login;
--     GRANT INSERT ON logout_outbox TO postern_logout;
--     GRANT INSERT ON logout_outbox TO postern_account;
--     GRANT INSERT ON logout_outbox TO postern_recover;
--     GRANT SELECT (id, details) ON clients TO postern_recover;
--     GRANT SELECT (id, expires_at), UPDATE (expires_at), DELETE ON logout_outbox TO postern_sweep;
--     GRANT SELECT ON schema_version, clients, redirect_uris TO postern_notify;
--     GRANT SELECT, UPDATE (tries, not_before), DELETE ON logout_outbox TO postern_notify;
-- With "clientDocuments", the authorization endpoint keeps the clients that users approve, until they are unused:
--     GRANT INSERT, UPDATE (name, native, grants, scope, details, last_used_at, removable_at) ON clients TO postern_authorize;
--     GRANT INSERT, DELETE ON redirect_uris TO postern_authorize;
--     GRANT DELETE ON consents TO postern_authorize;
--     GRANT SELECT, UPDATE (removable_at), DELETE ON clients TO postern_sweep;
--     GRANT SELECT (client_id, ended_at), UPDATE (ended_at, kept_until) ON grants TO postern_par;
-- With "paths.par", clients push their requests, of which nothing is stored:
--     GRANT SELECT ON clients, redirect_uris, client_secrets, resources, resource_addresses TO postern_par;
-- With "registration", clients register, read their registration, or delete it with everything under it:
--     GRANT SELECT, INSERT, UPDATE (gate), DELETE ON clients TO postern_registration;
--     GRANT SELECT, INSERT ON redirect_uris TO postern_registration;
--     GRANT INSERT ON client_secrets TO postern_registration;
--     GRANT SELECT (token_hash, uses_left, expires_at), UPDATE (uses_left) ON registration_tokens TO postern_registration;
--     GRANT SELECT, INSERT, UPDATE (failures, ends_at), DELETE ON login_attempts TO postern_registration;
-- With "registration", too, the last use of a client is kept, and unused ones go; the third is for client_credentials, the fourth for devices:
--     GRANT UPDATE (last_used_at, removable_at, brought_by) ON clients TO postern_authorize;
--     GRANT SELECT, UPDATE (removable_at), DELETE ON clients TO postern_sweep;
--     GRANT UPDATE (last_used_at, removable_at) ON clients TO postern_token;
--     GRANT UPDATE (last_used_at, removable_at) ON clients TO postern_device;
-- With "clientAssertions", clients sign JWTs: their keys are read, and each JWT leaves a mark:
--     GRANT SELECT ON client_keys TO postern_token;
--     GRANT SELECT, INSERT ON replays TO postern_token;
--     GRANT SELECT ON client_keys TO postern_introspect;
--     GRANT SELECT, INSERT ON replays TO postern_introspect;
--     GRANT SELECT ON client_keys TO postern_revoke;
--     GRANT SELECT, INSERT ON replays TO postern_revoke;
--     GRANT SELECT ON client_keys TO postern_device_authorization;
--     GRANT SELECT, INSERT ON replays TO postern_device_authorization;
--     GRANT SELECT ON client_keys TO postern_par;
--     GRANT SELECT, INSERT ON replays TO postern_par;
--     GRANT SELECT (kind, context, key, expires_at), UPDATE (expires_at), DELETE ON replays TO postern_sweep;
-- With "clientAssertions", clients that register themselves have keys, too:
--     GRANT SELECT, INSERT ON client_keys TO postern_registration;
-- With "clientAssertions" and "outbound", the keys at a jwks_uri are kept, and read where nothing is fetched:
--     GRANT SELECT, INSERT, UPDATE (content_type, body, fetched_at, fresh_until, used_at), DELETE ON fetched TO postern_token;
--     GRANT SELECT, INSERT, UPDATE (fetches, ends_at), DELETE ON fetch_limits TO postern_token;
--     GRANT SELECT, INSERT, UPDATE (content_type, body, fetched_at, fresh_until, used_at), DELETE ON fetched TO postern_device_authorization;
--     GRANT SELECT, INSERT, UPDATE (fetches, ends_at), DELETE ON fetch_limits TO postern_device_authorization;
--     GRANT SELECT ON fetched TO postern_introspect;
--     GRANT SELECT ON fetched TO postern_revoke;
-- With "clientAssertions" and a client that has a jwks_uri and introspects or revokes alone, `postern purge --quick` renews its keys:
--     GRANT SELECT (id, enabled, grants) ON clients TO postern_sweep;
--     GRANT SELECT (client_id, jwks_uri) ON client_keys TO postern_sweep;
--     GRANT SELECT, INSERT, UPDATE (content_type, body, fetched_at, fresh_until, used_at), DELETE ON fetched TO postern_sweep;
--     GRANT SELECT, INSERT, UPDATE (fetches, ends_at), DELETE ON fetch_limits TO postern_sweep;
-- With "dpop", each proof leaves a mark, and the refresh tokens of a grant are bound to a key:
--     GRANT SELECT, INSERT ON replays TO postern_token;
--     GRANT UPDATE (dpop_jkt) ON grants TO postern_token;
--     GRANT SELECT, INSERT ON replays TO postern_par;
--     GRANT SELECT, INSERT ON replays TO postern_userinfo;
--     GRANT SELECT (kind, context, key, expires_at), UPDATE (expires_at), DELETE ON replays TO postern_sweep;
-- With "mtls", clients have keys of their certificates, and the refresh tokens of a grant are bound to one:
--     GRANT UPDATE (x5t) ON grants TO postern_token;
--     GRANT SELECT ON client_keys TO postern_token;
--     GRANT SELECT ON client_keys TO postern_introspect;
--     GRANT SELECT ON client_keys TO postern_revoke;
--     GRANT SELECT ON client_keys TO postern_device_authorization;
--     GRANT SELECT ON client_keys TO postern_par;
-- With "mtls", clients that register themselves have keys, too:
--     GRANT SELECT, INSERT ON client_keys TO postern_registration;
-- With "paths.gate", the gate reads sites, sessions, users and what decides whether they may pass; its callback spends a code:
--     GRANT SELECT ON clients, sites TO postern_gate;
--     GRANT SELECT (subject, username, claims, enabled, created_at, updated_at, stamp, second_factor, enrol_until) ON users TO postern_gate;
--     GRANT SELECT, UPDATE (last_seen_at) ON sessions TO postern_gate;
--     GRANT SELECT ON allowed_users, allowed_groups, group_members, client_claims, client_group_names TO postern_gate;
--     GRANT SELECT (name, second_factor) ON groups TO postern_gate;
--     GRANT SELECT (subject) ON totp_secrets TO postern_gate;
--     GRANT SELECT (subject, used_at) ON recovery_codes TO postern_gate;
--     GRANT SELECT (subject, rp_id, suspended_at) ON passkeys TO postern_gate;
--     GRANT SELECT, UPDATE (redeemed_at, burned_at) ON authorization_codes TO postern_gate;
--     GRANT SELECT, UPDATE (kept_until) ON grants TO postern_gate;
--     GRANT SELECT ON access_tokens TO postern_gate;
