// `fetch` for libraries that take one: that of Node.js cannot be given an authority or a certificate of one's own.
import { webcrypto } from "node:crypto";
import { request } from "../support/user_agent.mjs";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name
globalThis.CryptoKey ??= webcrypto.CryptoKey;

/// Trusts the authority `ca`, a text.
export const fetchTrusting =
  (ca) =>
  async (url, { method, headers, body }) => {
    const sent = { method, headers: Object.fromEntries(new Headers(headers)), body: body?.toString() };
    const answer = await request(url, { ...sent, ca });
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one]),
    );
    return new Response(answer.body, { status: answer.status, headers: received });
  };

/// A private key as the libraries take it, of a JWK for ES256.
export function importKey({ kty, crv, x, y, d }) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, algorithm, false, ["sign"]);
}

/// The pair of a key of node:crypto.
export async function keyPairOf({ privateKey }) {
  const { d, ...jwk } = privateKey.export({ format: "jwk" });
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return {
    privateKey: await importKey({ d, ...jwk }),
    publicKey: await crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]),
  };
}
