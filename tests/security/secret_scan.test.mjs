// The search for secrets in all that a deployment leaves behind finds planted ones.
import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { Secrets } from "../support/secrets.mjs";
import { privateDirectory } from "../support/web_server.mjs";

const SECRET = 'p%w+d/"41 &=é 0123456789';

describe("the search for secrets", () => {
  it("finds a secret in every form, wherever it stands [G01]", () => {
    const secrets = new Secrets();
    secrets.remember("password", SECRET);
    secrets.remember("ID token", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4");
    for (const [planted, kind = "password"] of [
      [SECRET],
      [encodeURIComponent(SECRET)],
      [`password=${encodeURIComponent(SECRET).replaceAll("%20", "+")}`],
      [JSON.stringify({ a: SECRET })],
      ...["a", "ab", "abc"].map((name) => [Buffer.from(`${name}:${SECRET}`).toString("base64")]),
      [Buffer.from(SECRET, "utf16le")],
      ["c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4", "ID token"], // a token's signature alone
    ]) {
      const bytes = Buffer.from(planted);
      for (const before of [0, 1, 4095].map((size) => Buffer.alloc(size))) {
        assert.deepEqual(secrets.foundIn(Buffer.concat([before, bytes, Buffer.alloc(100)])), [kind], planted);
        assert.deepEqual(secrets.foundIn(Buffer.concat([before, bytes.subarray(0, bytes.length / 2)])), []);
      }
    }
  });

  it("learns from requests and answers what passes through them [G01]", () => {
    const secrets = new Secrets();
    secrets.learnRequest("https://op.example/login", {
      headers: { authorization: "Bearer the-access-token-sent", cookie: "a=1; postern=the-session-cookie" },
      body: "password=the-password-typed&signature=signature-of-a-passkey",
    });
    secrets.learnAnswer({
      headers: {
        "set-cookie": ["b=another-cookie-value; Path=/"],
        location: "https://app.example/cb?code=the-code-given-out",
      },
      body: '{"access_token":"the-access-token-given"}<input type="hidden" name="csrf" value="token-of-the-form">',
    });
    for (const value of (
      "the-access-token-sent the-session-cookie the-password-typed signature-of-a-passkey " +
      "another-cookie-value the-code-given-out the-access-token-given token-of-the-form"
    ).split(" "))
      assert.equal(secrets.foundIn(value).length, 1, value);
  });

  it("looks at each log, the database, the keys and core files when a deployment ends [G01]", async (t) => {
    const directory = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    t.after(() => rm(directory, { recursive: true }));
    const target = join(directory, "postern.txt");
    const deployment = await Deployment.start({ tls: false, config: { log: { target } } });
    const password = "the password that was left everywhere";
    await deployment.addUser("ada", password);
    const places = ["db/postern.db-copy", "db/refusals.ring", "keys/x", "syslog.log", "debug.log", "core", "core.17"];
    for (const place of places) await appendFile(join(deployment.directory, place), password);
    await appendFile(target, password);
    await assert.rejects(deployment.stop(), ({ message }) => {
      for (const place of [...places, target]) assert.ok(message.includes(`${place}: password`), place);
      return !message.includes(password); // names the file and the kind only
    });
  });
});
