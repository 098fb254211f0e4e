// What client libraries make of pushed requests: they push, send the browser, and redeem the code. What is answered
// when is in tests/rfc.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { CLIENTS, PERSON, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

describe("pushed requests, as client libraries send them [RFC 9126 §1.1, §2.1c, §2.2a, §4a, PAR-3, PAR-10]", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ config: { paths: { par: "/par" }, requirePar: true } }));
  });

  for (const library of Object.keys(LIBRARIES))
    for (const method of Object.keys(CLIENTS))
      it(`${library}, ${method}`, async () => {
        const client = new LIBRARIES[library](provider, method);
        const checks = newChecks();
        const direct = authorizationUrl(provider.clients[method], checks, { redirect_uri: client.redirectUri });
        const parameters = Object.fromEntries(new URL(direct).searchParams);
        const { request_uri, expires_in } = await client.push(parameters);
        assert.equal(expires_in, library === "openid-client" ? undefined : 90); // which that one keeps to itself
        const url = new URL(provider.issuer.metadata.authorization_endpoint);
        url.search = new URLSearchParams({ client_id: parameters.client_id, request_uri });
        const page = await walk(new UserAgent({ ca: provider.deployment.ca }), url.href);
        const tokens = await client.callback(page, checks); // verifies state, iss, nonce and signature
        assert.equal((await client.userinfo(tokens)).name, PERSON.claims.name);

        const refused = await new UserAgent({ ca: provider.deployment.ca }).visit(direct);
        assert.equal(refused.location.searchParams.get("error"), "invalid_request");
        await assert.rejects(client.push({ ...parameters, scope: "pigeon" }), { error: "invalid_scope", status: 400 });
      });
});

describe("signed requests, as client libraries push them [RFC 9101 §4ab, §6.2, JAR-1, JAR-13]", () => {
  const METHOD = "private_key_jwt";
  let provider;
  prepared(async (owned) => {
    const config = { paths: { par: "/par" }, clientAssertions: true, requestObjects: "allowed" };
    provider = owned(await openProvider({ config, registration: { [METHOD]: ["--require-signed-request-object"] } }));
  });

  for (const library of Object.keys(LIBRARIES))
    it(library, async () => {
      const client = new LIBRARIES[library](provider, METHOD);
      const checks = newChecks();
      const direct = authorizationUrl(provider.clients[METHOD], checks, { redirect_uri: client.redirectUri });
      const parameters = Object.fromEntries(new URL(direct).searchParams);
      const { client_id } = parameters;
      const { request_uri } = await client.push({ request: await client.sign(parameters) });
      const url = new URL(provider.issuer.metadata.authorization_endpoint);
      url.search = new URLSearchParams({ client_id, request_uri });
      const page = await walk(new UserAgent({ ca: provider.deployment.ca }), url.href);
      const tokens = await client.callback(page, checks);
      assert.equal((await client.userinfo(tokens)).name, PERSON.claims.name);

      await assert.rejects(client.push(parameters), { error: "invalid_request", status: 400 });
      const bent = (await client.sign(parameters)).replace(/.{8}$/, "AAAAAAAA");
      await assert.rejects(client.push({ request: bent }), { error: "invalid_request_object", status: 400 });
    });
});
