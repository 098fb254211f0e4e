// The check of the coverage tables, on small source trees that are wrong in one way each.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { check } from "./coverage.mjs";

const directory = mkdtempSync(join(tmpdir(), "pt-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const GOOD = {
  "lib/rule.cpp": "",
  "docs/decisions/0001-why.md": "",
  "tests/unit/util/rule_test.cpp":
    'TEST_CASE("rule: holds [X01, RFC 6749 §4.1.2a]") {}\nTEST_CASE(\n    "rule: in two "\n    "pieces [X02]") {}\n' +
    'TEST_CASE("rule: of a server [KEY-4, F2-10, REG-1]") {}\nTEST_CASE("rule: of a profile [F2-S3]") {}\n',
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
    "## FAPI 2.0",
    "| id | what it says | where |",
    "|---|---|---|",
    "| F2-S3 | a rule | `lib/rule.cpp` |",
    "| F2-10 Security Profile §5.3.2 | another | `lib/rule.cpp` |",
    "| KEY-4 | a third | `lib/rule.cpp` |",
    "",
  ].join("\n"),
};
const UNIT = "tests/unit/util/rule_test.cpp";
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
  it("counts the rows of a right tree, and copies them with the tests of each", () => {
    const write = mkdtempSync(join(directory, "written-"));
    assert.deepEqual(check(tree(), { write }), { rows: 10, faults: [] });
    const written = readFileSync(join(write, "SECURITY-COVERAGE.md"), "utf8");
    assert.ok(written.includes("| `unit: rule: holds`; `security: ${what} is refused` | tested |\n"), written);
    assert.ok(written.includes("| `unit: rule: in two pieces` | tested |\n"), written);
  });

  for (const [what, changes, fault] of [
    ["a row without a test", { [UNIT]: ["[X02]", "[]"] }, /SECURITY-COVERAGE.md:4: no test carries this id/],
    ["an id that no row has", { [UNIT]: ["§4.1.2a", "§4.1.2ac"] }, /no row has the id RFC 6749 §4.1.2c/],
    ["a rule without a test", { [UNIT]: ["[F2-S3]", "[F2]"] }, /RFC-COVERAGE.md:11: no test carries this id/],
    ["a rule that no row has", { [UNIT]: ["F2-10", "F2-11"] }, /no row has the id F2-11/],
    ["a second row for an id", { [SECURITY]: ["| X02 |", "| X01 |"] }, /a second row for X01/],
    ["a missing file", { [SECURITY]: ["`lib/rule.cpp`", "`lib/role.cpp`"] }, /no such file: lib\/role.cpp/],
    ["a row without a file", { [SECURITY]: ["`lib/rule.cpp`", ""] }, /names the file that holds the rule/],
    ["a missing decision record", { [SECURITY]: ["0001-why", "0002-why"] }, /no such decision/],
    ["a row with too few columns", { [RFC]: ["| not ours |", "|"] }, /three columns, this one 2/],
  ]) {
    it(`names ${what}`, () => {
      const { faults } = check(tree(changes));
      assert.match(faults.join("\n"), fault);
    });
  }
});
