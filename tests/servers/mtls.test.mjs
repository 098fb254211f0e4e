// Clients with certificates behind real web servers (RFC 8705), by the alias hosts that are shipped,
// examples/apache/mtls.conf and examples/nginx/postern-mtls.conf, and lighttpd's as OPERATIONS.md describes it.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Deployment, EXAMPLES, ROOT } from "../support/deployment.mjs";
import { apache, edited } from "../support/fronts/apache.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { run } from "../support/run.mjs";
import { request } from "../support/user_agent.mjs";
import { freePort, validity } from "../support/web_server.mjs";

/// An authority in `directory`, and certificates: `issue(name, options)` answers { cert, key, file }.
async function makeAuthority(directory) {
  const file = (name) => join(directory, name);
  const newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  for (const name of ["clients", "strangers"])
    await run("openssl", [
      ...newKey,
      ...["-x509", "-days", "2", "-subj", "/CN=Clients", "-addext", "keyUsage=critical,keyCertSign"],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)],
    ]);
  let count = 0;
  const issue = async (name, { days = 2, by = "clients" } = {}) => {
    const own = (end) => file(`certificate${count}.${end}`);
    ++count;
    await run("openssl", [...newKey, "-subj", `/O=Example/CN=${name}`, "-keyout", own("key"), "-out", own("csr")]);
    await writeFile(own("ext"), `subjectAltName=DNS:${name}.example\nextendedKeyUsage=clientAuth\n`);
    const signer =
      by === "itself"
        ? ["-signkey", own("key")]
        : ["-CA", file(`${by}.pem`), "-CAkey", file(`${by}.key`), "-CAcreateserial"];
    const files = ["-in", own("csr"), "-extfile", own("ext"), "-out", own("pem")];
    await run("openssl", ["x509", "-req", ...files, ...signer, ...(await validity(days))]);
    return { cert: await readFile(own("pem"), "utf8"), key: await readFile(own("key"), "utf8") };
  };
  return { file: file("clients.pem"), issue };
}

const HOST = "127.0.0.1";

/// The alias host of Apache, as an operator edits it.
async function apacheAlias({ tls }, port, authority, edit) {
  const shipped = await readFile(join(ROOT, "examples/apache/mtls.conf"), "utf8");
  const definitions = {
    MTLS_HOST: HOST,
    MTLS_CERTIFICATE: tls.certificate,
    MTLS_CERTIFICATE_KEY: tls.key,
    MTLS_AUTHORITIES: authority,
  };
  return edit(edited(shipped, definitions)).replace("*:443", `${HOST}:${port}`);
}

/// Apache, whose alias host stands behind the shipped site.
const apacheFront =
  (edit = (text) => text) =>
  (port, authority) =>
  async (site) => {
    const file = join(site.directory, "mtls.conf");
    await writeFile(file, await apacheAlias(site, port, authority, edit));
    return apache("cgid", { after: [`Listen ${HOST}:${port}`, `Include "${file}"`] })(site);
  };

/// As the comment in the file says for clients that then send self-signed certificates.
const namingNobody = (text) =>
  text
    .replace(/^ *SSLCACertificateFile .*\n/m, "")
    .replace("#SSLOpenSSLConfCmd VerifyCAFile", "SSLOpenSSLConfCmd VerifyCAFile");

async function nginxFront(port, authority) {
  const read = (name) => readFile(join(EXAMPLES, "nginx", name), "utf8");
  const params = (await read("postern-fastcgi_params")).replaceAll(/^#(fastcgi_param SSL_CLIENT_)/gm, "$1");
  const more = async ({ directory, tls, sockets }) => {
    const text = (await read("postern-mtls.conf"))
      .replace("listen 443 ssl;", `listen ${HOST}:${port} ssl;`)
      .replace("server_name mtls.id.example.org;", `server_name ${HOST};`)
      .replace(/\/etc\/letsencrypt\/\S*fullchain.pem/, tls.certificate)
      .replace(/\/etc\/letsencrypt\/\S*privkey.pem/, tls.key)
      .replace("/etc/postern/clients-ca.pem", authority)
      .replace("root /var/www/html;", `root ${sockets};`)
      .replaceAll("/run/postern/", `${sockets}/`);
    await writeFile(join(directory, "mtls.conf"), text);
    return [`include ${join(directory, "mtls.conf")};`];
  };
  return nginx({ params, more });
}

/// lighttpd with the settings that OPERATIONS.md names.
const lighttpdFront = (port, authority) => async (site) => {
  const chain = join(site.directory, "chain.pem");
  const parts = [site.tls.certificate, join(site.directory, "ca.pem")].map((file) => readFile(file, "utf8"));
  await writeFile(chain, (await Promise.all(parts)).join(""));
  const settings = [
    'ssl.engine = "enable"',
    `ssl.pemfile = "${chain}"`,
    `ssl.privkey = "${site.tls.key}"`,
    'ssl.verifyclient.activate = "enable"',
    'ssl.verifyclient.enforce = "disable"',
    'ssl.verifyclient.exportcert = "enable"',
    `ssl.verifyclient.ca-file = "${authority}"`,
  ];
  return lighttpd("fastcgi", [`$SERVER["socket"] == "${HOST}:${port}" {`, ...settings, "}"])(site);
};

/// Which authorities the request for a certificate names (RFC 8446 §4.2.4); an empty list asks for any certificate.
async function authoritiesNamed(port, version) {
  const asking = run("openssl", ["s_client", "-connect", `${HOST}:${port}`, version]);
  asking.child.stdin.end();
  const { stdout } = await asking;
  if (stdout.includes("No client certificate CA names sent")) return [];
  return /^Acceptable client certificate CA names\n([^]*?)\n(Client|Requested)/m.exec(stdout)[1].split("\n");
}

// `verifiedAlone`: it passes on certificates of the authorities alone.
const SERVERS = {
  Apache: { frontOf: apacheFront(), named: ["CN = Clients"] },
  "Apache that names no authorities": { frontOf: apacheFront(namingNobody), named: [] },
  nginx: { frontOf: nginxFront, named: [] },
  lighttpd: { frontOf: lighttpdFront, named: ["CN = Clients"], verifiedAlone: true },
};

for (const [name, { frontOf, named, verifiedAlone = false }] of Object.entries(SERVERS)) {
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
        front: await frontOf(port, authority.file),
      });
      certificates.robot = await authority.issue("robot");
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

    const selfSigned = verifiedAlone ? "does not arrive" : "authenticates, and binds";
    it(`a self-signed certificate ${selfSigned} [MTLS-5, MTLS-7, RFC 8705 §2.2, §3.1]`, async () => {
      const answer = await token("own", certificates.own);
      if (verifiedAlone) return assert.equal(answer.status, 401);
      assert.equal(answer.status, 200, answer.body);
      const claims = JSON.parse(Buffer.from(JSON.parse(answer.body).access_token.split(".")[1], "base64url"));
      const thumbprint = Buffer.from(
        new X509Certificate(certificates.own.cert).fingerprint256.replaceAll(":", ""),
        "hex",
      ).toString("base64url");
      assert.deepEqual(claims.cnf, { "x5t#S256": thumbprint });
      assert.equal((await token("own", certificates.other)).status, 401);
    });

    it("asks for any certificate, or for those of its authorities [MTLS-5, RFC 8446 §4.2.4]", async () => {
      for (const version of ["-tls1_2", "-tls1_3"])
        assert.deepEqual(await authoritiesNamed(new URL(alias).port, version), named, version);
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
      if (verifiedAlone) return; // its sockets have the same paths
      for (const page of ["authorize", "login", "account"])
        assert.equal((await request(`${alias}/${page}`, { ca: deployment.ca })).status, 404, page);
    });
  });
}
