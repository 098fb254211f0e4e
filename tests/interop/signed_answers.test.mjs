// What client libraries make of signed answers: they verify signature, issuer, audience and time before they redeem
// the code. What is answered when is in tests/rfc.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { PERSON, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

const METHOD = "client_secret_basic";

describe("signed answers, as client libraries verify them [JARM-2, JARM-4, JARM §2.1ab, §2.3a]", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ config: { jarm: true } }));
  });

  for (const library of Object.keys(LIBRARIES))
    for (const response_mode of ["jwt", "query.jwt", "form_post.jwt"])
      it(`${library}, ${response_mode}`, async () => {
        const client = new LIBRARIES[library](provider, METHOD);
        const { redirectUri: redirect_uri } = client;
        const checks = newChecks();
        const agent = new UserAgent({ ca: provider.deployment.ca });
        const url = (parameters) =>
          authorizationUrl(provider.clients[METHOD], checks, { response_mode, redirect_uri, ...parameters });
        const come = async (decision, parameters) => {
          const page = await walk(agent, url(parameters), decision);
          return page.location ? page : agent.submit(page, "continue");
        };
        const page = await come("approve");
        const sent = page.posted ?? page.location.searchParams;
        assert.deepEqual(
          [...sent.keys()].filter((name) => name !== "from"),
          ["response"],
        );
        assert.equal((await client.userinfo(await client.callback(page, checks))).name, PERSON.claims.name);

        const denied = await come("deny", { prompt: "consent" });
        await assert.rejects(client.callback(denied, checks), { error: "access_denied" });
      });
});
