// What a client library makes of answers with tokens in them: it checks nonce, at_hash, c_hash, iss and the algorithm
// that it is registered for. What is answered when is in tests/rfc.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UserAgent } from "../support/user_agent.mjs";
import { PERSON, REDIRECT_URI, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

const TYPES = ["id_token", "id_token token", "code id_token", "code token", "code id_token token"];
const REGISTRATION = [
  ...["authorization_code", "refresh_token", "implicit"].flatMap((grant) => ["--grant", grant]),
  ...TYPES.flatMap((type) => ["--response-type", type]),
];

describe("answers with tokens, as openid-client 5 takes them", () => {
  let provider;
  before(async () => {
    provider = await openProvider({
      config: { responseTypes: ["code", ...TYPES], idTokenAlgorithms: ["RS256", "ES256"] },
      registration: {
        client_secret_basic: REGISTRATION,
        client_secret_post: ["--id-token-signed-response-alg", "ES256", ...REGISTRATION],
        none: REGISTRATION,
      },
    });
  });
  after(() => provider?.deployment.stop());

  const clientFor = (method, response_type, more = {}) =>
    new provider.issuer.Client({ ...provider.clients[method].metadata, response_types: [response_type], ...more });

  /// What a script of the application reads behind the #, or what its server is posted.
  function paramsOf(client, { location, posted }) {
    if (posted) return client.callbackParams({ method: "POST", url: location.href, body: posted.toString() });
    return client.callbackParams(`/callback?${location.hash.slice(1)}`);
  }

  async function signIn(client, response_type, parameters = {}) {
    const agent = new UserAgent({ ca: provider.deployment.ca });
    const checks = { ...newChecks(), response_type };
    const page = await walk(agent, authorizationUrl(client, checks, { response_type, ...parameters }));
    const sent = page.location ? page : await agent.submit(page, "continue");
    return client.callback(REDIRECT_URI, paramsOf(client, sent), checks);
  }

  for (const type of TYPES)
    for (const response_mode of [undefined, "form_post"])
      it(`response_type=${type}, ${response_mode ?? "fragment"} [HYB-3, HYB-4, HYB-5]`, async () => {
        const client = clientFor("none", type);
        const tokens = await signIn(client, type, { response_mode });
        assert.equal(tokens.claims().sub, provider.sub);
        // The token endpoint's ID token tells them; one beside an access token does not.
        assert.equal(tokens.claims().email, type === "id_token token" ? undefined : PERSON.claims.email);
        assert.equal("access_token" in tokens, type !== "id_token");
        if (tokens.access_token) assert.equal((await client.userinfo(tokens)).email, PERSON.claims.email);
        assert.equal("refresh_token" in tokens, type.includes("code"));
      });

  it("both ID tokens of a client have its own algorithm [ALG-1]", async () => {
    const id_token_signed_response_alg = "ES256";
    for (const type of ["code id_token", "id_token"])
      await signIn(clientFor("client_secret_post", type, { id_token_signed_response_alg }), type);
    await assert.rejects(signIn(clientFor("client_secret_post", "id_token"), "id_token"), /unexpected JWT alg/);
    await signIn(clientFor("client_secret_basic", "code id_token"), "code id_token");
  });
});
