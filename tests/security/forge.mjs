// Tokens that were not issued: made of parts of good ones, or signed with the deployment's own keys by somebody who has
// them.
import { constants, createHash, createPrivateKey, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

export const encode = (value) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/// The signature over `text` as `alg` (RS256, PS256 or ES256) says, whatever the key was made for.
function signature(key, alg, text) {
  const options = { key };
  if (alg.startsWith("ES")) options.dsaEncoding = "ieee-p1363";
  if (alg === "PS256") Object.assign(options, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
  return signBytes("sha256", Buffer.from(text), options).toString("base64url");
}

/// A compact token. Header and payload are objects, or the text of what stands there; `alg` is how it is really signed.
export function forge({ key, alg }, header, payload) {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${signature(key, alg, text)}`;
}

/// The private keys of a deployment, oldest first: { alg, kid, file, key }.
export async function keysOf(deployment) {
  const directory = join(deployment.directory, "keys");
  const files = (await readdir(directory)).filter((name) => name.endsWith(".pem"));
  const keys = files.map(async (name) => {
    const [alg, since, kid] = name.split(".");
    const file = join(directory, name);
    return { alg, kid, since: Number(since), file, key: createPrivateKey(await readFile(file)) };
  });
  return (await Promise.all(keys)).sort((a, b) => a.since - b.since);
}

/// A key that the deployment has never seen.
export function strangeKey(alg = "ES256") {
  const { privateKey } =
    alg === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    alg,
    kid: createHash("sha256")
      .update(privateKey.export({ type: "pkcs8", format: "der" }))
      .digest("base64url"),
    key: privateKey,
  };
}
