// Signing keys are rotated under load. Races of codes, refresh tokens, revocations, forms and passwords are in
// tests/cgi and tests/postgresql. POSTERN_LONG=1 takes a hundred rounds.
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { openProvider } from "./provider.mjs";
import { Workers } from "./workers.mjs";

const ROUNDS = process.env.POSTERN_LONG === "1" ? 100 : 25;

const headerOf = (token) => JSON.parse(Buffer.from(token.split(".")[0], "base64url"));

describe("races", () => {
  let p, web;
  prepared(async (owned) => {
    p = owned(await openProvider({ front: new Workers(4).front, tls: false, clock: true }));
    web = p.clients.web;
  });

  it(`${ROUNDS} rotations of the signing key under load: a set from before is enough, all verify [J18]`, async () => {
    const fetchKeys = async () =>
      new Map(
        (await p.ask("/jwks")).json.keys.map((jwk) => [
          jwk.kid,
          { alg: jwk.alg, key: createPublicKey({ key: jwk, format: "jwk" }) },
        ]),
      );
    const isSigned = (keys, token) => {
      const { kid, alg } = headerOf(token);
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
        for (const { status } of [next, ...believed]) assert.equal(status, 200);
        for (const token of [next.json.access_token, tokens.access_token])
          assert.equal((await p.introspect(token)).active, true);
        for (const kind of ["access_token", "id_token", "refresh_token"])
          assert.ok(isSigned(keys, next.json[kind]), kind);
        used.add(headerOf(next.json.access_token).kid);
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
  });
});
