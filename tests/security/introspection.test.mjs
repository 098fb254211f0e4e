// Introspection under many guesses at once; its rules are in tests/rfc/ and tests/unit/oauth/introspection_test.cpp.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { dump, fileOf } from "./database.mjs";
import { onPostgreSQL } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { basicOf, openProvider } from "./provider.mjs";

const LONG = process.env.POSTERN_LONG === "1";
const GUESSES = LONG ? 100_000 : 2_000;

describe("introspection", () => {
  let p, other, tokens;
  prepared(async (owned) => {
    p = owned(await openProvider({ tls: false }));
    ({ other } = p.clients);
    tokens = await p.tokens(p.clients.web, { scope: "openid email" });
  });

  const ask = (token, secret = other.secret) =>
    p.post("/token/introspect", { token }, { headers: { authorization: basicOf(other.id, secret) } });

  it(`${GUESSES} guesses find nothing, lock no client out and change nothing [I13, C11]`, async () => {
    const before = await dump(p.deployment);
    const files = onPostgreSQL ? [] : [fileOf(p.deployment), `${fileOf(p.deployment)}-wal`];
    const bytes = () => files.map((file) => readFileSync(file).length);
    const size = bytes();
    const random = () => randomBytes(32).toString("base64url");
    const guesses = [
      [() => ask(random()), 200, { active: false }],
      [() => ask(`${tokens.access_token.slice(0, -43)}${random()}`), 200, { active: false }],
      [() => ask(tokens.access_token, random()), 401, undefined],
    ];
    for (let done = 0; done < GUESSES; done += 30)
      await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const [guess, status, said] = guesses[i % 3];
          const answer = await guess();
          assert.equal(answer.status, status);
          if (said) assert.deepEqual(answer.json, said);
          else assert.equal(answer.json.error, "invalid_client");
        }),
      );
    assert.equal((await ask(tokens.access_token)).json.active, true);
    assert.equal(await dump(p.deployment), before);
    assert.deepEqual(bytes(), size);
  });
});
