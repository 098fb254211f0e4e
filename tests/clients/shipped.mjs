// The configurations that examples/clients ships, with a test's values in the place of the examples' ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/deployment.mjs";

const read = (name) => readFileSync(join(ROOT, "examples/clients", name), "utf8");

/// `file` as a text in which each thing of `texts` is another; throws when one is not there, so that the file that is
/// tested is the one that is shipped, but for what its reader is told to change.
function replaced(name, texts) {
  return Object.entries(texts).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`examples/clients/${name} has no ${from}`);
    return text.replaceAll(from, () => to);
  }, read(name));
}

/// Apache: the lines `Define NAME value` are what is to be changed.
export function apacheExample(name, values) {
  const lines = [...read(name).matchAll(/^Define (\w+) +(.*)$/gm)];
  const missing = lines.map(([, variable]) => variable).filter((variable) => !(variable in values));
  if (missing.length > 0) throw new Error(`examples/clients/${name}: no value for ${missing}`);
  return replaced(
    name,
    Object.fromEntries(lines.map(([line, variable]) => [line, `Define ${variable} "${values[variable]}"`])),
  );
}

/// nginx has no such lines: `texts` maps what stands in the file to what is to stand there.
export const nginxExample = replaced;
