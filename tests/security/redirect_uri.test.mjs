// Which redirect_uri is accepted behind a web server, and what becomes of a sealed request when the registration
// changes. The neighbours of a registered address are rows of tests/rfc/redirect_uri_test.cpp. The browser is signed in
// and the user has agreed, so an address that passes gets a code at once.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isPage } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const GOOD = "https://app.example/cb"; // what "web" has registered
const encode = encodeURIComponent;

/// As they are written into the address: already encoded, so that the web server sees these bytes.
const RAW = [
  encode(` ${GOOD}`),
  encode(`${GOOD} `),
  `+${encode(GOOD)}`,
  `%09${encode(GOOD)}`,
  `${encode(GOOD)}%09`,
  `${encode(GOOD)}%0a`,
  `%0a${encode(GOOD)}`,
  `${encode(GOOD)}%0d%0aSet-Cookie:%20x=1`,
  `${encode(GOOD)}%00`,
  `${encode(GOOD)}%00.evil.example`,
  `${encode(GOOD)}%`,
  `${encode(GOOD)}%zz`,
  `${encode(GOOD)}%ff`,
  `${encode(GOOD)}%c0%af`,
  encode(GOOD.padEnd(8192, "x")),
];

describe("redirect_uri", () => {
  let p;
  let person;
  before(async () => {
    p = await openProvider();
    person = p.person();
    await p.code(p.clients.web, {}, person);
    await p.deployment.postern([
      "client",
      "add",
      "app",
      "--first-party",
      "--native",
      "--redirect-uri",
      "http://127.0.0.1/cb",
      "--redirect-uri",
      "http://[::1]:80/cb",
      "--redirect-uri",
      "com.example.app:/cb",
    ]);
  });
  after(() => p?.stop());

  /// The authorization URL of `client` with these bytes as its redirect_uri.
  const urlOf = (raw, client = p.clients.web, more = {}) =>
    `${p.authorizationUrl(client, { redirect_uri: undefined, ...more })}` +
    `${raw === undefined ? "" : `&redirect_uri=${raw}`}`;
  const codes = async () =>
    (await p.deployment.postern(["token", "list"])).length +
    (await p.deployment.postern(["stats"])).tokens.authorization_code;

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

  it(
    "blanks, control bytes, broken encoding and length are a page " +
      "and no redirect, with prompt=none and any response_mode as well [R11]",
    async () => {
      await refuses(
        RAW.flatMap((raw) => [
          urlOf(raw),
          urlOf(raw, p.clients.web, { prompt: "none" }),
          urlOf(raw, p.clients.web, { response_mode: "fragment" }),
          urlOf(raw, p.clients.web, { response_mode: "form_post", response_type: "zz" }),
        ]),
      );
      const page = await person.visit(urlOf(encode(GOOD)));
      assert.ok(page.location?.href.startsWith(`${GOOD}?code=`), "the registered one still works");
    },
  );

  it(
    "a scheme of an app's own is compared byte for byte, " + "and what could never be safe cannot be registered [R16]",
    async () => {
      const app = { id: "app" };
      const answer = await person.visit(urlOf(encode("com.example.app:/cb"), app));
      assert.ok(answer.location?.href.startsWith("com.example.app:/cb?code="), `${answer.location}`);
      await refuses(
        [
          "com.example.app:/cb/",
          "com.example.app://cb",
          "com.example.app:cb",
          "com.example.app:///cb",
          "COM.example.app:/cb",
          "com.example.app.evil:/cb",
          "com.example.app:/cb#x",
        ].map((uri) => urlOf(encode(uri), app)),
      );
      const never = [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "https://app.example/cb#x",
        "https://app.example/cb#",
        "https://*.example/cb",
        "https://app.example/*",
        "https:///cb",
        "https:/cb",
        "/cb",
        "app.example/cb",
        "https://user@app.example/cb",
        "http://app.example/cb",
        "com.example.app:/cb",
        "https://app.example/a b",
        "https://app.example/\u00e4",
      ];
      for (const uri of never) {
        await assert.rejects(p.deployment.postern(["client", "add", "never", "--redirect-uri", uri]), { code: 1 }, uri);
        await assert.rejects(p.deployment.postern(["client", "set", "web", "--redirect-uri", uri]), { code: 1 }, uri);
      }
      const { redirect_uris: uris } = await p.deployment.postern(["client", "show", "web"]);
      assert.deepEqual(uris, [GOOD]);
    },
  );

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
    for (const raw of [encode(GOOD), escaped, GOOD])
      assert.ok((await send(raw)).headers.location.startsWith(`${GOOD}?error=`), raw);
  });
});
