// What clients and attackers can do with bytes and headers in front of one web server, as it is configured by us.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { identity } from "../support/web_server.mjs";
import { PERSON, Site, essence, statusOf } from "./site.mjs";

const FORM = "Content-Type: application/x-www-form-urlencoded";
const BODY = "grant_type=client_credentials";
const TOO_LARGE = 1024 * 1024;

/// The sockets that processes of this configuration listen to on descriptor 0, by the names that the kernel has for
/// them.
function listenersOf({ directory, cgiBin }) {
  const config = `POSTERN_CONFIG=${join(directory, "postern.json")}`;
  const sockets = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readlinkSync(`/proc/${pid}/exe`).startsWith(`${cgiBin}/`)) continue;
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(config)) continue;
      sockets.push(readlinkSync(`/proc/${pid}/fd/0`));
    } catch {
      /* it has ended, or belongs to another user */
    }
  }
  return sockets;
}

/// `sockets`: processes wait behind sockets: "spawned" by our script, or "server" when the web server made them.
/// `longestLine`: bytes of a request line that the web server takes. `unnamed`: it sends no Server header.
function wire(front, { sockets, longestLine, unnamed }) {
  let site;
  prepared(async (owned) => {
    site = owned(await Site.open({ front }));
  });
  const token = (headers, more = {}) => site.post("/token", { grant_type: "client_credentials", ...more }, headers);
  const works = async (message) => assert.equal((await token({})).status, 200, message);

  it("words of a query are not command-line options, as the web server starts the programs [X01]", async () => {
    const expected = essence(await site.ask("/authorize?a=b"));
    assert.equal(expected.status, 400);
    for (const query of ["--help", "-c+/tmp/evil.conf", "--version", "-h", "+--help+--", "--config=/tmp/x"]) {
      assert.deepEqual(essence(await site.ask(`/authorize?${query}`)), expected, query);
    }
  });

  it("headers change no setting, and no program connects to the proxy that they name (httpoxy) [X02]", async () => {
    const expected = essence(await site.ask("/.well-known/openid-configuration"));
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${proxy.address().port}`;
    const headers = {
      proxy: url,
      "http-proxy": url,
      "https-proxy": url,
      "all-proxy": url,
      "oauth-config": "/tmp/evil.json",
      "postern-config": "/tmp/evil.json",
      "sqlite-tmpdir": "/tmp",
      "openssl-conf": "/tmp/evil.cnf",
      "ld-preload": "/tmp/evil.so",
    };
    try {
      assert.deepEqual(essence(await site.ask("/.well-known/openid-configuration", { headers })), expected);
      assert.equal((await token(headers)).status, 200);
      assert.equal(connections, 0, "the programs connected to the proxy");
    } finally {
      proxy.close();
    }
  });

  it("a body is bounded and is what its length says [X06]", async () => {
    const large = await site
      .ask("/token", {
        method: "POST",
        body: "x=".padEnd(TOO_LARGE, "y"),
        headers: { "content-type": FORM.split(": ")[1], "content-length": TOO_LARGE },
      })
      .catch((error) => ({ status: error.code }));
    assert.ok([413, "EPIPE", "ECONNRESET"].includes(large.status), `1 MB: ${large.status}`);
    for (const length of ["-1", "1e9", "99999999999999999999", "0x10", "+5", "5, 5", " "]) {
      const status = statusOf(
        await site.rawToken([FORM, `Authorization: ${site.basic}`, `Content-Length: ${length}`], BODY, { end: true }),
      );
      assert.ok([0, 400, 411, 413].includes(status), `Content-Length: ${length} ${status}`);
    }
    const cut = statusOf(await site.rawToken([FORM, `Authorization: ${site.basic}`, "Content-Length: 5"], BODY));
    assert.equal(cut, 400, "five bytes of a longer body are no request for a token");
    const short = await site.rawToken([FORM, `Authorization: ${site.basic}`, "Content-Length: 500"], BODY, {
      end: true,
    });
    assert.ok([0, 400, 408, 500].includes(statusOf(short)), short); // mod_fcgid says 500 to those who have gone
    await works("after all that");
  });

  it("oversized requests are refused by web server or program, and the next one is answered [X16]", async () => {
    const rows = [
      ["a header of 32 KB", () => token({ "x-long": "h".repeat(32_768) })],
      ["credentials of 20 KB", () => token({ authorization: `Basic ${"A".repeat(20_000)}` })],
      ["a cookie of 17 KB", () => site.ask(site.begin().url, { headers: { cookie: `a=${"c".repeat(17_000)}` } })],
      ["a query of 64 KB", () => site.ask(`/authorize?client_id=${"x".repeat(64_000)}`)],
      ["4000 parameters in a query", () => site.ask(`/authorize?${"a=1&".repeat(3_900)}`)],
      ["16 000 parameters in a body", () => site.post("/token", "a=1&".repeat(16_000))],
    ];
    for (const [what, ask] of rows) {
      // A web server that refuses early may close the connection while the rest is still being sent.
      const { status } = await ask().catch((error) => ({ status: error.code }));
      assert.ok([400, 413, 414, 431, "EPIPE", "ECONNRESET"].includes(status), `${what}: ${status}`);
      await works(`after ${what}`);
    }
  });

  it("a chunked body counts like another, or is refused as such [X07]", async () => {
    const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
    const text = await site.rawToken([FORM, `Authorization: ${site.basic}`, "Transfer-Encoding: chunked"], chunk);
    assert.ok([200, 411].includes(statusOf(text)), text);
    if (statusOf(text) === 200) assert.match(text, /"access_token"/);
  });

  it("contradicting lengths are refused [X08]", async () => {
    const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
    const twice = await site.rawToken(
      [FORM, `Authorization: ${site.basic}`, `Content-Length: ${BODY.length}`, "Content-Length: 5"],
      BODY,
    );
    assert.equal(statusOf(twice), 400, twice);
    const both = await site.rawToken(
      [FORM, `Authorization: ${site.basic}`, "Content-Length: 5", "Transfer-Encoding: chunked"],
      chunk,
    );
    // RFC 9112 §6.3: refused, or the length is ignored and the connection closed.
    assert.ok([200, 400, 411].includes(statusOf(both)), both);
    assert.doesNotMatch(both.slice(9), /HTTP\/1\.1 /, "one request, one answer");
  });

  it("two Authorization headers are refused [X21]", async () => {
    const lines = [FORM, `Content-Length: ${BODY.length}`, `Authorization: ${site.basic}`];
    assert.equal(statusOf(await site.rawToken(lines, BODY)), 200);
    const text = await site.rawToken([...lines, "Authorization: Bearer abc"], BODY);
    assert.equal(statusOf(text), 400, text);
  });

  it("headers with similar names are not mistaken for each other [X22]", async () => {
    const headers = {
      X_Forwarded_For: "192.0.2.1",
      Content_Length: "3",
      "X-Forwarded-Proto": "http",
      Content_Type: "text/plain",
      Transfer_Encoding: "chunked",
      "Request-Method": "GET",
      "Request-Uri": "/jwks",
      "Path-Info": "/jwks",
    };
    assert.equal((await token(headers)).status, 200);
    assert.equal((await token({ ...headers, authorization: "", "Http-Authorization": site.basic })).status, 401);
  });

  it("TRACE is refused: the answer would be the cookies and passwords that were sent [X17]", async () => {
    const secret = `Basic ${Buffer.from("app:some-secret").toString("base64")}`;
    const { status, body } = await site.ask("/token", { method: "TRACE", headers: { authorization: secret } });
    assert.equal(status, 405);
    assert.ok(!body.includes(secret));
  });

  it("the whole URL in the request line is as good as its path [RFC 9112 §3.2.2]", async () => {
    const line = (target) =>
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${site.deployment.port}\r\nConnection: close\r\n\r\n`;
    assert.equal(statusOf(await site.raw(line(`${site.issuer}/jwks`))), 200);
    assert.equal(statusOf(await site.raw(line(`${site.issuer}/jwks/`))), 404);
  });

  it("the programs' headers are passed on, each once, and no version is added [H01, H02, H06, H11]", async () => {
    const { headers } = await site.ask("/login");
    assert.equal(headers["strict-transport-security"], "max-age=31536000", "once (RFC 6797 §7.1)");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.match(headers["content-security-policy"], /frame-ancestors 'none'/);
    assert.equal(headers["x-powered-by"], undefined);
    if (unnamed) assert.equal(headers.server, undefined);
    assert.doesNotMatch(headers.server ?? "", /\d/, "a version");
    assert.doesNotMatch(JSON.stringify(headers), /postern\/|openssl|sqlite|fcgi/i);
    assert.equal(headers["status"], undefined);
  });

  it("no page is compressed, with any settings of the web server: there are secrets in it (BREACH)", async () => {
    const { agent } = site;
    agent.send = (url, options) =>
      request(url, { ...options, headers: { ...options.headers, "accept-encoding": "gzip, br, deflate" } });
    const { status, headers } = await agent.visit(site.begin().url);
    assert.deepEqual([status, headers["content-encoding"]], [200, undefined]);
  });

  it("an authorization request of 7.5 KB reaches its end, and so does one of the longest that is taken", async () => {
    const { url } = site.begin();
    const state = "s".repeat(4096);
    const most = site.begin({ state, nonce: "n".repeat(400) }).url;
    const longest = `${most}&unknown=${"u".repeat(longestLine - most.length - 30)}`;
    for (const long of [`${url}&unknown=${"u".repeat(7500 - url.length - 9)}`, longest]) {
      const { agent } = site;
      const signedIn = await agent.signIn(await agent.visit(long), PERSON.username, PERSON.password);
      const page = signedIn.form?.buttons.approve ? await agent.approve(signedIn) : signedIn;
      assert.ok(page.location?.searchParams.get("code"), `${page.status} ${page.title}`);
      if (long === longest) assert.equal(page.location.searchParams.get("state"), state);
    }
  });

  if (sockets) {
    it("programs listen to Unix sockets that only the web server reaches [X25]", async () => {
      await site.ask("/jwks");
      const listeners = listenersOf(site.deployment);
      assert.ok(listeners.length > 0);
      const unix = readFileSync("/proc/net/unix", "utf8");
      for (const name of listeners) assert.match(unix, new RegExp(` ${name.match(/\d+/)[0]} `), "a Unix socket");
      if (sockets !== "spawned") return;
      const directory = join(site.deployment.directory, "s");
      assert.equal(statSync(directory).mode & 0o7777, 0o710);
      assert.equal(statSync(directory).uid, process.getuid(), "of whoever started them, root if it was he");
      const files = readdirSync(directory).filter((name) => name.endsWith(".sock"));
      assert.equal(files.length, 17);
      for (const file of files) {
        const { mode, gid } = statSync(join(directory, file));
        assert.deepEqual([mode & 0o777, gid], [0o660, identity.gid], file);
      }
    });
  }
}

/// The tests behind the web server `front`; see above for the rest.
export function wires(title, front, { sockets = null, longestLine = 16384, unnamed = false } = {}) {
  describe(`${title}, bytes and headers`, () => wire(front, { sockets, longestLine, unnamed }));
}
