// What must happen once happens once when four processes of a program are asked the same by 32 requests in one moment,
// and keys are rotated under load. Races of refresh tokens, revocations, forms and passwords are in tests/cgi and
// tests/postgresql. Rounds: POSTERN_LONG=1 takes a hundred of each.
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { sql } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, verdict } from "./verdict.mjs";
import { Workers } from "./workers.mjs";

const LONG = process.env.POSTERN_LONG === "1";
const ROUNDS = LONG ? 100 : 25;
const PROCESSES = 4;
const PARALLEL = 32;
const REFUSED = "400 invalid_grant";

const inParallel = (make) => Promise.all(Array.from({ length: PARALLEL }, (_, i) => make(i)));

describe("races", () => {
  const workers = new Workers(PROCESSES);
  let p, web;
  before(async () => {
    p = await openProvider({ front: workers.front, tls: false, clock: true });
    web = p.clients.web;
  });
  after(async () => {
    await p?.stop();
  });

  /// All answers, by what they say: { "200": 1, "400 invalid_grant": 31 }.
  function tally(answers) {
    const count = {};
    for (const answer of answers) {
      const said = verdict(answer);
      count[said] = (count[said] ?? 0) + 1;
    }
    return count;
  }
  async function isGone(token) {
    assert.deepEqual(await p.introspect(token), INACTIVE);
  }
  /// How many tokens of the client could still be used, by the file.
  async function live(client) {
    const [{ tokens }] = await sql(
      p.deployment,
      `SELECT
      (SELECT count(*) FROM access_tokens t JOIN grants g ON g.id = t.grant_id
         WHERE g.client_id = '${client}' AND g.ended_at IS NULL AND t.revoked_at IS NULL)
      + (SELECT count(*) FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id
         WHERE g.client_id = '${client}' AND g.ended_at IS NULL AND t.revoked_at IS NULL)
      AS tokens`,
    );
    return tokens;
  }
  it(`running processes: ${ROUNDS} codes, ${PARALLEL} redeem each: one wins, and is revoked [T01, T04]`, async () => {
    for (let round = 0; round < ROUNDS; ++round) {
      const code = await p.code(web);
      const answers = await inParallel(() => p.exchange(web, code));
      assert.deepEqual(tally(answers), { 200: 1, [REFUSED]: PARALLEL - 1 });
      const { json } = answers.find(({ status }) => status === 200);
      await isGone(json.access_token);
      await isGone(json.refresh_token);
    }
    assert.equal(await live(web.id), 0, "nothing was left behind that nobody was given");
    const work = workers.work("token");
    assert.equal(work.length, PROCESSES);
    assert.ok(
      work.every((ticks) => ticks > 0),
      `each process had its part: ${work}`,
    );
  });

  it(
    `${ROUNDS} rotations of the signing key under load: a set that ` +
      "was fetched before it signs is enough, and nothing fails to verify [J18]",
    async () => {
      const fetchKeys = async () =>
        new Map(
          (await p.ask("/jwks")).json.keys.map((jwk) => [
            jwk.kid,
            { alg: jwk.alg, key: createPublicKey({ key: jwk, format: "jwk" }) },
          ]),
        );
      const isSigned = (keys, token) => {
        const { kid, alg } = decode(token).header;
        const known = keys.get(kid);
        assert.ok(known, `${kid} was used before it was published`);
        assert.equal(alg, known.alg);
        const [head, payload, mark] = token.split(".");
        return verify(
          "sha256",
          Buffer.from(`${head}.${payload}`),
          { key: known.key, dsaEncoding: "ieee-p1363" },
          Buffer.from(mark, "base64url"),
        );
      };
      // as a relying party keeps it: fetched after each publication, never because of a token
      let keys = await fetchKeys();
      let ended = false;
      let answered = 0;
      let wake = () => {};
      const used = new Set();
      const load = Array.from({ length: 4 }, async () => {
        let tokens = await p.tokens(web);
        while (!ended) {
          const next = await p.refresh(web, tokens.refresh_token);
          const believed = [await p.userinfo(next.json.access_token), await p.userinfo(tokens.access_token)];
          assert.deepEqual(tally([next, ...believed]), { 200: 3 });
          for (const token of [next.json.access_token, tokens.access_token])
            assert.equal((await p.introspect(token)).active, true);
          for (const kind of ["access_token", "id_token", "refresh_token"])
            assert.ok(isSigned(keys, next.json[kind]), kind);
          used.add(decode(next.json.access_token).header.kid);
          tokens = next.json;
          ++answered;
          wake();
        }
      });
      const untilAnswered = async (more) => {
        for (const goal = answered + more; answered < goal && !ended; )
          await new Promise((done) => {
            wake = done;
          });
      };
      const failed = Promise.all(load).finally(() => {
        ended = true;
        wake();
      });
      failed.catch(() => {}); // seen below
      try {
        for (let round = 0; round < ROUNDS && !ended; ++round) {
          await p.deployment.postern(["key", "rotate", "--alg", round % 25 === 24 ? "RS256" : "ES256", "--lead", "30"]);
          keys = await fetchKeys();
          await untilAnswered(4);
          await p.deployment.advance(31);
          await untilAnswered(4);
        }
      } finally {
        ended = true;
      }
      await failed;
      assert.ok(used.size > ROUNDS * 0.9, `tokens were signed with ${used.size} keys`);
    },
  );
});
