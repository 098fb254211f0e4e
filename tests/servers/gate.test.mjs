// Applications that know no OpenID Connect, protected by the site files that are shipped, under each web server. Each
// application answers what it was told.
import assert from "node:assert/strict";
import { readFile, rename } from "node:fs/promises";
import https from "node:https";
import { join } from "node:path";
import { describe, it } from "node:test";
import { onPostgreSQL } from "../support/deployment.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { sendRaw, statusOf } from "../support/raw.mjs";
import { request } from "../support/user_agent.mjs";
import { MARK, TOLD, behindApache, behindLighttpd, behindNginx, killGates } from "./gate_fronts.mjs";
import { PAGE, Person, REDIRECT_URI, asPage } from "./gate_person.mjs";

const NO_ONE = { user: "", name: "", email: "", email_verified: "", groups: "", subject: "" };
/// What a browser may send to name a user, a site or an address: every name that an application could take for one of
/// the six.
const spellings = (name) => [name, name.toUpperCase(), name.replaceAll("-", "_")];
const FORGED = {
  ...Object.fromEntries(
    TOLD.flatMap((member) => spellings(`remote-${member.replaceAll("_", "-")}`)).map((name) => [name, "root"]),
  ),
  "Remote_Email-Verified": "true",
  "Remote-Email_Verified": "true",
  "postern-gate-site": "https://evil.test",
  "postern-gate-uri": "/open",
  "postern-gate-method": "OPTIONS",
  "x-original-url": "/open",
  "x-forwarded-uri": "/open",
  "x-forwarded-host": "evil.test",
  "x-forwarded-method": "OPTIONS",
};

function protects(start) {
  let front;
  let alice;
  let agent; // of alice, for the site
  let inner; // of alice, for the site inside it
  const page = () => front.pages[0];
  const ask = (path, options) => asPage(front.url + path, { ca: front.deployment.ca, ...options });
  const asked = (path, cookie, options) => ask(path, { ...options, headers: { ...options?.headers, cookie } });
  const lines = (...all) => [...all, "Connection: close", "", ""].join("\r\n");
  const host = () => `Host: ${new URL(front.url).host}`;
  const navigation = Object.entries(PAGE).map((pair) => pair.join(": "));
  const raw = (target, { headers = [host()], cookie } = {}) =>
    sendRaw(
      { port: front.port, ca: front.deployment.ca },
      lines(`GET ${target} HTTP/1.1`, ...headers, ...navigation, ...(cookie ? [`Cookie: ${cookie}`] : [])),
    );

  prepared(async (owned) => {
    front = owned(await start());
    const { deployment } = front;
    await deployment.addUser("alice", Person.PASSWORD, {
      name: "Alice Müller",
      email: "a@example.org",
      email_verified: true,
    });
    await deployment.addUser("bob", Person.PASSWORD);
    for (const group of ["staff", "crew"]) {
      await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", group, "alice"]);
    }
    await deployment.postern(["site", "add", "wiki", "--url", `${front.url}/`]);
    await deployment.postern(["site", "add", "admin", "--url", `${front.url}/admin/`, "--allow-group", "staff"]);
    alice = new Person(deployment.ca, "alice");
  });

  it("a first visit is led to the sign-in, and comes back to where it wanted to be [GATE-15, GATE-22]", async () => {
    const url = `${front.url}${page()}?c=d`;
    agent = await alice.signIn(url);
    assert.equal(agent.led.status, 302);
    assert.equal(agent.led.location.href.split("?")[0], `${front.deployment.issuer}/authorize`);
    assert.deepEqual([agent.page.url, agent.page.status], [url, 200]);
    inner = await alice.signIn(`${front.url}/admin${page()}`);
    assert.equal(inner.page.status, 200);
  });

  it("an application is told its user, whatever is sent [GATE-10, GATE-12, GATE-30, FastCGI 1.0 §6.3]", async () => {
    const { sub } = await front.deployment.postern(["user", "show", "alice"]);
    for (const each of front.pages) {
      const known = await asked(each, agent.cookieHeader, { headers: FORGED });
      assert.equal(known.status, 200);
      const { told, others } = front.read(known);
      assert.deepEqual(others, [], each);
      const name = Buffer.from(told.name, "latin1").toString(); // what Node makes of bytes in a header
      assert.ok([told.name, name].includes("Alice Müller"), told.name);
      assert.ok(told.subject.length > 10 && told.subject !== "root");
      assert.equal(told.subject, sub);
      assert.deepEqual(
        { ...told, name: "", subject: "" },
        { ...NO_ONE, user: "alice", email: "a@example.org", email_verified: "true", groups: "crew,staff" },
      );
    }
    const bob = await new Person(front.deployment.ca, "bob").signIn(front.url + page());
    for (const each of front.pages) {
      const { told, others } = front.read(await asked(each, bob.cookieHeader, { headers: FORGED }));
      assert.deepEqual([{ ...told, subject: "", email_verified: "" }, others], [{ ...NO_ONE, user: "bob" }, []], each);
      assert.ok(["", "false"].includes(told.email_verified));
    }
  });

  it("and a stranger nothing [GATE-10, GATE-15]", async () => {
    for (const each of front.pages) {
      assert.equal((await ask(each, { headers: FORGED })).status, 302);
      const script = await request(front.url + each, { ca: front.deployment.ca, headers: FORGED });
      assert.equal(script.status, 401);
      assert.equal(script.headers["www-authenticate"], undefined);
      assert.ok(!script.body.includes(MARK));
    }
  });

  it("headers of the connection remove none of them, and no check [GATE-12, GATE-13]", async () => {
    for (const connection of ["close, Remote-User, Remote-Groups", "close\r\nConnection: Remote-User"]) {
      const answer = await sendRaw(
        { port: front.port, ca: front.deployment.ca },
        [`GET ${page()} HTTP/1.1`, host(), `Cookie: ${agent.cookieHeader}`, `Connection: ${connection}`, "", ""].join(
          "\r\n",
        ),
      );
      assert.equal(statusOf(answer), 200, connection);
      assert.match(answer, /alice/, connection);
      assert.match(answer, /crew,staff/, connection);
    }
    const h2c = await sendRaw(
      { port: front.port, ca: front.deployment.ca },
      [
        `GET ${page()} HTTP/1.1`,
        host(),
        `Cookie: ${agent.cookieHeader}`,
        "Connection: Upgrade, HTTP2-Settings, close",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "",
        "",
      ].join("\r\n"),
    );
    assert.equal(statusOf(h2c), 200);
  });

  it("the application is not sent the cookies of Postern, and its own as they are [GATE-3, GATE-30]", async () => {
    const name = agent.cookieNames.find((each) => /gate-[0-9a-f]+$/.test(each));
    const good = agent.cookieHeader.match(new RegExp(`${name}=[^;]*`))[0];
    const provider = "__Host-postern-session-00000000=of-the-provider";
    const rows = [
      [good, ""],
      [`${good}; a=1`, "a=1"],
      [`a=1; ${good}`, "a=1"],
      [`a=1; ${good}; ${provider}; b=2; postern-browser=x; c="3 4"`, 'a=1; b=2; c="3 4"'],
      [`a=1; postern-x=1; b=2; ${good}; c=3; postern-y=1; d=4; postern-z=1; e=5`, "a=1; b=2; c=3; d=4; e=5"],
      [`my-postern-x=1; ${good}; b=postern-y`, "my-postern-x=1; b=postern-y"],
    ];
    for (const [sent, expected] of rows)
      for (const path of [page(), "/x/.postern/y"]) {
        const got = await asked(path, sent);
        if (path !== page() && got.status === 404) continue; // lighttpd has no such file
        assert.equal(got.status, 200, `${path} ${sent}`);
        const { cookie } = front.read(got);
        if (front.name === "lighttpd")
          assert.equal(cookie, sent); // which cannot do it, and says so
        else assert.equal(cookie.replace(/;?\s*$/, ""), expected, `${path} ${sent}`);
      }
    const many = Array.from({ length: 20 }, (_, at) => `a${at}=1; postern-${at}=2`).join("; ");
    const { cookie } = front.read(await asked(page(), `${good}; ${many}`));
    if (front.name !== "lighttpd") assert.doesNotMatch(cookie, /postern-/);
  });

  it("methods and bodies arrive, and the check reads none [GATE-18]", async () => {
    for (const each of front.pages)
      for (const method of ["POST", "PUT"]) {
        const body = "x".repeat(200_000);
        const headers = { "content-length": body.length };
        const answer = await asked(each, agent.cookieHeader, { method, headers, body });
        assert.equal(answer.status, 200, `${method} ${each}`);
        assert.equal(front.read(answer).bytes, body.length);
        assert.equal((await ask(each, { method, headers, body })).status, 401);
        const whole = await asked(each, agent.cookieHeader, {
          method,
          headers: { ...headers, expect: "100-continue" },
          body,
        });
        assert.equal(whole.status, 200);
      }
    for (const method of ["HEAD", "OPTIONS", "DELETE", "PROPFIND"]) {
      const answer = await asked(page(), agent.cookieHeader, { method });
      // lighttpd has an answer of its own to OPTIONS.
      if (method !== "OPTIONS" || front.name !== "lighttpd") assert.equal(answer.status, 200, method);
      const stranger = await ask(page(), { method });
      assert.ok(
        [302, 401].includes(stranger.status) || (method === "OPTIONS" && front.name === "lighttpd"),
        `${method} ${stranger.status}`,
      );
      assert.ok(!stranger.body.includes(MARK), method);
    }
  });

  if (start !== behindLighttpd)
    it("a WebSocket is asked about when it is opened [GATE-18]", async () => {
      const open = (cookie) =>
        sendRaw(
          { port: front.port, ca: front.deployment.ca },
          [
            `GET ${page()} HTTP/1.1`,
            host(),
            ...(cookie ? [`Cookie: ${cookie}`] : []),
            "Connection: keep-alive, Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "",
            "",
          ].join("\r\n"),
        );
      const opened = await open(agent.cookieHeader);
      assert.equal(statusOf(opened), 101, opened);
      assert.ok(opened.includes(MARK));
      const stranger = await sendRaw(
        { port: front.port, ca: front.deployment.ca },
        lines(`GET ${page()} HTTP/1.1`, host(), "Upgrade: websocket"),
      );
      assert.equal(statusOf(stranger), 401);
      assert.ok(!stranger.includes(MARK));
    });

  it("16 KB of other cookies come along [GATE-18]", async () => {
    const own = Array.from({ length: 16 }, (_, at) => `c${at}=${"x".repeat(1000)}`).join("; ");
    const told = await asked(page(), `${own}; ${agent.cookieHeader}`);
    assert.equal(told.status, 200);
    assert.equal(front.read(told).told.user, "alice");
    assert.equal((await asked(page(), own)).status, 302);
    const who = await asked("/.postern/whoami", `${own}; ${agent.cookieHeader}`);
    assert.equal(who.status, 200);
  });

  it("cookies that are forged, cut or of another site do not pass [GATE-13, GATE-20]", async () => {
    const name = agent.cookieNames.find((each) => /gate-[0-9a-f]+$/.test(each));
    assert.ok(name.startsWith("__Host-postern-gate-"), name);
    const value = agent.cookieHeader.match(new RegExp(`${name}=([^;]*)`))[1];
    for (const bad of [value.slice(1), `${value}A`, "x"]) {
      const led = await asked(page(), `${name}=${bad}`);
      assert.equal(led.status, 302);
    }
    assert.equal((await asked(page(), `${name}=x; ${name}=y; ${name}=${value}`)).status, 200);
    const innerName = inner.cookieNames.find((each) => /gate-[0-9a-f]+$/.test(each));
    assert.ok(innerName.startsWith("__Secure-postern-gate-"), innerName);
    const innerValue = inner.cookieHeader.match(new RegExp(`${innerName}=([^;]*)`))[1];
    for (const [path, cookie] of [
      [`/admin${page()}`, agent.cookieHeader],
      [`/admin${page()}`, `${innerName}=${value}`],
      [page(), inner.cookieHeader],
      [page(), `${name}=${innerValue}`],
    ])
      assert.equal((await asked(path, cookie)).status, 302, path);
    assert.equal((await asked(`/admin${page()}`, inner.cookieHeader)).status, 200);
  });

  it("a path that can be another site's is refused, also to who is signed in to both [GATE-2, GATE-11]", async () => {
    const both = `${agent.cookieHeader}; ${inner.cookieHeader}`;
    const spelled = [
      "/x/..%2fadmin/s",
      "/x/../admin/s",
      "//admin/s",
      "/%61dmin/s",
      "/x/%2e%2e/admin/s",
      "/x/..;y/admin/s",
      "/x/..%5cadmin/s",
      "/x/..\\admin/s",
      "/x%252f..%252fadmin/s",
      "/admin/../x",
      "/admin/..%2fx",
      "//x/admin/s",
      "/admin;y/s",
      "/admin%2fs",
      "/%2e%2e/x",
      "/x%00y",
      "/x%zz",
      "/.postern/..%2fx",
      "/.postern/../x",
      "/%2epostern/x",
      "//.postern/x",
    ];
    for (const target of spelled)
      for (const path of [target, target.replace(/(s|x)$/, page().slice(1))]) {
        const answer = await raw(path, { cookie: both });
        assert.ok([400, 403, 404].includes(statusOf(answer)), `${path} ${answer.slice(0, 200)}`);
        assert.ok(!answer.includes(MARK), path);
      }
  });

  it("whatever host a browser names, the site is that of the configuration [GATE-10, GATE-11]", async () => {
    const { hostname, port } = new URL(front.url);
    const refused = async (what, target, headers, cookie) => {
      const answer = await raw(target, { headers, cookie });
      assert.ok(!answer.includes(MARK), `${what} ${answer}`);
      return statusOf(answer);
    };
    for (const named of [
      `${hostname.toUpperCase()}:${port}`,
      `${hostname}.:${port}`,
      hostname,
      `${hostname}:1`,
      "evil.test",
    ]) {
      const status = await refused(named, page(), [`Host: ${named}`]);
      assert.ok([302, 400, 403, 404, 421].includes(status), `${named} ${status}`);
    }
    assert.equal(await refused("two hosts", page(), [host(), "Host: evil.test"], agent.cookieHeader), 400);
    for (const origin of [front.url, "http://evil.test", `https://${hostname}`])
      await refused(`absolute ${origin}`, `${origin}${page()}`, [host()]);
    // The same host in the request line is no other request.
    const own = statusOf(await raw(`${front.url}${page()}`, { cookie: agent.cookieHeader }));
    assert.ok([200, 403].includes(own), String(own));
  });

  it("a user for whom the site is not reads so [GATE-16]", async () => {
    await front.deployment.postern(["group", "add", "others"]);
    await front.deployment.postern(["site", "set", "wiki", "--allow-group", "others"]);
    const refused = await asked(page(), agent.cookieHeader);
    assert.equal(refused.status, 403);
    assert.match(refused.body, /alice/);
    await front.deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
    assert.equal((await asked(page(), agent.cookieHeader)).status, 200);
  });

  it("addresses of the gate are its own, and none of them reaches the application [GATE-25, GATE-26]", async () => {
    for (const [at, of] of [
      ["", agent],
      ["/admin", inner],
    ]) {
      const who = await asked(`${at}/.postern/whoami`, of.cookieHeader);
      assert.deepEqual([JSON.parse(who.body).user, who.headers["access-control-allow-origin"]], ["alice", undefined]);
      assert.equal((await ask(`${at}/.postern/whoami`)).status, 401);
      const unknown = await asked(`${at}/.postern/x`, of.cookieHeader);
      assert.equal(unknown.status, 404);
      assert.ok(!unknown.body.includes(MARK));
      assert.equal((await ask(`${at}/.postern/callback`)).status, 400);
      assert.equal((await ask(`${at}/.postern/callback`, { method: "POST" })).status, 405);
      const login = await ask(`${at}/.postern/login?to=${at}${page()}`);
      assert.deepEqual(
        [login.status, login.headers.location.split("?")[0]],
        [302, `${front.deployment.issuer}/authorize`],
      );
    }
    const large = await ask("/.postern/logout", {
      method: "POST",
      body: "x".repeat(200_000),
      headers: { "content-length": 200_000 },
    }).catch(({ code }) => ({ status: code }));
    // mod_proxy knows no limit; the gate reads none of it.
    assert.ok(
      [413, "EPIPE", "ECONNRESET", ...(front.name === "Apache" ? [200, 303] : [])].includes(large.status),
      `${large.status}`,
    );
  });

  it("signing out at the site ends the session, and the cookie is worth nothing [GATE-13, GATE-25]", async () => {
    const leaving = new Person(front.deployment.ca, "alice");
    const signedIn = await leaving.signIn(front.url + page());
    const cookie = signedIn.cookieHeader;
    const question = await signedIn.visit(`${front.url}/.postern/logout`);
    assert.match(question.body, /alice/);
    const { buttons } = question.form;
    const away = await signedIn.submit(question, Object.keys(buttons)[0]);
    assert.equal(away.location.href.split("?")[0], `${front.deployment.issuer}/logout`);
    const back = await leaving.provider.visit(away.location.href);
    assert.equal(back.location?.href, `${front.url}/.postern/logout?done`, back.body);
    const done = await signedIn.visit(back.location.href);
    assert.deepEqual([done.status, done.title], [200, "You are signed out"]);
    assert.equal((await asked(page(), cookie)).status, 302);
    // Without the token of its form nothing is ended.
    const forged = await asked("/.postern/logout", agent.cookieHeader, { method: "POST" });
    assert.notEqual(forged.status, 303);
    assert.equal((await asked(page(), agent.cookieHeader)).status, 200);
  });

  it("a site inside another that is disabled is open to nobody [GATE-2, GATE-10]", async () => {
    const both = `${agent.cookieHeader}; ${inner.cookieHeader}`;
    await front.deployment.postern(["site", "disable", "admin"]);
    const answer = await asked(`/admin${page()}`, both);
    assert.equal(answer.status, 403);
    assert.ok(!answer.body.includes(MARK));
    await front.deployment.postern(["site", "enable", "admin"]);
    assert.equal((await asked(`/admin${page()}`, both)).status, 200);
  });

  it("access tokens pass where the site says so, others never [GATE-19, RFC 6750 §3g, RFC 9470 §3]", async () => {
    const { deployment } = front;
    await deployment.addClient("tool", REDIRECT_URI, "--public", "--first-party");
    for (const url of [`${front.url}/`, `${front.url}/other`]) await deployment.postern(["resource", "add", url]);
    const bearer = async (resource) => ({ authorization: `Bearer ${await alice.token(deployment.issuer, resource)}` });
    const good = await bearer(`${front.url}/`);
    const call = (headers) => request(front.url + page(), { ca: deployment.ca, headers });
    assert.equal((await call(good)).status, 401);
    await deployment.postern(["site", "set", "wiki", "--bearer"]);
    const passed = await call(good);
    assert.deepEqual([passed.status, front.read(passed).told.user], [200, "alice"]);
    for (const headers of [await bearer(`${front.url}/other`), { authorization: "Bearer x" }]) {
      const refused = await call({ ...headers, cookie: agent.cookieHeader });
      assert.equal(refused.status, 401);
      assert.match(refused.headers["www-authenticate"], /^Bearer error="invalid_token"/);
    }
    assert.equal((await call({ authorization: "Basic YTpi", cookie: agent.cookieHeader })).status, 200);
    await deployment.postern(["site", "set", "wiki", "--acr", "phr"]);
    const weak = await call(good);
    assert.equal(weak.status, 401);
    assert.match(weak.headers["www-authenticate"], /^Bearer error="insufficient_user_authentication"/);
    await deployment.postern(["site", "set", "wiki", "--acr", "any", "--no-bearer"]);
  });

  it("doctor --url finds these sites closed, and names one that is open to anybody [GATE-32]", async () => {
    const { deployment } = front;
    const about = async () => {
      const words = ["doctor", "--url", "--ca", deployment.caFile];
      const found = await deployment.postern(words).catch(({ stdout }) => JSON.parse(stdout));
      return found.filter(({ check, state }) => check === "sites" && state !== "ok").map(({ detail }) => detail);
    };
    assert.deepEqual(await about(), []);
    const tls = {
      cert: await readFile(join(deployment.directory, "tls.pem")),
      key: await readFile(join(deployment.directory, "tls.key")),
    };
    const open = await listening(
      https.createServer(tls, (_, answer) => answer.end(MARK)),
      { scheme: "https", host: "localhost" },
    );
    try {
      await deployment.postern(["site", "add", "open", "--url", `${open.origin}/`]);
      const [one, ...more] = await about();
      assert.match(one, /"open" is not protected: it answers 200/);
      assert.deepEqual(more, []);
    } finally {
      await open.close();
      await deployment.postern(["site", "remove", "open"]);
    }
  });

  if (start === behindNginx)
    it("an application cannot send a browser past the check of another location [GATE-13]", async () => {
      const { body } = await asked("/accelerated", agent.cookieHeader);
      assert.equal(JSON.parse(body).url, "/accelerated");
    });

  it("a session that ends passes no more, in the same moment [GATE-13]", async () => {
    await front.deployment.postern(["session", "end", "--user", "alice"]);
    assert.equal((await asked(page(), agent.cookieHeader)).status, 302);
    agent = await new Person(front.deployment.ca, "alice").signIn(front.url + page());
    assert.equal((await asked(page(), agent.cookieHeader)).status, 200);
  });

  it("without the gate, or its database, nothing passes [GATE-17]", async () => {
    if (onPostgreSQL && front.name === "lighttpd") return; // it starts the gate again, whose database is there
    if (!onPostgreSQL) {
      const { database } = front.deployment;
      for (const file of [database, `${database}-wal`, `${database}-shm`])
        await rename(file, `${file}.away`).catch(() => {});
    }
    assert.ok(killGates(front.deployment) > 0);
    for (const path of [page(), "/.postern/whoami", "/.postern/logout"]) {
      const answer = await asked(path, agent.cookieHeader);
      assert.ok(!answer.body.includes(MARK), path);
      // Of another server than nginx, the first answer about the application is its module's own.
      const expected = front.name === "nginx" || path.startsWith("/.postern") ? [503] : [500, 503];
      assert.ok(expected.includes(answer.status), `${path} ${answer.status}`);
      if (front.name === "nginx")
        assert.deepEqual([answer.headers["retry-after"], answer.headers["cache-control"]], ["5", "no-store"]);
    }
  });
}

for (const [name, start] of [
  ["nginx", behindNginx],
  ["Apache", behindApache],
  ["lighttpd", behindLighttpd],
])
  describe(`a site behind ${name}`, () => protects(start));
