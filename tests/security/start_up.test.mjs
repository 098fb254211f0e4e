// What the programs are given at their start: a file that is not theirs, keys that are none, another time of day. Each
// request is a new process here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileOf, sql } from "./database.mjs";
import { openProvider } from "./provider.mjs";

describe("a program that cannot work", () => {
  let p;
  let tokens;
  before(async () => {
    p = await openProvider({ mode: "cgi", tls: false, own: true });
    tokens = await p.tokens(p.clients.web);
  });
  after(async () => {
    await p?.stop();
  });
  const keysOf = () => join(p.deployment.directory, "keys");
  const keyOf = (algorithm) =>
    join(
      keysOf(),
      readdirSync(keysOf()).find((name) => name.startsWith(algorithm) && name.endsWith(".pem")),
    );

  /// Whole again after `damage`, whatever that did below `directory`.
  async function spoiled(directory, damage, look) {
    const kept = `${directory}.kept`;
    execFileSync("cp", ["-a", directory, kept]);
    try {
      await damage();
      await look();
    } finally {
      rmSync(directory, { recursive: true });
      renameSync(kept, directory);
    }
  }

  const asked = () => ({
    token: () => p.post("/token", { grant_type: "client_credentials", scope: "api" }, { client: p.clients.machine }),
    introspect: () => p.post("/token/introspect", { token: tokens.access_token }, { client: p.clients.other }),
    revoke: () => p.revoke(p.clients.web, "x"),
    userinfo: () => p.userinfo(tokens.access_token),
    authorize: () => p.ask(p.authorizationUrl(p.clients.web)),
    jwks: () => p.ask("/jwks"),
    discovery: () => p.ask("/.well-known/openid-configuration"),
  });

  /// Those of `broken` fail with the fixed text, all others work.
  async function look(broken, when) {
    for (const [program, ask] of Object.entries(asked())) {
      const { status, body, headers } = await ask();
      if (broken.includes(program)) {
        assert.ok([500, 503].includes(status), `${when}: ${program} ${status}`);
        assert.equal(headers.location, undefined, `${when}: ${program}`);
        assert.doesNotMatch(body, /sqlite|openssl|postern\.db|\.pem|\/tmp|active|access_token/i, `${when}: ${program}`);
      } else {
        assert.ok([200, 303].includes(status), `${when}: ${program} ${status} ${body}`);
      }
    }
  }

  const STORED = ["token", "introspect", "revoke", "userinfo", "authorize"];
  const overwrite = (at, bytes) => {
    const data = readFileSync(fileOf(p.deployment));
    bytes.copy(data, at);
    writeFileSync(fileOf(p.deployment), data);
  };
  const alone = () => ["-wal", "-shm"].forEach((suffix) => rmSync(fileOf(p.deployment) + suffix, { force: true }));
  const FILES = {
    "of a later schema": () => sql(p.deployment, "PRAGMA user_version = 999"),
    "of an earlier schema": () => sql(p.deployment, "PRAGMA user_version = 1"),
    "of another program": () => sql(p.deployment, "PRAGMA application_id = 7"),
    "whose first page is overwritten": () => {
      alone();
      overwrite(0, Buffer.alloc(4096, 0x5a));
    },
    "whose schema is overwritten": () => {
      alone();
      overwrite(100, Buffer.alloc(3996, 0xff));
    },
    "that is text": () => {
      alone();
      writeFileSync(fileOf(p.deployment), "x".repeat(10_000));
    },
    "that is empty": () => {
      alone();
      writeFileSync(fileOf(p.deployment), "");
    },
    "that is a directory": () => {
      alone();
      rmSync(fileOf(p.deployment));
      mkdirSync(fileOf(p.deployment));
    },
    "that is not there": () => {
      alone();
      rmSync(fileOf(p.deployment));
    },
  };
  for (const [when, damage] of Object.entries(FILES))
    it(`a database ${when} is refused and left alone [S10, S11]`, async () => {
      await spoiled(
        join(p.deployment.directory, "db"),
        async () => {
          await damage();
        },
        async () => {
          const contents = () => {
            try {
              return readFileSync(fileOf(p.deployment)).toString("latin1");
            } catch (error) {
              return error.code;
            }
          };
          const before = contents();
          await look(STORED, when);
          assert.equal(contents(), before);
        },
      );
      await look([], "afterwards");
    });

  it("a WAL of no bytes is an empty WAL [S10]", async () => {
    await p.deployment.postern(["purge"]);
    await spoiled(
      join(p.deployment.directory, "db"),
      async () => {
        await sql(p.deployment, "PRAGMA wal_checkpoint(TRUNCATE)");
        truncateSync(`${fileOf(p.deployment)}-wal`, 0);
        rmSync(`${fileOf(p.deployment)}-shm`, { force: true });
      },
      () => look([], "no log"),
    );
  });

  const KEYS = {
    "is not there": (key) => rmSync(key),
    "is garbage": (key) => writeFileSync(key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
    "is encrypted": (key) => {
      execFileSync("openssl", ["pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", `${key}.new`]);
      renameSync(`${key}.new`, key);
    },
    "is a directory": (key) => {
      rmSync(key);
      mkdirSync(key);
    },
    "is a FIFO": (key) => {
      rmSync(key);
      execFileSync("mkfifo", ["-m", "600", key]);
    },
    "is a link": (key) => {
      renameSync(key, `${key}.elsewhere`);
      symlinkSync(`${key}.elsewhere`, key);
    },
    "is readable by others": (key) => chmodSync(key, 0o644),
    "is writable by others": (key) => chmodSync(key, 0o602),
    "is another one": (key) =>
      execFileSync("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]),
  };
  for (const [when, damage] of Object.entries(KEYS))
    it(`with a signing key that ${when} nothing is signed, and all others work [S12, S13]`, async () => {
      await spoiled(
        keysOf(),
        () => damage(keyOf("ES256")),
        () => look(["token"], when),
      );
      await look([], "afterwards");
    });

  it("what init and the programs make is closed to others [S12]", () => {
    const modeOf = (path) => statSync(path).mode & 0o7777;
    const directory = join(p.deployment.directory, "db");
    assert.equal(modeOf(directory), 0o2770);
    const names = readdirSync(directory);
    for (const name of [
      "postern.db",
      "postern.db-wal",
      "postern.db-shm",
      "postern.db.gate",
      "postern.db.sync",
      "postern.db.hash0",
    ])
      assert.ok(names.includes(name), name);
    for (const name of names) assert.equal(modeOf(join(directory, name)), 0o660, name);
    for (const name of readdirSync(keysOf())) {
      const others = modeOf(join(keysOf(), name)) & 0o007;
      assert.equal(others, name === "jwks.json" ? 0o004 : 0, name);
    }
  });
});

describe("a clock that jumps", () => {
  let p;
  before(async () => {
    p = await openProvider({ tls: false, clock: true });
    await p.deployment.advance(7200); // a key signs from when it was made
  });
  after(async () => {
    await p?.stop();
  });

  it(
    "an hour back: what was spent and revoked stays so, " +
      "new tokens have their whole life, nothing is negative [S18]",
    async () => {
      const { web } = p.clients;
      const spent = await p.code(web);
      const ended = (await p.exchange(web, spent)).json;
      await p.revoke(web, ended.refresh_token);
      const kept = await p.tokens(web);
      await p.deployment.advance(-3600);
      assert.equal((await p.exchange(web, spent)).status, 400);
      assert.equal((await p.refresh(web, ended.refresh_token)).status, 400);
      assert.equal((await p.introspect(ended.refresh_token)).active, false);
      const fresh = await p.tokens(web, {}, p.person());
      assert.equal(fresh.expires_in, 900);
      const seen = await p.introspect(fresh.access_token);
      assert.equal(seen.active, true);
      assert.equal(seen.exp - seen.iat, 900);
      await p.deployment.advance(3600);
      assert.equal((await p.introspect(ended.access_token)).active, false);
      assert.equal((await p.introspect(kept.refresh_token)).active, true);
      assert.equal((await p.introspect(fresh.access_token)).active, false); // an hour has passed
    },
  );

  it("an hour forward: what has an end has ended, and what was used then is used [S18]", async () => {
    const { web } = p.clients;
    const tokens = await p.tokens(web);
    const code = await p.code(web);
    const page = await p.person().visit(p.authorizationUrl(web));
    await p.deployment.advance(3600);
    assert.equal((await p.introspect(tokens.access_token)).active, false);
    assert.equal((await p.userinfo(tokens.access_token)).status, 401);
    assert.equal((await p.exchange(web, code)).status, 400);
    assert.equal((await p.person().signIn(page, p.user.username, p.user.password)).status, 400);
    const refreshed = await p.refresh(web, tokens.refresh_token);
    assert.equal(refreshed.status, 200);
    assert.equal(refreshed.json.expires_in, 900);
    await p.deployment.advance(-3600);
    assert.equal((await p.introspect(tokens.refresh_token)).active, false); // it was used in that future
  });
});
