// What the server publishes about itself: the discovery document and the key set.
import { findings } from "./finding.mjs";
import { httpsUrl, isObject } from "./text.mjs";

const WELL_KNOWN = "/.well-known/openid-configuration";

const text = (value) => typeof value === "string";
const flag = (value) => typeof value === "boolean";
const list = (value) => Array.isArray(value) && value.every(text);
const url = (value) => text(value) && /^https?:\/\/[^\s]+$/.test(value);

/// The members that are registered (RFC 8414 §7.1 and what came after it), with the type of each.
const MEMBERS = Object.fromEntries(
  [
    [
      url,
      `issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri registration_endpoint
       revocation_endpoint introspection_endpoint end_session_endpoint check_session_iframe
       device_authorization_endpoint pushed_authorization_request_endpoint
       backchannel_authentication_endpoint service_documentation op_policy_uri op_tos_uri`,
    ],
    [isObject, "mtls_endpoint_aliases"],
    [
      list,
      `scopes_supported response_types_supported response_modes_supported grant_types_supported
       acr_values_supported subject_types_supported claims_supported claim_types_supported
       display_values_supported prompt_values_supported ui_locales_supported claims_locales_supported
       code_challenge_methods_supported id_token_signing_alg_values_supported
       id_token_encryption_alg_values_supported id_token_encryption_enc_values_supported
       userinfo_signing_alg_values_supported userinfo_encryption_alg_values_supported
       userinfo_encryption_enc_values_supported request_object_signing_alg_values_supported
       request_object_encryption_alg_values_supported request_object_encryption_enc_values_supported
       token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported
       revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported
       introspection_endpoint_auth_methods_supported
       introspection_endpoint_auth_signing_alg_values_supported dpop_signing_alg_values_supported
       authorization_signing_alg_values_supported`,
    ],
    [
      flag,
      `claims_parameter_supported request_parameter_supported request_uri_parameter_supported
       require_request_uri_registration authorization_response_iss_parameter_supported
       require_pushed_authorization_requests tls_client_certificate_bound_access_tokens
       require_signed_request_object frontchannel_logout_supported frontchannel_logout_session_supported
       backchannel_logout_supported backchannel_logout_session_supported`,
    ],
    [text, "signed_metadata"],
  ].flatMap(([fits, names]) => names.split(/\s+/).map((name) => [name, fits])),
);
const RESPONSE_TYPES =
  "code, code id_token, id_token, token id_token, id_token token, code id_token token, code token".split(", ");
const ALGORITHMS = /^(none|(HS|RS|ES|PS)(256|384|512)|ES256K|EdDSA|Ed25519|Ed448)$/;
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/; // RFC 6749 §3.3
// BCP 47 in canonical case, as far as a server of pages needs it
const LANGUAGE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;

/// Every endpoint is https, the key set too. For every module, since nothing works without.
export function checkEndpoints(document) {
  const names = Object.keys(document).filter((name) => name.endsWith("_endpoint") || name === "jwks_uri");
  return findings(
    ...["authorization_endpoint", "token_endpoint", "jwks_uri"].map((name) => [
      !(name in document),
      "FAILURE",
      `there is no ${name}`,
    ]),
    ...names.map((name) => [!httpsUrl(document[name]), "FAILURE", `${name} is ${document[name]}`]),
  );
}

/// `issuer` against the address that the document was fetched from: Discovery §4.3.
export function checkIssuer({ issuer }, fetchedFrom) {
  const url = httpsUrl(issuer);
  return findings(
    [!url, "FAILURE", "issuer is not an https URL"],
    [
      () => url.search !== "" || url.hash !== "" || /[?#@]/.test(issuer),
      "FAILURE",
      "issuer has a query, a fragment or user information",
    ],
    [
      () => issuer.replace(/\/$/, "") + WELL_KNOWN !== fetchedFrom,
      "FAILURE",
      `the document of ${issuer} was found at ${fetchedFrom}`,
    ],
  );
}

/// The discovery answer { status, headers, json }, whole: `oidcc-discovery-endpoint-verification`.
export function checkDiscovery({ status, headers, json }) {
  if (!isObject(json)) return [{ level: "FAILURE", text: "discovery is not a JSON object" }];
  const has = (name) => name in json;
  const includes = (name, ...values) => list(json[name]) && values.some((value) => json[name].includes(value));
  const isFilled = (name) => list(json[name]) && json[name].length > 0;
  const locales = ["ui_locales_supported", "claims_locales_supported"].flatMap((name) => json[name] ?? []);
  return [
    ...findings(
      [status !== 200, "FAILURE", `the status is ${status}`],
      [
        !/^application\/json *(;|$)/i.test(headers["content-type"] ?? ""),
        "FAILURE",
        "the answer is not application/json",
      ],
      ...Object.keys(json).map((name) => [!(name in MEMBERS), "WARNING", `nobody knows the member ${name}`]),
      ...Object.entries(MEMBERS).map(([name, fits]) => [
        has(name) && !fits(json[name]),
        "FAILURE",
        `${name} has the wrong type`,
      ]),
      [
        !includes("response_types_supported", ...RESPONSE_TYPES),
        "FAILURE",
        "no response type of OpenID Connect is supported",
      ],
      [
        !includes("subject_types_supported", "public", "pairwise"),
        "FAILURE",
        "subject_types_supported lacks public and pairwise",
      ],
      [!includes("id_token_signing_alg_values_supported", "RS256"), "FAILURE", "RS256 is missing"],
      [!has("userinfo_endpoint"), "WARNING", "there is no userinfo_endpoint"],
      [
        has("request_object_signing_alg_values_supported") &&
          !includes("request_object_signing_alg_values_supported", "RS256"),
        "WARNING",
        "request objects cannot be signed with RS256",
      ],
      [!list(json.claims_supported), "WARNING", "there is no claims_supported"],
      [!has("scopes_supported"), "WARNING", "there is no scopes_supported"],
      [has("scopes_supported") && !includes("scopes_supported", "openid"), "FAILURE", "scopes_supported lacks openid"],
      [
        () => (json.scopes_supported ?? []).some((scope) => !SCOPE_TOKEN.test(scope)),
        "FAILURE",
        "scopes_supported holds what is no scope",
      ],
      [has("grant_types_supported") && !isFilled("grant_types_supported"), "FAILURE", "grant_types_supported is empty"],
      [
        () =>
          json.code_challenge_methods_supported?.length > 0 &&
          !includes("code_challenge_methods_supported", "S256", "plain"),
        "FAILURE",
        "no known PKCE method is supported",
      ],
      [() => locales.some((tag) => !LANGUAGE.test(tag)), "FAILURE", "a language tag is not one in canonical form"],
      [
        () => (json.userinfo_signing_alg_values_supported ?? []).some((name) => !ALGORITHMS.test(name)),
        "FAILURE",
        "UserInfo is signed with an unknown algorithm",
      ],
    ),
    ...checkEndpoints(json),
  ];
}

/// `end_session_endpoint` beside the others: `oidcc-rp-initiated-logout-discovery-endpoint-verification`.
export function checkEndSession(document) {
  return [
    ...findings([!httpsUrl(document.end_session_endpoint), "FAILURE", "there is no end_session_endpoint"]),
    ...checkEndpoints(document),
  ];
}

/// Absent means client_secret_basic: Discovery §3.
export function checkAuthMethod(document, method) {
  const methods = document.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return findings([
    !methods.includes(method),
    "FAILURE",
    `${method} is not among token_endpoint_auth_methods_supported`,
  ]);
}

const NEEDED = { RSA: ["n", "e"], EC: ["x", "y"], OKP: ["x"] };
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const CURVES = { EC: ["P-256", "P-384", "P-521", "secp256k1"], OKP: ["Ed25519", "Ed448", "X25519", "X448"] };

function checkKey(key) {
  if (!isObject(key)) return findings([true, "FAILURE", "a key is not an object"]);
  const needed = NEEDED[key.kty] ?? [];
  return findings(
    [!text(key.kty), "FAILURE", "a key has no kty"],
    [key.kty === "oct" || PRIVATE.some((name) => name in key), "FAILURE", "a key has secret members"],
    [
      needed.some((name) => !text(key[name]) || !/^[A-Za-z0-9_-]+$/.test(key[name])),
      "FAILURE",
      `a key lacks one of ${needed}, in base64url without padding`,
    ],
    [!text(key.kid) || key.kid.trim() === "", "FAILURE", "a key has no kid"],
    [text(key.kty) && key.kty !== "oct" && !(key.kty in NEEDED), "WARNING", `nobody knows keys of type ${key.kty}`],
    [key.kty in CURVES && !CURVES[key.kty].includes(key.crv), "WARNING", `nobody knows the curve ${key.crv}`],
    [key.alg !== undefined && !ALGORITHMS.test(key.alg), "WARNING", `nobody knows the algorithm ${key.alg}`],
  );
}

/// RFC 7517, and nothing in it that is not public.
export function checkJwks(jwks) {
  if (!Array.isArray(jwks?.keys)) return findings([true, "FAILURE", "the key set has no list of keys"]);
  const kids = jwks.keys.map((key) => key?.kid);
  return [
    ...jwks.keys.flatMap(checkKey),
    ...findings(
      [jwks.keys.length === 0, "FAILURE", "the key set is empty"],
      [new Set(kids).size !== kids.length, "FAILURE", "two keys have the same kid"],
    ),
  ];
}
