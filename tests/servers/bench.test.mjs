// `make bench` with the smallest figures: that it goes on finding right answers, and says what it is there to say.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { LONG } from "../security/seeded.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { PATH, makeCertificate } from "../support/web_server.mjs";

const SECRET = "s3cret-of-another-server";
const TOKEN = "token-of-another-server";

/// Runs it: { code, stderr, report }.
function bench(out, env, program = "run") {
  return new Promise((done) => {
    execFile(
      "node",
      [join(ROOT, `bench/${program}.mjs`)],
      {
        maxBuffer: 16 << 20,
        env: { ...process.env, PATH, POSTERN_BUILD: BUILD, SECONDS: "0.1", ROUNDS: "1", OUT: out, ...env },
      },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/// A server of somebody else, with a token endpoint that is right and a UserInfo endpoint that is right as long as
/// `isRight`; over TLS where it has a certificate.
function openOther(isRight, certificate) {
  const asked = [];
  const tls = certificate && { cert: readFileSync(certificate.certificate), key: readFileSync(certificate.key) };
  const server = (tls ? https : http).createServer(tls ?? {}, (request, answer) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const good = request.url === "/token" || isRight(request);
    const body = JSON.stringify(
      request.url === "/token" ? { access_token: TOKEN, token_type: "Bearer" } : { sub: "1" },
    );
    request
      .resume()
      .once("end", () => answer.writeHead(good ? 200 : 401, { "Content-Type": "application/json" }).end(body));
  });
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () =>
      done({ server, asked, origin: `${tls ? "https" : "http"}://127.0.0.1:${server.address().port}` }),
    );
  });
}

describe("make bench", () => {
  const out = mkdtempSync(join(tmpdir(), "pt-"));
  let other;
  const file = (name, content, mode = 0o600) => {
    writeFileSync(join(out, name), JSON.stringify(content));
    chmodSync(join(out, name), mode);
    return join(out, name);
  };
  const described = () => ({
    name: "theirs",
    ca: "ca.pem",
    token: { url: `${other.origin}/token`, client_id: "us", client_secret: SECRET },
    userinfo: { url: `${other.origin}/userinfo`, token: TOKEN },
  });
  before(async () => {
    other = await openOther(() => true, await makeCertificate(out));
  });
  after(() => {
    other.server.closeAllConnections();
    other.server.close();
    rmSync(out, { recursive: true, force: true });
  });

  it("reports every endpoint with its figures, another server's too, and what of the targets was reached", async () => {
    const { code, stdout, stderr } = await bench(out, { OTHER: file("other.json", described()) });
    assert.equal(code, 0, stderr);
    const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const endpoints = [
      "client_credentials",
      "code",
      "refresh",
      "introspect",
      "userinfo",
      "discovery",
      "jwks",
      "login",
      "session",
    ];
    for (const id of [
      "hello",
      "lookup",
      "token_lazy",
      "token_durable",
      "cgi_lookup",
      "code_openid",
      "login_cheap",
      "discovery_published",
      "jwks_published",
      ...endpoints,
      ...endpoints.map((id) => `cgi_${id}`),
    ]) {
      const one = report.results[id];
      assert.ok(one, id);
      for (const figure of ["perSecond", "requestsPerSecond", "ratio", "ofCommits", "p50", "p99"])
        assert.ok(one[figure] > 0, `${figure} of ${id}: ${one[figure]}`);
      assert.ok(one.p99 >= one.p50, id);
      assert.ok(one.cpu >= 0 && one.cpu !== null, id);
      assert.ok(one.serverShare === null || (one.serverShare >= 0 && one.serverShare <= 1), id);
      assert.equal(one.rounds.length, 1);
    }
    assert.equal(report.results.hello.ratio, 1);
    for (const id of [
      "introspect",
      "userinfo",
      "client_credentials",
      "code",
      "refresh",
      "cgi_introspect",
      "cgi_userinfo",
    ])
      assert.ok(report.results[id].ofLeast > 0, id);
    for (const id of ["other_token", "other_userinfo"]) assert.ok(report.results[id].perSecond > 0, id);
    for (const name of ["hello", "introspect", "token", "userinfo"])
      assert.ok(report.alone[name].milliseconds > 0, name);
    assert.ok(report.commitsPerSecond > 0);
    for (const { id, met, measured, limit, least } of report.targets)
      if (met !== null) assert.equal(met, least ? measured >= limit : measured <= limit, id);
    assert.ok(report.targets.length >= 24);
    // perf is not everywhere: then it says so.
    assert.deepEqual(
      Object.keys(report.profiles)
        .filter((id) => id !== "cgi_introspect_static")
        .sort(),
      ["cgi_introspect", "client_credentials", "code", "discovery", "introspect", "jwks", "refresh", "userinfo"],
    );
    for (const profile of Object.values(report.profiles))
      for (const { percent } of profile?.places ?? []) assert.ok(percent > 0 && percent <= 100);
    for (const text of [readFileSync(join(out, "report.md"), "utf8"), stdout]) {
      for (const { title } of Object.values(report.results)) assert.ok(text.includes(`| ${title} |`), title);
      for (const id of Object.keys(report.profiles)) assert.ok(text.includes(`**${report.results[id].title}**`), id);
      for (const { title } of report.targets) assert.ok(text.includes(`| ${title} |`), title);
    }
    const chart = readFileSync(join(out, "chart.svg"), "utf8");
    assert.match(chart, /prefers-color-scheme:dark/);
    assert.equal(
      chart.match(/<rect class="g\d" x="250" y="\d+" width="[\d.]+" height="15"/g).length,
      Object.keys(report.results).length,
    );
    assert.ok(other.asked.includes(`POST /token Basic ${Buffer.from(`us:${SECRET}`).toString("base64")}`));
    assert.ok(other.asked.includes(`GET /userinfo Bearer ${TOKEN}`));
    for (const text of [JSON.stringify(report), stdout, stderr])
      for (const secret of [SECRET, TOKEN]) assert.ok(!text.includes(secret));
  });

  it("fails when one answer under load is wrong, and says which", async () => {
    // as where an answer is looked at
    const failing = await openOther((request) => request.headers.connection === "close");
    const userinfo = { url: `${failing.origin}/userinfo`, token: TOKEN };
    const { code, stderr } = await bench(out, {
      OTHER: file("failing.json", { name: "theirs", userinfo }),
      ONLY: "other",
    });
    failing.server.closeAllConnections();
    failing.server.close();
    assert.equal(code, 1);
    assert.match(stderr, /bench: theirs: userinfo: wrong answers among \d+: status \d+/);
  });

  for (const [what, mode, change, message] of [
    ["that others may read", 0o644, {}, /others may read it/],
    ["with an unknown member", 0o600, { introspection: {} }, /unknown member "introspection"/],
    [
      "with credentials in a URL",
      0o600,
      { userinfo: { url: "https://me:secret@login.example/", token: "t" } },
      /without credentials/,
    ],
    ["without a token", 0o600, { userinfo: { url: "https://login.example/" } }, /"token" of "userinfo" is missing/],
  ]) {
    it(`refuses a description of another server ${what}`, async () => {
      const { code, stderr } = await bench(out, { OTHER: file("refused.json", { ...described(), ...change }, mode) });
      assert.equal(code, 1);
      assert.match(stderr, message);
    });
  }
});

describe("make bench-growth", { skip: !LONG && "a part of make endure" }, () => {
  it("asks databases of each size in turn, and has the largest copied and an old one swept under load", async () => {
    const out = mkdtempSync(join(tmpdir(), "pt-"));
    try {
      const { code, stdout, stderr } = await bench(out, { SIZES: "100,3000" }, "growth");
      assert.equal(code, 0, stderr);
      const { results, backup, sweep } = JSON.parse(readFileSync(join(out, "growth.json"), "utf8"));
      assert.deepEqual(
        results.map(({ tokens }) => tokens),
        [100, 3000],
      );
      for (const { endpoints, bytesPerToken } of results) {
        assert.ok(bytesPerToken > 100, "a row has digests of 64 characters, and indexes");
        assert.deepEqual(Object.keys(endpoints), ["introspect", "userinfo", "refresh"]);
        for (const { perSecond, ratio, p99 } of Object.values(endpoints))
          for (const figure of [perSecond, ratio, p99]) assert.ok(figure > 0);
      }
      const [least, most] = results;
      assert.ok(most.bytes - least.bytes > 2900 * 100 && backup.bytes > 3000 * 100 && backup.log > 0);
      for (const { p99, worst, longest, times } of [backup.alone, backup.beside, sweep.asYouGo, sweep.purge])
        assert.ok(longest >= worst && worst >= p99 && p99 > 0 && times > 0);
      for (const { seconds } of [backup.beside, sweep.purge]) assert.ok(seconds > 0);
      assert.equal(sweep.tokens, 3000);
      assert.equal(
        sweep.asYouGo.deleted + sweep.purge.deleted + sweep.purge.left,
        1500,
        "half are access tokens, all of which have ended",
      );
      assert.equal(readFileSync(join(out, "growth.md"), "utf8"), stdout);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe("make bench-scaling", { skip: !LONG && "a part of make endure" }, () => {
  it("asks each number of processes on one core and on two, and each web server that is there", async () => {
    const out = mkdtempSync(join(tmpdir(), "pt-"));
    try {
      const { code, stdout, stderr } = await bench(out, { PROCESSES: "1,3" }, "scaling");
      assert.equal(code, 0, stderr);
      const report = JSON.parse(readFileSync(join(out, "scaling.json"), "utf8"));
      const endpoints = ["hello", "introspect", "userinfo", "client_credentials", "refresh"];
      assert.deepEqual(
        report.pools.map(({ placement, id, processes }) => `${placement} ${id} ${processes}`),
        report.places.flatMap(({ name }) =>
          endpoints.flatMap((id) => [1, 3].map((processes) => `${name} ${id} ${processes}`)),
        ),
      );
      for (const one of [...report.pools, ...report.servers]) {
        for (const figure of ["perSecond", "p50", "p99"])
          assert.ok(one[figure] > 0, `${figure} of ${one.id}: ${one[figure]}`);
        assert.ok(one.cpu >= one.serverCpu && one.serverCpu >= 0, one.id);
      }
      for (const { id, ratio, ofFewest, processes } of report.pools)
        assert.ok((id !== "hello" || ratio === 1) && (processes !== 1 || ofFewest === 1), id);
      const servers = ["lighttpd", ...["nginx", "apache"].filter((name) => !report.absent.includes(name))];
      assert.deepEqual(
        report.servers.map(({ id, name }) => `${id} ${name}`),
        ["hello", "introspect"].flatMap((id) => servers.map((name) => `${id} ${name}`)),
      );
      assert.ok(stdout.startsWith(readFileSync(join(out, "scaling.md"), "utf8")));
      assert.equal(
        readFileSync(join(out, "scaling.svg"), "utf8").match(/<rect class="g\d" x="250"/g).length,
        report.pools.length + 1,
        "and one of the legend",
      );
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});
