// Key pairs of clients that sign, and what they sign with them (RFC 7523 §2.2).
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";

/// A new key pair for ES256: the private JWK, and the set with its public half, which a client registers.
export function newKey(kid) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...privateKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  const { d: _, ...published } = jwk;
  return { jwk, jwks: { keys: [published] } };
}

function signed(jwk, header, payload) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "ES256", ...header })}.${encode(payload)}`;
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

const seconds = () => Math.floor(Date.now() / 1000);

/// The parameters with which a client authenticates once.
export function assertion({ jwk, client, issuer, claims = {} }) {
  const now = seconds();
  const payload = { iss: client, sub: client, aud: issuer, iat: now, exp: now + 60, jti: randomUUID(), ...claims };
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: signed(jwk, { kid: jwk.kid }, payload),
  };
}

/// The header with which a client shows once that it has the key (RFC 9449 §4.2); with a token, that it may use that.
export function proof({ jwk, url, method = "POST", token, claims = {} }) {
  const { kty, crv, x, y } = jwk;
  const ath = token && createHash("sha256").update(token).digest("base64url");
  const payload = { jti: randomUUID(), htm: method, htu: url, iat: seconds(), ath, ...claims };
  return { dpop: signed(jwk, { typ: "dpop+jwt", jwk: { kty, crv, x, y } }, payload) };
}
