// Chance that can be repeated: POSTERN_SEED makes a run draw the same numbers again.
import { randomInt } from "node:crypto";

/// The full figures of docs/ENDURANCE.md in place of short runs.
export const LONG = process.env.POSTERN_LONG === "1";

/// { seed, below(n), chance(p), pick(list) }
export function seeded(seed = Number(process.env.POSTERN_SEED ?? randomInt(2 ** 31))) {
  let state = seed >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  return { seed, below, chance: (p) => next() < p, pick: (list) => list[below(list.length)] };
}
