// `make bench` with the smallest figures: that it goes on finding right answers, and says what it is there to say.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { listening } from "../support/listening.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { PATH, makeCertificate } from "../support/web_server.mjs";

const SECRET = "s3cret-of-another-server";
const TOKEN = "token-of-another-server";

/// Runs it: { code, stderr, report }.
function bench(out, env) {
  return new Promise((done) => {
    execFile(
      "node",
      [join(ROOT, "bench/run.mjs")],
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
async function openOther(isRight, certificate) {
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
  return { asked, ...(await listening(server, { scheme: tls ? "https" : "http" })) };
}

describe("make bench", () => {
  const out = temporaryDirectory();
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
  prepared(async (owned) => {
    other = owned(await openOther(() => true, await makeCertificate(out)));
  });

  it("reports every endpoint with its figures, another server's too, and no secret", async () => {
    const { code, stdout, stderr } = await bench(out, { OTHER: file("other.json", described()) });
    assert.equal(code, 0, stderr);
    const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const endpoints = "client_credentials code refresh introspect userinfo discovery jwks login session".split(" ");
    const others =
      "hello lookup token_lazy token_durable cgi_lookup code_openid login_cheap discovery_published jwks_published";
    for (const id of [...others.split(" "), ...endpoints, ...endpoints.map((id) => `cgi_${id}`)]) {
      const one = report.results[id];
      for (const figure of ["perSecond", "requestsPerSecond", "ratio", "ofCommits", "p50", "p99"])
        assert.ok(one?.[figure] > 0, `${figure} of ${id}: ${one?.[figure]}`);
      assert.ok(stdout.includes(`| ${one.title} |`), one.title);
    }
    for (const id of ["other_token", "other_userinfo"]) assert.ok(report.results[id].perSecond > 0, id);
    for (const { id, met, measured, limit, least } of report.targets)
      if (met !== null) assert.equal(met, least ? measured >= limit : measured <= limit, id);
    assert.ok(report.targets.length >= 24);
    assert.equal(
      readFileSync(join(out, "report.svg"), "utf8").match(
        /<rect class="g\d" x="250" y="\d+" width="[\d.]+" height="15"/g,
      ).length,
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
    await failing.close();
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
