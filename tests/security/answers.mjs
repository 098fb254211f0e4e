// What a browser got, and what the provider keeps.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/// Nothing went anywhere: a page says why, and no cookie, address or code came with it.
export function isPage(answer, message, status = 400) {
  assert.equal(
    answer.status,
    status,
    `${message}: ${answer.headers.location ?? answer.body.match(/<title>([^<]*)/)?.[1]}`,
  );
  assert.equal(answer.headers.location, undefined, message);
  assert.equal(answer.headers["set-cookie"], undefined, message);
  assert.match(answer.headers["content-type"], /^text\/html/, message);
}

/// The Cookie header that this browser sends.
export async function cookiesOf(p, person) {
  const { send } = person;
  let cookie;
  person.send = (url, options) => {
    cookie = options.headers.cookie;
    return send(url, options);
  };
  await person.visit(`${p.issuer}/jwks`);
  person.send = send;
  return cookie ?? "";
}

/// All that the provider keeps in its directory of the database: [[file name, bytes]].
export async function kept(p) {
  const directory = join(p.deployment.directory, "db");
  return Promise.all((await readdir(directory)).map(async (name) => [name, await readFile(join(directory, name))]));
}
