// The client's half of the authorization code flow with PKCE: the requests, and every check of a response.
// This file does not touch the page, so that it can be read next to the specifications.

/// A reason to stop. `message` is for users; `requestId` is the server's request id, if it sent one.
export class Problem extends Error {
    constructor(message, { requestId = null } = {}) {
        super(message);
        this.requestId = requestId;
    }
}

const utf8 = (text) => new TextEncoder().encode(text);
const sha256 = async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));

function toBase64url(bytes) {
    return btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
}

function fromBase64url(text) {
    if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new Problem("The ID token is not base64url.");
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
}

/// 256 random bits: used as state, nonce and PKCE verifier (RFC 7636 §4.1).
export const randomText = () => toBase64url(crypto.getRandomValues(new Uint8Array(32)));

/// S256 (RFC 7636 §4.2).
export const challengeOf = async (verifier) => toBase64url(await sha256(verifier));

/// One HTTP exchange and a record of it for display. `form` makes it a POST.
export async function exchange(url, { bearer = null, form = null } = {}) {
    const headers = { Accept: "application/json" };
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    let response;
    try {
        // No cookies: these endpoints do not need them. No redirects: tokens go only to the address from discovery.
        response = await fetch(url, {
            method: form ? "POST" : "GET",
            headers,
            body: form ? new URLSearchParams(form) : null,
            credentials: "omit",
            cache: "no-store",
            redirect: "error",
        });
    } catch {
        throw new Problem(`${url} could not be reached.`);
    }
    const text = await response.text();
    const told = ["Content-Type", "Cache-Control", "WWW-Authenticate", "X-Request-Id"].filter((name) =>
        response.headers.has(name),
    );
    return {
        sent: {
            line: `${form ? "POST" : "GET"} ${url}`,
            headers: bearer ? { Authorization: headers.Authorization } : {},
            parameters: form ?? {},
        },
        received: {
            line: `${response.status} ${response.statusText}`.trim(),
            text,
            headers: Object.fromEntries(told.map((name) => [name, response.headers.get(name)])),
        },
        ok: response.ok,
        requestId: response.headers.get("X-Request-Id"),
    };
}

/// The JSON object of a successful exchange, or the server's error as a Problem (RFC 6749 §5.2, RFC 6750 §3).
export function jsonOf(record) {
    let body = null;
    try {
        body = JSON.parse(record.received.text);
    } catch {
        /* told below */
    }
    const isObject = body !== null && typeof body === "object" && !Array.isArray(body);
    if (record.ok && isObject) return body;
    const words =
        isObject && body.error ? [body.error, body.error_description].filter(Boolean).join(": ") : record.received.line;
    throw new Problem(
        record.ok
            ? `${record.sent.line} was not answered with a JSON object.`
            : `The server refused ${record.sent.line}: ${words}`,
        { requestId: record.requestId },
    );
}

/// The discovery document must name the requested issuer (OpenID Connect Discovery §4.3).
export function checkDiscovery(document, issuer) {
    if (document.issuer !== issuer) {
        throw new Problem(
            `This server calls itself ${document.issuer}, but this page ` +
                `was opened at ${issuer}. Open ${document.issuer}/demo/ instead.`,
        );
    }
    const needed = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"].filter(
        (name) => !document[name],
    );
    if (needed.length)
        throw new Problem(`Discovery does not name ${needed.join(", ")}. Is OpenID Connect switched on?`);
}

/// The checks of an authorization response, in the order that matters: its origin before its content.
export function answerChecks(answer, expected) {
    const once = ["code", "state", "iss", "error"].every((name) => answer.getAll(name).length <= 1);
    return [
        { text: "no parameter came twice", clause: "RFC 6749 §3.1", ok: once },
        {
            text: "state is the one this tab sent",
            clause: "RFC 6749 §10.12",
            ok: answer.get("state") === expected.state,
        },
        {
            text: "iss is the issuer that was asked",
            clause: "RFC 9207 §2.4",
            ok: answer.get("iss") === expected.issuer,
        },
    ];
}

/// Throws for the first failed check.
export function demand(checks, what) {
    const failed = checks.find((check) => !check.ok);
    if (failed) throw new Problem(`${what} was not accepted. Failed check: ${failed.text} (${failed.clause}).`);
}

const ALGORITHMS = {
    RS256: {
        kty: "RSA",
        members: ["n", "e"],
        key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
        verify: { name: "RSASSA-PKCS1-v1_5" },
    },
    ES256: {
        kty: "EC",
        members: ["crv", "x", "y"],
        key: { name: "ECDSA", namedCurve: "P-256" },
        verify: { name: "ECDSA", hash: "SHA-256" },
    },
};

/// The key that the ID token's header names (RFC 7517 §4; RFC 8725 §3.1: the key decides the algorithm, not the token).
function findKey(header, algorithm, jwks) {
    const keys = (jwks.keys ?? []).filter(
        (key) =>
            key.kty === algorithm.kty &&
            (key.use ?? "sig") === "sig" &&
            (key.alg ?? header.alg) === header.alg &&
            key.kid === header.kid,
    );
    if (keys.length !== 1)
        throw new Problem(
            `The ID token names key ${header.kid}, and jwks_uri has ${keys.length} fitting keys of that name.`,
        );
    const { kty } = keys[0];
    return Object.fromEntries([["kty", kty], ...algorithm.members.map((name) => [name, keys[0][name]])]);
}

async function verifySignature(token, jwks) {
    const parts = token.split(".");
    if (parts.length !== 3) throw new Problem("The ID token is not a signed JWT.");
    const read = (part) => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64url(part)));
    const header = read(parts[0]);
    const algorithm = Object.hasOwn(ALGORITHMS, header.alg) ? ALGORITHMS[header.alg] : null;
    if (!algorithm)
        throw new Problem(
            `The ID token is signed with ${header.alg}; this page knows ${Object.keys(ALGORITHMS).join(" and ")}.`,
        );
    const key = await crypto.subtle.importKey("jwk", findKey(header, algorithm, jwks), algorithm.key, false, [
        "verify",
    ]);
    const ok = await crypto.subtle.verify(
        algorithm.verify,
        key,
        fromBase64url(parts[2]),
        utf8(`${parts[0]}.${parts[1]}`),
    );
    if (!ok) throw new Problem("The signature of the ID token is wrong (RFC 7515 §5.2).");
    return { header, claims: read(parts[1]) };
}

function claimChecks(claims, expected) {
    const audience = [claims.aud].flat();
    const authorized = claims.azp ?? (audience.length === 1 ? expected.clientId : null);
    const core = (number) => `OpenID Connect Core §3.1.3.7 (${number})`;
    return [
        { text: "iss is the issuer that was asked", clause: core(2), ok: claims.iss === expected.issuer },
        { text: "aud names this client", clause: core(3), ok: audience.includes(expected.clientId) },
        { text: "azp, when needed, names this client", clause: core("4, 5"), ok: authorized === expected.clientId },
        { text: "exp lies ahead", clause: core(9), ok: Number.isFinite(claims.exp) && expected.now < claims.exp },
        {
            text: "iat does not lie ahead by more than a minute",
            clause: core(10),
            ok: Number.isFinite(claims.iat) && claims.iat <= expected.now + 60,
        },
        { text: "nonce is the one this tab sent", clause: core(11), ok: claims.nonce === expected.nonce },
        {
            text: "at_hash belongs to the access token",
            clause: "OpenID Connect Core §3.1.3.8",
            ok: claims.at_hash === expected.atHash,
        },
        {
            text: "sub is there",
            clause: "OpenID Connect Core §2",
            ok: typeof claims.sub === "string" && claims.sub !== "",
        },
    ];
}

/// The header, claims and checks of an ID token with a valid signature. `expected`: issuer, clientId, nonce,
/// accessToken, now (seconds).
export async function verifyIdToken(token, jwks, expected) {
    let verified;
    try {
        verified = await verifySignature(token, jwks);
    } catch (error) {
        throw error instanceof Problem ? error : new Problem(`The ID token cannot be read: ${error.message}`);
    }
    // RS256 and ES256 both hash with SHA-256; at_hash is its left half.
    const atHash = toBase64url((await sha256(expected.accessToken)).slice(0, 16));
    const signature = {
        text: `the signature holds (${verified.header.alg}, key ${verified.header.kid})`,
        clause: "RFC 7515 §5.2",
        ok: true,
    };
    return { ...verified, checks: [signature, ...claimChecks(verified.claims, { ...expected, atHash })] };
}
