// Long lists: they are read in batches and printed when all of their rows are there. So neither the command's memory
// grows with them, nor do old rows of the server wait for a reader.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { ASAN_OPTIONS } from "../security/single_process.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { PostgreSQL } from "./server.mjs";

const MANY = 50_000;
const FEW = 5_000; // more than a pipe holds
const LISTS = ["client", "user", "group", "session", "consent", "token"];

for (const engine of ["PostgreSQL", "SQLite"]) {
  describe(`lists on ${engine}`, () => {
    let server;
    let p;

    prepared(async (owned) => {
      if (engine === "PostgreSQL") server = owned(await PostgreSQL.start());
      p = owned(await openProvider({ config: server ? { database: server.uri } : {} }));
      await p.deployment.addUser("zoe", "correct horse battery staple");
      for (const group of ["staff", "guests"]) await p.deployment.postern(["group", "add", group]);
      for (const client of [p.clients.web, p.clients.other]) {
        const code = await p.code(client, { scope: "openid" }, p.person());
        assert.equal((await p.exchange(client, code)).status, 200);
      }
    });

    const environment = () => ({ ...p.deployment.environment, ASAN_OPTIONS });
    const postern = (...args) =>
      run(join(BUILD, "bin/postern"), args, { env: environment() }).catch((failure) => failure);

    for (const list of LISTS) {
      it(`${list} list --limit: the first rows, as JSON and as a table`, async () => {
        const all = JSON.parse((await postern(list, "list", "--json")).stdout);
        assert.ok(all.length > 1, list);
        for (const [limit, expected] of [
          ["1", all.slice(0, 1)],
          [`${all.length}`, all],
          ["1000000", all],
        ]) {
          const args = [list, "list", "--limit", limit];
          assert.deepEqual(JSON.parse((await postern(...args, "--json")).stdout), expected);
          const [heading, ...rows] = (await postern(...args)).stdout.trim().split("\n");
          assert.match(heading, /^[A-Z_]+ {2}/);
          assert.equal(rows.length, expected.length);
        }
        for (const bad of ["0", "-1", "x"]) assert.equal((await postern(list, "list", "--limit", bad)).code, 2);
      });
    }

    if (engine !== "PostgreSQL") return;

    it("a list without rows is an empty array", async () => {
      assert.equal((await postern("token", "list", "--before", "1", "--json")).stdout, "[]\n");
    });

    /// What the command has printed, and its memory at the most, when it waited for its reader, in bytes.
    async function listWhileNobodyReads(...args) {
      const command = spawn(join(BUILD, "bin/postern"), args, {
        env: environment(),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise((resolve) => command.once("exit", resolve));
      await new Promise((resolve) => command.stdout.once("readable", resolve));
      const [, most] = readFileSync(`/proc/${command.pid}/status`, "utf8").match(/^VmHWM:\s*(\d+) kB/m);
      const inTransaction = server.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postern-admin' AND xact_start IS NOT NULL",
      );
      let printed = "";
      for await (const part of command.stdout.setEncoding("utf8")) printed += part;
      assert.equal(await ended, 0);
      assert.equal(inTransaction, "0", "a paused terminal keeps no old rows of the server");
      return { printed, most: Number(most) * 1024 };
    }

    it(`${MANY} tokens take the memory of ${FEW}`, { timeout: 120_000 }, async () => {
      server.sql(
        `INSERT INTO access_tokens (grant_id, issued_at, token_hash, jti, scope, expires_at)
         SELECT (SELECT id FROM grants LIMIT 1), n, 'hash' || n, 'jti' || n, 'openid profile', 4000000000
         FROM generate_series(1, ${MANY}) n`,
      );
      for (const format of [["--json"], []]) {
        const few = await listWhileNobodyReads("token", "list", "--limit", `${FEW}`, ...format);
        const many = await listWhileNobodyReads("token", "list", ...format);
        assert.ok(many.printed.length > 5_000_000);
        assert.ok(many.most - few.most < 4_000_000, `${few.most} and ${many.most} bytes`);
        if (format.length === 0) continue;
        const all = JSON.parse(many.printed);
        assert.ok(all.length >= MANY);
        assert.deepEqual(all.slice(0, FEW), JSON.parse(few.printed));
        assert.equal(new Set(all.map(({ jti, kind, grant_id: grant }) => jti ?? kind + grant)).size, all.length);
      }
    });
  });
}
