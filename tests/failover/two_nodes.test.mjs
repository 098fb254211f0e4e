// A person signs in at two web nodes behind HAProxy, whose database is a cluster of three servers, while the primary or
// a node is killed in the middle. All of it is set up by the files of examples/ and the commands of OPERATIONS.md.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { challengeOf } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";
import { Cluster, LONGEST_WAIT, until } from "./cluster.mjs";
import { Load } from "./load.mjs";
import { Nodes } from "./nodes.mjs";

const SCOPE = "openid profile offline_access";
const PAUSE = 500; // milliseconds, before what was refused is sent once more
const CLIENTS = 2;
const ROTATIONS = 40; // acknowledged before, between and after the faults

/// What the person and the client do, in this order.
const STEPS = ["authorization", "login", "consent", "redemption", "refresh", "introspection", "logout"];

describe("two nodes behind HAProxy on a cluster of three servers", () => {
  let cluster;
  let nodes;
  let p;

  prepared(async (owned) => {
    cluster = owned(await Cluster.start());
    nodes = owned(await Nodes.start(await cluster.addDatabase()));
    p = nodes.provider;
  });

  /// One sign-in, from the first request to the logout. before: {step: what happens in front of it}.
  class SignIn {
    served = []; // the node of each answer
    refused = 0; // answers 503
    silence = 0; // seconds, the longest that an answer took with what was refused before it
    #log = nodes.balancer.log.length;

    /// A request, sent once more for as long as it is refused, as a browser reloads and a client tries again.
    async patiently(ask) {
      for (const began = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, PAUSE))) {
        const answer = await ask();
        const [node] = answer.headers["x-request-id"] ?? assert.fail(`the balancer itself answered ${answer.status}`);
        this.served.push(node);
        this.silence = Math.max(this.silence, (Date.now() - began) / 1000);
        if (answer.status !== 503) return answer;
        assert.equal(answer.headers["retry-after"], "5");
        ++this.refused;
        assert.ok(Date.now() < began + LONGEST_WAIT, "the request is served at last");
      }
    }

    browser() {
      return new UserAgent({ ca: p.deployment.ca, send: (...args) => this.patiently(() => request(...args)) });
    }

    async #introspect(token) {
      const ask = () => p.post("/token/introspect", { token }, { client: p.clients.other });
      return (await this.patiently(ask)).json;
    }

    /// Of the person's browser with a session: whether the login page is skipped.
    async #isSignedIn(person, url) {
      return !(await person.visit(url)).form?.buttons.login;
    }

    async run(before = {}) {
      for (const step of Object.keys(before)) assert.ok(STEPS.includes(step), step);
      const reach = (step) => before[step]?.(this);
      const { web } = p.clients;
      const person = this.browser();
      const verifier = randomBytes(32).toString("base64url");
      const url = p.authorizationUrl(web, { scope: SCOPE, code_challenge: challengeOf(verifier), prompt: "consent" });

      await reach("authorization");
      const login = await person.visit(url);
      await reach("login");
      const consent = await person.signIn(login, p.user.username, p.user.password);
      await reach("consent");
      const { location } = await person.submit(consent, "approve");
      const code = { code: location.searchParams.get("code"), verifier, redirect_uri: web.redirectUri };
      await reach("redemption");
      const first = await this.patiently(() => p.exchange(web, code));
      assert.equal(first.status, 200, first.body);
      await reach("refresh");
      const second = await this.patiently(() => p.refresh(web, first.json.refresh_token));
      assert.equal(second.status, 200, second.body);
      await reach("introspection");
      for (const { json } of [first, second])
        for (const token of [json.access_token, json.access_token]) // at both nodes
          assert.equal((await this.#introspect(token)).active, true);
      assert.equal((await this.#introspect(second.json.refresh_token)).active, true);
      assert.equal(await this.#isSignedIn(person, url), true);
      await reach("logout");
      const out = await person.visit(`${p.issuer}/logout?id_token_hint=${first.json.id_token}`);
      if (out.form) await person.submit(out, Object.keys(out.form.buttons)[0]);
      assert.equal(await this.#isSignedIn(person, url), false);

      // What was acknowledged is there, and what was used is used.
      const third = await this.patiently(() => p.refresh(web, second.json.refresh_token));
      assert.equal(third.status, 200, third.body);
      const replayed = await this.patiently(() => p.exchange(web, code));
      assert.equal(replayed.json.error, "invalid_grant");
      assert.equal((await this.#introspect(third.json.access_token)).active, false);
      return this;
    }

    /// Each request went to the other node than the one before, unless one was so slow that HAProxy took it out.
    alternates() {
      assert.ok(this.served.length > STEPS.length);
      if (/ is DOWN/.test(nodes.balancer.log.slice(this.#log))) return;
      assert.ok(
        this.served.every((node, i) => node !== this.served[i - 1]),
        this.served.join(""),
      );
    }
  }

  /// A code is not waited for: what a primary loses of its last moments is asked for once more. The next test is about
  /// that; the others kill it when a standby has what was issued.
  async function crashed(leader) {
    const issued = leader.sql("SELECT pg_current_wal_insert_lsn()");
    const has = `SELECT count(*) = 2 FROM pg_stat_replication WHERE flush_lsn >= CAST('${issued}' AS pg_lsn)`;
    await until("the standbys have what was issued", () => leader.sql(has) === "t");
    await leader.crash();
  }

  const signIn = (before) =>
    new SignIn().run(before).catch((error) => {
      throw new Error(`${error.stack}\n${cluster.log}\n${nodes.balancer.log}`);
    });
  const report = (t, { served, refused, silence }) =>
    t.diagnostic(
      `${served.length} requests, ${served.filter((node) => node === "a").length} of them at node a; ${refused} ` +
        `answers 503; the longest wait ${silence.toFixed(1)} s`,
    );

  it("doctor finds nothing to mend in the server and the roles, and the same keys on both nodes", async () => {
    for (const node of [nodes.a, nodes.b]) {
      const found = await node.postern(["doctor"]).catch(({ stdout }) => JSON.parse(stdout));
      const about = found.filter(({ check }) => ["database", "server", "role", "shared keys", "clock"].includes(check));
      assert.deepEqual(
        about.filter(({ state }) => state !== "ok"),
        [],
      );
      assert.ok(about.length >= 4, JSON.stringify(found));
    }
  });

  it("sends every request to the other node than the one before, and plain http to https", async (t) => {
    const done = await signIn();
    report(t, done);
    done.alternates();
    assert.equal(done.refused, 0);
    const { status, headers } = await request(`http://127.0.0.1:${nodes.balancer.plainPort}/authorize?a=1`);
    assert.equal(status, 302);
    assert.match(headers.location, /^https:\/\/127\.0\.0\.1[^/]*\/authorize\?a=1$/);
  });

  for (const step of STEPS)
    it(`the primary is killed with its manager before the ${step}, and the sign-in completes`, async (t) => {
      const { leader } = await cluster.repair();
      const done = await signIn({ [step]: () => crashed(leader) });
      report(t, done);
      done.alternates();
      assert.ok(done.refused > 0);
    });

  it("a node is killed before the consent, and the sign-in goes on at the other without a refusal", async (t) => {
    await cluster.repair();
    const done = await signIn({ consent: () => nodes.crash("b") });
    report(t, done);
    assert.equal(done.refused, 0);
    const first = done.served.lastIndexOf("b");
    assert.ok(done.served.slice(0, first).includes("a") && done.served.length - first > STEPS.length);
    await nodes.balancer.until("b", "DOWN");
    assert.deepEqual([...new Set((await signIn()).served)], ["a"]);
    await nodes.b.resume();
    await nodes.balancer.until("b", "UP");
    (await signIn()).alternates();
  });

  it("a code that the primary takes with it is refused, and the person gets another without a login", async (t) => {
    const { leader } = await cluster.repair();
    const person = new SignIn();
    const browser = person.browser();
    const { web } = p.clients;
    await p.code(web, { scope: SCOPE }, browser); // with login and consent
    const code = await p.code(web, { scope: SCOPE }, browser);
    await leader.crash();
    const first = await person.patiently(() => p.exchange(web, code));
    t.diagnostic(`the code is answered ${first.status}`);
    assert.ok(first.status === 200 || first.json.error === "invalid_grant", first.body);
    const page = await browser.visit(p.authorizationUrl(web, { scope: SCOPE }));
    assert.ok(page.location?.searchParams.get("code"), page.title);
  });

  it("a node is killed before the login, and the primary before the redemption", async (t) => {
    const { leader } = await cluster.repair();
    try {
      const done = await signIn({ login: () => nodes.crash("a"), redemption: () => crashed(leader) });
      report(t, done);
      assert.ok(done.refused > 0);
    } finally {
      await nodes.a.resume();
    }
    await nodes.balancer.until("a", "UP");
  });

  it("what was acknowledged under load is kept when a node is killed, and then the primary", async (t) => {
    const { leader } = await cluster.repair();
    const load = new Load(p, CLIENTS);
    try {
      await load.more(ROTATIONS);
      await nodes.crash("b");
      await nodes.balancer.until("b", "DOWN");
      await load.more(ROTATIONS);
      await leader.crash();
      await load.more(ROTATIONS);
      await nodes.b.resume();
      await nodes.balancer.until("b", "UP");
      await load.more(ROTATIONS);
    } finally {
      await load.stop();
    }
    const { leader: last } = await cluster.repair();
    await until("the installation serves", async () => (await p.tokens(p.clients.web)).access_token);
    const found = await load.verdict((text) => last.sql(text, "postern"));
    t.diagnostic(
      `${found.acknowledged} rotations and ${found.revocations} revocations acknowledged, ${found.lost} lost; ` +
        `longest silence ${found.silence.toFixed(1)} s; ${JSON.stringify(found.failures)}`,
    );
    assert.equal(found.lost, 0);
    assert.deepEqual(found.wrong, []);
    assert.equal(found.twice, 0);
  });
});
