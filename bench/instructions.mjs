// make bench-instructions: counts, prints, and compares with the committed table. A report: the status is 0 even when
// something has grown.
//   node bench/instructions.mjs [--update] [--repeat TIMES] [ROWS]
// --update writes the table; --repeat counts several times and says how far the counts lie apart; ROWS: part of rows'
// names.
import { parseArgs } from "node:util";
import { countAll } from "./instructions_all.mjs";
import {
  COUNTS,
  builtBy,
  compare,
  differences,
  isComparable,
  isFault,
  printed,
  readTable,
  sentence,
  versions,
  writeTable,
} from "./instructions_table.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: "boolean" }, repeat: { type: "string", default: "1" } },
});
const only = positionals[0] ?? "";
if (values.update && only) throw new Error("the table is written whole: --update takes no ROWS");
const now = { built_by: builtBy(), versions: versions() };
const runs = [];
for (let i = 0; i < Number(values.repeat); ++i) runs.push(await countAll({ only }));
const rows = runs[0];
console.log(printed(rows));

if (runs.length > 1) {
  console.log(`\nHow far ${runs.length} runs lie apart, in per cent:`);
  const apart = (row, count) => {
    const all = runs.map((run) => run[row][count]);
    return (Math.max(...all) / Math.min(...all) - 1) * 100;
  };
  for (const row of Object.keys(rows))
    console.log(row.padEnd(36) + COUNTS.map((count) => apart(row, count).toFixed(2).padStart(15)).join(""));
}

if (values.update) {
  writeTable(rows, now);
  console.log("\nbench/instructions.json is written. Say in the commit why it moves.");
} else {
  const table = readTable();
  const entries = compare(table, rows).filter(({ row }) => row.includes(only));
  const changed = entries.filter(({ verdict }) => verdict !== "same");
  const faults = changed.filter(isFault);
  console.log(
    [
      "",
      ...differences(table, now),
      ...changed.map(sentence),
      `${entries.length} counts, ${faults.length} more than the table allows`,
    ].join("\n"),
  );
  if (!isComparable(table, now))
    console.log("Another compiler or other options than the table's: the counts cannot be compared.");
}
