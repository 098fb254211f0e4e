// Signed tokens at processes that keep running. Every forgery is first put in the place of the live token in the
// database, so that nothing but the verification stands between it and the user's claims. The rules are in
// tests/unit/jose.
import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { digestOf, sql, text } from "./database.mjs";
import { encode, forge, keysOf, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, everywhere, verdict } from "./verdict.mjs";

const now = () => Math.floor(Date.now() / 1000);
const ORDER = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"); // of P-256
const number = (value) => Buffer.from(value.toString(16).padStart(64, "0"), "hex");

describe("signed tokens", () => {
  let p, web, tokens, jti, header, claims, ec, rsa;
  before(async () => {
    p = await openProvider({ tls: false });
    ({ web } = p.clients);
    tokens = await p.tokens(web, { scope: "openid email" });
    ({ header, claims } = decode(tokens.access_token));
    jti = claims.jti;
    const keys = await keysOf(p.deployment);
    ec = keys.find(({ alg }) => alg === "ES256");
    rsa = keys.find(({ alg }) => alg === "RS256");
  });
  after(async () => {
    await p?.stop();
  });

  /// In the row of the token that was given out, where a token is found by its `iat` and its digest.
  const put = (token) =>
    sql(
      p.deployment,
      `UPDATE access_tokens SET token_hash = ${text(digestOf(token))}, ` +
        `issued_at = ${issuedAt(token)} WHERE jti = ${text(jti)}`,
    );
  const issuedAt = (token) => {
    try {
      const { iat } = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
      return Number.isSafeInteger(iat) ? iat : claims.iat;
    } catch {
      return claims.iat;
    }
  };
  const inBody = (token) => p.post("/userinfo", { access_token: token });
  const segments = (token) => token.split(".");
  /// With our key and our way of writing a header.
  const ours = (payload, head = header, key = ec) => forge(key, head, payload);

  /// The token is as good as one that was given out.
  async function believed(token, what) {
    await put(token);
    assert.equal(verdict(await p.userinfo(token)), "200", what);
    assert.equal((await p.introspect(token)).active, true, what);
  }
  /// The token is nothing anywhere. What is revoked with `revocable` false must still be there: allRefused() looks.
  async function refused(token, what, { revocable = false } = {}) {
    await put(token);
    // the rest is refused as a header already
    const inHeader = /^[A-Za-z0-9._~+/=-]*$/.test(token) && token.length < 8000;
    for (const answer of inHeader ? [await p.userinfo(token), await inBody(token)] : [await inBody(token)]) {
      assert.equal(verdict(answer), "401 invalid_token", what);
    }
    assert.deepEqual(await p.introspect(token), INACTIVE, what);
    for (const hint of revocable ? [] : [undefined, "access_token"]) {
      const { status, body } = await p.revoke(web, token, { token_type_hint: hint });
      assert.deepEqual({ status, body }, { status: 200, body: "" }, what);
    }
  }
  async function allRefused(rows, options) {
    for (const [what, token] of Object.entries(rows)) await refused(token, what, options);
    await believed(tokens.access_token, "none of them was worth a revocation");
    assert.equal((await p.introspect(tokens.refresh_token)).active, true);
  }
  /// Well signed, and of another time than now: good for revocation, which asks for no time, and for nothing else.
  const allOver = (rows) => allRefused(rows, { revocable: true });

  it("a token of the same making is believed: what follows is refused for its faults alone", async () => {
    for (let i = 0; i < 3; ++i) await believed(ours(claims), "the same claims, another signature");
    await believed(ours({ ...claims, more: 1 }), "a member more");
  });

  it("a forgery of each kind is refused by each endpoint, though its digest is recorded", async () => {
    const token = tokens.access_token;
    const [head, payload, mark] = segments(token);
    const stranger = strangeKey();
    const pem = createPublicKey(ec.key).export({ type: "spki", format: "pem" });
    const hs256 = `${encode({ ...header, alg: "HS256" })}.${payload}`;
    const twice = `${JSON.stringify(claims).slice(0, -1)},"sub":"mallory"}`;
    await allRefused({
      "no signature": `${encode({ ...header, alg: "none" })}.${payload}.`,
      "a public key as the secret": `${hs256}.${createHmac("sha256", pem).update(hs256).digest("base64url")}`,
      "another algorithm": forge({ key: rsa.key, alg: "PS256" }, { ...header, alg: "PS256", kid: rsa.kid }, claims),
      "another kid": ours(claims, { ...header, kid: "../../dev/null" }),
      "a key inside": forge(
        stranger,
        { ...header, jwk: createPublicKey(stranger.key).export({ format: "jwk" }) },
        claims,
      ),
      "a stranger's key": forge(stranger, header, claims),
      critical: ours(claims, { ...header, crit: ["b64"] }),
      "four segments": `${token}.${mark}`,
      padding: `${token}==`,
      "a claim twice": ours(twice),
      "another typ": ours(claims, { ...header, typ: "JWT" }),
      "another issuer": ours({ ...claims, iss: `${p.issuer}/` }),
      "no exp": ours({ ...claims, exp: undefined }),
      "a signature of zeros": `${head}.${payload}.${"A".repeat(86)}`,
      "longer than any": ours({ ...claims, more: "x".repeat(9000) }),
    });
    await allOver({
      expired: ours({ ...claims, exp: now() - 1 }),
      "from the future": ours({ ...claims, iat: now() + 900 }),
    });
    await believed(ours({ ...claims, more: "x".repeat(4000) }), "as long as one may be");
    await believed(ours({ ...claims, nbf: now(), iat: now() + 30 }), "a clock that went back by half a minute");
    await believed(forge(rsa, { ...header, alg: "RS256", kid: rsa.kid }, claims), "either key may sign either kind");
    // The other signature that the curve allows over the same text (n - s) makes another token than the recorded one.
    await put(token);
    const raw = Buffer.from(mark, "base64url");
    const twin = Buffer.concat([raw.subarray(0, 32), number(ORDER - BigInt(`0x${raw.subarray(32).toString("hex")}`))]);
    assert.equal(verdict(await p.userinfo(`${head}.${payload}.${twin.toString("base64url")}`)), "401 invalid_token");
    assert.deepEqual(await p.introspect(`${head}.${payload}.${twin.toString("base64url")}`), INACTIVE);
  });

  it("ID tokens and refresh tokens that are recorded as access tokens are not accepted as such [J11]", async () => {
    await allRefused({
      "an ID token": tokens.id_token,
      "the claims of one": ours(decode(tokens.id_token).claims, { ...header, typ: "JWT" }),
    });
    // The refresh token is a token of its own to introspection and revocation; at UserInfo it is nothing.
    await put(tokens.refresh_token);
    assert.equal(verdict(await p.userinfo(tokens.refresh_token)), "401 invalid_token");
    assert.equal((await p.introspect(tokens.refresh_token)).token_type, "refresh_token");
    await believed(tokens.access_token);
  });

  it("a key that was retired verifies nothing any more, in every running process [J14]", async () => {
    // Rotated out but published: good. Taken out of the set: nothing any more, here and in every running process.
    const old = ours({ ...claims, note: "by the first key" });
    await believed(old);
    await p.deployment.postern(["key", "rotate", "--alg", "ES256", "--lead", "0"]);
    await believed(old);
    await believed(tokens.access_token);
    const renewed = await p.tokens(web, { scope: "openid email" });
    assert.notEqual(decode(renewed.access_token).header.kid, header.kid);
    await p.deployment.postern(["key", "retire", header.kid, "--force"]);
    for (const token of [old, tokens.access_token, ours(claims)]) {
      await put(token);
      await everywhere(async () => assert.equal(verdict(await p.userinfo(token)), "401 invalid_token"));
      assert.deepEqual(await p.introspect(token), INACTIVE);
    }
    tokens = renewed;
    ({ header, claims } = decode(tokens.access_token));
    jti = claims.jti;
    ec = (await keysOf(p.deployment)).find(({ kid }) => kid === header.kid);
    await believed(ours(claims));
  });
});
