// Client libraries with keys of their own (DPoP): what they send is taken, at each endpoint that takes proofs. What
// is refused is in tests/rfc.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { PERSON, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

describe("tokens that are bound to a key, as client libraries use them [DPOP-12, DPOP-15, DPOP-18, DPOP-21]", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ config: { dpop: "allowed", paths: { par: "/par" } } }));
  });

  for (const library of Object.keys(LIBRARIES))
    it(library, async () => {
      const method = "none";
      const client = new LIBRARIES[library](provider, method);
      await client.useKey(newKey());
      const checks = newChecks();
      const direct = authorizationUrl(provider.clients[method], checks, { redirect_uri: client.redirectUri });
      const parameters = Object.fromEntries(new URL(direct).searchParams);
      const { request_uri } = await client.push(parameters);
      const url = new URL(provider.issuer.metadata.authorization_endpoint);
      url.search = new URLSearchParams({ client_id: parameters.client_id, request_uri });
      const agent = new UserAgent({ ca: provider.deployment.ca });
      const page = await walk(agent, url.href);
      const tokens = await client.callback(page, checks);
      assert.equal(tokens.token_type.toLowerCase(), "dpop");
      assert.equal((await client.userinfo(tokens)).name, PERSON.claims.name);
      const next = await client.refresh(tokens.refresh_token);
      assert.equal(next.token_type.toLowerCase(), "dpop");
      await client.useKey(newKey());
      await assert.rejects(client.refresh(next.refresh_token), { error: "invalid_grant" });
    });
});
