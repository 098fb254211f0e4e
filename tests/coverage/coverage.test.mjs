// The generator of the coverage tables, on small source trees that are wrong in one way each.
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
    "| id | what must hold | where | tests | state |",
    "|---|---|---|---|---|",
    "| X01 | a rule | `lib/rule.cpp` | `unit: rule: holds`; `security: ${what} is refused` | tested |",
    "| X02 | another | `lib/rule.cpp` | `unit: rule: in two pieces` | tested |",
    "| X03 | a choice | `lib/rule.cpp` | | decided: docs/decisions/0001-why.md |",
    "",
  ].join("\n"),
  "docs/RFC-COVERAGE.md": [
    "## RFC 6749",
    "| clause | what it says | where | tests | state |",
    "|---|---|---|---|---|",
    "| §4.1.2a | a rule | `lib/rule.cpp` | `unit: rule: holds` | tested |",
    "| §4.1.2b `code` | another | `lib/rule.cpp` | `security: ${what} is refused` | tested |",
    "| §6 | refreshing | `lib/rule.cpp` | `security: ${what} is refused` | tested |",
    "| §7 | not ours | | | not offered: it is a choice |",
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

describe("the generator of the coverage tables", () => {
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
    ["a row with too few columns", { [RFC]: ["| not ours |", ""] }, /five columns, this one 3/],
    [
      "a test that was renamed",
      { "tests/unit/util/rule_test.cpp": ["rule: holds", "rule: stands"] },
      /RFC-COVERAGE.md:4: differs from the titles/,
    ],
    [
      "a test written in by hand",
      { [SECURITY]: ["`unit: rule: holds`", "`unit: rule: holds`; `unit: more`"] },
      /SECURITY-COVERAGE.md:3: differs/,
    ],
  ]) {
    it(`names ${what}`, () => {
      const { faults } = check(tree(changes));
      assert.ok(
        faults.some((one) => fault.test(one)),
        JSON.stringify(faults),
      );
    });
  }

  it("writes what it would compare with", () => {
    const root = tree({ [SECURITY]: ["`unit: rule: holds`", "`unit: what it was called`"], [RFC]: ["tested", "soon"] });
    assert.deepEqual(check(root, { write: true }).faults, []);
    for (const document of [SECURITY, RFC]) assert.equal(readFileSync(join(root, document), "utf8"), GOOD[document]);
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
