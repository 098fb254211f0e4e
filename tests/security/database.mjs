// The database of a deployment, as somebody sees and changes it who has the file or the server: what is kept of a
// token, and what the programs make of a row that is not there.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { onPostgreSQL } from "../support/deployment.mjs";

export const fileOf = (deployment) => join(deployment.directory, "db/postern.db");
/// What a process locks that hashes a password.
export const hashSlot = (deployment, slot) =>
  `${onPostgreSQL ? join(deployment.directory, "db/postern") : fileOf(deployment)}.hash${slot}`;
export const digestOf = (value) => createHash("sha256").update(value).digest("hex");
export const text = (value) => `'${String(value).replaceAll("'", "''")}'`;

// Like every connection of a deployment: it leaves the log to the programs.
const SETTINGS =
  ".timeout 10000\n.output /dev/null\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n.output\n";

const PSQL = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"];

function shell(program, args, input) {
  return new Promise((done, failed) => {
    const child = execFile(program, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      error || stderr ? failed(error ?? new Error(stderr)) : done(stdout),
    );
    child.stdin.end(input);
  });
}

const sqlite = (deployment, args, input) =>
  shell("sqlite3", [...args, "-batch", "-bail", fileOf(deployment)], SETTINGS + input);
const asJson = (statement) =>
  /^\s*(SELECT|WITH)/i.test(statement) ? `SELECT json_agg(each_row) FROM (${statement}) each_row` : statement;

/// The rows that the statement answers, as objects.
export async function sql(deployment, statement) {
  const answer = onPostgreSQL
    ? await shell("psql", [...PSQL, deployment.database], `${asJson(statement)};\n`)
    : await sqlite(deployment, ["-json"], `${statement};\n`);
  return answer.trim() === "" ? [] : JSON.parse(answer);
}

/// In front of a deletion that takes along what refers to the row.
export const CASCADE = onPostgreSQL ? "" : "PRAGMA foreign_keys = ON; ";

/// The names of Postern's tables, but for the one that says which schema it is.
export async function tables(deployment) {
  const found = await sql(
    deployment,
    onPostgreSQL
      ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'"
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  return found.map(({ name }) => name);
}

/// What the engine finds wrong with the file.
export async function damageOf(deployment) {
  if (onPostgreSQL) return [];
  const lines = (await sql(deployment, "PRAGMA integrity_check")).map((row) => row.integrity_check);
  const keys = await sql(deployment, "PRAGMA foreign_key_check");
  return [...lines.filter((line) => line !== "ok"), ...keys.map((row) => `foreign key: ${JSON.stringify(row)}`)];
}

/// Everything in it, as SQL.
export async function dump(deployment) {
  if (!onPostgreSQL) return sqlite(deployment, [], ".dump\n");
  const all = await shell("pg_dump", ["-d", deployment.database], "");
  return all.replaceAll(/^\\(un)?restrict .*\n/gm, ""); // a random word in each dump
}
