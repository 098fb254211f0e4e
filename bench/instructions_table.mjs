// The committed counts, bench/instructions.json: what was counted compared with them.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, ROOT } from "../tests/support/deployment.mjs";

const FILE = join(ROOT, "bench/instructions.json");
/// Whose versions are noted beside the counts: they are part of what was counted, or of what counts.
const PACKAGES = ["libc6", "libstdc++6", "libssl3", "libsqlite3-0", "libcrypt1", "libfcgi0ldbl", "valgrind", "strace"];
/// The most that a count may change, in per cent, where the table says nothing else.
export const TOLERANCE = 5;
export const COUNTS = ["instructions", "allocations", "system_calls"];

export const readTable = () => JSON.parse(readFileSync(FILE, "utf8"));

/// How the programs in BUILD were compiled, "GNU C++20 12.2.0 -mtune=generic -march=x86-64 -g -O2 ...", from what the
/// compiler wrote into one of their objects; "unknown" without debugging information.
export function builtBy() {
  const read = (...args) =>
    execFileSync("readelf", [...args, join(BUILD, "cgi-bin/jwks.o")], { encoding: "utf8", maxBuffer: 1 << 30 });
  return (
    read("--debug-dump=info", "--dwarf-depth=1")
      .match(/DW_AT_producer.*: (GNU .*|.*clang.*)$/m)?.[1]
      .trim() ?? "unknown"
  );
}

export function versions() {
  const lines = execFileSync("dpkg-query", ["-W", "-f", "${Package} ${Version}\n", ...PACKAGES], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return Object.fromEntries(
    lines
      .trim()
      .split("\n")
      .map((line) => line.split(" ")),
  );
}

/// One entry for each count: { row, count, before, now, change in per cent, tolerance, verdict }, the verdict "same",
/// "grown", "shrunk", "new" (not in the table) or "gone" (in the table only).
export function compare(table, rows) {
  const names = new Set([...Object.keys(table.rows), ...Object.keys(rows)]);
  return [...names].flatMap((row) =>
    COUNTS.map((count) => {
      const before = table.rows[row]?.[count];
      const now = rows[row]?.[count];
      const tolerance = table.tolerances?.[row]?.[count] ?? TOLERANCE;
      const change = before === undefined || now === undefined ? undefined : ((now - before) * 100) / before;
      const verdict =
        before === undefined
          ? "new"
          : now === undefined
            ? "gone"
            : change > tolerance
              ? "grown"
              : change < -tolerance
                ? "shrunk"
                : "same";
      return { row, count, before, now, change, tolerance, verdict };
    }),
  );
}

/// A count that has shrunk is no fault, but the table does not keep what was won until it says so.
export const isFault = ({ verdict }) => verdict === "grown" || verdict === "new" || verdict === "gone";

const number = (value) => (value === undefined ? "-" : value.toLocaleString("en", { maximumFractionDigits: 1 }));

export function sentence({ row, count, before, now, change, tolerance, verdict }) {
  const changed = () =>
    `${number(before)} -> ${number(now)} ${count.replace("_", " ")} ` +
    `(${change > 0 ? "+" : ""}${change.toFixed(1)} %, tolerance ${tolerance} %)`;
  return (
    `${row}: ` +
    {
      same: () => changed(),
      grown: () => `GROWN: ${changed()}`,
      shrunk: () => `shrunk: ${changed()}: update the table, so that it stays so`,
      new: () => `${count.replace("_", " ")}: not in the table`,
      gone: () => `${count.replace("_", " ")}: in the table, and not counted any more`,
    }[verdict]()
  );
}

/// Lines about everything but the counts that differs from when the table was made; empty when nothing does.
export function differences(table, now) {
  const lines = [];
  if (table.built_by !== now.built_by)
    lines.push(`built by ${now.built_by}`, `the table's programs were built by ${table.built_by}`);
  for (const [name, version] of Object.entries(table.versions))
    if (now.versions[name] !== version)
      lines.push(`${name} is ${now.versions[name] ?? "missing"}; the table's was ${version}`);
  return lines;
}

/// Whether growth means anything: another compiler, or other options, make other instructions of the same source.
export const isComparable = (table, now) => table.built_by === now.built_by;

export function writeTable(rows, now) {
  const { tolerances = {} } = readTable();
  const rounded = (value, count) => (count === "instructions" ? Math.round(value) : Math.round(value * 10) / 10);
  const line = ([name, counts]) =>
    `    ${JSON.stringify(name)}: ` +
    `${JSON.stringify(Object.fromEntries(COUNTS.map((count) => [count, rounded(counts[count], count)])))}`;
  const block = (object) => JSON.stringify(object, null, 2).replaceAll("\n", "\n  ");
  writeFileSync(
    FILE,
    `{\n  "built_by": ${JSON.stringify(now.built_by)},\n  "versions": ${block(now.versions)},\n  ` +
      `"tolerances": ${block(tolerances)},\n  "rows": {\n${Object.entries(rows).map(line).join(",\n")}\n  }\n}\n`,
  );
}

export function printed(rows) {
  const cell = (text, width) => String(text).padStart(width);
  return [
    "".padEnd(36) + COUNTS.map((count) => cell(count.replace("_", " "), 15)).join(""),
    ...Object.entries(rows).map(
      ([name, counts]) => name.padEnd(36) + COUNTS.map((count) => cell(number(counts[count]), 15)).join(""),
    ),
  ].join("\n");
}
