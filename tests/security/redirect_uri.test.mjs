// Which redirect_uri is accepted: the registered one byte for byte, with another port for a native client on loopback. In
// front of everything else there is somebody who is signed in and has agreed, so an address that passes gets a code at once.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isPage } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const GOOD = "https://app.example/cb"; // what "web" has registered
const encode = encodeURIComponent;

/// [id, what is tried, rows as they are written into the address: already encoded].
const NEIGHBOURS = [
  ["R01", "another path, query, case or spelling", [
    ...["/", "/x", "?x=1", "?", "%20", ";x"].map((more) => encode(GOOD + more)),
    ...["https://app.example/CB", "https://APP.example/cb", "HTTPS://app.example/cb", "https://app.example/c", "https://app.example/",
      "https://app.example", "https://app.example//cb"].map(encode)]],
  ["R02", "a fragment", [...["#", "#x", "#\t", "#%09", "#%23"].map((more) => encode(GOOD + more)), "https://app.example/cb%23x", encode(`${GOOD}%23x`)]],
  ["R03", "user information before the host", ["https://app.example@evil.example/cb", "https://app.example:pw@evil.example/cb",
    "https://evil.example\\@app.example/cb", "https://user@app.example/cb", "https://@app.example/cb"].map(encode)],
  ["R04", "steps up and down", ["https://app.example/cb/../evil", "https://app.example/%2e%2e/evil", "https://app.example/cb/%2e%2e/evil",
    "https://app.example/cb/..;/x", "https://app.example/./cb", "https://app.example/x/../cb"].map(encode)],
  ["R05", "a port", ["https://app.example:443/cb", "https://app.example:8443/cb", "https://app.example:/cb"].map(encode)],
  ["R06", "another scheme, or none", ["http://app.example/cb", "//app.example/cb", "app.example/cb", "/cb",
    "javascript:alert(1)//https://app.example/cb", "data:text/html,https://app.example/cb", "vbscript:https://app.example/cb",
    "javascript://app.example/cb%0aalert(1)"].map(encode)],
  ["R07", "slashes that some browsers turn", ["https:\\\\app.example\\cb", "https:/app.example/cb", "https:///app.example/cb",
    "https://app.example\\.evil.example/cb", "https:app.example/cb", "https://app.example\\cb"].map(encode)],
  ["R08", "percent signs that would decode to it", ["https://app.example/c%62", "%68ttps://app.example/cb", "https%3A%2F%2Fapp.example%2Fcb",
    "https://app.example%2Fcb", "https://app%2Eexample/cb"].map(encode)],
  ["R09", "a host that contains or resembles it", ["https://app.example.evil.example/cb", "https://appXexample/cb", "https://app.examplX/cb",
    "https://evil.example/?https://app.example/cb", "https://evil.example/https://app.example/cb", "https://xapp.example/cb",
    "https://app.example./cb", "https://.app.example/cb"].map(encode)],
  ["R10", "letters that look alike, and their ASCII form", ["https://app\u3002example/cb", "https://\uff41pp.example/cb", "https://\u0430pp.example/cb",
    "https://xn--pp-6cd.example/cb", "https://app\u00ad.example/cb", "https://app.example/cb\u200b"].map(encode)],
  ["R11", "blanks, control bytes and length", [encode(` ${GOOD}`), encode(`${GOOD} `), `+${encode(GOOD)}`, `%09${encode(GOOD)}`, `${encode(GOOD)}%09`,
    `${encode(GOOD)}%0a`, `%0a${encode(GOOD)}`, `${encode(GOOD)}%0d%0aSet-Cookie:%20x=1`, `${encode(GOOD)}%00`, `${encode(GOOD)}%00.evil.example`,
    `${encode(GOOD)}%`, `${encode(GOOD)}%zz`, `${encode(GOOD)}%ff`, `${encode(GOOD)}%c0%af`, encode(GOOD.padEnd(8192, "x"))]],
  ["R14", "another client's address", ["https://other.example/cb", "https://spa.example/cb", "http://127.0.0.1/cb"].map(encode)],
];

describe("redirect_uri", () => {
  let p;
  let person;
  before(async () => {
    p = await openProvider();
    person = p.person();
    for (const client of [p.clients.web, p.clients.trusted]) await p.code(client, {}, person);
    await p.deployment.postern(["client", "add", "two", "--first-party", "--redirect-uri", "https://two.example/a", "--redirect-uri", "https://two.example/b"]);
    await p.deployment.postern(["client", "add", "app", "--first-party", "--native", "--redirect-uri", "http://127.0.0.1/cb", "--redirect-uri", "http://[::1]:80/cb",
      "--redirect-uri", "com.example.app:/cb"]);
  });
  after(() => p?.stop());

  /// The authorization URL of `client` with these bytes as its redirect_uri.
  const urlOf = (raw, client = p.clients.web, more = {}) =>
    `${p.authorizationUrl(client, { redirect_uri: undefined, ...more })}${raw === undefined ? "" : `&redirect_uri=${raw}`}`;
  const codes = async () => (await p.deployment.postern(["token", "list"])).length + (await p.deployment.postern(["stats"])).tokens.authorization_code;

  async function refuses(urls) {
    const before = await codes();
    for (const url of urls) {
      const page = await person.visit(url);
      assert.equal(page.location, undefined, `${url} led to ${page.location}`);
      isPage(page, url);
      assert.doesNotMatch(page.body, /evil|alert\(1\)/, url);
    }
    assert.equal(await codes(), before, "no code was made");
  }

  for (const [id, what, rows] of NEIGHBOURS) {
    it(`${what} is a page and no redirect, with prompt=none and any response_mode as well (${id}) [R01-R11, R14]`, async () => {
      await refuses(rows.flatMap((raw) => [urlOf(raw), urlOf(raw, p.clients.web, { prompt: "none" }),
        urlOf(raw, p.clients.web, { response_mode: "fragment" }), urlOf(raw, p.clients.web, { response_mode: "form_post", response_type: "zz" })]));
      const page = await person.visit(urlOf(encode(GOOD)));
      assert.ok(page.location?.href.startsWith(`${GOOD}?code=`), "the registered one still works");
    });
  }

  it("given twice it counts as none, whichever comes first, and equal ones too [R12]", async () => {
    const [good, evil] = [encode(GOOD), encode("https://evil.example/cb")];
    await refuses([[good, evil], [evil, good], [good, good], [good, ""]].map(([first, second]) => `${urlOf(first)}&redirect_uri=${second}`));
  });

  it("may be left out, or empty, by a client that has exactly one [R13]", async () => {
    for (const raw of [undefined, ""]) {
      const page = await person.visit(urlOf(raw));
      assert.ok(page.location?.href.startsWith(`${GOOD}?code=`), `${page.status} ${page.location}`);
    }
    await refuses([urlOf(undefined, { id: "two" }), urlOf("", { id: "two" }), urlOf(undefined, p.clients.machine)]);
    for (const uri of ["https://two.example/a", "https://two.example/b"]) {
      assert.ok((await person.visit(urlOf(encode(uri), { id: "two" }))).location?.href.startsWith(`${uri}?code=`), uri);
    }
  });

  it("a native client chooses the port of its loopback address, and nothing else of it [R15]", async () => {
    const app = { id: "app" };
    for (const uri of ["http://127.0.0.1:51004/cb", "http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://[::1]:51004/cb",
      "http://[::1]/cb"]) {
      const { location } = await person.visit(urlOf(encode(uri), app));
      assert.ok(location?.href.startsWith(`${new URL(uri).href}?code=`), `${uri} led to ${location}`);
    }
    await refuses(["http://127.0.0.1:51004/other", "http://127.0.0.1:51004/cb/", "http://127.0.0.1:51004/cb?x=1", "http://127.0.0.1:1@evil.example/cb",
      "http://localhost:1/cb", "http://localhost/cb", "http://127.0.0.1.evil.example:1/cb", "http://127.1:1/cb", "http://2130706433:1/cb", "https://127.0.0.1:1/cb",
      "http://127.0.0.1:0/cb", "http://127.0.0.1:99999/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:080/cb", "http://127.0.0.1:/cb", "http://127.0.0.1:-1/cb",
      "http://127.0.0.1: 1/cb", "http://127.0.0.1:1e3/cb", "http://127.0.0.2:1/cb", "http://[::2]:1/cb", "http://[::ffff:127.0.0.1]:1/cb", "http://[0:0:0:0:0:0:0:1]:1/cb",
      "http://127.0.0.1:1#/cb", "http://127.0.0.1:1\\cb"].map((uri) => urlOf(encode(uri), app)));
    await p.deployment.postern(["client", "add", "desk", "--first-party", "--redirect-uri", "http://127.0.0.1/cb"]);
    await refuses([urlOf(encode("http://127.0.0.1:51004/cb"), { id: "desk" })]); // it is not registered as a native one
  });

  it("a scheme of an app's own is compared byte for byte, and what could never be safe cannot be registered [R16]", async () => {
    const app = { id: "app" };
    const answer = await person.visit(urlOf(encode("com.example.app:/cb"), app));
    assert.ok(answer.location?.href.startsWith("com.example.app:/cb?code="), `${answer.location}`);
    await refuses(["com.example.app:/cb/", "com.example.app://cb", "com.example.app:cb", "com.example.app:///cb", "COM.example.app:/cb", "com.example.app.evil:/cb",
      "com.example.app:/cb#x"].map((uri) => urlOf(encode(uri), app)));
    const never = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "https://app.example/cb#x", "https://app.example/cb#",
      "https://*.example/cb", "https://app.example/*", "https:///cb", "https:/cb", "/cb", "app.example/cb", "https://user@app.example/cb", "http://app.example/cb",
      "com.example.app:/cb", "https://app.example/a b", "https://app.example/\u00e4"];
    for (const uri of never) {
      await assert.rejects(p.deployment.postern(["client", "add", "never", "--redirect-uri", uri]), { code: 1 }, uri);
      await assert.rejects(p.deployment.postern(["client", "set", "web", "--redirect-uri", uri]), { code: 1 }, uri);
    }
    const { redirect_uris: uris } = await p.deployment.postern(["client", "show", "web"]);
    assert.deepEqual(uris, [GOOD]);
  });

  it("a request that was sealed for an address goes nowhere once the address is registered no more [R17]", async () => {
    await p.deployment.postern(["client", "add", "moving", "--redirect-uri", "https://moving.example/old"]);
    const page = await person.visit(urlOf(encode("https://moving.example/old"), { id: "moving" }));
    assert.ok(page.form?.buttons.approve);
    await p.deployment.postern(["client", "set", "moving", "--redirect-uri", "https://moving.example/new"]);
    const refused = await person.approve(page);
    isPage(refused, "approved too late");
    assert.equal(refused.location, undefined);
    const now = await person.approve(await person.visit(urlOf(encode("https://moving.example/new"), { id: "moving" })));
    assert.ok(now.location.href.startsWith("https://moving.example/new?code="), `${now.location}`);
  });

  it("the address that is answered at is written from the registration [R17]", async () => {
    const send = (raw) => p.ask(urlOf(raw, p.clients.web, { response_type: "zz" }));
    // Two spellings of the same bytes: the query escapes every one of them.
    const escaped = [...GOOD].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    for (const raw of [encode(GOOD), escaped, GOOD]) assert.ok((await send(raw)).headers.location.startsWith(`${GOOD}?error=`), raw);
  });
});
