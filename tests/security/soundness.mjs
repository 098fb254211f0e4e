// Whether the database of a deployment is whole, asked from outside while the programs work with it.
import { damageOf, sql } from "./database.mjs";

/// What must never be found, by its description: halves of something that is written together or not at all. `live` are
/// the grants that no sweep has begun to take away.
const HALVES = {
  "a spent code without the tokens it yielded":
    "SELECT code_hash FROM authorization_codes c JOIN live ON live.id = c.grant_id WHERE " +
    "redeemed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM access_tokens a WHERE a.grant_id = c.grant_id)",
  "an access token of a code that is not spent":
    "SELECT token_hash FROM access_tokens a JOIN authorization_codes c USING (grant_id) WHERE c.redeemed_at IS NULL",
  "a refresh token of a code that is not spent":
    "SELECT token_hash FROM refresh_tokens r JOIN authorization_codes c USING (grant_id) WHERE c.redeemed_at IS NULL",
  "a rotated refresh token without a successor":
    "SELECT token_hash FROM refresh_tokens r JOIN live ON live.id = r.grant_id WHERE state IN " +
    "('used', 'retried') AND NOT EXISTS (SELECT 1 FROM refresh_tokens n WHERE n.grant_id " +
    "= r.grant_id AND n.token_hash = r.successor_hash AND n.parent_hash = r.token_hash)",
  "a successor of a refresh token that is not rotated":
    "SELECT n.token_hash FROM refresh_tokens n JOIN refresh_tokens r ON r.grant_id = n.grant_id " +
    "AND r.token_hash = n.parent_hash WHERE r.state = 'current' " +
    "OR n.token_hash NOT IN (r.successor_hash, coalesce(r.sibling_hash, ''))",
  "a refresh token whose predecessor is not there":
    "SELECT token_hash FROM refresh_tokens n JOIN live ON live.id = n.grant_id WHERE parent_hash " +
    "IS NOT NULL AND NOT EXISTS (SELECT 1 FROM refresh_tokens " +
    "r WHERE r.token_hash = n.parent_hash AND r.grant_id = n.grant_id)",
  "two current refresh tokens of one grant":
    "SELECT grant_id FROM refresh_tokens WHERE state = 'current' GROUP BY grant_id HAVING count(*) > 1",
  "a grant on which nothing hangs":
    "SELECT id FROM live WHERE NOT EXISTS (SELECT 1 FROM authorization_codes c WHERE " +
    "c.grant_id = live.id) AND NOT EXISTS (SELECT 1 FROM access_tokens a WHERE a.grant_id = live.id)",
  "a grant without the consent that was asked for":
    "SELECT live.id FROM live JOIN clients c ON c.id = live.client_id WHERE live.subject IS NOT " +
    "NULL AND c.first_party = 0 AND NOT EXISTS (SELECT 1 FROM consents " +
    "o WHERE o.client_id = live.client_id AND o.subject = live.subject)",
  "a grant of a user without the session it was given in":
    "SELECT id FROM live WHERE subject IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.sid = live.sid)",
};
const live = () =>
  `WITH live AS (SELECT * FROM grants WHERE ended_at IS NULL AND kept_until > ${Math.floor(Date.now() / 1000)})`;

/// Everything that is wrong with the file, as text: [] for a sound one. For tests in which no session and no token has
/// expired and nobody has logged out.
export async function faultsOf(deployment) {
  const faults = await damageOf(deployment);
  for (const [what, statement] of Object.entries(HALVES)) {
    faults.push(...(await sql(deployment, `${live()} ${statement}`)).map((row) => `${what}: ${JSON.stringify(row)}`));
  }
  return faults;
}
