// Nimbus's OAuth 2.0 SDK (tests/applications/nimbus), which Spring Security and many others are built on: a client that
// signs or has a certificate, pushes its requests, verifies signed answers, and has its tokens bound.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { JavaProgram } from "../clients/program.mjs";
import { PERSON, openProvider, walk } from "../clients/provider.mjs";
import { claimsOf } from "../clients/tokens.mjs";
import { makeAuthority, thumbprintOf } from "../support/client_certificates.mjs";
import { BUILD } from "../support/deployment.mjs";
import { MTLS_FRONTS } from "../support/fronts/mtls.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { newKey } from "../support/signer.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { freePort } from "../support/web_server.mjs";

const REDIRECT_URI = "https://client.example/callback";
const DIRECTORY = join(BUILD, "applications/nimbus");
const PASSWORD = "changeit";

describe("Nimbus OAuth 2.0 SDK [CA-2, PAR-3, JARM-2, DPOP-12, DPOP-18, MTLS-4, MTLS-7, MTLS-8, MTLS-11]", () => {
  let provider;
  let deployment;
  let authority;
  let trust;
  const directory = temporaryDirectory();
  const file = (name) => join(directory, name);
  prepared(async (owned) => {
    await run("chmod", ["755", directory]); // the web server and the programs read the authority's certificate
    authority = await makeAuthority(directory);
    const port = await freePort();
    const config = {
      ...{ clientAssertions: true, paths: { par: "/par" }, requirePar: true, jarm: true, dpop: "allowed" },
      mtls: { baseUrl: `https://127.0.0.1:${port}`, ca: authority.file },
    };
    const front = await MTLS_FRONTS.lighttpd.front(port, authority.file);
    provider = owned(await openProvider(config, { front }));
    ({ deployment } = provider);
    trust = file("trust.p12");
    const store = ["-keystore", trust, "-storetype", "PKCS12", "-storepass", PASSWORD];
    await run("keytool", ["-importcert", "-noprompt", "-file", deployment.caFile, ...store]);
  });

  /// Runs the client `id`; `use` gets say(line), which answers what it said.
  async function withClient(id, settings, use) {
    const program = new JavaProgram("postern.Client", [`${DIRECTORY}/application.jar`, `${DIRECTORY}/libraries/*`], {
      trust,
      settings: { ISSUER: deployment.issuer, CLIENT_ID: id, REDIRECT_URI, ...settings },
    });
    try {
      await use(async (line) => {
        program.write(line);
        return JSON.parse(await program.line()).said;
      });
    } finally {
      await program.stop();
    }
  }

  /// Somebody signs in, or presses `decision`: what the client makes of it.
  async function signIn(say, decision) {
    const agent = new UserAgent({ ca: deployment.ca });
    const { location } = await walk(agent, await say("push"), decision);
    assert.deepEqual([...location.searchParams.keys()], ["response"]);
    return say(`answer ${location.href}`);
  }

  it("private_key_jwt, pushed requests, signed answers and DPoP", async () => {
    const { jwk, jwks } = newKey("k1");
    await writeFile(file("key.json"), JSON.stringify(jwk));
    await writeFile(file("jwks.json"), JSON.stringify(jwks));
    const signs = ["--auth-method", "private_key_jwt", "--jwks", file("jwks.json"), "--dpop-bound-access-tokens"];
    await deployment.addClient("signs", REDIRECT_URI, ...signs);
    await withClient("signs", { KEY: file("key.json") }, async (say) => {
      assert.deepEqual(await signIn(say, "deny"), { error: "access_denied" });
      const { token_type, token, user } = await signIn(say, "approve");
      assert.deepEqual([token_type, user.sub, user.name], ["DPoP", provider.sub, PERSON.claims.name]);
      assert.ok(claimsOf(token).cnf.jkt);
      assert.deepEqual((await say("refresh")).user, user);
      assert.deepEqual(await say("stolen"), { error: "invalid_token" });
      assert.deepEqual(await say("another"), { error: "invalid_dpop_proof" });
    });
  });

  it("a key that is not registered is refused", async () => {
    const registered = newKey("k1");
    await writeFile(file("registered.json"), JSON.stringify(registered.jwks));
    await writeFile(file("other.json"), JSON.stringify(newKey("k1").jwk));
    const signs = ["--auth-method", "private_key_jwt", "--jwks", file("registered.json")];
    await deployment.addClient("impersonated", REDIRECT_URI, ...signs);
    await withClient("impersonated", { KEY: file("other.json") }, async (say) => {
      assert.deepEqual(await say("push"), { error: "invalid_client" });
    });
  });

  it("tls_client_auth at the aliases, and tokens that are bound to the certificate", async () => {
    const store = async (name) => {
      const { cert, key } = await authority.issue(name);
      await writeFile(file("one.pem"), cert + key);
      const store = file(`${name}.p12`);
      await run("openssl", [
        "pkcs12",
        "-export",
        "-in",
        file("one.pem"),
        "-out",
        store,
        "-passout",
        `pass:${PASSWORD}`,
      ]);
      return { store, thumbprint: thumbprintOf(cert) };
    };
    const { store: own, thumbprint } = await store("robot");
    const shows = ["--auth-method", "tls_client_auth", "--tls-client-auth-subject-dn", "CN=robot,O=Example"];
    await deployment.addClient("shows", REDIRECT_URI, ...shows, "--tls-client-certificate-bound-access-tokens");
    await withClient("shows", { STORE: own }, async (say) => {
      const { token_type, token, user } = await signIn(say, "approve");
      assert.deepEqual([token_type, user.sub, user.name], ["Bearer", provider.sub, PERSON.claims.name]);
      assert.deepEqual(claimsOf(token).cnf, { "x5t#S256": thumbprint });
      assert.deepEqual((await say("refresh")).user, user);
      assert.deepEqual(await say("stolen"), { error: "invalid_token" });
    });
    await withClient("shows", { STORE: (await store("other")).store }, async (say) => {
      assert.deepEqual(await say("push"), { error: "invalid_client" });
    });
  });
});
