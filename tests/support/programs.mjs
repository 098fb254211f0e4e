// The programs that answer requests: each has a file in cgi-bin/.
import { readdirSync } from "node:fs";
import { basename } from "node:path";

export const PROGRAMS = readdirSync(new URL("../../cgi-bin/", import.meta.url))
  .filter((name) => name.endsWith(".cpp"))
  .map((name) => basename(name, ".cpp"))
  .sort();
/// Those that ask the database.
export const WITH_DATABASE = PROGRAMS.filter((name) => !["discovery", "jwks"].includes(name));
