// Continuous integration compiles as a first build does, and files still include what the precompiled headers would
// give them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(fileURLToPath(import.meta.url), "../../..");
const FOLDERS = ["lib", "cgi-bin", "libexec", "cli", "bench", "tests"];

/// What the headers of mk/standard.h and mk/standard_tests.h declare, as this code uses it.
const NAMES = {
  algorithm: new RegExp(
    "\\bstd::(ranges::)?(" +
      "(stable_|partial_)?sort|find_if(_not)?|(any|all|none)_of|count_if|copy_if|transform|remove_if|replace|" +
      "reverse|clamp|mismatch|search|(lower|upper)_bound|binary_search|unique|generate|rotate|" +
      "(max|min)_element|set_(difference|intersection|union))\\(",
  ),
  array: /\bstd::(array<|to_array)/,
  chrono: /\bstd::chrono\b/,
  functional: /\bstd::(function<|ref\(|cref\(|invoke\(|bind_front|not_fn)/,
  map: /\bstd::(multi)?map</,
  memory: /\bstd::((unique|shared|weak)_ptr<|make_(unique|shared)<)/,
  optional: /\bstd::(optional<|nullopt|make_optional)/,
  set: /\bstd::(multi)?set</,
  span: /\bstd::span</,
  stdexcept: /\bstd::(runtime|logic|domain|range|length)_error|\bstd::(invalid_argument|out_of_range)/,
  string: /\bstd::(string\b|to_string|getline)/,
  string_view: /\bstd::string_view\b/,
  utility: /\bstd::(move|exchange|pair|forward|swap|make_pair|in_range|cmp_\w+)\b/,
  variant: /\bstd::(variant<|visit\(|get_if<|holds_alternative<|monostate)/,
  vector: /\bstd::vector</,
  filesystem: /\bstd::filesystem\b/,
  fstream: /\bstd::[io]?fstream\b/,
  sstream: /\bstd::[io]?stringstream\b/,
  "doctest/doctest.h": /\b(TEST_CASE|CHECK|REQUIRE|CAPTURE)\b/,
};

/// What each implementation declares with another header: exceptions take strings, and strings are moved.
const BROUGHT = { stdexcept: ["string"], string: ["utility"] };

const filesIn = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(path);
    return /\.(cpp|h)$/.test(entry.name) ? [path] : [];
  });
const sources = FOLDERS.flatMap(filesIn);

const readings = new Map();
/// The file's includes, and its code without comments and literals.
const reading = (file) => {
  if (!readings.has(file)) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const includes = [...text.matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)].map(([, name]) => name);
    const code = text.replace(/\/\/.*$/gm, "").replace(/"(\\.|[^"\\\n])*"/g, '""');
    readings.set(file, { includes, code });
  }
  return readings.get(file);
};

const foundAs = (name) =>
  ["lib", ".", "tests"].map((at) => join(at, name)).find((path) => existsSync(join(ROOT, path)));

const add = (name, names) => {
  names.add(name);
  for (const brought of BROUGHT[name] ?? []) add(brought, names);
};

/// The names of all headers that the file includes, also by way of ours.
const reached = (file, names = new Set()) => {
  for (const name of reading(file).includes) {
    if (names.has(name)) continue;
    add(name, names);
    const own = foundAs(name);
    if (own) reached(own, names);
  }
  return names;
};

/// The commands by which make would compile, for none of the variables of the make that runs this test.
const compiles = (target) => {
  const options = { cwd: ROOT, env: { PATH: process.env.PATH }, encoding: "utf8", maxBuffer: 1 << 26 };
  const told = execFileSync("make", ["-n", "V=1", "BUILD=/nonexistent", target], options);
  return told.match(/^g\+\+ .* -c -o .*$/gm);
};

describe("includes", () => {
  it("continuous integration compiles as a first build does, and ends at a warning", () => {
    const integration = compiles("ci").map((command) => command.replace("-Werror", ""));
    const first = compiles("all");
    assert.ok(first.length > 300, `${first.length}`);
    assert.deepEqual(first.filter((command) => !integration.includes(command)).slice(0, 3), []);
    assert.deepEqual(
      compiles("ci")
        .filter((command) => !command.includes(" -Werror "))
        .slice(0, 3),
      [],
    );
  });

  it("the table has each header that is precompiled", () => {
    const precompiled = ["mk/standard.h", "mk/standard_tests.h"].flatMap((file) => reading(file).includes);
    assert.deepEqual([...new Set(precompiled)].sort(), Object.keys(NAMES).sort());
  });

  it("each file includes what it uses of the headers that are precompiled", () => {
    const missing = sources.flatMap((file) => {
      const names = reached(file);
      return Object.entries(NAMES)
        .filter(([header, use]) => !names.has(header) && use.test(reading(file).code))
        .map(([header]) => `${file}: <${header}>`);
    });
    assert.deepEqual(missing, []);
  });
});
