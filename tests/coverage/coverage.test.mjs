// The check of the coverage tables, on small source trees that are wrong in one way each.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { check, readTitle, titlesIn } from "./coverage.mjs";

const directory = mkdtempSync(join(tmpdir(), "pt-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const GOOD = {
  "lib/rule.cpp": "",
  "docs/decisions/0001-why.md": "",
  "tests/unit/util/rule_test.cpp":
    'TEST_CASE("rule: holds [X01, RFC 6749 §4.1.2a]") {}\nTEST_CASE(\n    "rule: in two "\n    "pieces [X02]") {}\n',
  "tests/security/rule.test.mjs": "it(`${what} is refused [X01, RFC 6749 §4.1.2b, §6]`, () => {});\n",
  "docs/SECURITY-COVERAGE.md": [
    "| id | what must hold | where |",
    "|---|---|---|",
    "| X01 | a rule | `lib/rule.cpp` |",
    "| X02 | another | `lib/rule.cpp` |",
    "| X03 | a choice | `lib/rule.cpp`; decided: docs/decisions/0001-why.md |",
    "",
  ].join("\n"),
  "docs/RFC-COVERAGE.md": [
    "## RFC 6749",
    "| clause | what it says | where |",
    "|---|---|---|",
    "| §4.1.2a | a rule | `lib/rule.cpp` |",
    "| §4.1.2b `code` | another | `lib/rule.cpp` |",
    "| §6 | refreshing | `lib/rule.cpp` |",
    "| §7 | not ours | not offered: it is a choice |",
    "",
  ].join("\n"),
};
const SECURITY = "docs/SECURITY-COVERAGE.md";
const RFC = "docs/RFC-COVERAGE.md";

/// A source tree as GOOD with changes: { file: [from, to] }.
function tree(changes = {}) {
  const root = mkdtempSync(join(directory, "tree-"));
  for (const [file, text] of Object.entries(GOOD)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), changes[file] ? text.replace(...changes[file]) : text);
  }
  return root;
}

describe("the check of the coverage tables", () => {
  it("finds nothing wrong in a tree that is right, and counts its rows", () => {
    assert.deepEqual(check(tree()), { rows: 7, faults: [] });
  });

  for (const [what, changes, fault] of [
    [
      "a row without a test",
      { "tests/unit/util/rule_test.cpp": ["[X02]", "[]"] },
      /SECURITY-COVERAGE.md:4: no test carries this id/,
    ],
    [
      "a clause without a test",
      { "tests/security/rule.test.mjs": ["§4.1.2b, ", ""] },
      /RFC-COVERAGE.md:5: no test carries this id/,
    ],
    ["an id that no row has", { "tests/unit/util/rule_test.cpp": ["X02", "X02, X04"] }, /no row has the id X04/],
    [
      "a row of a clause that is not there",
      { "tests/unit/util/rule_test.cpp": ["§4.1.2a", "§4.1.2ac"] },
      /no row has the id RFC 6749 §4.1.2c/,
    ],
    ["a second row for an id", { [SECURITY]: ["| X02 |", "| X01 |"] }, /a second row for X01/],
    ["a file that is not there", { [SECURITY]: ["`lib/rule.cpp`", "`lib/role.cpp`"] }, /no such file: lib\/role.cpp/],
    ["no file", { [SECURITY]: ["`lib/rule.cpp`", ""] }, /names the file that holds the rule/],
    ["a decision that nobody wrote", { [SECURITY]: ["0001-why", "0002-why"] }, /no such decision/],
    [
      "a state that is none",
      { [RFC]: ["not offered: it is a choice", "not offered"] },
      /RFC-COVERAGE.md:7: no test carries this id/,
    ],
    ["a row with too few columns", { [RFC]: ["| not ours |", "|"] }, /three columns, this one 2/],
  ]) {
    it(`names ${what}`, () => {
      const { faults } = check(tree(changes));
      assert.ok(
        faults.some((one) => fault.test(one)),
        JSON.stringify(faults),
      );
    });
  }

  it("copies the documents with the tests of each row, and what stands in place of one", () => {
    const write = mkdtempSync(join(directory, "written-"));
    assert.deepEqual(check(tree(), { write }).faults, []);
    const written = readFileSync(join(write, "SECURITY-COVERAGE.md"), "utf8").split("\n");
    assert.deepEqual(written.slice(0, 5), [
      "| id | what must hold | where | tests | state |",
      "|---|---|---|---|---|",
      "| X01 | a rule | `lib/rule.cpp` | `unit: rule: holds`; `security: ${what} is refused` | tested |",
      "| X02 | another | `lib/rule.cpp` | `unit: rule: in two pieces` | tested |",
      "| X03 | a choice | `lib/rule.cpp`; decided: docs/decisions/0001-why.md |  | decided |",
    ]);
  });

  it("reads ids, ranges, rows of clauses and documents that are named once", () => {
    assert.deepEqual(readTitle("a rule: [inside] it [IF3, R01-R03, RFC 6749 §4.1.2ac, §6, OIDC Core §B; CWE-79]"), {
      name: "a rule: [inside] it",
      ids: ["IF3", "R01", "R02", "R03", "RFC 6749 §4.1.2a", "RFC 6749 §4.1.2c", "RFC 6749 §6", "OIDC Core §B"],
    });
    assert.deepEqual(readTitle("a title without any"), { name: "a title without any", ids: [] });
  });

  it("finds titles in both languages, however they are quoted", () => {
    assert.deepEqual(titlesIn('TEST_CASE("says \\"no\\" [X01]") {', true), ['says "no" [X01]']);
    assert.deepEqual(
      titlesIn('describe(`a`, () => {\n  it("b", () => {});\n  it(`c ${1}` +\n    " d", { skip }, f);\n', false),
      ["a", "b", "c ${1} d"],
    );
  });
});
