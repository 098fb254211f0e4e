// Remembers every secret that passed through the tests of one process, and finds those that were left lying about.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const SHORTEST = 12;
/// So many of one process: an endless run is not about more of the same, and has other uses for its memory.
const MOST = 20_000;
const BEGINNING = 8;

/// What a form that is sent may hold, and what an answer gives out, by the names they go by. A seal or form token that
/// is sent may be anything; ours are learned where they are given.
const SENT = {
  client_secret: "client secret",
  password: "password",
  new: "password",
  again: "password",
  code_verifier: "code verifier",
  t: "link",
  signature: "signature of a passkey",
};
const GIVEN = {
  code: "code",
  access_token: "access token",
  refresh_token: "refresh token",
  id_token: "ID token",
  client_secret: "client secret",
  csrf: "form token",
  resume: "sealed request",
  challenge: "sealed challenge",
};

/// The first and last characters of such text also depend on what stands before and behind the value.
function base64At(value, offset) {
  const encoded = Buffer.concat([Buffer.alloc(offset), value]).toString("base64");
  return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor((offset + value.length) / 3) * 4);
}

function formsOf(value) {
  const percent = encodeURIComponent(value);
  return [
    value,
    percent,
    percent.replaceAll("%20", "+"),
    new URLSearchParams({ "": value }).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ]
    .map((text) => Buffer.from(text))
    .concat(
      Buffer.from(value, "utf16le"),
      [0, 1, 2].map((offset) => Buffer.from(base64At(Buffer.from(value), offset))),
    );
}

/// Of sixteen bits that depend on all of the first four bytes.
const bucketOf = (bytes, at) =>
  Math.imul(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24), 0x9e3779b1) >>> 12;

export class Secrets {
  #kinds = new Map();
  #public = new Set();
  #needles = new Map();
  #begins = new Uint8Array(1 << 20);

  /// `kind` says what it is in a message. Values of less than twelve bytes are not searched for: they stand anywhere.
  remember(kind, value) {
    if (
      typeof value !== "string" ||
      value.length < SHORTEST ||
      this.#kinds.has(value) ||
      this.#public.has(value) ||
      this.#kinds.size >= MOST
    )
      return;
    this.#kinds.set(value, kind);
    const [, , signature] = value.match(/^(ey[\w-]+\.[\w-]+)\.([\w-]{20,})$/) ?? []; // the rest is no secret without it
    for (const form of formsOf(signature ?? value)) {
      const beginning = form.toString("latin1", 0, BEGINNING);
      const same = this.#needles.get(beginning) ?? [];
      if (!same.some(([known]) => known.equals(form))) this.#needles.set(beginning, [...same, [form, kind]]);
      this.#begins[bucketOf(form, 0)] = 1;
    }
  }

  #learnPairs(text, kinds) {
    for (const [name, value] of new URLSearchParams(text)) {
      if (name === "code_challenge") this.#public.add(value); // and no secret when somebody sends it as the verifier
      if (kinds[name]) this.remember(kinds[name], value);
    }
  }

  /// Of a request: what the sender proves himself with. `headers` by their names in small letters.
  learnRequest(url, { headers = {}, body = "" }) {
    const { search } = new URL(url);
    this.#learnPairs(search, SENT);
    this.#learnPairs(String(body), SENT);
    this.remember("Authorization header", headers.authorization?.replace(/^\S+ +/, ""));
    for (const pair of (headers.cookie ?? "").split(/; */)) this.remember("cookie", pair.slice(pair.indexOf("=") + 1));
  }

  /// Of an answer: cookies, codes, tokens, seals and form tokens.
  learnAnswer({ headers, body }) {
    for (const line of headers["set-cookie"] ?? [])
      this.remember("cookie", line.replace(/;.*/, "").replace(/^[^=]*=/, ""));
    const [, query = "", fragment = ""] = (headers.location ?? "").match(/^[^?#]*(?:\?([^#]*))?(?:#(.*))?$/) ?? [];
    for (const text of [query, fragment]) this.#learnPairs(text, GIVEN);
    for (const [, name, value] of body.matchAll(/"(\w+)"\s*:\s*"([^"]*)"/g))
      if (GIVEN[name]) this.remember(GIVEN[name], value);
    for (const [, name, value] of body.matchAll(/<input[^>]*\sname="(\w+)"[^>]*\svalue="([^"]*)"/g))
      if (GIVEN[name]) this.remember(GIVEN[name], value);
  }

  /// The kinds of those that the bytes hold: as they are, percent-encoded, as JSON, in base64 of any alignment or in
  /// UTF-16.
  foundIn(content) {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
    const kinds = new Set();
    for (let at = 0; at + BEGINNING <= bytes.length; ++at) {
      if (this.#begins[bucketOf(bytes, at)] === 0) continue;
      for (const [needle, kind] of this.#needles.get(bytes.latin1Slice(at, at + BEGINNING)) ?? [])
        if (bytes.compare(needle, 0, needle.length, at, Math.min(at + needle.length, bytes.length)) === 0)
          kinds.add(kind);
    }
    return [...kinds].sort();
  }

  /// "db/postern.db-wal: cookie" for each kind in each file below `directory` that `isWanted` (its path there) says yes
  /// to.
  foundBelow(directory, isWanted = () => true) {
    return filesBelow(directory)
      .filter((file) => isWanted(relative(directory, file)))
      .flatMap((file) => {
        try {
          return this.foundIn(readFileSync(file)).map((kind) => `${relative(directory, file)}: ${kind}`);
        } catch (error) {
          if (error.code === "ENOENT") return []; // it went meanwhile
          throw error;
        }
      });
  }
}

function filesBelow(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const status = statSync(path, { throwIfNoEntry: false });
    return status?.isDirectory() ? filesBelow(path) : status?.isFile() ? [path] : [];
  });
}

/// Everything that the tests of this process have seen.
export const secrets = new Secrets();
