// What looks for secrets behind every deployment finds one that is there, in whatever form.
import assert from "node:assert/strict";
import { appendFile, mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { Secrets } from "../support/secrets.mjs";
import { privateDirectory } from "../support/web_server.mjs";

const SECRET = 'p%w+d/"41 &=é 0123456789';

describe("the search for secrets", () => {
  const secrets = new Secrets();
  secrets.remember("password", SECRET);
  secrets.remember("ID token", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4");

  for (const [form, planted, kind] of [
    ["as it is", SECRET, "password"],
    ["percent-encoded", encodeURIComponent(SECRET), "password"],
    ["as a form sends it", `password=${encodeURIComponent(SECRET).replaceAll("%20", "+")}`, "password"],
    ["in JSON", JSON.stringify({ a: SECRET }), "password"],
    ["in Basic, behind a short name", Buffer.from(`a:${SECRET}`).toString("base64"), "password"],
    ["in Basic, behind a longer name", Buffer.from(`ab:${SECRET}`).toString("base64"), "password"],
    ["in Basic, behind a name of three", Buffer.from(`abc:${SECRET}`).toString("base64"), "password"],
    ["in UTF-16", Buffer.from(SECRET, "utf16le"), "password"],
    ["by a token's signature alone", "c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4", "ID token"],
  ])
    it(`finds a secret ${form} [G01]`, () => {
      const bytes = Buffer.from(planted);
      for (const before of [0, 1, 4095]) {
        assert.deepEqual(secrets.foundIn(Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(100)])), [kind]);
        assert.deepEqual(
          secrets.foundIn(Buffer.concat([Buffer.alloc(before), bytes.subarray(0, bytes.length / 2)])),
          [],
        );
      }
    });

  it("learns from requests and answers what passes through them [G01]", () => {
    const learned = new Secrets();
    learned.learnRequest("https://op.example/login", {
      headers: { authorization: "Bearer the-access-token-sent", cookie: "a=1; postern=the-session-cookie" },
      body: "password=the+pass+word+typed&signature=signature-of-a-passkey",
    });
    learned.learnAnswer({
      headers: {
        "set-cookie": ["b=another-cookie-value; Path=/"],
        location: "https://app.example/cb?code=the-code-given-out",
      },
      body: '{"access_token":"the-access-token-given","x":"<input type=\\"hidden\\" name=\\"csrf\\" value=\\"0\\">"}',
    });
    for (const [name, value] of Object.entries({ csrf: "token-of-the-form", challenge: "challenge-in-its-seal" }))
      learned.learnAnswer({ headers: {}, body: `<input type="hidden" name="${name}" value="${value}">` });
    for (const value of [
      "the-access-token-sent",
      "the-session-cookie",
      "the pass word typed",
      "another-cookie-value",
      "the-code-given-out",
      "the-access-token-given",
      "token-of-the-form",
      "challenge-in-its-seal",
      "signature-of-a-passkey",
    ])
      assert.equal(learned.foundIn(value).length, 1, value);
  });

  it("names the file and the kind, never the secret [G01]", async (t) => {
    const directory = await mkdtemp(join(tmpdir(), "pt-"));
    t.after(() => rm(directory, { recursive: true }));
    await mkdir(join(directory, "db"));
    await writeFile(join(directory, "db/core.1"), Buffer.concat([Buffer.alloc(5000, 1), Buffer.from(SECRET)]));
    assert.deepEqual(secrets.foundBelow(directory), ["db/core.1: password"]);
  });

  it("is made when a deployment ends, which then fails [G01]", async () => {
    const deployment = await Deployment.start({ tls: false });
    const password = "the password that somebody logged";
    await deployment.addUser("ada", password);
    await appendFile(join(deployment.directory, "debug.log"), `user ada typed ${password}\n`);
    await assert.rejects(deployment.stop(), (error) => {
      assert.match(error.message, /debug\.log: password/);
      return !error.message.includes(password);
    });
  });
});

describe("the end of a deployment", () => {
  it("looks at each log, the database, the keys and core files [G01]", async (t) => {
    const directory = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    t.after(() => rm(directory, { recursive: true }));
    const target = join(directory, "postern.txt");
    const deployment = await Deployment.start({ tls: false, config: { log: { target } } });
    const password = "the password that was left everywhere";
    await deployment.addUser("ada", password);
    const places = ["db/postern.db-copy", "db/refusals.ring", "keys/x", "syslog.log", "core", "core.17"];
    for (const place of places) await appendFile(join(deployment.directory, place), password);
    await appendFile(target, password);
    await assert.rejects(deployment.stop(), (error) => {
      for (const place of [...places, target]) assert.ok(error.message.includes(`${place}: password`), place);
      return true;
    });
  });
});
