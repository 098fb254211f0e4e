// An API of Express for which some logins are not enough (RFC 9470 §3). What it learns of a token it is told by the
// server (/introspected/...) or reads in the token itself (/verified/...). It answers with that, or with a challenge.
import * as oauth from "oauth4webapi";
import express from "express";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

/// AHEAD: seconds between this machine's clock and that of the server.
const { ISSUER, AUDIENCE, CLIENT_ID, CLIENT_SECRET, AHEAD = "0" } = process.env;
const MFA = "https://refeds.org/profile/mfa";
const HOUR = 3600;

const metadata = await oauth.processDiscoveryResponse(new URL(ISSUER), await oauth.discoveryRequest(new URL(ISSUER)));
const api = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET };

const LEARN = {
  async introspected({ headers }) {
    const token = headers.authorization.replace(/^Bearer /, "");
    const told = await oauth.introspectionRequest(metadata, api, token);
    const { active, ...claims } = await oauth.processIntrospectionResponse(metadata, api, told);
    if (active !== true) throw new Error("not an active token");
    return claims;
  },
  verified({ url, headers: { authorization } }) {
    const asked = new Request(new URL(url, AUDIENCE), { headers: { authorization } });
    return oauth.validateJwtAccessToken(metadata, asked, AUDIENCE, { [oauth.clockSkew]: Number(AHEAD) });
  },
};

const age = ({ auth_time }) => Date.now() / 1000 + Number(AHEAD) - auth_time;
/// The parameters of the challenge for a login that is not enough, by the page.
const DEMANDS = {
  reports: () => null,
  vault: ({ acr }) => (acr === MFA ? null : { acr_values: MFA }),
  recent: (claims) => (age(claims) <= HOUR ? null : { max_age: HOUR }),
};

function challenge(response, parameters) {
  const all = { error: "insufficient_user_authentication", ...parameters };
  const written = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
  response
    .status(401)
    .set("WWW-Authenticate", `Bearer ${written.join(", ")}`)
    .end();
}

const app = express();
for (const [way, learn] of Object.entries(LEARN))
  for (const [page, demand] of Object.entries(DEMANDS))
    app.get(`/${way}/${page}`, (request, response, next) =>
      learn(request).then((claims) => {
        const missing = demand(claims);
        return missing ? challenge(response, missing) : response.json(claims);
      }, next),
    );
app.use((error, request, response, next) => challenge(response, { error: "invalid_token" }));

const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
