// Signing keys change while requests are being answered: long-lived processes take each change over at once.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { UserAgent, request } from "../support/user_agent.mjs";
import { REDIRECT_URI, authorizationUrl, authorize, newChecks, openProvider, walk } from "./relying_party.mjs";

describe("key rotation with FastCGI processes that keep running", () => {
  let provider;
  before(async () => {
    provider = await openProvider({ mode: "fastcgi" });
  });
  after(async () => {
    await provider?.deployment.stop();
  });

  const client = () => provider.clients.client_secret_basic;
  const signsWith = (token) => decodeProtectedHeader(token).kid;
  async function keySet() {
    const { body } = await request(`${provider.deployment.issuer}/jwks`, { ca: provider.deployment.ca });
    return JSON.parse(body);
  }
  const kids = async () => (await keySet()).keys.map((key) => key.kid).sort();
  async function stateOf(alg, state) {
    return (await provider.deployment.postern(["key", "list"])).filter((key) => key.alg === alg && key.state === state);
  }
  async function tokens(agent) {
    const { checks, answer } = await authorize(provider, client(), agent ? { agent } : {});
    const answered = await client().grant({
      grant_type: "authorization_code",
      code: answer.code,
      redirect_uri: REDIRECT_URI,
      code_verifier: checks.code_verifier,
    });
    return { access: answered.access_token, refresh: answered.refresh_token, id: answered.id_token };
  }
  // openid-client keeps the set for a minute, which is what the lead is for; here every token is held against the set
  // of now.
  async function believed({ access, id }) {
    assert.equal((await client().userinfo(access)).sub, provider.sub);
    const set = createLocalJWKSet(await keySet());
    for (const token of [access, id]) await jwtVerify(token, set, { issuer: provider.deployment.issuer });
  }

  it("a new key is published at once, and the old one signs until the lead is over [J18]", async () => {
    const old = await tokens();
    const made = await provider.deployment.postern(["key", "rotate", "--lead", "3600"]);
    const published = await kids();
    for (const { kid, state } of made) {
      assert.equal(state, "next");
      assert.ok(published.includes(kid));
    }
    const now = await tokens();
    assert.equal(signsWith(now.access), signsWith(old.access));
    await believed(old);
    await believed(now);
  });

  it(
    "under load, each process signs with the new key as " +
      "soon as the command ends, and nothing fails to verify [J18]",
    async () => {
      const agent = new UserAgent({ ca: provider.deployment.ca });
      const first = await tokens(agent);
      let ended = false;
      let answered = 0;
      const load = Array.from({ length: 3 }, async () => {
        let { refresh } = await tokens();
        while (!ended) {
          const next = await client().grant({ grant_type: "refresh_token", refresh_token: refresh });
          await believed({ access: next.access_token, id: next.id_token });
          refresh = next.refresh_token;
          ++answered;
        }
      });
      try {
        for (let round = 0; round < 3; ++round) {
          await provider.deployment.postern(["key", "rotate", "--lead", "0", "--force"]);
          const [active] = await stateOf("ES256", "active");
          for (let i = 0; i < 4; ++i) assert.equal(signsWith((await tokens(agent)).access), active.kid);
        }
      } finally {
        ended = true;
        await Promise.all(load);
      }
      assert.ok(answered > 5, `only ${answered} requests were answered meanwhile`);
      await believed(first);
    },
  );

  it("a retired key leaves the set at once, and what it signed is believed no more", async () => {
    const former = await tokens();
    const old = signsWith(former.access);
    await assert.rejects(provider.deployment.postern(["key", "retire", old]), (error) =>
      /signs now/.test(error.stderr),
    );
    await provider.deployment.postern(["key", "rotate", "--alg", "ES256", "--lead", "0"]);
    await assert.rejects(provider.deployment.postern(["key", "retire", old]), (error) =>
      /may be valid until/.test(error.stderr),
    );
    await believed(former);
    await provider.deployment.postern(["key", "retire", old, "--force"]);
    assert.ok(!(await kids()).includes(old));
    await assert.rejects(client().userinfo(former.access), /invalid_token/);
    await believed(await tokens());
  });

  it("a new seal.key ends logins that are under way, not sessions", async () => {
    const signedIn = new UserAgent({ ca: provider.deployment.ca });
    await tokens(signedIn);
    const undecided = new UserAgent({ ca: provider.deployment.ca });
    const form = await undecided.visit(authorizationUrl(client(), newChecks()));
    assert.ok(form.form.buttons.login);
    await provider.deployment.postern(["key", "rotate", "--seal"]);
    const refused = await undecided.signIn(form, "mara", "correct horse battery");
    assert.equal(refused.status, 400);
    const again = await walk(signedIn, authorizationUrl(client(), newChecks()));
    assert.ok(again.location.searchParams.get("code"), "still signed in");
  });
});
