// The right to use a client is taken away by a command while somebody signs in to that client: whichever of the two
// comes first, the other one waits for it, and nothing is left that the user has no right to.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { ProxiedProvider } from "./proxied.mjs";

const isCommitOf =
  (its) =>
  ({ program, statements }) =>
    program === its && statements.includes("COMMIT");

describe("a right that is taken away while it is used", () => {
  let proxied;
  let proxy;
  let p;
  let person;

  prepared(async (owned) => {
    proxied = owned(await ProxiedProvider.open());
    ({ proxy, p } = proxied);
    await p.deployment.addUser("bob", "correct horse battery staple");
    await p.deployment.postern(["group", "add", "staff"]);
    person = p.person();
    await p.code(p.clients.other, {}, person);
  });

  const postern = (...args) => p.deployment.postern(args);
  const living = () => proxied.count("grants WHERE client_id = 'trusted' AND ended_at IS NULL");
  const ended = () => proxied.count("grants WHERE client_id = 'trusted' AND ended_at IS NOT NULL");
  const signIn = () => p.walk(person, p.authorizationUrl(p.clients.trusted));

  /// Holds `first` back at its COMMIT until `second`, which is begun then, waits for it. Answers what both answer.
  async function inTurn(commit, first, second) {
    let one;
    await new Promise((met, failed) => {
      proxy.plan(commit, "held", met);
      one = first();
      one.then(() => failed(new Error("it has not come to its COMMIT")), failed);
    });
    const other = second();
    let isOver = false;
    const over = () => (isOver = true);
    other.then(over, over);
    try {
      while (proxied.count("pg_stat_activity WHERE wait_event_type = 'Lock'") === 0) {
        assert.ok(!isOver, "it has not waited");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    } finally {
      proxy.release();
    }
    return Promise.all([one, other]);
  }

  /// [the command that gives the right, the one that takes it away].
  const WAYS = {
    "the client becomes one for others": [
      ["client", "set", "trusted", "--allow-everyone"],
      ["client", "set", "trusted", "--allow-user", "bob"],
    ],
    "the user is taken off the list": [
      ["client", "set", "trusted", "--allow-user", "alice"],
      ["client", "set", "trusted", "--disallow-user", "alice"],
    ],
    "the user leaves the group": [
      ["group", "member", "add", "staff", "alice"],
      ["group", "member", "remove", "staff", "alice"],
    ],
    "the group is removed": [
      ["group", "member", "add", "staff", "alice"],
      ["group", "remove", "staff"],
    ],
  };

  for (const [way, [allow, takeAway]] of Object.entries(WAYS)) {
    /// Gives the right, and a grant that rests on it. Answers how many have ended.
    async function begin() {
      await postern("client", "set", "trusted", "--allow-user", "bob");
      await postern("client", "set", "trusted", "--allow-everyone");
      await postern("group", "add", "staff").catch(() => {}); // is there, but for the way that removes it
      if (allow[0] === "group") await postern("client", "set", "trusted", "--allow-group", "staff");
      await postern(...allow);
      await p.code(p.clients.trusted, {}, person);
      assert.equal(living(), 1);
      return ended();
    }

    it(`${way}: the command waits for a code that is being issued, and ends its grant [GROUP-6]`, async () => {
      const before = await begin();
      const [page] = await inTurn(isCommitOf("authorize"), signIn, () => postern(...takeAway));
      const code = page.location?.searchParams.get("code");
      assert.ok(code, `${page.status} ${page.title}`);
      assert.equal(ended(), before + 2);
      assert.equal(living(), 0);
      const { trusted } = p.clients;
      const answer = await p.exchange(trusted, { code, verifier: "v".repeat(43), redirect_uri: trusted.redirectUri });
      assert.equal(answer.json.error, "invalid_grant");
    });

    it(`${way}: who asks for a code waits for the command, and is refused [GROUP-6]`, async () => {
      const before = await begin();
      const [, page] = await inTurn(isCommitOf("admin"), () => postern(...takeAway), signIn);
      assert.equal(page.status, 403, page.body);
      assert.equal(page.title, "alice may not use trusted");
      assert.equal(ended(), before + 1);
      assert.equal(living(), 0);
    });
  }
});
