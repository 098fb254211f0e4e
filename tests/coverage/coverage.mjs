#!/usr/bin/env node
// Which test proves which requirement: node tests/coverage/coverage.mjs [--write] [ROOT]
//
// The titles of tests carry the ids of requirements in their last brackets: [X04, X05] are rows of
// docs/SECURITY-COVERAGE.md, [IF3, RFC 6749 §4.1.2ac, §6b] are rows of docs/RFC-COVERAGE.md (§4.1.2ac: the rows a and c
// of that clause; a clause with one row has no letter). The columns "tests" and "state" of both documents are made from
// the titles. By hand stay the states "not offered: why" and "decided: docs/decisions/NNNN-title.md".
//
// Without --write nothing changes, and a document that differs from what would be written is a fault. So are a row
// without a test, a title with an id that no row has, and a path that does not exist. Exit status 1 when there is a
// fault.
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const DOCUMENTS = ["docs/RFC-COVERAGE.md", "docs/SECURITY-COVERAGE.md"];
const SUITES = [
  "unit",
  "rfc",
  "cgi",
  "cli",
  "faults",
  "fuzz",
  "interop",
  "browser",
  "conformance",
  "servers",
  "clients",
  "security",
  "postgresql",
];
/// What titles call the documents of the headings; rows under other headings have whole ids.
const NAMES = {
  "OpenID Connect Core 1.0": "OIDC Core",
  "OpenID Connect Discovery 1.0": "Discovery",
  "OpenID Connect RP-Initiated Logout 1.0": "RP-Initiated Logout",
  "OAuth 2.0 Multiple Response Type Encoding Practices": "Multiple Response Types",
  "OAuth 2.0 Form Post Response Mode": "Form Post",
  "Web Authentication Level 3": "WebAuthn",
};
const nameOf = (heading) => NAMES[heading] ?? (/^RFC \d+$/.test(heading) ? heading : "");

const STRING = /"(?:[^"\\\n]|\\.)*"/.source;
const CPP_TITLE = new RegExp(`\\bTEST_CASE\\(\\s*((?:${STRING}\\s*)+)`, "g");
const NODE_STRING = `(?:${STRING}|\`(?:[^\`\\\\]|\\\\.)*\`)`;
const NODE_TITLE = new RegExp(
  `\\b(?:it|test|describe)(?:\\.\\w+)?\\(\\s*(${NODE_STRING}(?:\\s*\\+\\s*${NODE_STRING})*)`,
  "g",
);

function filesBelow(directory) {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      if (name === "node_modules") return [];
      const path = join(directory, name);
      return statSync(path).isDirectory() ? filesBelow(path) : [path];
    });
}

const unquoted = (text) => text.slice(1, -1).replace(/\\(["`\\])/g, "$1");

/// The titles in one source file, as they stand there; parts that are joined are one title.
export function titlesIn(text, isCpp) {
  const part = new RegExp(isCpp ? STRING : NODE_STRING, "g");
  return [...text.matchAll(isCpp ? CPP_TITLE : NODE_TITLE)].map(([, parts]) =>
    parts.match(part).map(unquoted).join(""),
  );
}

/// The ids that a title carries, and the title without its last brackets: { name, ids }.
export function readTitle(title) {
  const [, name, inside] = title.match(/^(.*?)(?: \[([^\][]*)\])?$/s);
  const ids = [];
  let document = "";
  for (const part of (inside ?? "").split(/[,;] */)) {
    const range = part.match(/^([A-Z])(\d\d)-\1(\d\d)$/);
    const clause = part.match(/^(?:(.+?) )?(§(?:[A-Z](?:\.\d+)?|\d[\d.]*))([a-z]*)$/);
    if (/^([A-Z]\d\d|IF\d+)$/.test(part)) ids.push(part);
    else if (range)
      for (let n = Number(range[2]); n <= Number(range[3]); ++n) ids.push(range[1] + String(n).padStart(2, "0"));
    else if (clause) {
      document = clause[1] ?? document;
      for (const letter of clause[3] === "" ? [""] : clause[3]) ids.push(`${document} ${clause[2]}${letter}`);
    }
  }
  return { name, ids };
}

/// All tests that carry ids: [{ test, ids }], `test` being "suite: name".
function testsOf(root) {
  return SUITES.filter((suite) => existsSync(join(root, "tests", suite))).flatMap((suite) =>
    filesBelow(join(root, "tests", suite))
      .filter((file) => /\.(cpp|mjs)$/.test(file))
      .flatMap((file) =>
        titlesIn(readFileSync(file, "utf8"), file.endsWith(".cpp"))
          .map(readTitle)
          .filter(({ ids }) => ids.length > 0)
          .map(({ name, ids }) => ({ test: `${suite}: ${name}`, ids })),
      ),
  );
}

/// By suite, then by name: a test that moves to another file leaves the tables as they are.
function bySuite(one, other) {
  const place = (test) => SUITES.indexOf(test.split(":")[0]);
  return place(one) - place(other) || (one < other ? -1 : 1);
}

const quoted = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\|(.*)\|$/, "$1")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

function stateFault(state, root) {
  const record = state.match(/^decided: (docs\/decisions\/\d{4}-[a-z0-9-]+\.md)$/)?.[1];
  if (record) return existsSync(join(root, record)) ? null : `no such decision: ${record}`;
  return /^not offered: ./.test(state)
    ? null
    : 'no test carries this id, and the state is neither "not offered: why" nor "decided: docs/decisions/..."';
}

/// One document as it should be: { text, rows, faults, known }, `known` being the ids of its rows.
function generate(document, root, testsById) {
  const faults = [];
  const known = new Set();
  const clauses = new Set();
  let name = "";
  let rows = 0;
  const lines = readFileSync(join(root, document), "utf8")
    .split("\n")
    .map((line, at) => {
      const fault = (text) => faults.push(`${document}:${at + 1}: ${text}`);
      if (line.startsWith("## ")) name = nameOf(line.slice(3));
      if (!line.startsWith("|") || /^\| *(clause|id) *\||^\|[ :|-]+$/.test(line)) return line;
      ++rows;
      const cells = cellsOf(line);
      if (cells.length !== 5) {
        fault(`a row has five columns, this one ${cells.length}`);
        return line;
      }
      const [first, what, where, , state] = cells;
      const id = `${name} ${first.split(/[ ,]/)[0]}`.trim();
      if (known.has(id)) fault(`a second row for ${id}`);
      known.add(id);
      clauses.add(id.replace(/[a-z]$/, ""));
      for (const path of quoted(where)) if (!existsSync(join(root, path))) fault(`no such file: ${path}`);
      const tests = [...(testsById.get(id) ?? [])].sort(bySuite);
      const isDecided = /^(not offered|decided)/.test(state);
      if (tests.length === 0 || isDecided) {
        const wrong = stateFault(state, root);
        if (wrong) fault(wrong);
      } else if (quoted(where).length === 0) fault("a tested row names the file that holds the rule");
      const cell = tests.map((test) => `\`${test.replaceAll("|", "\\|")}\``).join("; ");
      const written = [first, what, where, cell, tests.length > 0 && !isDecided ? "tested" : state];
      return `|${written.map((text) => `${text && ` ${text}`} |`).join("")}`;
    });
  if (rows === 0) faults.push(`${document}: no rows`);
  return { text: lines.join("\n"), rows, faults, known, clauses };
}

/// Checks the documents of a source tree, or writes them: { rows, faults }.
export function check(root, { write = false } = {}) {
  const tests = testsOf(root);
  const testsById = new Map();
  for (const { test, ids } of tests)
    for (const id of ids) testsById.set(id, (testsById.get(id) ?? new Set()).add(test));
  const documents = DOCUMENTS.filter((document) => existsSync(join(root, document))).map((document) => ({
    document,
    ...generate(document, root, testsById),
  }));
  const faults = documents.flatMap((one) => one.faults);
  // A whole clause may be cited, too, and clauses of other documents.
  const isKnown = (id) =>
    documents.some(({ known, clauses }) => known.has(id) || clauses.has(id)) ||
    !/^[A-Z]\d\d$|^IF\d+$|§.*[a-z]$/.test(id);
  for (const { test, ids } of tests)
    for (const id of ids) if (!isKnown(id)) faults.push(`${test}: no row has the id ${id}`);
  for (const { document, text } of documents) {
    if (write) writeFileSync(join(root, document), text);
    else if (text !== readFileSync(join(root, document), "utf8")) {
      const old = readFileSync(join(root, document), "utf8").split("\n");
      const line = text.split("\n").findIndex((one, at) => one !== old[at]);
      faults.push(`${document}:${line + 1}: differs from the titles of the tests; "make coverage" writes it`);
    }
  }
  return { rows: documents.reduce((sum, one) => sum + one.rows, 0), faults };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const words = process.argv.slice(2);
  const { rows, faults } = check(words.find((word) => word !== "--write") ?? ".", { write: words.includes("--write") });
  for (const fault of faults) console.log(fault);
  console.log(`[coverage] rows: ${Math.max(0, rows - faults.length)} passed, ${faults.length} failed`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
