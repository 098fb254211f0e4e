// The report of growth.mjs as text, with what was reached.
import { machineOf, number, table } from "./report.mjs";

const LEAST_RATIO = 0.85;
const MOST_P99_MS = 7; // of whatever writes
const MIB = 1048576;

const judge = (met) => (met ? "met" : "**missed**");
const judgeWrites = ({ p99 }, isWhole) => (isWhole ? judge(p99 <= MOST_P99_MS) : "too short to be judged");

const writesRow = (what, { p99, worst, longest, times }, verdict) => [
  what,
  number(p99, 2),
  number(worst, 2),
  number(longest, 1),
  times,
  verdict,
];

/// `report` as in growth.json.
export function markdown({ machine, seconds, rounds, results, backup, sweep }) {
  const ids = Object.keys(results[0].endpoints);
  const [least, last] = [results[0], results.at(-1)];
  const file = results.reduce((sum, { bytes }) => sum + bytes, 0);
  const work = ({ finished, seconds: time }) =>
    finished ? `${number(time, 1)} s` : `ended after ${number(time, 1)} s`;
  const { asYouGo, purge } = sweep;
  return [
    "# What many tokens cost",
    "",
    `${machineOf(machine)} ${rounds} rounds of ${seconds} s each; medians; a ratio is of two figures of one round.`,
    `The files have ${number(file / MIB, 0)} MiB together, the memory ` +
      `${number(machine.memory / MIB, 0)}` +
      (file > machine.memory / 2
        ? ": they do not all stay in it, and the disk is measured too."
        : ", so that they stay in it."),
    "",
    ...table(
      [
        "tokens",
        "MiB",
        "bytes each",
        ...ids.flatMap((id) => [`${id} per second`, `of ${least.tokens}`, "p99 ms", "CPU s per 1000"]),
      ],
      results.map(({ tokens, bytes, bytesPerToken, endpoints }) => [
        tokens,
        number(bytes / MIB, 0),
        number(bytesPerToken, 0),
        ...ids.flatMap((id) => [
          number(endpoints[id].perSecond, 0),
          number(endpoints[id].ratio, 3),
          number(endpoints[id].p99, 2),
          number(endpoints[id].cpu, 3),
        ]),
      ]),
    ),
    "The bytes of a token are its row, half of its grant and the indexes, " +
      "for rows written in order; in another order the pages are up to a third emptier.",
    "",
    ...ids.map(
      (id) =>
        `- ${id} with ${last.tokens} tokens: at least ${LEAST_RATIO} of ` +
        `${least.tokens} tokens: ${judge(last.endpoints[id].ratio >= LEAST_RATIO)}`,
    ),
    "",
    "## Writes during backup and purge",
    "",
    `refresh; p99 at most ${MOST_P99_MS} ms. The command shares the core of the server.`,
    "",
    ...table(
      ["", "p99 ms", "worst of them", "longest answer ms", "measurements", ""],
      [
        writesRow(`${backup.tokens} tokens`, backup.alone, judgeWrites(backup.alone, true)),
        writesRow(
          `the same, \`postern backup\` (${work(backup.beside)}, ${number(backup.bytes / MIB, 0)} MiB)`,
          backup.beside,
          judgeWrites(backup.beside, backup.beside.whole > 0),
        ),
        writesRow(
          `${sweep.tokens} expired tokens, deleted by requests`,
          asYouGo,
          judgeWrites(asYouGo, asYouGo.left > 0),
        ),
        writesRow(`the same, \`postern purge\` (${work(purge)})`, purge, judgeWrites(purge, purge.whole > 0)),
      ],
    ),
    `Of the expired access tokens the requests alone deleted ${asYouGo.deleted}, the command and ` +
      `the requests ${purge.deleted} (${number(purge.deleted / purge.seconds, 0)} ` +
      `per second); ${purge.left} were left.`,
    `After the copy the WAL had ${number(backup.log / MIB, 0)} MiB.`,
    "",
  ].join("\n");
}
