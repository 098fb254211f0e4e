// What a program does with its environment, and what a new installation has. Its configuration is in
// tests/cgi/bad_configuration_test.cpp.
import assert from "node:assert/strict";
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { identity } from "../support/web_server.mjs";
import { sql, tables } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { SingleProcess } from "./single_process.mjs";

const CREDENTIALS = { grant_type: "client_credentials" };

/// A file that the programs' user owns.
function place(file, content) {
  writeFileSync(file, content);
  if (process.getuid() === 0) chownSync(file, identity.uid, identity.gid);
}

describe("a program and its surroundings", () => {
  let p;
  prepared(async (owned) => {
    p = owned(await openProvider());
  });

  it("what OpenSSL takes from its environment changes nothing and writes nothing [G07]", async () => {
    const { directory } = p.deployment;
    // With this no algorithm can be fetched any more, as OpenSSL's own program shows.
    const config = join(directory, "evil.cnf");
    place(config, "openssl_conf = top\n[top]\nalg_section = evil\n[evil]\ndefault_properties = fips=yes\n");
    await assert.rejects(
      run("openssl", ["dgst", "-sha256", config], { env: { ...process.env, OPENSSL_CONF: config } }),
    );
    const keys = join(directory, "db", "keys.log");
    const env = {
      OPENSSL_CONF: config,
      OPENSSL_MODULES: directory,
      OPENSSL_ENGINES: directory,
      SSLKEYLOGFILE: keys,
      SSL_CERT_FILE: config,
      RANDFILE: keys,
      SQLITE_TMPDIR: "/nowhere",
    };
    const worker = await SingleProcess.start(p.deployment, "token", { env });
    try {
      const authorization = `Basic ${Buffer.from(`web:${p.clients.web.secret}`).toString("base64")}`;
      const { status, json } = await worker.post("/token", CREDENTIALS, authorization);
      assert.equal(status, 200);
      assert.equal((await p.introspect(json.access_token)).active, true);
    } finally {
      await worker.stop();
    }
    assert.equal(existsSync(keys), false);
  });

  it("without random bytes there is no token, no code and no form, and with them again there is [G06]", async () => {
    const { directory } = p.deployment;
    const source = join(directory, "no_random.c");
    const library = join(directory, "no_random.so");
    const dry = join(directory, "dry"); // while it is there, no bytes come
    writeFileSync(
      source,
      `#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n` +
        "int getentropy(void* out, size_t count) {\n  int (*real)(void*, " +
        `size_t) = (int (*)(void*, size_t))dlsym(RTLD_NEXT, "getentropy");\n` +
        `  return access("${dry}", F_OK) == 0 ? -1 : real(out, count);\n}\n`,
    );
    await run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    if (process.getuid() === 0) chownSync(library, identity.uid, identity.gid);
    const env = { LD_PRELOAD: library };
    const authorization = `Basic ${Buffer.from(`web:${p.clients.web.secret}`).toString("base64")}`;
    const requests = {
      token: { method: "POST", path: "/token", body: "grant_type=client_credentials", headers: { authorization } },
      authorize: { path: "/authorize", query: new URL(p.authorizationUrl(p.clients.web)).search.slice(1) },
      jwks: { path: "/jwks" },
    };
    for (const [name, request] of Object.entries(requests)) {
      const worker = await SingleProcess.start(p.deployment, name, { env });
      try {
        assert.ok((await worker.ask(request)).status < 400, name);
        writeFileSync(dry, "");
        const [tokens] = await sql(p.deployment, "SELECT count(*) AS n FROM access_tokens");
        for (let count = 0; count < 3; ++count) {
          const { status, body, headers } = await worker.ask(request);
          assert.equal(status, 500, name);
          assert.doesNotMatch(`${body}${JSON.stringify(headers)}`, /access_token|resume=|set-cookie|"keys"/);
        }
        assert.deepEqual(await sql(p.deployment, "SELECT count(*) AS n FROM access_tokens"), [tokens]);
        rmSync(dry);
        assert.ok((await worker.ask(request)).status < 400, `${name} afterwards`);
      } finally {
        rmSync(dry, { force: true });
        await worker.stop();
      }
    }
  });
});

describe("a fresh installation", () => {
  it("has no client, no user, no password and no key that another one has [G04]", async () => {
    const deployments = [await Deployment.start({ own: true }), await Deployment.start({ own: true })];
    try {
      const kids = [];
      for (const deployment of deployments) {
        assert.deepEqual(await deployment.postern(["client", "list"]), []);
        assert.deepEqual(await deployment.postern(["user", "list"]), []);
        // On PostgreSQL the keys are shared: sealed, with what no other installation has.
        const isOfKeys = (name) => name.startsWith("key_");
        const all = await tables(deployment);
        if (all.some(isOfKeys))
          kids.push(...(await sql(deployment, "SELECT sealed FROM key_files")).map((row) => row.sealed));
        for (const name of all.filter((name) => !isOfKeys(name))) {
          assert.deepEqual(await sql(deployment, `SELECT count(*) AS rows FROM ${name}`), [{ rows: 0 }], name);
        }
        kids.push(...(await deployment.postern(["key", "list"])).map(({ kid }) => kid));
        kids.push(readFileSync(join(deployment.directory, "keys/seal.key")).toString("hex"));
      }
      assert.ok(kids.length >= 6);
      assert.equal(new Set(kids).size, kids.length);
    } finally {
      for (const deployment of deployments) await deployment.stop();
    }
  });
});
