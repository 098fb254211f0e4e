// Another server's endpoints, beside ours in the same rounds. The file named by OTHER is JSON; every endpoint may be
// left out:
//     { "name": "the present one",
//       "token":      { "url": "https://login.example/token", "client_id": "...", "client_secret": "...", "scope":
// "api" },
//       "introspect": { "url": "https://login.example/introspect", "client_id": "...", "client_secret": "...", "token":
// "..." },
//       "userinfo":   { "url": "https://login.example/userinfo", "token": "..." },
//       "ca": "authority.pem" }
// "token" is asked for client_credentials with the credentials in Basic; its access token is what "introspect" asks
// about where that names none. "userinfo" needs one of a user. The file holds secrets: mode 0600. "ca", beside the
// file, signs the server's certificate where the machine's authorities do not; it is verified when an answer is looked
// at, not under load.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { request } from "../tests/support/user_agent.mjs";
import { basicOf, formText } from "../tests/security/provider.mjs";
import { whole } from "./load.mjs";

const KNOWN = {
  token: ["url", "client_id", "client_secret", "scope"],
  introspect: ["url", "client_id", "client_secret", "token"],
  userinfo: ["url", "token"],
};
const MAY_BE_ABSENT = ["scope"];

function fail(file, what) {
  throw new Error(`${file}: ${what}`);
}

/// What the file says, or an error that names what is wrong with it.
export function readOther(file) {
  if ((statSync(file).mode & 0o077) !== 0) fail(file, "it holds secrets and others may read it (chmod 600)");
  const other = JSON.parse(readFileSync(file, "utf8"));
  for (const name of Object.keys(other))
    if (!["name", "ca", ...Object.keys(KNOWN)].includes(name)) fail(file, `unknown member "${name}"`);
  if (!Object.keys(KNOWN).some((name) => other[name])) fail(file, "it names no endpoint");
  for (const [endpoint, members] of Object.entries(KNOWN).filter(([name]) => other[name])) {
    for (const name of Object.keys(other[endpoint]))
      if (!members.includes(name)) fail(file, `unknown member "${name}" of "${endpoint}"`);
    for (const name of members) {
      const given = other[endpoint][name];
      const absent =
        given === undefined &&
        (MAY_BE_ABSENT.includes(name) || (endpoint === "introspect" && name === "token" && other.token));
      if (!absent && (typeof given !== "string" || given === "")) fail(file, `"${name}" of "${endpoint}" is missing`);
    }
    const url = new URL(other[endpoint].url);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password)
      fail(file, `"url" of "${endpoint}" must be http or https, without credentials`);
  }
  return { name: "other", ...other, ca: other.ca && readFileSync(resolve(dirname(file), other.ca), "utf8") };
}

/// Scenarios like those of ours; `kind` is "other".
export function scenariosOfOther(other) {
  const send = ({ url }, { headers, body }) =>
    request(url, {
      method: body === undefined ? "GET" : "POST",
      body,
      ca: other.ca,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
    });
  const form = (endpoint, parameters) => ({
    body: formText(parameters),
    headers: {
      Authorization: basicOf(encodeURIComponent(endpoint.client_id), encodeURIComponent(endpoint.client_secret)),
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
    },
  });
  const json = (answer, what) => {
    assert.equal(answer.status, 200, `${other.name}, ${what}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const getToken = async () =>
    json(
      await send(other.token, form(other.token, { grant_type: "client_credentials", scope: other.token.scope })),
      "token",
    ).access_token;

  const requests = {
    token: async () => form(other.token, { grant_type: "client_credentials", scope: other.token.scope }),
    introspect: async () => form(other.introspect, { token: other.introspect.token ?? (await getToken()) }),
    userinfo: async () => ({
      headers: { Authorization: `Bearer ${other.userinfo.token}`, Accept: "application/json" },
    }),
  };
  const isRight = {
    token: (answer) => typeof answer.access_token === "string",
    introspect: ({ active }) => active === true,
    userinfo: ({ sub }) => typeof sub === "string",
  };
  return Object.keys(KNOWN)
    .filter((name) => other[name])
    .map((name) => {
      const endpoint = other[name];
      const { origin, pathname, search, host } = new URL(endpoint.url);
      return {
        id: `other_${name}`,
        title: `${other.name}: ${name}`,
        kind: "other",
        mode: "other",
        url: origin,
        script: "cycle.lua",
        prepare: async () => {
          const { headers, body } = await requests[name]();
          return { requests: [whole(body === undefined ? "GET" : "POST", pathname + search, host, headers, body)] };
        },
        check: async () => {
          const answer = await send(endpoint, await requests[name]());
          assert.ok(isRight[name](json(answer, name)), `${other.name}, ${name}: ${answer.body}`);
          return name === "token" ? undefined : answer;
        },
      };
    });
}
