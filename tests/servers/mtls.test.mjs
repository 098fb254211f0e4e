// Clients with certificates behind real web servers, by the alias hosts that are shipped: examples/apache/mtls.conf,
// examples/nginx/postern-mtls.conf and examples/lighttpd/postern-mtls.conf (RFC 8705).
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { Agent, fetch } from "undici";
import { makeAuthority, thumbprintOf } from "../support/client_certificates.mjs";
import { Deployment } from "../support/deployment.mjs";
import { MTLS_FRONTS } from "../support/fronts/mtls.mjs";
import { run } from "../support/run.mjs";
import { request } from "../support/user_agent.mjs";
import { freePort } from "../support/web_server.mjs";

const HOST = "127.0.0.1";

/// Which authorities the request for a certificate names (RFC 8446 §4.2.4); an empty list asks for any certificate.
async function authoritiesNamed(port, version) {
  const asking = run("openssl", ["s_client", "-connect", `${HOST}:${port}`, version]);
  asking.child.stdin.end();
  const { stdout } = await asking;
  if (stdout.includes("No client certificate CA names sent")) return [];
  const [, names] = /^Acceptable client certificate CA names\n([^]*?)\n(Client|Requested)/m.exec(stdout);
  return names.replaceAll(" = ", "=").split("\n"); // OpenSSL 3.2 writes no blanks
}

for (const [name, { front, selfSigned, named, absent }] of Object.entries(MTLS_FRONTS)) {
  describe(`clients with certificates behind ${name}`, () => {
    let directory, authority, deployment, alias;
    const certificates = {};
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), "pt-"));
      await run("chmod", ["755", directory]); // the web server and the programs read the authority's certificate
      authority = await makeAuthority(directory);
      const port = await freePort();
      alias = `https://${HOST}:${port}`;
      deployment = await Deployment.start({
        config: { paths: { par: "/par" }, mtls: { baseUrl: alias, ca: authority.file } },
        front: await front(port, authority.file),
      });
      certificates.robot = await authority.issue("robot");
      certificates.service = await authority.issue("service");
      certificates.other = await authority.issue("other");
      certificates.foreign = await authority.issue("robot", { by: "strangers" });
      certificates.own = await authority.issue("own", { by: "itself" });
      certificates.expired = await authority.issue("robot", { days: -1 });
      const jwks = join(directory, "jwks.json");
      const jwk = new X509Certificate(certificates.own.cert).publicKey.export({ format: "jwk" });
      await writeFile(jwks, JSON.stringify({ keys: [jwk] }));
      const add = (id, ...options) =>
        deployment.postern(["client", "add", id, "--grant", "client_credentials", "--scope", "api", ...options]);
      await add("robot", "--auth-method", "tls_client_auth", "--tls-client-auth-subject-dn", "CN=robot,O=Example");
      await add(
        ...["service", "--auth-method", "tls_client_auth", "--tls-client-auth-san-dns", "service.example"],
        "--tls-client-certificate-bound-access-tokens",
      );
      await add(
        ...["own", "--auth-method", "self_signed_tls_client_auth", "--jwks", jwks],
        "--tls-client-certificate-bound-access-tokens",
      );
    });
    after(async () => {
      await deployment?.stop();
      if (directory) await rm(directory, { recursive: true, force: true });
    });
    const token = (client, { cert, key } = {}, { at = alias, headers = {} } = {}) =>
      request(`${at}/token`, {
        method: "POST",
        ca: deployment.ca,
        cert,
        key,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ grant_type: "client_credentials", client_id: client }).toString(),
      });

    it("a certificate of the authority authenticates its client alone [MTLS-4, MTLS-15, RFC 8705 §2.1]", async () => {
      assert.equal((await token("robot", certificates.robot)).status, 200);
      for (const kind of ["other", "foreign", "own"])
        assert.equal((await token("robot", certificates[kind])).status, 401, kind);
      assert.equal((await token("robot")).status, 401);
      assert.equal((await token("own", certificates.robot)).status, 401);
    });

    const x5t = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url")).cnf["x5t#S256"];

    it("a self-signed certificate authenticates where it arrives [MTLS-5, MTLS-7, RFC 8705 §2.2]", async () => {
      const answer = await token("own", certificates.own);
      assert.equal(answer.status, selfSigned ? 200 : 401, answer.body);
      if (selfSigned) assert.equal(x5t(JSON.parse(answer.body).access_token), thumbprintOf(certificates.own.cert));
      assert.equal((await token("own", certificates.other)).status, 401);
    });

    it("asks for any certificate, or for those of its authorities [MTLS-5, RFC 8446 §4.2.4]", async () => {
      for (const version of ["-tls1_2", "-tls1_3"])
        assert.deepEqual(await authoritiesNamed(new URL(alias).port, version), named, version);
    });

    /// The client as docs/clients/nodejs.md has it.
    function discover({ cert, key }) {
      const dispatcher = new Agent({ connect: { ca: deployment.ca, cert, key } });
      return client.discovery(
        new URL(deployment.issuer),
        "service",
        { use_mtls_endpoint_aliases: true },
        client.TlsClientAuth(),
        { [client.customFetch]: (url, options) => fetch(url, { ...options, dispatcher }) },
      );
    }

    it("openid-client has its token bound at the aliases [MTLS-7, MTLS-8, MTLS-11, RFC 8705 §3.1, §5]", async () => {
      const config = await discover(certificates.service);
      const { access_token } = await client.clientCredentialsGrant(config, { scope: "api" });
      const thumbprint = thumbprintOf(certificates.service.cert);
      assert.equal(x5t(access_token), thumbprint);
      const { active, cnf } = await client.tokenIntrospection(config, access_token);
      assert.deepEqual({ active, cnf }, { active: true, cnf: { "x5t#S256": thumbprint } });
      const other = await discover(certificates.other);
      await assert.rejects(client.clientCredentialsGrant(other, { scope: "api" }), { status: 401 });
    });

    /// A connection with `options`: { session, resumed }.
    const connected = (url, options) =>
      new Promise((done, failed) => {
        const { hostname, port } = new URL(url);
        const socket = connect({ host: hostname, port, ca: deployment.ca, ...options });
        let session;
        let resumed;
        socket.on("secureConnect", () => (resumed = socket.isSessionReused()));
        socket.on("session", (one) => (session = one)).on("error", failed);
        socket.on("data", () => socket.destroy()).on("close", () => done({ session, resumed }));
        socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
      });

    for (const maxVersion of ["TLSv1.2", "TLSv1.3"])
      it(`no session of one host is resumed at the other, ${maxVersion} [MTLS-14, CVE-2025-23048]`, async () => {
        const { cert, key } = certificates.service;
        for (const [from, to] of [
          [deployment.issuer, alias],
          [alias, deployment.issuer],
        ]) {
          const { session } = await connected(from, { cert, key, maxVersion });
          if (from === deployment.issuer) assert.ok(session, "the plain host gives sessions");
          assert.equal((await connected(to, { session, maxVersion })).resumed, false, `${from} ${to}`);
        }
      });

    it("an expired certificate of the authority authenticates nobody [MTLS-15, CWE-295]", async () => {
      const answer = await token("robot", certificates.expired).catch((error) => error);
      assert.ok(answer instanceof Error || [400, 401].includes(answer.status), answer.status);
    });

    it("headers make no certificate, on either host, and the plain host asks for none [MTLS-1, MTLS-11]", async () => {
      const escaped = encodeURIComponent(certificates.robot.cert);
      const headers = {
        "ssl-client-cert": escaped,
        "ssl-client-verify": "SUCCESS",
        SSL_CLIENT_CERT: escaped,
        SSL_CLIENT_VERIFY: "SUCCESS",
      };
      for (const at of [alias, deployment.issuer]) {
        assert.equal((await token("robot", {}, { at, headers })).status, 401, at);
        const shown = at === alias ? 200 : 401;
        assert.equal((await token("robot", certificates.robot, { at })).status, shown, at);
      }
    });

    it("the alias has the endpoints of programs, and no page [MTLS-11, RFC 8705 §5]", async () => {
      const { mtls_endpoint_aliases: aliases } = JSON.parse(
        (await request(`${deployment.issuer}/.well-known/openid-configuration`, { ca: deployment.ca })).body,
      );
      for (const [endpoint, url] of Object.entries(aliases)) {
        const { status } = await request(url, { method: "POST", ca: deployment.ca, body: "" });
        assert.ok([400, 401].includes(status), `${endpoint}: ${status}`);
      }
      for (const page of ["authorize", "login", "account"])
        assert.equal((await request(`${alias}/${page}`, { ca: deployment.ca })).status, absent, page);
    });
  });
}
