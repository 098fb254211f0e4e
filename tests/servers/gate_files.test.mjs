// What else a web server shows behind the gate: a directory of files, under nginx and Apache as the comments of the
// shipped files have it; and another proxy, which asks over HTTP.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { MARK, behindApache, behindLighttpd, behindNginx } from "./gate_fronts.mjs";
import { Person, asPage } from "./gate_person.mjs";

const FILES = { "index.html": `${MARK}: the beginning`, "a/index.html": `${MARK}: a`, "b/file.txt": `${MARK}: a file` };

describe("a directory of files", () => {
  for (const [name, start] of [
    ["nginx", behindNginx],
    ["Apache", behindApache],
    ["lighttpd", behindLighttpd],
  ])
    describe(`behind ${name}`, () => {
      let front;
      let cookie;
      const ask = (path, headers) => asPage(front.url + path, { ca: front.deployment.ca, headers });
      prepared(async (owned) => {
        front = owned(await start({ files: FILES }));
        await front.deployment.addUser("alice", Person.PASSWORD);
        await front.deployment.postern(["site", "add", "wiki", "--url", `${front.url}/`]);
        cookie = (await new Person(front.deployment.ca, "alice").signIn(`${front.url}/`)).cookieHeader;
      });

      it("is shown to who has signed in, with its indexes and pieces of files [GATE-18]", async () => {
        for (const [path, body] of [
          ["/", FILES["index.html"]],
          ["/index.html", FILES["index.html"]],
          ["/a/", FILES["a/index.html"]],
          ["/b/file.txt", FILES["b/file.txt"]],
        ]) {
          const shown = await ask(path, { cookie });
          assert.deepEqual([shown.status, shown.body], [200, body], path);
          for (const header of Object.keys(shown.headers)) assert.doesNotMatch(header, /^(remote|variable)-/, path);
        }
        const piece = await ask("/b/file.txt", { cookie, range: "bytes=4-14" });
        assert.deepEqual([piece.status, piece.body], [206, FILES["b/file.txt"].slice(4, 15)]);
      });

      it("and to nobody else [GATE-13]", async () => {
        for (const path of ["/", "/index.html", "/a/", "/a", "/b/file.txt", "/b/", "/none"]) {
          const stranger = await ask(path);
          assert.equal(stranger.status, 302, path);
          assert.ok(stranger.headers.location.startsWith(front.deployment.issuer), path);
          assert.ok(!(await request(front.url + path, { ca: front.deployment.ca })).body.includes(MARK), path);
        }
      });

      it("what the web server itself refuses stays refused [GATE-17]", async () => {
        const directory = await ask("/b/", { cookie });
        assert.ok([403, 404].includes(directory.status), `${directory.status}`);
        for (const header of Object.keys(directory.headers)) assert.doesNotMatch(header, /^remote-/);
        assert.equal((await ask("/none", { cookie })).status, 404);
      });
    });
});

describe("another proxy", () => {
  const PROXY = "127.0.0.2";
  const SITE = "https://wiki.example.org";
  let deployment;
  let cookie;
  const forwarded = (more) => ({
    ...{ "x-forwarded-method": "GET", "x-forwarded-proto": "https", "x-forwarded-host": "wiki.example.org" },
    ...{ "x-forwarded-uri": "/a?b=c" },
    ...more,
  });
  /// As the proxy, unless it says from where.
  const ask = (path, headers, localAddress = PROXY) =>
    asPage(deployment.issuer + path, { ca: deployment.ca, headers, localAddress });
  prepared(async (owned) => {
    deployment = owned(await Deployment.start({ config: { paths: { gate: "/gate" }, gate: { proxies: [PROXY] } } }));
    await deployment.addUser("alice", Person.PASSWORD, { email: "a@example.org" });
    await deployment.postern(["site", "add", "wiki", "--url", `${SITE}/`]);
  });

  /// The addresses below .postern/ of the site, as the proxy asks for them.
  const ofSite = (url, options) => {
    const { pathname, search } = new URL(url);
    const path = pathname.startsWith("/.postern/") ? `/gate/pages${pathname}${search}` : "/gate";
    const headers = { ...options.headers, ...forwarded({ "x-forwarded-uri": pathname + search }) };
    return asPage(deployment.issuer + path, { ...options, headers, localAddress: PROXY });
  };

  it("asks at paths.gate, and passes the gate's own addresses on [GATE-10, GATE-22, GATE-26]", async () => {
    const agent = await new Person(deployment.ca, "alice", ofSite).signIn(`${SITE}/a?b=c`);
    assert.deepEqual([agent.page.url, agent.page.status], [`${SITE}/a?b=c`, 200]);
    assert.equal(agent.page.headers["remote-user"], "alice");
    assert.equal(agent.page.headers["remote-email"], "a@example.org");
    cookie = agent.cookieHeader;
    const who = await agent.visit(`${SITE}/.postern/whoami`);
    assert.equal(JSON.parse(who.body).user, "alice");
    const stranger = await ask("/gate", forwarded());
    assert.equal(stranger.status, 302);
    assert.ok(stranger.headers.location.startsWith(deployment.issuer));
  });

  it("is believed at its address alone [GATE-10]", async () => {
    for (const [path, headers] of [
      ["/gate", forwarded({ cookie })],
      ["/gate/pages/.postern/whoami", forwarded({ cookie })],
      ["/gate", forwarded({ cookie, "x-forwarded-for": PROXY })],
      ["/gate", { cookie, "postern-gate-site": SITE, "postern-gate-uri": "/a", "postern-gate-method": "GET" }],
      ["/gate", { cookie, Postern_Gate_Site: SITE, Postern_Gate_Uri: "/a", Postern_Gate_Method: "GET" }],
    ]) {
      const answer = await ask(path, headers, "127.0.0.1");
      assert.equal(answer.status, 403, path);
      assert.equal(answer.headers["remote-user"], undefined);
    }
  });

  it("says each of the four once, and names a site [GATE-10, GATE-11]", async () => {
    for (const headers of [
      forwarded({ "x-forwarded-host": "other.example.org" }),
      forwarded({ "x-forwarded-host": "wiki.example.org, evil.test" }),
      forwarded({ "x-forwarded-host": ["wiki.example.org", "evil.test"] }),
      forwarded({ "x-forwarded-proto": "https, http" }),
      forwarded({ "x-forwarded-proto": "http" }),
      forwarded({ "x-forwarded-uri": "/a b" }),
      forwarded({ "x-forwarded-uri": "a" }),
      forwarded({ "x-forwarded-uri": `${SITE}/a` }),
      forwarded({ "x-forwarded-uri": "/a/../../b" }),
      forwarded({ "x-forwarded-method": "" }),
      {},
    ]) {
      const answer = await ask("/gate", { cookie, ...headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    for (const path of ["/gate/pages/x", "/gate/pages/", "/gate/x", "/gate/"]) {
      const { status } = await ask(path, forwarded({ cookie }));
      assert.ok([403, 404].includes(status), `${path} ${status}`);
    }
    // 2xx would let the request for it through.
    for (const own of ["callback", "login", "logout", "whoami", "x"]) {
      const answer = await ask("/gate", forwarded({ cookie, "x-forwarded-uri": `/.postern/${own}` }));
      assert.ok(answer.status >= 300, `${own} ${answer.status}`);
    }
  });
});
