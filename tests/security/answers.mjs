// How the authorization endpoint and the pages answered: at the client's address, by a page, or on the way to one of
// ours.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/// The parameters of an authorization response, from the query or the fragment of the address it was sent to.
export function parametersOf(location) {
  const { search, hash } = new URL(location);
  return new URLSearchParams(hash ? hash.slice(1) : search);
}

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

/// The client was told: `error` with the state and the issuer, at exactly the address it registered. Answers the
/// parameters.
export function isClientError(p, answer, redirectUri, error, message, state = "s-1") {
  assert.equal(answer.status, 303, `${message}: ${answer.status}`);
  const location = answer.headers.location;
  assert.match(location.slice(redirectUri.length), /^[?#]/, `${message}: ${location}`);
  assert.equal(location.slice(0, redirectUri.length), redirectUri, message);
  const parameters = parametersOf(location);
  assert.equal(parameters.get("error"), error, `${message}: ${location}`);
  assert.equal(parameters.get("state"), state, message);
  assert.equal(parameters.get("iss"), p.issuer, message);
  assert.ok(!parameters.has("code") && !parameters.has("access_token"), message);
  return parameters;
}

/// Which of our own pages the browser was sent to: "login", "scopes" or "authorize"; otherwise what came instead.
export function nextPage(p, answer) {
  const location = answer.headers.location ?? "";
  return location.startsWith(`${p.issuer}/`)
    ? new URL(location).pathname.split("/").pop()
    : `${answer.status} ${location}`;
}

/// Every answer that this browser gets from now on, redirects included: { url, method, status, headers, body }.
export function watch(person) {
  const seen = [];
  const { send } = person;
  person.send = async (url, options) => {
    const answer = await send(url, options);
    seen.push({ url, method: options.method, sent: options.headers, ...answer });
    return answer;
  };
  return seen;
}

/// The Cookie header that this browser sends.
export async function cookiesOf(p, person) {
  const { send } = person;
  const seen = watch(person);
  await person.visit(`${p.issuer}/jwks`);
  person.send = send;
  return seen[0].sent.cookie ?? "";
}

/// All that the provider keeps in its directory of the database: [[file name, bytes]].
export async function kept(p) {
  const directory = join(p.deployment.directory, "db");
  return Promise.all((await readdir(directory)).map(async (name) => [name, await readFile(join(directory, name))]));
}

/// What a signed token says; its signature is not looked at.
export const claimsOf = (jwt) => JSON.parse(Buffer.from(jwt.split(".")[1], "base64url").toString());
