// Programs and templates where the user of a web server can reach them. Root's checkout may lie in a directory that is
// closed to everybody else, and then a copy does: one for each Node process, removed at its end.
import { rmSync, statSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "./run.mjs";

const OTHERS_MAY_ENTER = 0o001;

function isReachable(path) {
  if (process.getuid() !== 0) return true; // whoever runs the test is the web server's user
  if ((statSync(path).mode & OTHERS_MAY_ENTER) === 0) return false;
  return path === "/" || isReachable(dirname(path));
}

/// Stripped: with debugging information each is 30 MB.
async function copyOf({ cgiBin, templates }) {
  const directory = await mkdtemp(join(tmpdir(), "pt-copy-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  const copy = { cgiBin: join(directory, "cgi-bin"), templates: join(directory, "templates") };
  await mkdir(copy.cgiBin, { mode: 0o755 });
  await cp(templates, copy.templates, { recursive: true });
  const isProgram = async (name) => ((await stat(join(cgiBin, name))).mode & 0o111) !== 0;
  for (const name of await readdir(cgiBin)) {
    if (await isProgram(name)) await run("strip", ["-o", join(copy.cgiBin, name), join(cgiBin, name)]);
  }
  await run("chmod", ["-R", "a+rX", directory]);
  return copy;
}

let copied = null;

/// `places` is { cgiBin, templates }; answers the same, or where their copies are.
export async function reachable(places) {
  if (Object.values(places).every(isReachable)) return places;
  copied ??= copyOf(places);
  return copied;
}
