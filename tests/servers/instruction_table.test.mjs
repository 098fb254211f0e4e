// How `make bench-instructions` compares counts with bench/instructions.json.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, differences, isComparable, isFault } from "../../bench/instructions_table.mjs";

describe("the comparison with the table", () => {
  const table = {
    built_by: "a compiler",
    versions: { libssl3: "1" },
    tolerances: { noisy: { allocations: 20 } },
    rows: {
      plain: { instructions: 1000, allocations: 100, system_calls: 20 },
      noisy: { instructions: 1000, allocations: 100, system_calls: 20 },
    },
  };
  const verdicts = (rows) =>
    Object.fromEntries(
      compare(table, rows)
        .filter(({ verdict }) => verdict !== "same")
        .map(({ row, count, verdict }) => [`${row} ${count}`, verdict]),
    );
  const changed = (row, counts) => ({ ...table.rows, [row]: { ...table.rows[row], ...counts } });

  const CASES = [
    ["the same counts", table.rows, {}],
    ["5 % more", changed("plain", { instructions: 1050 }), {}],
    ["more than 5 % more", changed("plain", { instructions: 1051 }), { "plain instructions": "grown" }],
    ["one more of twenty and a half", changed("plain", { system_calls: 21.5 }), { "plain system_calls": "grown" }],
    ["more than 5 % less", changed("plain", { allocations: 94 }), { "plain allocations": "shrunk" }],
    ["20 % more where that is the tolerance", changed("noisy", { allocations: 120 }), {}],
    ["21 % more where 20 % is the tolerance", changed("noisy", { allocations: 121 }), { "noisy allocations": "grown" }],
    [
      "6 % more of what has the usual tolerance in the same row",
      changed("noisy", { instructions: 1060 }),
      { "noisy instructions": "grown" },
    ],
    [
      "a row that the table has not",
      { ...table.rows, other: table.rows.plain },
      { "other instructions": "new", "other allocations": "new", "other system_calls": "new" },
    ],
    [
      "a row that was not counted",
      { noisy: table.rows.noisy },
      { "plain instructions": "gone", "plain allocations": "gone", "plain system_calls": "gone" },
    ],
  ];
  for (const [what, rows, expected] of CASES) {
    it(`${what}: ${Object.values(expected)[0] ?? "same"}`, () => {
      assert.deepEqual(verdicts(rows), expected);
    });
  }

  it("what has grown is a fault, and so is what one of the two does not have; what has shrunk is none", () => {
    assert.deepEqual(
      ["same", "grown", "shrunk", "new", "gone"].filter((verdict) => isFault({ verdict })),
      ["grown", "new", "gone"],
    );
  });

  it("another compiler makes counts incomparable, another library does not; both are said", () => {
    const same = { built_by: "a compiler", versions: { libssl3: "1" } };
    assert.deepEqual([isComparable(table, same), differences(table, same)], [true, []]);
    const library = { ...same, versions: { libssl3: "2" } };
    assert.deepEqual(
      [isComparable(table, library), differences(table, library)],
      [true, ["libssl3 is 2; the table's was 1"]],
    );
    const compiler = { ...same, built_by: "another" };
    assert.deepEqual(
      [isComparable(table, compiler), differences(table, compiler)],
      [false, ["built by another", "the table's programs were built by a compiler"]],
    );
  });
});
