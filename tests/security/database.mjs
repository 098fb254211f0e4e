// The database of a deployment, as somebody sees and changes it who has the file: what is kept of a token, and what the
// programs make of a row that is not there.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";

export const fileOf = (deployment) => join(deployment.directory, "db/postern.db");
export const digestOf = (value) => createHash("sha256").update(value).digest("hex");
export const text = (value) => `'${String(value).replaceAll("'", "''")}'`;

// Like every connection of a deployment: it leaves the log to the programs.
const SETTINGS =
  ".timeout 10000\n.output /dev/null\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n.output\n";

function shell(deployment, args, input) {
  return new Promise((done, failed) => {
    const child = execFile(
      "sqlite3",
      [...args, "-batch", "-bail", fileOf(deployment)],
      { maxBuffer: 64 << 20 },
      (error, stdout, stderr) => (error || stderr ? failed(error ?? new Error(stderr)) : done(stdout)),
    );
    child.stdin.end(SETTINGS + input);
  });
}

/// The rows that the statement answers, as objects.
export async function sql(deployment, statement) {
  const answer = await shell(deployment, ["-json"], `${statement};\n`);
  return answer.trim() === "" ? [] : JSON.parse(answer);
}

/// Everything in it, as SQL.
export const dump = (deployment) => shell(deployment, [], ".dump\n");

/// Holds the write lock, as a program that hangs would; answers what lets it go.
export function holdWriteLock(deployment) {
  return new Promise((done, failed) => {
    const child = execFile("sqlite3", ["-batch", fileOf(deployment)]);
    const ended = new Promise((over) => child.once("exit", over));
    const release = async () => {
      child.stdin.end("ROLLBACK;\n");
      await ended;
    };
    child.once("error", failed).stdout.once("data", () => done(release));
    child.stdin.write(`${SETTINGS}BEGIN IMMEDIATE;\nSELECT 'held';\n`);
  });
}
