// Revocation against forged tokens, in every process, through a kill and with a locked database; the rest of its rules
// is in tests/rfc/rfc7009_test.cpp.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { holdWriteLock } from "./database.mjs";
import { encode, forge, keysOf, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, everywhere, verdict } from "./verdict.mjs";
import { Workers } from "./workers.mjs";

const REFUSED = "400 invalid_grant";

describe("revocation", () => {
  const workers = new Workers(4);
  let p, web, other, spa;
  before(async () => {
    p = await openProvider({ front: workers.front });
    ({ web, other, spa } = p.clients);
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
  /// An answer as its sender sees it, but for what differs in every answer.
  const seen = ({ status, headers, body }) => {
    const { date, "x-request-id": id, ...rest } = headers;
    return { status, body, headers: rest };
  };

  it("what belongs to another client is not revoked, and the answer does not tell [V01]", async () => {
    const tokens = await p.tokens(web);
    const code = await p.code(web);
    const unknown = seen(await p.revoke(other, "unknown"));
    assert.equal(unknown.status, 200);
    for (const [token, hint] of [
      [tokens.access_token],
      [tokens.refresh_token],
      [tokens.access_token, "refresh_token"],
      [code.code, "auth_code"],
      [code.code],
    ]) {
      for (const stranger of [other, p.clients.machine])
        assert.deepEqual(seen(await p.revoke(stranger, token, { token_type_hint: hint })), unknown);
      assert.equal((await p.revoke(spa, token, { token_type_hint: hint })).body, "");
    }
    assert.ok((await isActive(tokens.access_token)) && (await isActive(tokens.refresh_token)));
    assert.equal(verdict(await p.exchange(web, code)), "200");
    assert.deepEqual(
      seen(await p.revoke(web, tokens.refresh_token)),
      unknown,
      "nor does the answer to the owner differ",
    );
    await isGone(tokens.refresh_token);
  });

  it("the owner of a token is known from what was signed or stored, not from what it says [V02]", async () => {
    const tokens = await p.tokens(web);
    const code = await p.code(web);
    const { header, claims } = decode(tokens.access_token);
    const stranger = strangeKey();
    const own = (await keysOf(p.deployment)).find(({ kid }) => kid === header.kid);
    const mine = { ...claims, cid: other.id, client_id: other.id, aud: other.id };
    const rows = {
      "signed by the thief": forge(stranger, header, mine),
      "with the thief's key name": forge(stranger, { ...header, kid: stranger.kid }, mine),
      unsigned: `${encode({ ...header, alg: "none" })}.${encode(mine)}.`,
      "naming the code": forge(stranger, header, { ...mine, code: code.code, auth_code_id: code.code, jti: code.code }),
      "naming the refresh token": forge(
        stranger,
        { ...header, typ: "rt+jwt" },
        { ...mine, jti: decode(tokens.refresh_token).claims.jti },
      ),
      // Even with our own key: its grant belongs to another client than it says.
      "well signed": forge(own, header, mine),
    };
    for (const [what, token] of Object.entries(rows)) {
      for (const hint of [undefined, "access_token", "refresh_token", "auth_code"])
        await done(await p.revoke(other, token, { token_type_hint: hint }), what);
      assert.ok((await isActive(tokens.access_token)) && (await isActive(tokens.refresh_token)), what);
    }
    assert.equal(verdict(await p.exchange(web, code)), "200");
  });

  it("a refresh token takes every access token of its sign-in along, in every process [V05]", async () => {
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

  it("while the database cannot be written nothing is called revoked, and afterwards it can be [V06]", async () => {
    const tokens = await p.tokens(web);
    const code = await p.code(web);
    const release = await holdWriteLock(p.deployment);
    try {
      for (const [token, hint] of [[tokens.refresh_token], [tokens.access_token], [code.code, "auth_code"]]) {
        const answer = await p.revoke(web, token, { token_type_hint: hint });
        assert.equal(verdict(answer), "503 temporarily_unavailable");
        assert.match(answer.headers["retry-after"], /^\d+$/);
      }
      assert.ok(await isActive(tokens.access_token), "reading goes on");
    } finally {
      await release();
    }
    assert.ok(await isActive(tokens.refresh_token));
    await done(await p.revoke(web, tokens.refresh_token));
    await isGone(tokens.refresh_token);
  });
});

describe("revocation with other settings", () => {
  it("with authenticateRevoke false this server's signature is still needed [V03]", async () => {
    const p = await openProvider({ config: { authenticateRevoke: false } });
    try {
      const { web, other } = p.clients;
      const tokens = await p.tokens(web);
      const [header, payload, signature] = tokens.access_token.split(".");
      const none = (alg) => encode({ ...decode(tokens.access_token).header, alg });
      const stranger = strangeKey();
      const rows = [
        `${none("none")}.${payload}.`,
        `${none("None")}.${payload}.${signature}`,
        `${none("HS256")}.${payload}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}.${"A".repeat(86)}`,
        `${header}.${encode({ ...decode(tokens.access_token).claims, x: 1 })}.${signature}`,
        forge(stranger, decode(tokens.access_token).header, decode(tokens.access_token).claims),
      ];
      for (const token of rows) {
        for (const hint of [undefined, "access_token", "refresh_token", "auth_code"]) {
          const answer = await p.post("/token/revoke", { token, token_type_hint: hint });
          assert.equal(answer.status, 200);
          assert.equal(answer.body, "");
        }
        assert.equal(verdict(await p.userinfo(tokens.access_token)), "200");
        assert.ok((await p.introspect(tokens.refresh_token)).active);
      }
      await p.revoke(other, tokens.refresh_token);
      assert.deepEqual(await p.introspect(tokens.access_token), INACTIVE, "who has the token may revoke it then");
    } finally {
      await p.stop();
    }
  });
});
