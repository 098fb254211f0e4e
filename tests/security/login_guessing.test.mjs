// Guessing passwords at processes that keep running: how many guesses there may be at once, and what they cost.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { hashSlot } from "./database.mjs";
import { openProvider } from "./provider.mjs";

/// The Cookie header that this browser sends.
async function cookiesOf(p, person) {
  const { send } = person;
  let cookie;
  person.send = (url, options) => {
    cookie = options.headers.cookie;
    return send(url, options);
  };
  await person.visit(`${p.issuer}/jwks`);
  person.send = send;
  return cookie ?? "";
}

const PARALLEL = 50;
const FORM = "application/x-www-form-urlencoded";

/// A login form that is sent many times, from addresses of our choice: the web server is a trusted proxy here.
class Guesser {
  static async open(p) {
    const guesser = new Guesser();
    const person = p.person();
    const { form } = await person.visit(p.authorizationUrl(p.clients.trusted));
    return Object.assign(guesser, { p, fields: form.fields, cookie: await cookiesOf(p, person) });
  }

  guess(username, password, from = "203.0.113.1") {
    return this.p.ask("/login", {
      method: "POST",
      body: new URLSearchParams({ ...this.fields, username, password }).toString(),
      headers: { cookie: this.cookie, "content-type": FORM, "x-forwarded-for": from },
    });
  }
}

const failures = async (p) => (await p.deployment.postern(["stats"])).logins;

describe("guesses that are not limited", () => {
  let p;
  let guesser;
  before(async () => {
    p = await openProvider({ config: { login: { maxFailures: 10_000 }, trustedProxies: ["127.0.0.1"] } });
    for (const name of ["carol", "diana"]) await p.deployment.addUser(name, "a long password of hers");
    await p.deployment.postern(["user", "disable", "carol"]);
    guesser = await Guesser.open(p);
  });
  after(() => p?.stop());

  /// Clock ticks (10 ms) of processor time that the login processes of this deployment have used.
  function ticks() {
    const config = `POSTERN_CONFIG=${join(p.deployment.directory, "postern.json")}`;
    let sum = 0;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (
          !readlinkSync(`/proc/${pid}/exe`).endsWith("/login") ||
          !readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(config)
        )
          continue;
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
        sum += Number(fields[11]) + Number(fields[12]);
      } catch {
        /* it has ended, or is somebody else's */
      }
    }
    return sum;
  }

  it(
    "the work of an answer, for the record: a known name, an unknown one, a disabled user",
    { skip: !process.env.POSTERN_LONG },
    async (t) => {
      const used = { alice: 0, nobod: 0, carol: 0 };
      for (let round = 0; round < 20; ++round) {
        for (const name of Object.keys(used)) {
          const before = ticks();
          for (let i = 0; i < 10; ++i) await guesser.guess(name, "a guess of hers");
          used[name] += ticks() - before;
        }
      }
      for (const [name, sum] of Object.entries(used))
        t.diagnostic(`${name}: ${((sum * 10) / 200).toFixed(1)} ms of processor time each, of 200`);
    },
  );

  it(
    `${PARALLEL} wrong passwords at once are counted ` + `as ${PARALLEL}, and the right one still works [L09]`,
    async () => {
      const before = await failures(p);
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, (_, i) => guesser.guess("diana", `wrong ${i}`)),
      );
      const refused = answers.filter(({ status }) => status === 200).length;
      for (const { status, headers } of answers.filter((answer) => answer.status !== 200))
        assert.deepEqual([status, Boolean(headers["retry-after"])], [503, true]);
      assert.ok(refused > 0);
      assert.equal((await failures(p)).failed, before.failed + refused, "one count for each that was looked at");
      assert.equal((await guesser.guess("diana", "a long password of hers")).status, 303);
    },
  );
});

describe("a machine that hashes as many passwords as it may", () => {
  let p;
  let guesser;
  before(async () => {
    p = await openProvider({ config: { login: { hashSlots: 1 }, trustedProxies: ["127.0.0.1"] } });
    guesser = await Guesser.open(p);
  });
  after(() => p?.stop());

  it("postpones logins with 503 and Retry-After, counts none of them, and answers other requests [L11]", async () => {
    const { access_token: token } = await p.tokens(p.clients.web);
    const before = await failures(p);
    // As another process that hashes: it has the one slot until its input ends.
    const holder = spawn(
      "flock",
      ["--no-fork", "--exclusive", hashSlot(p.deployment, 0), "sh", "-c", "echo held; exec cat"],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    try {
      await once(holder.stdout, "data");
      const waiting = ["right", "wrong"].map((what) =>
        guesser.guess(p.user.username, what === "right" ? p.user.password : "wrong"),
      );
      const [userinfo, introspection, jwks] = await Promise.all([
        p.userinfo(token),
        p.introspect(token),
        p.ask("/jwks"),
      ]);
      assert.deepEqual([userinfo.status, introspection.active, jwks.status], [200, true, 200]);
      for (const answer of await Promise.all(waiting)) {
        assert.equal(answer.status, 503);
        assert.ok(Number(answer.headers["retry-after"]) > 0);
        assert.equal(answer.headers["set-cookie"], undefined);
      }
    } finally {
      holder.stdin.end();
      await once(holder, "exit");
    }
    assert.deepEqual(await failures(p), before);
    assert.equal((await guesser.guess(p.user.username, p.user.password)).status, 303, "and later it goes on");
  });
});

describe("guesses beyond the limit", () => {
  const LIMIT = 3;
  const SLOTS = 2;
  let p;
  let guesser;
  before(async () => {
    p = await openProvider({
      clock: true,
      config: { login: { maxFailures: LIMIT, window: 300, hashSlots: SLOTS }, trustedProxies: ["127.0.0.1"] },
    });
    guesser = await Guesser.open(p);
  });
  after(() => p?.stop());
  function isThrottled(answer, message) {
    assert.equal(answer.status, 429, message);
    const wait = Number(answer.headers["retry-after"]);
    assert.ok(wait > 0 && wait <= 300, `${message}: ${wait}`);
    assert.equal(answer.headers["set-cookie"], undefined, message);
  }

  it(
    `of ${PARALLEL} wrong passwords at once no more are looked ` +
      "at than the limit and the slots allow, and waiting ends it [L09]",
    async () => {
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, (_, i) => guesser.guess(p.user.username, `wrong ${i}`)),
      );
      const looked = answers.filter(({ status }) => status === 200).length;
      assert.ok(looked >= LIMIT && looked < LIMIT + SLOTS, `${looked} were looked at`);
      for (const answer of answers.filter(({ status }) => ![200, 503].includes(status)))
        isThrottled(answer, "the others");
      assert.deepEqual(await failures(p), { failed: looked, throttled: 1 });
      isThrottled(await guesser.guess(p.user.username, p.user.password), "the right one, from there");
      assert.equal(
        (await guesser.guess(p.user.username, p.user.password, "198.51.100.7")).status,
        303,
        "her own address is not kept out",
      );
      isThrottled(await guesser.guess(p.user.username, p.user.password), "and her success frees nobody else");
      await p.deployment.advance(301);
      assert.equal(
        (await guesser.guess(p.user.username, p.user.password)).status,
        303,
        "nothing is locked beyond the window",
      );
      assert.deepEqual(await failures(p), { failed: 0, throttled: 0 });
    },
  );
});
