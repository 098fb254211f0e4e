// Revocation in processes that have accepted the token before, and through a kill of all of them; its rules are in
// tests/rfc/rfc7009_test.cpp.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProvider } from "./provider.mjs";
import { INACTIVE, everywhere, verdict } from "./verdict.mjs";
import { Workers } from "./workers.mjs";

const REFUSED = "400 invalid_grant";

describe("revocation", () => {
  const workers = new Workers(4);
  let p, web;
  before(async () => {
    p = await openProvider({ front: workers.front });
    ({ web } = p.clients);
  });
  after(async () => {
    await p?.stop();
  });

  const isActive = async (token) => (await p.introspect(token)).active;
  async function isGone(token) {
    assert.deepEqual(await p.introspect(token), INACTIVE);
  }
  async function done(answer, what) {
    assert.equal(answer.status, 200, what);
    assert.equal(answer.body, "", what);
  }
  it("running processes refuse the access tokens of a grant once its refresh token is revoked [V05]", async () => {
    const first = await p.tokens(web);
    const second = (await p.refresh(web, first.refresh_token)).json;
    const bystander = await p.tokens(web);
    await everywhere(async () => assert.equal(verdict(await p.userinfo(first.access_token)), "200"));
    await done(await p.revoke(web, second.refresh_token));
    for (const { access_token: token } of [first, second]) {
      await everywhere(async () => assert.equal(verdict(await p.userinfo(token)), "401 invalid_token"));
      await everywhere(() => isGone(token));
    }
    assert.ok((await isActive(bystander.access_token)) && (await isActive(bystander.refresh_token)));
  });

  it("what was answered with 200 is revoked, though every process is killed in that moment [V07]", async () => {
    for (let round = 0; round < 5; ++round) {
      const tokens = await p.tokens(web);
      await done(await p.revoke(web, tokens.refresh_token));
      assert.ok((await workers.killAll()) >= 4);
      await isGone(tokens.access_token);
      await isGone(tokens.refresh_token);
      assert.equal(verdict(await p.userinfo(tokens.access_token)), "401 invalid_token");
      assert.equal(verdict(await p.refresh(web, tokens.refresh_token)), REFUSED);
    }
  });
});
