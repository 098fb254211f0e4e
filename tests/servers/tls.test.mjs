// What the shipped configurations of the three web servers offer by TLS: versions and suites that RFC 9325 (BCP 195)
// recommends.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EXAMPLES, ROOT } from "../support/deployment.mjs";
import { cgid } from "../support/fronts/apache.mjs";
import { cgi } from "../support/fronts/lighttpd.mjs";
import { nginxAlone } from "../support/fronts/nginx.mjs";
import { run } from "../support/run.mjs";
import { freePort, makeCertificate, privateDirectory } from "../support/web_server.mjs";

/// RFC 9325 §4.2, in OpenSSL's names, by the key of the certificate.
const RECOMMENDED = {
  ECDSA: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  RSA: ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384"],
};
/// RFC 9325 §4.2 leaves these to RFC 8446 §9.1.
const TLS_1_3 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

async function makeRsaCertificate(directory) {
  const [certificate, key] = ["rsa.pem", "rsa.key"].map((name) => join(directory, name));
  const asked = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1";
  await run("openssl", [...asked.split(" "), "-keyout", key, "-out", certificate]);
  return { ca: readFileSync(certificate, "utf8"), certificate, key };
}

/// The suite of one handshake; null when the server refuses it.
async function handshake(port, ...options) {
  const asking = run("openssl", ["s_client", "-connect", `127.0.0.1:${port}`, ...options]);
  asking.child.stdin.end();
  const { stdout } = await asking.catch((error) => error); // a refusal is an answer
  const suite = stdout.match(/, Cipher is (\S+)/)?.[1];
  return suite === undefined || suite === "(NONE)" ? null : suite;
}

/// Every suite of TLS 1.2 that the server agrees to, found by offering all that OpenSSL knows but those found before.
async function suitesOfTls12(port) {
  const { stdout } = await run("openssl", ["ciphers", "-s", "-tls1_2", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"]);
  const rest = new Set(stdout.trim().split(":"));
  assert.ok(
    rest.has("DHE-RSA-CHACHA20-POLY1305") && rest.has("AES128-SHA"),
    "the client knows suites that must not be offered",
  );
  const found = [];
  for (;;) {
    const suite = await handshake(port, "-tls1_2", "-cipher", `${[...rest].join(":")}:@SECLEVEL=0`);
    if (suite === null) return found.sort();
    assert.ok(rest.delete(suite), suite);
    found.push(suite);
  }
}

const SERVERS = { lighttpd: cgi, nginx: nginxAlone(), Apache: cgid };

for (const [name, front] of Object.entries(SERVERS)) {
  for (const kind of Object.keys(RECOMMENDED)) {
    describe(`TLS of ${name} with a certificate for ${kind}`, () => {
      let directory;
      let server;
      let port;
      before(async () => {
        directory = await privateDirectory(await mkdtemp(join(tmpdir(), "postern-tls-")));
        const tls = await (kind === "RSA" ? makeRsaCertificate : makeCertificate)(directory);
        for (let tries = 1; server === undefined; ++tries) {
          port = await freePort();
          const started = await front({
            root: ROOT,
            examples: EXAMPLES,
            directory,
            cgiBin: directory,
            port,
            plainPort: await freePort(),
            tls,
            base: "",
            host: "127.0.0.1",
            configFile: join(directory, "postern.json"),
            sockets: directory,
            env: {},
          });
          try {
            server = await started.untilItAnswers(`https://127.0.0.1:${port}/`, { ca: tls.ca });
          } catch (error) {
            await started.stop();
            if (tries === 5) throw error; // the port may have been taken meanwhile
          }
        }
      });
      after(async () => {
        await server?.stop();
        await rm(directory, { recursive: true, force: true });
      });

      it("under TLS 1.2 offers the recommended suites and no other [RFC 9325 §4.2, F2-56]", async () => {
        assert.deepEqual(await suitesOfTls12(port), RECOMMENDED[kind]);
      });

      it("speaks TLS 1.3, and nothing older than TLS 1.2 [RFC 9325 §3.1.1, F2-55]", async () => {
        assert.ok(TLS_1_3.includes(await handshake(port, "-tls1_3")));
        for (const version of ["-tls1_1", "-tls1"])
          assert.equal(await handshake(port, version, "-cipher", "ALL:@SECLEVEL=0"), null, version);
      });
    });
  }
}
