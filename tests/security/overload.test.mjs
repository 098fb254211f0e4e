// More logins than the machine can hash, and more guesses than a person makes: what is bounded stays bounded, and
// callers who have nothing to do with it are served. login_flood.mjs measures how long things take.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { prepared } from "../support/prepared.mjs";
import { UserAgent, formOf, request } from "../support/user_agent.mjs";
import { hashSlot } from "./database.mjs";
import { lighttpdWithPools, memoryOf } from "./pools.mjs";
import { USER, openProvider } from "./provider.mjs";
import { LONG } from "./seeded.mjs";

const MiB = 1024 * 1024;
const LOGINS = 6; // processes
const [SIGCONT, SIGSTOP] = [18, 19];

/// A login form on which a browser stands: what it sends, and its cookies.
async function openForm(p, options = {}) {
  const first = await p.ask(p.authorizationUrl(p.clients.web), options);
  const cookie = (first.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
  const page = await p.ask(first.headers.location, { ...options, headers: { cookie } });
  return { fields: formOf(page.body).fields, cookie };
}
const send = (p, { fields, cookie }, typed) => p.post("/login", { ...fields, ...typed }, { headers: { cookie } });

describe("a flood of logins", () => {
  const pools = {};
  let p;
  let token;
  prepared(async (owned) => {
    p = owned(
      await openProvider({
        front: lighttpdWithPools(pools, { login: LOGINS, introspect: 2 }),
        tls: false,
        config: { login: { maxFailures: 10000, hashSlots: 2 } },
      }),
    );
    ({ access_token: token } = await p.tokens(p.clients.web));
  });

  /// Introspects until `over()`, and says how often.
  async function introspectMeanwhile(over) {
    let answers = 0;
    while (!over()) {
      assert.equal((await p.introspect(token)).active, true);
      ++answers;
    }
    return answers;
  }

  /// The memory of all login processes at one moment, in which they stand still: whoever hashes keeps his place
  /// meanwhile.
  async function snapshot() {
    for (let place = 0; place < LOGINS; ++place) pools.login.signal(place, SIGSTOP);
    const stopped = (pid) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
    while (!pools.login.pids.every(stopped)) await turn();
    const sizes = pools.login.pids.map((pid) => memoryOf(pid).size);
    for (let place = 0; place < LOGINS; ++place) pools.login.signal(place, SIGCONT);
    await pause(5);
    return sizes;
  }

  /// Sends wrong passwords from more browsers than there are processes, and looks so many times: the largest number of
  /// processes that were hashing at one time, which have 16 MiB more then, and how often a token was introspected
  /// meanwhile.
  async function flood(looks) {
    const forms = await Promise.all(Array.from({ length: 2 * LOGINS }, () => openForm(p)));
    let over = false;
    const statuses = {};
    const flooding = Promise.all(
      forms.map(async (form, i) => {
        for (let n = 0; !over; ++n) {
          const { status } = await send(p, form, { username: `nobody-${i}-${n}`, password: "wrong" });
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }),
    );
    const introspecting = introspectMeanwhile(() => over);
    const sizes = [];
    while (sizes.length < looks) sizes.push(await snapshot());
    over = true;
    await flooding;
    const idle = pools.login.pids.map((_, i) => Math.min(...sizes.map((at) => at[i])));
    const hashing = sizes.map((at) => at.filter((size, i) => size - idle[i] >= 12 * MiB).length);
    const extra = sizes.map((at) => at.reduce((sum, size, i) => sum + size - idle[i], 0));
    return { most: Math.max(...hashing), extra: Math.max(...extra), introspected: await introspecting, statuses };
  }

  it("no more passwords are hashed at once than login.hashSlots; introspection goes on [L11, Q07]", async () => {
    const { most, extra, introspected, statuses } = await flood(LONG ? 2000 : 100);
    // 503: on a machine that is busy otherwise somebody may wait too long for a place.
    assert.ok(
      statuses[200] > 0 && Object.keys(statuses).every((status) => ["200", "503"].includes(status)),
      JSON.stringify(statuses),
    );
    assert.ok(most >= 1 && most <= 2, `${most} at once`);
    assert.ok(extra <= 2 * 18 * MiB, `${extra} bytes more`);
    assert.ok(introspected > 0);
  });

  it("a login that waits too long for a slot gets 503 with Retry-After, introspection 200 [L11, S03]", async () => {
    const holders = [0, 1].map((slot) =>
      spawn("flock", [hashSlot(p.deployment, slot), "sh", "-c", "echo held; cat"], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const released = Promise.all(holders.map((holder) => once(holder, "exit")));
    try {
      await Promise.all(holders.map((holder) => once(holder.stdout, "data")));
      const forms = await Promise.all(Array.from({ length: LOGINS }, () => openForm(p)));
      let over = false;
      const waiting = Promise.all(forms.map((form) => send(p, form, USER))).finally(() => {
        over = true;
      });
      const introspected = await introspectMeanwhile(() => over);
      for (const { status, headers, body } of await waiting) {
        assert.equal(status, 503);
        assert.match(headers["retry-after"], /^[1-9]\d*$/);
        assert.equal(headers["set-cookie"]?.some((line) => /^postern-[0-9a-f]{8}=/.test(line)) ?? false, false);
        assert.match(body, /request-id/);
      }
      assert.ok(introspected > 0);
    } finally {
      holders.forEach((holder) => holder.stdin.end());
      await released;
    }
    assert.equal((await send(p, await openForm(p), USER)).status, 303);
  });
});

describe("guessing", () => {
  let p;
  prepared(async (owned) => {
    p = owned(await openProvider({ tls: false, clock: true, config: { login: { maxFailures: 3, window: 3600 } } }));
  });

  /// 303 in, 200 wrong, 429 throttled.
  async function attempt(localAddress, password) {
    const agent = new UserAgent({ send: (url, options) => request(url, { ...options, localAddress }) });
    const page = await agent.signIn(await agent.visit(p.authorizationUrl(p.clients.trusted)), USER.username, password);
    return page.location ? 303 : page.status;
  }

  it("delays the address that lighttpd saw and no other, and not for longer than the window [L09]", async () => {
    for (let i = 0; i < 3; ++i) assert.equal(await attempt("127.0.0.2", "wrong"), 200);
    assert.equal(await attempt("127.0.0.2", USER.password), 429);
    assert.equal(await attempt("127.0.0.3", USER.password), 303);
    await p.deployment.advance(3000);
    assert.equal(await attempt("127.0.0.2", "wrong"), 429); // which is not counted: a delay has an end
    await p.deployment.advance(600);
    assert.equal(await attempt("127.0.0.2", USER.password), 303);
  });
});
