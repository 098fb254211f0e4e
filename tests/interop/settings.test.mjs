// Settings that a client notices: the algorithm of ID tokens, and an issuer that has a path.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { request } from "../support/user_agent.mjs";
import { REDIRECT_URI, authorize, openProvider } from "./relying_party.mjs";

async function signIn(provider) {
  const client = provider.clients.none;
  const { checks, answer } = await authorize(provider, client);
  const tokens = await client.callback(REDIRECT_URI, answer, checks);
  assert.equal(tokens.claims().sub, provider.sub);
  assert.equal((await client.userinfo(tokens)).sub, provider.sub);
  return tokens;
}

async function withProvider(options, use) {
  const provider = await openProvider(options);
  try {
    await use(provider);
  } finally {
    await provider.deployment.stop();
  }
}

describe("settings that a client notices", () => {
  for (const algorithm of ["ES256", "EdDSA"]) {
    it(`ID tokens signed with ${algorithm} verify through jwks`, () =>
      withProvider({ config: { idTokenAlgorithm: algorithm } }, async (provider) => {
        const { id_token } = await signIn(provider);
        assert.equal(JSON.parse(Buffer.from(id_token.split(".")[0], "base64url")).alg, algorithm);
      }));
  }

  for (const mode of ["fastcgi", "cgi"]) {
    it(`an issuer with a path works in ${mode} mode; all well-known places describe it [RFC 8414 §3.1, META-1]`, () =>
      withProvider({ mode, base: "/auth" }, async (provider) => {
        await signIn(provider);
        const { origin, issuer, ca } = provider.deployment;
        for (const name of ["oauth-authorization-server", "openid-configuration"]) {
          const inserted = await request(`${origin}/.well-known/${name}/auth`, { ca });
          assert.equal(inserted.status, 200, name);
          assert.equal(JSON.parse(inserted.body).issuer, issuer, name);
        }
        assert.equal((await request(`${origin}/.well-known/oauth-authorization-server`, { ca })).status, 404);
      }));
  }
});
