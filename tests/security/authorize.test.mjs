// The authorization endpoint behind a web server and in processes that keep running; its rules are in tests/rfc and
// tests/cgi.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isPage } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const CODES = process.env.POSTERN_LONG ? 10_000 : 300;

describe("the authorization endpoint behind lighttpd", () => {
  let p;
  before(async () => {
    p = await openProvider();
  });
  after(() => p?.stop());

  it("lighttpd answers control characters and bytes that are not UTF-8 in a URL with a page of its own", async () => {
    const rows = {
      state: ["a%00b", "a%0d%0aSet-Cookie:%20x=1", "%ff"],
      scope: ["openid%09profile", "openid%0aprofile", "openid%00"],
      nonce: ["a%00b", "a%0ab", "%ff"],
    };
    for (const [name, values] of Object.entries(rows)) {
      for (const value of values) {
        const url = `${p.authorizationUrl(p.clients.web, { [name]: undefined })}&${name}=${value}`;
        isPage(await p.ask(url), `${name}=${value}`);
      }
    }
  });

  it(`processes that keep running: ${CODES} codes are unguessable and never repeat [A05]`, async () => {
    const person = p.person();
    await p.code(p.clients.trusted, {}, person);
    const codes = new Set();
    while (codes.size < CODES) {
      const before = codes.size;
      const pages = await Promise.all(
        Array.from({ length: 10 }, () => person.visit(p.authorizationUrl(p.clients.trusted))),
      );
      for (const { location } of pages) codes.add(location.searchParams.get("code"));
      assert.equal(codes.size, before + 10, "a code came twice");
    }
    for (const code of codes) assert.match(code, /^[A-Za-z0-9_-]{43,}$/);
    // Each position takes many values: nothing of a code is constant or counted up.
    for (let i = 0; i < 43; ++i)
      assert.ok(new Set([...codes].map((code) => code[i])).size >= (i === 42 ? 10 : 30), `position ${i}`);
  });
});
