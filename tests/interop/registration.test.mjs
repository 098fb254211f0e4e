// What openid-client 5 makes of registration: it registers, authenticates with what it got, and reads its registration.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { request } from "../support/user_agent.mjs";
import { REDIRECT_URI, openProvider } from "./relying_party.mjs";

describe("registration, as openid-client 5 does it", () => {
  let provider;
  before(async () => {
    const grants = ["authorization_code", "refresh_token", "client_credentials"];
    provider = await openProvider({
      config: { registration: { mode: "token", grants, scope: "openid profile email api" } },
    });
  });
  after(() => provider?.deployment.stop());

  const newToken = async () =>
    (await provider.deployment.postern(["registration", "token", "add"])).initial_access_token;
  const METADATA = {
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "client_credentials"],
    client_name: "Registered",
    initiate_login_uri: "https://client.example/login",
  };

  for (const method of [undefined, "client_secret_basic", "client_secret_post"])
    it(`${method ?? "no method"}: tokens, and an end [REG-9, REG-14, REG-16, REG-19, 3PI-1]`, async () => {
      const initialAccessToken = await newToken();
      const metadata = method ? { ...METADATA, token_endpoint_auth_method: method } : METADATA;
      const client = await provider.issuer.Client.register(metadata, { initialAccessToken });
      assert.equal(client.token_endpoint_auth_method, method ?? "client_secret_basic");
      assert.equal(client.client_secret_expires_at, 0);
      assert.deepEqual(client.redirect_uris, [REDIRECT_URI]);
      assert.equal(client.initiate_login_uri, METADATA.initiate_login_uri);
      const { access_token } = await client.grant({ grant_type: "client_credentials", scope: "api" });
      assert.ok(access_token);
      if (!method) {
        const posting = new provider.issuer.Client({
          ...client.metadata,
          token_endpoint_auth_method: "client_secret_post",
        });
        assert.ok((await posting.grant({ grant_type: "client_credentials", scope: "api" })).access_token);
      }

      const { registration_client_uri: uri, registration_access_token: token } = client;
      const again = await provider.issuer.Client.fromUri(uri, token);
      assert.equal(again.client_id, client.client_id);
      assert.equal(again.client_name, "Registered");
      assert.equal(again.client_secret, undefined);
      const headers = { authorization: `Bearer ${token}` };
      const gone = await request(uri, { method: "DELETE", headers, ca: provider.deployment.ca });
      assert.equal(gone.status, 204);
      await assert.rejects(client.grant({ grant_type: "client_credentials" }), /invalid_client/);
      await assert.rejects(provider.issuer.Client.register(metadata, { initialAccessToken }), /invalid_token/);
    });

  it("what it asks for in vain has an error that it shows [REG-10, REG-12, RFC 7591 §3.2.2]", async () => {
    const initialAccessToken = await newToken();
    const register = (more) => provider.issuer.Client.register({ ...METADATA, ...more }, { initialAccessToken });
    await assert.rejects(register({ redirect_uris: ["http://client.example/"] }), /invalid_redirect_uri/);
    await assert.rejects(register({ initiate_login_uri: "http://client.example/" }), /invalid_client_metadata/);
    await assert.rejects(register({ dpop_bound_access_tokens: true }), /invalid_client_metadata/);
    assert.ok((await register({})).client_id);
  });
});
