// A web application of Express that signs people in with Auth.js, as its documentation says: the provider is an entry
// of the type "oidc", and refreshing is a callback of the application.
import { randomUUID, webcrypto } from "node:crypto";
import { ExpressAuth, getSession } from "@auth/express";
import express from "express";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, USERINFO } = process.env;
const { token_endpoint: tokenEndpoint } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

async function refreshed(token) {
  const response = await fetch(tokenEndpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: token.refresh_token,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  const answer = await response.json();
  if (!response.ok) return { ...token, error: answer.error };
  const { access_token, refresh_token, expires_in } = answer;
  return { ...token, access_token, refresh_token, expires_at: Math.floor(Date.now() / 1000) + expires_in };
}

const config = {
  trustHost: true,
  secret: randomUUID(),
  logger: { error() {}, warn() {} }, // it writes refused sign-ins to standard error
  providers: [
    { id: "postern", name: "Postern", type: "oidc", issuer, clientId, clientSecret, idToken: USERINFO !== "yes" },
  ],
  callbacks: {
    jwt({ token, account }) {
      if (account) {
        const { access_token, refresh_token, expires_at, providerAccountId } = account;
        return { ...token, access_token, refresh_token, expires_at, account: providerAccountId };
      }
      return Date.now() < token.expires_at * 1000 ? token : refreshed(token);
    },
    session: ({ session, token }) => ({
      ...session,
      sub: token.account,
      access_token: token.access_token, // for the test to see
      error: token.error,
    }),
  },
};

const app = express();
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
app.use("/auth/*", ExpressAuth(config));
app.get("/", async (request, response) => {
  const session = await getSession(request, config);
  if (session) response.json(session);
  else response.status(401).end();
});
