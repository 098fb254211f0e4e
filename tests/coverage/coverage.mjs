#!/usr/bin/env node
// Which test proves which requirement: node tests/coverage/coverage.mjs [--write DIRECTORY] [ROOT]
//
// The titles of tests carry the ids of requirements in their last brackets: [X04, X05] are rows of
// docs/SECURITY-COVERAGE.md, [IF3, RFC 6749 §4.1.2ac, §6b] are rows of docs/RFC-COVERAGE.md (§4.1.2ac: the rows a and c
// of that clause; a clause with one row has no letter), and so are the rules of this server, [KEY-4, F2-R9]. A row says
// what must hold and which files hold it; in place of a test it may say "not offered: why" or "decided:
// docs/decisions/NNNN-title.md", behind its files if it has any.
//
// A row without a test, a title with an id that no row has, and a path that does not exist are faults: exit status 1.
// With --write the documents are copied to DIRECTORY with two more columns, the tests of each row and its state.
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const DOCUMENTS = ["docs/RFC-COVERAGE.md", "docs/SECURITY-COVERAGE.md"];
const SUITES = "unit rfc cgi cli faults fuzz interop browser conformance servers clients security postgresql".split(
  " ",
);
/// What titles call the documents of the headings; rows under other headings have whole ids.
const NAMES = {
  "OpenID Connect Core 1.0": "OIDC Core",
  "OpenID Connect Discovery 1.0": "Discovery",
  "OpenID Connect RP-Initiated Logout 1.0": "RP-Initiated Logout",
  "OpenID Connect Back-Channel Logout 1.0": "Back-Channel Logout",
  "OpenID Connect Front-Channel Logout 1.0": "Front-Channel Logout",
  "OAuth 2.0 Multiple Response Type Encoding Practices": "Multiple Response Types",
  "OAuth 2.0 Form Post Response Mode": "Form Post",
  "JWT Secured Authorization Response Mode": "JARM",
  "Web Authentication Level 3": "WebAuthn",
  "FastCGI 1.0": "FastCGI 1.0",
};
/// The rules that have rows; titles name rules of other families, too, which have none.
const RULE = /^(?:KEY|JTI|CA|PAR|DPOP|JAR|JARM|MTLS)-\d+$|^F2-[RS]?\d+$/;
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
function titlesIn(text, isCpp) {
  const part = new RegExp(isCpp ? STRING : NODE_STRING, "g");
  return [...text.matchAll(isCpp ? CPP_TITLE : NODE_TITLE)].map(([, parts]) =>
    parts.match(part).map(unquoted).join(""),
  );
}

/// The ids that a title carries, and the title without its last brackets: { name, ids }.
function readTitle(title) {
  const [, name, inside] = title.match(/^(.*?)(?: \[([^\][]*)\])?$/s);
  const ids = [];
  let document = "";
  for (const part of (inside ?? "").split(/[,;] */)) {
    const range = part.match(/^([A-Z])(\d\d)-\1(\d\d)$/);
    const clause = part.match(/^(?:(.+?) )?(§(?:[A-Z](?:\.\d+)?|\d[\d.]*))([a-z]*)$/);
    if (/^([A-Z]\d\d|IF\d+)$/.test(part) || RULE.test(part)) ids.push(part);
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

/// The last cell of a row: the files, and what stands in the place of a test: { files, state }.
function readWhere(cell) {
  const [, files, state] = cell.match(/^(.*?)(?:(?:^|; )((?:not offered|decided)\b.*))?$/);
  return { files: quoted(files), state };
}

function stateFault(state, root) {
  const record = state?.match(/^decided: (docs\/decisions\/\d{4}-[a-z0-9-]+\.md)$/)?.[1];
  if (record) return existsSync(join(root, record)) ? null : `no such decision: ${record}`;
  return /^not offered: ./.test(state ?? "")
    ? null
    : 'no test carries this id, and it says neither "not offered: why" nor "decided: docs/decisions/..."';
}

/// One document with the tests of its rows: { text, rows, faults, known, clauses }, `known` being the ids of its rows.
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
      if (/^\| *(clause|id) *\|/.test(line)) return `${line} tests | state |`;
      if (/^\|[ :|-]+$/.test(line)) return `${line}---|---|`;
      if (!line.startsWith("|")) return line;
      ++rows;
      const cells = cellsOf(line);
      if (cells.length !== 3) {
        fault(`a row has three columns, this one ${cells.length}`);
        return line;
      }
      const [first, , where] = cells;
      const id = `${name} ${first.split(/[ ,]/)[0]}`.trim();
      if (known.has(id)) fault(`a second row for ${id}`);
      known.add(id);
      clauses.add(id.replace(/[a-z]$/, ""));
      const { files, state } = readWhere(where);
      for (const path of files) if (!existsSync(join(root, path))) fault(`no such file: ${path}`);
      const tests = [...(testsById.get(id) ?? [])].sort(bySuite);
      if (tests.length === 0 || state !== undefined) {
        const wrong = stateFault(state, root);
        if (wrong) fault(wrong);
      } else if (files.length === 0) fault("a tested row names the file that holds the rule");
      const cell = tests.map((test) => `\`${test.replaceAll("|", "\\|")}\``).join("; ");
      return `${line} ${cell} | ${state ? state.split(":")[0] : "tested"} |`;
    });
  if (rows === 0) faults.push(`${document}: no rows`);
  return { text: lines.join("\n"), rows, faults, known, clauses };
}

/// Checks the documents of a source tree, and copies them with their tests to the directory `write`: { rows, faults }.
export function check(root, { write } = {}) {
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
    !(/^[A-Z]\d\d$|^IF\d+$|§.*[a-z]$/.test(id) || RULE.test(id));
  for (const { test, ids } of tests)
    for (const id of ids) if (!isKnown(id)) faults.push(`${test}: no row has the id ${id}`);
  if (write) {
    mkdirSync(write, { recursive: true });
    for (const { document, text } of documents) writeFileSync(join(write, basename(document)), text);
  }
  return { rows: documents.reduce((sum, one) => sum + one.rows, 0), faults };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const words = process.argv.slice(2);
  const write = words[0] === "--write" ? words.splice(0, 2)[1] : undefined;
  const { rows, faults } = check(words[0] ?? ".", { write });
  for (const fault of faults) console.log(fault);
  console.log(`[coverage] rows: ${Math.max(0, rows - faults.length)} passed, ${faults.length} failed`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
