// Apache's mod_ssl signs people in by their certificates, by examples/apache/login-certificate.conf.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  PERSON,
  REDIRECT_URI,
  authorizationUrl,
  authorize,
  newChecks,
  openProvider,
} from "../interop/relying_party.mjs";
import { run } from "../support/run.mjs";
import { validity } from "../support/web_server.mjs";
import { browser, guarded, loginExample, setLogin } from "./remote_user.mjs";

const LOGIN = {
  method: "remote_user",
  remoteUserVariable: "SSL_CLIENT_S_DN_CN",
  autoCreate: true,
  claimsFromEnvironment: { email: "SSL_CLIENT_SAN_Email_0" },
};

/// An authority for people in `directory`: `certify(name, email, options)` answers { cert, key } as text.
async function makeAuthority(directory) {
  const file = (name) => join(directory, name);
  const newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const made = ["-keyout", file("people.key"), "-out", file("people.pem")];
  await run("openssl", [...newKey, "-x509", "-days", "2", "-subj", "/CN=People", ...made]);
  let count = 0;
  const certify = async (name, email, { days = 2, selfMade = false } = {}) => {
    const own = (end) => file(`person${count}.${end}`);
    ++count;
    await run("openssl", [...newKey, "-subj", `/O=Example/CN=${name}`, "-keyout", own("key"), "-out", own("csr")]);
    await writeFile(own("ext"), `subjectAltName=email:${email}\nextendedKeyUsage=clientAuth\n`);
    const signer = selfMade
      ? ["-signkey", own("key")]
      : ["-CA", file("people.pem"), "-CAkey", file("people.key"), "-CAcreateserial"];
    const files = ["-in", own("csr"), "-extfile", own("ext"), "-out", own("pem")];
    await run("openssl", ["x509", "-req", ...files, ...signer, ...(await validity(days))]);
    return { cert: await readFile(own("pem"), "utf8"), key: await readFile(own("key"), "utf8") };
  };
  return { file: file("people.pem"), certify };
}

describe("users with certificates, Apache with mod_ssl", () => {
  let directory, authority, provider, loose;
  const open = (mode, change) =>
    openProvider({
      config: { login: LOGIN },
      front: guarded(mode, ["authz_user"], async () =>
        change(await loginExample("certificate", { AUTHORITY: authority.file })),
      ),
    });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "pt-"));
    await run("chmod", ["755", directory]); // Apache reads the authority's certificate
    authority = await makeAuthority(directory);
    provider = await open("fcgid", (shipped) => shipped);
  });
  after(async () => {
    await provider?.deployment.stop();
    await loose?.deployment.stop();
    if (directory) await rm(directory, { recursive: true, force: true });
  });
  const client = ({ clients }) => clients.client_secret_basic;
  const url = (of) => authorizationUrl(client(of), newChecks());
  const person = (of, tls) => browser(of.deployment, { tls });
  const signIn = async (of, tls) => {
    const { checks, answer } = await authorize(of, client(of), { agent: person(of, tls) });
    return client(of).callback(REDIRECT_URI, answer, checks);
  };

  it("a certificate of the authority signs its subject in, with the address that stands in it", async () => {
    const mara = await authority.certify(PERSON.username, "mara@people.example");
    const tokens = await signIn(provider, mara);
    assert.equal(tokens.claims().sub, provider.sub);
    assert.equal((await client(provider).userinfo(tokens)).email, "mara@people.example");
    const nils = await authority.certify("Nils Ström", "nils@people.example");
    assert.notEqual((await signIn(provider, nils)).claims().sub, provider.sub);
  });

  it("without a certificate, with a self-made or an expired one no user is signed in [CWE-295]", async () => {
    const page = await person(provider, {}).visit(url(provider));
    assert.equal(page.status, 403);
    for (const options of [{ selfMade: true }, { days: -1 }]) {
      const tls = await authority.certify(PERSON.username, "mara@people.example", options);
      await assert.rejects(person(provider, tls).visit(url(provider)), JSON.stringify(options));
    }
    const headers = {
      "Ssl-Client-S-Dn-Cn": PERSON.username,
      "Ssl-Client-Verify": "SUCCESS",
      SSL_CLIENT_VERIFY: "SUCCESS",
    };
    assert.equal((await browser(provider.deployment, { headers }).visit(url(provider))).status, 403);
  });

  it("unverified certificates that a server passes on do not count, by variable or by SSLUserName", async () => {
    const careless = (shipped) =>
      shipped
        .replace("SSLVerifyClient optional\n", "SSLVerifyClient optional_no_ca\n")
        .replace("Require ssl-verify-client", "Require all granted\n    SSLUserName SSL_CLIENT_S_DN_CN");
    loose = await open("cgid", careless);
    const forged = await authority.certify(PERSON.username, "mara@people.example", { selfMade: true });
    const page = await person(loose, forged).visit(url(loose));
    assert.equal(page.status, 403);
    assert.match(page.title, /did not say who you are/);
    assert.match(loose.deployment.log, /SSL_CLIENT_S_DN_CN is accepted only with SSL_CLIENT_VERIFY=SUCCESS/);
    const mara = await authority.certify(PERSON.username, "mara@people.example");
    assert.equal((await signIn(loose, mara)).claims().sub, loose.sub);

    // REMOTE_USER is what SSLUserName made of it
    await setLogin(loose.deployment, { method: "remote_user", autoCreate: true });
    assert.equal((await person(loose, forged).visit(url(loose))).status, 403);
    assert.match(
      loose.deployment.log,
      /REMOTE_USER with AUTH_TYPE ClientCert is accepted only with SSL_CLIENT_VERIFY=SUCCESS/,
    );
    assert.equal((await signIn(loose, mara)).claims().sub, loose.sub);
  });
});
