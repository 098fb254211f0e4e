// Which characters may stand where, and how hard a value is to guess.
import { findings } from "./finding.mjs";

const ERROR_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/; // RFC 6749 §5.2: no double quote, no backslash, no line break

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/// The URL when `text` is an absolute one with https, a host and no user information; else undefined.
export function httpsUrl(text) {
  if (typeof text !== "string" || !/^https:\/\/[^/?#@\s]+([/?#]|$)/.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function isUri(text) {
  return typeof text === "string" && /^[A-Za-z][A-Za-z0-9+.-]*:[!#$&-;=?-[\]_a-z~%]+$/.test(text);
}

/// Shannon's entropy of the characters as they are distributed in the text itself, times its length: what the suite
/// measures.
export function shannonBits(text) {
  const counts = new Map();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / text.length);
  return bits;
}

/// Codes, access tokens and refresh tokens: 128 bits of room, over 96 bits of entropy (RFC 6749 §10.10).
export function checkGuessing(name, value) {
  return findings(
    [() => value.length * 8 < 128, "FAILURE", `${name} is shorter than 128 bits`],
    [() => shannonBits(value) <= 96, "FAILURE", `${name} has no more than 96 bits of entropy`],
  );
}

/// `error`, `error_description` and `error_uri`, of a redirect or of a JSON body.
export function checkErrorText({ error, error_description, error_uri } = {}) {
  const rows = [
    [typeof error !== "string" || error === "", "FAILURE", "there is no error"],
    [
      typeof error === "string" && !ERROR_TEXT.test(error),
      "FAILURE",
      "error holds characters outside 0x20-21, 0x23-5B, 0x5D-7E",
    ],
    [error_uri !== undefined && !isUri(error_uri), "FAILURE", "error_uri is not a URI"],
  ];
  if (error_description !== undefined) {
    const withoutBreaks = String(error_description).replace(/[\t\r\n]/g, "");
    rows.push(
      [typeof error_description !== "string", "FAILURE", "error_description is not a string"],
      [
        !ERROR_TEXT.test(withoutBreaks),
        "FAILURE",
        "error_description holds characters outside 0x20-21, 0x23-5B, 0x5D-7E",
      ],
      [withoutBreaks !== String(error_description), "WARNING", "error_description holds a tab or a line break"],
    );
  }
  return findings(...rows);
}
