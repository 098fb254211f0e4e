// What the token endpoint answers, and what an ID token says.
import { createHash, createPublicKey, verify } from "node:crypto";
import { checkClaimTypes } from "./claims.mjs";
import { findings } from "./finding.mjs";
import { checkErrorText, checkGuessing, isObject } from "./text.mjs";

const MINUTE = 60;
const YEAR = 365 * 24 * 3600;
const PROTOCOL_CLAIMS = (
  "iss sub aud exp iat auth_time nonce acr amr " + "azp at_hash c_hash s_hash nbf jti sid txn"
).split(" ");

const mediaType = ({ headers }) => (headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
const isJson = (answer) => mediaType(answer) === "application/json";

/// { header, claims, signed, signature } of a compact JWS; undefined when it is none.
export function parseJwt(text) {
  const parts = typeof text === "string" ? text.split(".") : [];
  if (parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))) return undefined;
  try {
    const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url")));
    return { header, claims, signed: `${parts[0]}.${parts[1]}`, signature: Buffer.from(parts[2], "base64url") };
  } catch {
    return undefined;
  }
}

/// Answers are { status, headers, json }, json being the parsed body. Both grants that a user takes part in come
/// through here.
export function checkTokenResponse({ status, headers, json }, { idToken }) {
  const { access_token, token_type, expires_in, id_token } = isObject(json) ? json : {};
  return findings(
    [status !== 200, "FAILURE", `the status is ${status}`],
    [!isJson({ headers }), "FAILURE", "the answer is not application/json"],
    [!isObject(json), "FAILURE", "the answer is not a JSON object"],
    [!/(^|[\s,])no-store($|[\s,;])/.test(headers["cache-control"] ?? ""), "FAILURE", "Cache-Control has no no-store"],
    [typeof access_token !== "string" || access_token === "", "FAILURE", "there is no access_token"],
    [!/^bearer$/i.test(token_type ?? ""), "FAILURE", `token_type is ${token_type}`],
    [expires_in === undefined, "WARNING", "there is no expires_in"],
    [
      expires_in !== undefined && !(Number.isInteger(expires_in) && expires_in > 0 && expires_in <= YEAR),
      "FAILURE",
      `expires_in is ${JSON.stringify(expires_in)}`,
    ],
    [
      (idToken === "required" || id_token !== undefined) && !parseJwt(id_token),
      "FAILURE",
      "there is no id_token that can be read",
    ],
  );
}

export const checkAccessToken = (token) => checkGuessing("the access token", token);

/// RFC 6749 Appendix A.17: VSCHAR.
export function checkRefreshToken(token) {
  return [
    ...findings([
      () => !/^[\x20-\x7e]+$/.test(token),
      "FAILURE",
      "the refresh token holds other than visible characters",
    ]),
    ...checkGuessing("the refresh token", token),
  ];
}

/// A refusal of the token endpoint: RFC 6749 §5.2.
export function checkTokenError({ status, headers, json }, error) {
  return [
    ...findings(
      [status !== 400, "FAILURE", `the status is ${status}, not 400`],
      [!isJson({ headers }), "FAILURE", "the answer is not application/json"],
      [json?.error !== error, "FAILURE", `the error is ${json?.error}, not ${error}`],
    ),
    ...checkErrorText(isObject(json) ? json : {}),
  ];
}

/// A client that registered no algorithm gets RS256 (OpenID Connect Registration §2); the kid must lead to exactly one
/// key.
export function checkSignature({ header, signed, signature }, jwks) {
  const sameKid = jwks.keys.filter(({ kid }) => kid !== undefined && kid === header.kid);
  const [key] = sameKid;
  return findings(
    [header.alg !== "RS256", "FAILURE", `alg is ${header.alg}, not RS256`],
    [typeof header.kid !== "string", "FAILURE", "the header has no kid"],
    [sameKid.length !== 1, "FAILURE", `${sameKid.length} keys of the key set have the kid`],
    [
      () => key.kty !== "RSA" || (key.alg ?? "RS256") !== "RS256" || (key.use ?? "sig") !== "sig",
      "FAILURE",
      "the key is not made for RS256 signatures",
    ],
    [
      () => !verify("sha256", Buffer.from(signed), createPublicKey({ key, format: "jwk" }), signature),
      "FAILURE",
      "the signature does not verify",
    ],
  );
}

/// OpenID Connect Core §3.1.3.7; `now` in seconds, `nonce` undefined when none was sent.
export function checkIdTokenClaims(claims, { issuer, clientId, nonce, now }) {
  const { iss, aud, azp, exp, iat, auth_time, acr, sub } = claims;
  const isTime = Number.isFinite;
  return [
    ...findings(
      [iss !== issuer, "FAILURE", `iss is ${iss}`],
      [![aud].flat().includes(clientId), "FAILURE", `aud is ${JSON.stringify(aud)}`],
      [azp !== undefined && azp !== clientId, "FAILURE", `azp is ${azp}`],
      [!isTime(exp), "FAILURE", "there is no exp"],
      [exp < now - 5 * MINUTE, "FAILURE", "exp is past"],
      [exp > now + 50 * YEAR, "FAILURE", "exp is more than 50 years away"],
      [!isTime(iat), "FAILURE", "there is no iat"],
      [iat > now + 5 * MINUTE, "FAILURE", "iat is in the future"],
      [iat < now - 5 * MINUTE, "FAILURE", "iat is more than five minutes old"],
      [auth_time !== undefined && !isTime(auth_time), "FAILURE", "auth_time is not a number"],
      [auth_time > now + 5 * MINUTE, "FAILURE", "auth_time is in the future"],
      [auth_time < now - YEAR, "FAILURE", "auth_time is more than a year old"],
      [acr !== undefined && !(typeof acr === "string" && acr !== ""), "FAILURE", "acr is not a string with content"],
      [claims.nonce !== nonce, "FAILURE", `nonce is ${claims.nonce}, not ${nonce}`],
      [
        typeof sub !== "string" || !/^[\x20-\x7e]{1,255}$/.test(sub),
        "FAILURE",
        "sub is not 1 to 255 printable ASCII characters",
      ],
    ),
    ...checkClaimTypes(claims),
  ];
}

/// Claims about the user belong to UserInfo when there is an access token (OpenID Connect Core §5.4).
export function checkIdTokenExtras(claims) {
  const others = Object.keys(claims).filter((name) => !PROTOCOL_CLAIMS.includes(name));
  return findings([others.length > 0, "WARNING", `the ID token holds ${others}`]);
}

/// `at_hash` (of the access token) and `c_hash` (of the code) may be absent, but not wrong: §3.1.3.6, §3.3.2.11.
export function checkHashes(claims, { accessToken, code }) {
  const half = (value) => createHash("sha256").update(value).digest().subarray(0, 16).toString("base64url");
  return findings(
    [claims.at_hash !== undefined && claims.at_hash !== half(accessToken), "FAILURE", "at_hash is wrong"],
    [claims.c_hash !== undefined && claims.c_hash !== half(code), "FAILURE", "c_hash is wrong"],
  );
}

/// What acr_values asked for (OpenID Connect Core §3.1.2.1): voluntary, so a miss is no failure.
export function checkAcr({ acr }, asked) {
  return findings([
    !asked.includes(acr),
    "WARNING",
    acr === undefined ? "there is no acr" : `acr ${acr} was not asked for`,
  ]);
}

/// A later ID token of the same login: OpenID Connect Core §12.2 after a refresh, §3.1.2.1 after prompt=none or
/// id_token_hint.
export function checkSameLogin(earlier, later) {
  const both = (name) => earlier[name] !== undefined && later[name] !== undefined;
  return findings(
    [earlier.sub !== later.sub, "FAILURE", "sub has changed"],
    [both("auth_time") && earlier.auth_time !== later.auth_time, "FAILURE", "auth_time has changed"],
  );
}

/// A login made anew: auth_time is strictly later where both tokens have one.
export function checkLaterLogin(earlier, later) {
  return findings([
    later.auth_time <= earlier.auth_time,
    "FAILURE",
    `auth_time went from ${earlier.auth_time} to ${later.auth_time}`,
  ]);
}

export function checkRefreshedIdToken(earlier, later) {
  return [
    ...checkSameLogin(earlier, later),
    ...findings(
      [earlier.iss !== later.iss, "FAILURE", "iss has changed"],
      [JSON.stringify(earlier.aud) !== JSON.stringify(later.aud), "FAILURE", "aud has changed"],
      [earlier.azp !== later.azp, "FAILURE", "azp has changed"],
      [earlier.iat === later.iat, "FAILURE", "iat has not changed"],
    ),
  ];
}

/// auth_time as max_age wants it: there, and within `seconds` of now.
export function checkAuthTime({ auth_time }, { now, seconds }) {
  return findings(
    [!Number.isFinite(auth_time), "FAILURE", "there is no auth_time"],
    [Math.abs(now - auth_time) > seconds, "FAILURE", `auth_time is ${now - auth_time} seconds away`],
  );
}
