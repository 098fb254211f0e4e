// RFC 9470 from end to end: an API refuses a token for the login behind it and says which login it wants, the client
// passes that on, and the API takes the token that comes back.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as oauth from "oauth4webapi";
import { PERSON, REDIRECT_URI, authorize, openProvider, walk } from "../interop/relying_party.mjs";
import { prepared } from "../support/prepared.mjs";
import { totp } from "../support/totp.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { NodeApplication } from "./program.mjs";

const API = "https://reports.example";
const TWO_HOURS = 7200; // seconds

for (const way of ["introspected", "verified"]) {
  describe(`step-up: an API whose tokens are ${way}`, () => {
    let provider;
    let secrets;
    prepared(async (owned) => {
      provider = owned(
        await openProvider({
          clock: true,
          config: {
            accessTokenProfile: "rfc9068",
            defaultResource: API,
            sessionIdleTTL: 2 * TWO_HOURS,
            scopeDescriptions: { reports: "Read reports" },
          },
          registration: { client_secret_basic: ["--scope", "openid profile email reports"] },
        }),
      );
      const { deployment } = provider;
      await deployment.postern(["resource", "add", API, "--scope", "reports"]);
      const registration = ["client", "add", "reports-api", "--grant", "client_credentials", "--scope", ""];
      const { client_id, client_secret } = await deployment.postern(registration);
      secrets = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret };
    });

    async function withApi(settings, use) {
      const api = await NodeApplication.start("express/step_up.mjs", provider.deployment, {
        AUDIENCE: API,
        ...secrets,
        ...settings,
      });
      try {
        await use((page, { access_token }) =>
          fetch(`${api.origin}/${way}/${page}`, { headers: { authorization: `Bearer ${access_token}` } }),
        );
      } finally {
        await api.stop();
      }
    }

    /// The parameters that a challenge has beside its error, as a client passes them on (RFC 9470 §4).
    function wanted(answer) {
      assert.equal(answer.status, 401);
      const [{ parameters }] = oauth.parseWwwAuthenticateChallenges(answer);
      const { error, ...rest } = parameters;
      assert.equal(error, "insufficient_user_authentication");
      return rest;
    }

    const client = () => provider.clients.client_secret_basic;
    async function tokens(agent, { code, ...parameters } = {}) {
      const sent = { scope: "openid profile reports", ...parameters };
      const { checks, answer } = await authorize(provider, client(), { agent, code, parameters: sent });
      return client().callback(REDIRECT_URI, answer, checks);
    }

    it("acr_values of the challenge lead to the second factor; a refresh does not [LEVEL-9, RFC 9470 §5]", () =>
      withApi({}, async (ask) => {
        const { deployment } = provider;
        const agent = new UserAgent({ ca: deployment.ca });
        const byPassword = await tokens(agent);
        assert.equal((await ask("reports", byPassword)).status, 200);
        const challenge = wanted(await ask("vault", byPassword));
        assert.deepEqual(challenge, { acr_values: "https://refeds.org/profile/mfa" });
        // acr_values is a wish: a user without a second factor goes on, and the API sees that it was not met.
        assert.deepEqual(wanted(await ask("vault", await tokens(agent, challenge))), challenge);

        const elsewhere = new UserAgent({ ca: deployment.ca });
        const page = await walk(elsewhere, `${deployment.issuer}/account/app`);
        const [, key] = page.body.match(/id="key"[^>]*>([A-Z2-7 ]+)</);
        const code = (seconds) => totp(key, deployment.now() + seconds);
        assert.match((await elsewhere.submit(page, "turn-on", { code: code(0) })).body, /Your app is on/);
        try {
          const refreshed = await client().refresh(byPassword.refresh_token);
          assert.equal((await ask("reports", refreshed)).status, 200);
          assert.deepEqual(wanted(await ask("vault", refreshed)), challenge);

          const answer = await ask("vault", await tokens(agent, { ...challenge, code: code(30) }));
          assert.equal(answer.status, 200);
          assert.equal((await answer.json()).acr, challenge.acr_values);
          assert.deepEqual(wanted(await ask("vault", byPassword)), challenge, "the token of before is what it was");
        } finally {
          await deployment.postern(["user", "factors", PERSON.username, "--remove", "all"]);
        }
      }));

    it("max_age of the challenge leads to a new login [LEVEL-9, RFC 9470 §5]", async () => {
      const agent = new UserAgent({ ca: provider.deployment.ca });
      const { refresh_token } = await tokens(agent);
      await provider.deployment.advance(TWO_HOURS);
      const refreshed = await client().refresh(refresh_token);
      await withApi({ AHEAD: `${TWO_HOURS}` }, async (ask) => {
        assert.equal((await ask("reports", refreshed)).status, 200);
        const challenge = wanted(await ask("recent", refreshed));
        assert.deepEqual(challenge, { max_age: "3600" });
        const silent = await tokens(agent);
        assert.deepEqual(wanted(await ask("recent", silent)), challenge, "a new token is not a new login");
        assert.equal((await ask("recent", await tokens(agent, challenge))).status, 200);
      });
    });
  });
}
