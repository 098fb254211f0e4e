// The endpoints as lib/oauth/endpoints.h declares them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./deployment.mjs";

/// [{ name, path, route, processes, rights, what }]; rights are words, such as "writes" and "seal".
export const DECLARED = [
  ...readFileSync(join(ROOT, "lib/oauth/endpoints.h"), "utf8").matchAll(
    /^ {4}ENDPOINT\((\w+), \w+, "([^"]+)", (\w+), (\w+), ([\w |]+), "([^"]+)"\)/gm,
  ),
].map(([, name, path, route, processes, rights, what]) => ({
  name,
  path,
  route,
  processes,
  rights: rights.split(" | "),
  what,
}));
export const ENDPOINTS = DECLARED.map(({ name }) => name);

/// Names of those that have the right.
export const withRight = (right) => DECLARED.filter(({ rights }) => rights.includes(right)).map(({ name }) => name);

/// Names of those that use the database.
export const WITH_DATABASE = ENDPOINTS.filter((name) => !withRight("none").includes(name));
