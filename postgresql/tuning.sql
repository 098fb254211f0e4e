-- For PostgreSQL alone, and for installations with many tokens: run it once as the owner of the tables, after
-- `postern init`. docs/PERFORMANCE.md ("A database on a server") says how to measure what it changes.

-- An update of these tables changes no indexed column. With room in the page the new version stands beside the old one,
-- no index is written, and the next reader of the page removes what is dead.
ALTER TABLE refresh_tokens SET (fillfactor = 80);
ALTER TABLE authorization_codes SET (fillfactor = 80);
ALTER TABLE sessions SET (fillfactor = 80);

-- By itself autovacuum waits until a fifth of a table is dead: of ten million rows, two million.
ALTER TABLE grants SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE access_tokens SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE refresh_tokens SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE login_attempts SET (autovacuum_vacuum_scale_factor = 0.02);
