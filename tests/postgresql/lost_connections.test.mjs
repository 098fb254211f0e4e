// A connection that is lost at any message costs no client anything: the request is answered as if nothing had
// happened, and what it did happened once. Where the answer to a COMMIT was lost, the program looks for what it wrote.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { ProxiedProvider, SCOPE } from "./proxied.mjs";

describe("a connection to PostgreSQL that is lost", () => {
  let proxied;
  let proxy;
  let p;

  prepared(async (owned) => {
    proxied = owned(await ProxiedProvider.open());
    ({ proxy, p } = proxied);
  });

  const count = (what) => proxied.count(what);
  const tokens = () => p.tokens(p.clients.web, { scope: SCOPE });

  /// Each answers what is needed to run it once, and then runs it and checks what came of it.
  const operations = {
    "introspection of a token": async () => {
      const { access_token: token } = await tokens();
      return async () => assert.equal((await p.introspect(token)).active, true);
    },
    "a token for a client": async () => {
      const before = count("access_tokens");
      return async () => {
        const answer = await p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
        assert.equal(answer.status, 200, answer.body);
        assert.equal(count("access_tokens"), before + 1);
      };
    },
    "a code for a user who is signed in": async () => {
      const before = count("authorization_codes");
      return async () => {
        assert.ok((await p.code(p.clients.trusted)).code);
        assert.equal(count("authorization_codes"), before + 1);
      };
    },
    "redemption of a code": async () => {
      const code = await p.code(p.clients.web, { scope: SCOPE });
      return async () => {
        const answer = await p.exchange(p.clients.web, code);
        assert.equal(answer.status, 200, answer.body);
        assert.equal((await p.introspect(answer.json.access_token)).active, true);
        assert.equal(count(`grants WHERE ended_at IS NOT NULL`), 0);
      };
    },
    "a token for another audience": async () => {
      const refresh = (await tokens()).refresh_token;
      return async () => {
        const answer = await p.post(
          "/token",
          { grant_type: "refresh_token", refresh_token: refresh, audience: "https://api.example" },
          { client: p.clients.web },
        );
        assert.equal(answer.status, 200, answer.body);
      };
    },
    "logout at the request of a client": async () => {
      const person = p.person();
      await p.tokens(p.clients.web, { scope: SCOPE }, person);
      return async () => {
        const page = await person.visit(`${p.deployment.issuer}/logout?client_id=${p.clients.web.id}`);
        assert.equal(page.status, 200, page.body);
      };
    },
    "use of a refresh token": async () => {
      const { refresh_token: used } = await tokens();
      return async () => {
        const answer = await p.refresh(p.clients.web, used);
        assert.equal(answer.status, 200, answer.body);
        assert.equal((await p.introspect(answer.json.access_token)).active, true);
        assert.equal(count(`refresh_tokens WHERE state = 'retried'`), 0);
        assert.equal((await p.refresh(p.clients.web, answer.json.refresh_token)).status, 200);
      };
    },
  };

  for (const [name, prepare] of Object.entries(operations)) {
    for (const kind of ["unsent", "unanswered"]) {
      it(`at any message of ${name}, ${kind}: it happens once`, async () => {
        let met = 0;
        for (let message = 1; ; ++message) {
          const perform = await prepare();
          proxy.plan(message, kind);
          await perform();
          const { cuts } = proxy;
          proxy.plan(Infinity, kind);
          if (cuts === 0) break;
          ++met;
        }
        assert.ok(met > 1);
      });
    }
  }

  it("a connection that is cut while it begins is tried once more", async () => {
    const { access_token: token } = await tokens();
    await p.introspect(token);
    proxy.drop();
    proxy.refusals = 1;
    assert.equal((await p.introspect(token)).active, true);
    assert.equal(proxy.refusals, 0);
  });

  /// Answers the status of a revocation during which the connection was cut once. Afterwards it is done.
  async function revokeDuring(cut, kind) {
    const { access_token: token } = await tokens();
    proxy.plan(cut, kind);
    const { status } = await p.revoke(p.clients.web, token);
    const { cuts, commits } = proxy;
    proxy.plan(Infinity, kind);
    if (status === 503) {
      assert.equal(commits, 1);
      assert.equal((await p.revoke(p.clients.web, token)).status, 200);
    } else {
      assert.equal(status, 200);
    }
    assert.equal((await p.introspect(token)).active, false);
    return { status, cuts };
  }

  for (const kind of ["unsent", "unanswered"]) {
    it(`at any message of a revocation, ${kind}: answered 200, or 503 and then 200, it is done`, async () => {
      let met = 0;
      for (let message = 1; (await revokeDuring(message, kind)).cuts > 0; ++message) ++met;
      assert.ok(met > 1);
    });

    it(`a revocation whose COMMIT is ${kind}: whether it is done is unknown, 503`, async () => {
      assert.equal((await revokeDuring("COMMIT", kind)).status, 503);
    });
  }
});
