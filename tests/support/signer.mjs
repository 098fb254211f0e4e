// Key pairs of clients that sign, and what they sign with them (RFC 7523 §2.2).
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";

/// A new key pair for ES256: the private JWK, and the set with its public half, which a client registers.
export function newKey(kid) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...privateKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  const { d: _, ...published } = jwk;
  return { jwk, jwks: { keys: [published] } };
}

/// The parameters with which a client authenticates once.
export function assertion({ jwk, client, issuer, claims = {} }) {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iss: client, sub: client, aud: issuer, iat: now, exp: now + 60, jti: randomUUID(), ...claims };
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "ES256", kid: jwk.kid })}.${encode(payload)}`;
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${text}.${signature}`,
  };
}
