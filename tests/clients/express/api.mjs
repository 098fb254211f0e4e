// An API of Express that verifies access tokens itself: one path for each library, set up as its README says. It
// answers with what the token says, or with 401 and the library's words.
import * as oauth from "oauth4webapi";
import express from "express";
import { webcrypto } from "node:crypto";
import { auth } from "express-oauth2-jwt-bearer";
import { JwtVerifier } from "aws-jwt-verify";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
// express-oauth2-jwt-bearer would read them and discover less
delete process.env.ISSUER;
delete process.env.AUDIENCE;

const discovered = await oauth.discoveryRequest(new URL(issuer));
const metadata = await oauth.processDiscoveryResponse(new URL(issuer), discovered);
// it has no discovery of its own
const verifier = JwtVerifier.create({ issuer, audience, jwksUri: metadata.jwks_uri });

const app = express();
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));

/// A path whose library is called for each request.
const protect = (path, verify) =>
  app.get(path, (request, response, next) => verify(request).then((claims) => response.json(claims), next));

protect("/oauth4webapi", ({ url, headers: { authorization } }) => {
  const asked = new Request(new URL(url, audience), { headers: { authorization } });
  return oauth.validateJwtAccessToken(metadata, asked, audience, { [oauth.clockTolerance]: 0 });
});

const bearer = auth({ issuerBaseURL: issuer, audience, strict: true, clockTolerance: 0 });
app.get("/express-oauth2-jwt-bearer", bearer, (request, response) => response.json(request.auth.payload));

protect("/aws-jwt-verify", ({ headers }) => verifier.verify(headers.authorization.replace(/^Bearer /, "")));

app.use((error, request, response, next) => response.status(401).json({ error: error.message }));
