// The public documents behind a real web server: cached, unchanged by queries, and there when nothing else is.
// That they are true is shown in tests/rfc/discovery_test.cpp.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openProvider } from "./provider.mjs";
import { SingleProcess } from "./single_process.mjs";

const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";
const DOCUMENTS = [OPENID, OAUTH, "/jwks"];
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "k", "oth"];

describe("public documents", () => {
  let p;
  before(async () => {
    p = await openProvider();
  });
  after(async () => {
    await p?.stop();
  });

  it("the key set has public members, and verifies what is signed [D02]", async () => {
    const { body, json } = await p.ask("/jwks");
    assert.ok(json.keys.length >= 2);
    for (const key of json.keys) {
      assert.deepEqual(
        Object.keys(key).filter((name) => PRIVATE.includes(name)),
        [],
      );
      assert.equal(key.use, "sig");
      assert.match(key.kid, /^[A-Za-z0-9_-]{43}$/);
    }
    assert.doesNotMatch(body, /PRIVATE/);
    const { access_token, id_token } = await p.tokens(p.clients.web);
    for (const token of [access_token, id_token])
      assert.ok(json.keys.some(({ kid }) => kid === JSON.parse(Buffer.from(token.split(".")[0], "base64url")).kid));
  });

  it("they may be cached for an hour at most, and are revalidated with If-None-Match [D04]", async () => {
    for (const path of DOCUMENTS) {
      const first = await p.ask(path);
      assert.equal(first.status, 200);
      const [, seconds] = first.headers["cache-control"].match(/^public, max-age=(\d+)$/);
      assert.ok(Number(seconds) > 0 && Number(seconds) <= 3600);
      const again = await p.ask(path, { headers: { "if-none-match": first.headers.etag } });
      assert.deepEqual([again.status, again.body, again.headers.etag], [304, "", first.headers.etag]);
      assert.equal((await p.ask(path, { headers: { "if-none-match": '"another"' } })).body, first.body);
    }
    const before = (await p.ask("/jwks")).headers.etag;
    const now = Math.floor(Date.now() / 1000);
    await p.deployment.postern(["key", "rotate"]);
    const { status, headers } = await p.ask("/jwks", { headers: { "if-none-match": before } });
    assert.equal(status, 200, "the new key is told at once");
    const next = (await p.deployment.postern(["key", "list"])).filter(({ state }) => state === "next");
    assert.ok(next.length > 0);
    // Whoever kept the set until its last second has the new key before it signs.
    for (const key of next)
      assert.ok(
        key.signs_from - now >= Number(headers["cache-control"].match(/max-age=(\d+)/)[1]),
        `${key.signs_from - now}`,
      );
  });

  it("nothing in a query or behind the path changes them or makes a script of them [D05]", async () => {
    for (const path of DOCUMENTS) {
      const plain = await p.ask(path);
      for (const query of ["callback=x", "jsonp=alert", "format=js", "a=%zz", "=", "a=1&a=1"]) {
        const answer = await p.ask(`${path}?${query}`);
        assert.deepEqual([answer.status, answer.body], [200, plain.body], query);
        assert.match(answer.headers["content-type"], /^application\/json\b/);
        assert.equal(answer.headers["x-content-type-options"], "nosniff");
      }
      for (const junk of ["/", "/..", "/x", ";a=b", "/..;/token", "%2f", "%00", ".json", "//"]) {
        const text = await p.raw(`GET ${path}${junk} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
        assert.match(text, /^HTTP\/1\.1 40[034] /, `${path}${junk}`);
      }
    }
  });

  // Last: it takes the database away.
  it("they need no database and no private key, which they could not read [D02, D03]", async () => {
    const { directory } = p.deployment;
    const keys = join(directory, "keys");
    const secrets = readdirSync(keys).filter((name) => name !== "jwks.json");
    assert.ok(secrets.length >= 3);
    for (const name of secrets) chmodSync(join(keys, name), 0);
    renameSync(join(directory, "db"), join(directory, "gone"));
    try {
      for (const [name, path] of [
        ["jwks", "/jwks"],
        ["discovery", OPENID],
        ["discovery", OAUTH],
      ]) {
        const fresh = await SingleProcess.start(p.deployment, name);
        try {
          assert.equal((await fresh.ask({ path })).status, 200, path);
          assert.equal((await p.ask(path)).status, 200, path);
        } finally {
          assert.equal(await fresh.stop(), 0);
        }
      }
      assert.equal((await SingleProcess.failure(p.deployment, "token")).code, 1, "who needs them does not even start");
    } finally {
      renameSync(join(directory, "gone"), join(directory, "db"));
    }
  });
});
