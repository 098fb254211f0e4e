// What UserInfo answers: which claims, of which types.
import { findings } from "./finding.mjs";
import { isObject } from "./text.mjs";

/// OpenID Connect Core §5.4.
export const SCOPE_CLAIMS = {
  profile: (
    "name given_name family_name middle_name nickname profile picture " +
    "website gender birthdate zoneinfo locale updated_at preferred_username"
  ).split(" "),
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
};

const YEAR_1990 = 631152000;
const isText = (value) => typeof value === "string" && value.trim() !== "" && value !== "null";

const TYPES = {
  email_verified: (value) => typeof value === "boolean",
  phone_number_verified: (value) => typeof value === "boolean",
  updated_at: (value) => Number.isFinite(value) && value >= YEAR_1990 && value <= Date.now() / 1000 + 300,
  address: (value) => isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isText),
  birthdate: (value) => isText(value) && /^\d{4}(-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?$/.test(value),
};

/// OpenID Connect Core §5.1, in an ID token as well.
export function checkClaimTypes(claims) {
  const standard = Object.values(SCOPE_CLAIMS)
    .flat()
    .filter((name) => name in claims);
  return findings(
    ...standard.map((name) => {
      const fits = TYPES[name] ?? isText;
      return [!fits(claims[name]), "FAILURE", `${name} is ${JSON.stringify(claims[name])}`];
    }),
  );
}

/// §5.3.2 and §5.3.4: the same subject as the ID token's.
export function checkUserinfo({ status, headers, json }, { sub }) {
  if (!isObject(json)) return [{ level: "FAILURE", text: `UserInfo answered ${status} without a JSON object` }];
  const sources = isObject(json._claim_sources) ? json._claim_sources : {};
  return [
    ...findings(
      [status < 200 || status > 299, "FAILURE", `UserInfo answered ${status}`],
      [
        !/^application\/json *(;|$)/i.test(headers["content-type"] ?? ""),
        "FAILURE",
        `UserInfo answered ${headers["content-type"]}`,
      ],
      [typeof json.sub !== "string", "FAILURE", "UserInfo has no sub"],
      [json.sub !== sub, "FAILURE", "sub differs from the ID token's"],
      [
        () => Object.values(json._claim_names ?? {}).some((source) => !(source in sources)),
        "FAILURE",
        "_claim_names leads nowhere",
      ],
    ),
    ...checkClaimTypes(json),
  ];
}

/// Every claim of the scopes that were granted.
export function checkScopeClaims(claims, scopes) {
  const missing = scopes.flatMap((scope) => SCOPE_CLAIMS[scope]).filter((name) => !(name in claims));
  return findings([missing.length > 0, "WARNING", `UserInfo lacks ${missing}`]);
}

/// Claims that no scope and no parameter asked for.
export function checkNothingElse(claims, allowed) {
  const others = Object.keys(claims).filter((name) => name !== "sub" && !allowed.includes(name));
  return findings([others.length > 0, "WARNING", `UserInfo gives ${others} unasked`]);
}
