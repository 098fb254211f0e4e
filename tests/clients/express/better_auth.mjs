// A web application of Express that signs people in with the generic OAuth plugin of Better Auth, as its documentation
// says. /login, /refresh and /logout are what a script of its pages would ask for.
import { randomUUID, webcrypto } from "node:crypto";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { genericOAuth } from "better-auth/plugins";
import express from "express";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const { ISSUER, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, SCOPE = "openid profile email" } = process.env;

const app = express();
const server = app.listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const baseURL = `http://127.0.0.1:${server.address().port}`;

const auth = betterAuth({
  baseURL,
  secret: randomUUID(),
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  logger: { disabled: true },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: "postern",
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          requireIdTokenVerification: true,
          clientId,
          clientSecret,
          scopes: SCOPE.split(" "),
          postLogoutRedirectURI: `${baseURL}/`,
        },
      ],
    }),
  ],
});

/// Answers as the plugin does, or leads the browser to the address that it answers with.
async function pass(answer, response) {
  const text = await answer.text();
  for (const cookie of answer.headers.getSetCookie()) response.append("set-cookie", cookie);
  const { url } = JSON.parse(text) ?? {}; // null: there is no session
  if (url) response.redirect(url);
  else response.status(answer.status).type("json").send(text);
}
const serve = (path, call) =>
  app.get(path, (request, response, next) =>
    call(fromNodeHeaders(request.headers)).then((answer) => pass(answer, response), next),
  );

app.all("/api/auth/*", toNodeHandler(auth));
serve("/login", (headers) =>
  auth.api.signInSocial({ body: { provider: "postern", callbackURL: "/" }, headers, asResponse: true }),
);
serve("/", (headers) => auth.api.getSession({ headers, asResponse: true }));
/// Of the user who is signed in: what the plugin stores about the provider's account.
async function withAccount(headers, call) {
  const [{ id: accountId }] = await auth.api.listUserAccounts({ headers });
  return call({ body: { accountId }, headers, asResponse: true });
}
serve("/token", (headers) => withAccount(headers, auth.api.getAccessToken));
serve("/refresh", (headers) => withAccount(headers, auth.api.refreshToken));
serve("/logout", (headers) => auth.api.signOut({ body: {}, headers, asResponse: true }));
console.log(server.address().port);
