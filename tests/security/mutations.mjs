// Conversations with something wrong in them, the same for the same seed.
import { TYPE, record } from "./records.mjs";

// Node 18 has no toSpliced() and no with() yet.
const spliced = (records, at, count, ...more) => [...records.slice(0, at), ...more, ...records.slice(at + count)];
const replaced = (records, at, bytes) => spliced(records, at, 1, bytes);

const EDGES = [0, 1, 7, 8, 127, 128, 255];

/// One change each of a list of records. They work on copies.
const CHANGES = [
  function drop(records, { below }) {
    return spliced(records, below(records.length), 1);
  },
  function repeat(records, { below }) {
    const at = below(records.length);
    return spliced(records, at, 0, records[at]);
  },
  function swap(records, { below }) {
    const [one, other] = [below(records.length), below(records.length)];
    return replaced(replaced(records, one, records[other]), other, records[one]);
  },
  function cut(records, { below }) {
    const at = below(records.length);
    return replaced(records, at, records[at].subarray(0, below(records[at].length + 1)));
  },
  function end(records, { below }) {
    return records.slice(0, below(records.length + 1));
  },
  function foreign(records, random) {
    const type = random.pick([...Object.values(TYPE), 0, 255]);
    const made = record(type, bytesOf(random, random.pick(EDGES)), {
      id: random.pick([0, 1, 2, 65535]),
      version: random.pick([1, 1, 1, 0, 2]),
      padding: random.pick(EDGES),
    });
    return spliced(records, random.below(records.length + 1), 0, made);
  },
  function header(records, random) {
    return withByte(records, random, random.below(8), random.pick([...EDGES, random.below(256)]));
  },
  function content(records, random) {
    return withByte(records, random, 8 + random.below(64), random.pick([...EDGES, random.below(256)]));
  },
  function anywhere(records, random) {
    return withByte(records, random, random.below(70_000), random.below(256));
  },
  function lengths(records, random) {
    const at = records.findIndex((bytes) => bytes[1] === TYPE.PARAMS && bytes.length > 40);
    if (at < 0) return records;
    const place = 8 + random.below(records[at].length - 16);
    const copy = Buffer.from(records[at]);
    copy.writeUInt32BE(random.pick([0xffffffff, 0x80000000, 0x80ffffff, 0x9fffffff, 0x8000ffff, 0x7fffffff]), place);
    return replaced(records, at, copy);
  },
  function noise(records, random) {
    return spliced(records, random.below(records.length + 1), 0, bytesOf(random, random.below(600)));
  },
];

const bytesOf = ({ below }, count) => Buffer.from(Array.from({ length: count }, () => below(256)));

function withByte(records, random, place, value) {
  const at = random.below(records.length);
  if (records[at].length === 0) return records;
  const copy = Buffer.from(records[at]);
  copy[place % copy.length] = value;
  return replaced(records, at, copy);
}

/// The bytes of a conversation with one to four changes.
export function mutate(conversation, random) {
  let records = conversation;
  for (let left = 1 + random.below(4); left > 0; --left)
    records = records.length > 0 ? random.pick(CHANGES)(records, random) : records;
  return Buffer.concat(records);
}
