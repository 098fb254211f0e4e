// What must happen once happens once, and what is taken back stays back, when four processes of each program are asked
// the same by 32 requests in one moment. Rounds: POSTERN_LONG=1 takes a hundred of each.
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { UserAgent, request } from "../support/user_agent.mjs";
import { sql } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, verdict } from "./verdict.mjs";
import { Workers } from "./workers.mjs";

const LONG = process.env.POSTERN_LONG === "1";
const ROUNDS = LONG ? 100 : 25;
const PROCESSES = 4;
const PARALLEL = 32;
const LIMIT = 40; // failed logins
const REFUSED = "400 invalid_grant";

const inParallel = (make) => Promise.all(Array.from({ length: PARALLEL }, (_, i) => make(i)));

describe("races", () => {
  const statuses = {};
  const workers = new Workers(PROCESSES);
  let p, web;
  before(async () => {
    // The clock is a test's for the rotation of keys; the proxies are, so that each round of logins has an address of
    // its own. A place to hash for each process: nobody waits for one, which on a slow machine could end with 503.
    p = await openProvider({
      front: workers.front,
      tls: false,
      clock: true,
      config: {
        refreshReuseGrace: 30,
        trustedProxies: ["127.0.0.1"],
        login: { maxFailures: LIMIT, hashSlots: PROCESSES + 1 }, // one is kept for names that are known
      },
    });
    web = p.clients.web;
  });
  after(async () => {
    await p?.stop();
  });

  /// All answers, by what they say: { "200": 1, "400 invalid_grant": 31 }.
  function tally(answers) {
    const count = {};
    for (const answer of answers) {
      const said = verdict(answer);
      count[said] = (count[said] ?? 0) + 1;
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
    return count;
  }
  async function isGone(token) {
    assert.deepEqual(await p.introspect(token), INACTIVE);
  }
  /// How many tokens of the client could still be used, by the file.
  async function live(client) {
    const [{ tokens }] = await sql(
      p.deployment,
      `SELECT
      (SELECT count(*) FROM access_tokens t JOIN grants g ON g.id = t.grant_id
         WHERE g.client_id = '${client}' AND g.ended_at IS NULL AND t.revoked_at IS NULL)
      + (SELECT count(*) FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id
         WHERE g.client_id = '${client}' AND g.ended_at IS NULL AND t.revoked_at IS NULL)
      AS tokens`,
    );
    return tokens;
  }
  /// A browser whose cookies can be sent by others at the same time.
  function openBrowser(headers = {}) {
    let cookie = "";
    const person = new UserAgent({
      send: (url, options) => {
        cookie = options.headers.cookie ?? "";
        return request(url, { ...options, headers: { ...options.headers, ...headers } });
      },
    });
    return {
      person,
      get headers() {
        return { ...headers, cookie };
      },
    };
  }

  it(`running processes: ${ROUNDS} codes, ${PARALLEL} redeem each: one wins, and is revoked [T01, T04]`, async () => {
    for (let round = 0; round < ROUNDS; ++round) {
      const code = await p.code(web);
      const answers = await inParallel(() => p.exchange(web, code));
      assert.deepEqual(tally(answers), { 200: 1, [REFUSED]: PARALLEL - 1 });
      const { json } = answers.find(({ status }) => status === 200);
      await isGone(json.access_token);
      await isGone(json.refresh_token);
    }
    assert.equal(await live(web.id), 0, "nothing was left behind that nobody was given");
    const work = workers.work("token");
    assert.equal(work.length, PROCESSES);
    assert.ok(
      work.every((ticks) => ticks > 0),
      `each process had its part: ${work}`,
    );
  });

  it(
    `running processes: ${ROUNDS} refresh tokens, each used by ${PARALLEL}: ` +
      "one rotation, one replaced answer, and one line goes on [F04]",
    async () => {
      for (let round = 0; round < ROUNDS; ++round) {
        const first = await p.tokens(web);
        const answers = await inParallel(() => p.refresh(web, first.refresh_token));
        assert.deepEqual(tally(answers), { 200: 2, [REFUSED]: PARALLEL - 2 });
        const siblings = answers.filter(({ status }) => status === 200).map(({ json }) => json.refresh_token);
        assert.notEqual(siblings[0], siblings[1]);
        // Both sides use what they got, as often as they like: one of them goes on, the other one is told to sign in.
        const used = await inParallel((i) => p.refresh(web, siblings[i % 2]));
        const counts = tally(used);
        assert.equal((counts["200"] ?? 0) + (counts[REFUSED] ?? 0), PARALLEL);
        assert.ok(counts["200"] >= 1 && counts["200"] <= 2, JSON.stringify(counts));
        const winners = new Set(used.flatMap(({ status }, i) => (status === 200 ? [i % 2] : [])));
        assert.equal(winners.size, 1, "successors of one of the two only");
        assert.ok((await p.introspect(used.find(({ status }) => status === 200).json.refresh_token)).active);
        await p.revoke(web, first.refresh_token);
      }
    },
  );

  it(
    `running processes: ${ROUNDS} times ${PARALLEL} revocations against ${PARALLEL} refreshes: ` +
      "no token of the grant is valid afterwards [V10]",
    async () => {
      for (let round = 0; round < ROUNDS; ++round) {
        const first = await p.tokens(web);
        const byAccess = round % 2 === 1;
        const revocations = inParallel(() => p.revoke(web, byAccess ? first.access_token : first.refresh_token));
        const refreshes = inParallel(() => p.refresh(web, first.refresh_token));
        assert.deepEqual(tally(await revocations), { 200: PARALLEL });
        const answers = await refreshes;
        const counts = tally(answers);
        assert.equal((counts["200"] ?? 0) + (counts[REFUSED] ?? 0), PARALLEL, JSON.stringify(counts));
        for (const { json } of [{ json: first }, ...answers.filter(({ status }) => status === 200)]) {
          await isGone(json.refresh_token);
          assert.equal(verdict(await p.refresh(web, json.refresh_token)), REFUSED);
          // An access token that was revoked leaves its siblings; a refresh token leaves nothing.
          if (!byAccess || json === first) await isGone(json.access_token);
        }
      }
    },
  );

  it(
    `${ROUNDS} times two lots of ${PARALLEL} wrong passwords: ` +
      "every failure is counted once, and the limit holds [L09]",
    async () => {
      for (let round = 0; round < ROUNDS; ++round) {
        const address = `198.51.100.${round + 1}`;
        const username = `victim-${round}`;
        const browser = openBrowser({ "x-forwarded-for": address });
        const { form } = await browser.person.visit(p.authorizationUrl(web));
        const guess = (i) =>
          p.post(
            form.action,
            { ...form.fields, ...form.buttons.login, username, password: `guess ${i}` },
            { headers: browser.headers },
          );
        const counted = async () => {
          const rows = await sql(p.deployment, "SELECT attempt_key AS key, failures FROM login_attempts");
          return rows.filter(({ key }) => !known.has(key));
        };
        const known = new Set(
          (await sql(p.deployment, "SELECT attempt_key AS key FROM login_attempts")).map(({ key }) => key),
        );
        const first = await inParallel(guess);
        assert.deepEqual(tally(first), { 200: PARALLEL });
        assert.deepEqual(
          (await counted()).map(({ failures }) => failures),
          [PARALLEL, PARALLEL, PARALLEL],
          "pair, user and address",
        );
        const counts = tally(await inParallel(guess));
        const failures = PARALLEL + (counts["200"] ?? 0);
        assert.equal((counts["200"] ?? 0) + (counts["429"] ?? 0), PARALLEL, JSON.stringify(counts));
        assert.deepEqual(
          (await counted()).map((row) => row.failures),
          [failures, failures, failures],
        );
        assert.ok(failures >= LIMIT && failures < LIMIT + PROCESSES, `${failures} failures with a limit of ${LIMIT}`);
      }
    },
  );

  it(
    `running processes: ${ROUNDS} consent forms, each sent by ${PARALLEL} at ` +
      "once and followed to its end: one answer for the client [L17]",
    async () => {
      const browser = openBrowser();
      await p.walk(browser.person, p.authorizationUrl(web));
      for (let round = 0; round < ROUNDS; ++round) {
        const { form, url } = await browser.person.visit(
          p.authorizationUrl(web, { prompt: "consent", state: `round-${round}` }),
        );
        const { headers } = browser;
        const mixed = round % 4 === 3; // then every other one denies
        const answers = await inParallel(async (i) => {
          const button = form.buttons[mixed && i % 2 === 1 ? "deny" : "approve"];
          const posted = await p.post(new URL(form.action, url).href, { ...form.fields, ...button }, { headers });
          const next = posted.headers.location && new URL(posted.headers.location);
          return next?.origin === new URL(p.issuer).origin
            ? [posted, await p.ask(next.href, { headers: { cookie: headers.cookie } })]
            : [posted];
        });
        tally(answers.flat());
        const toClient = answers
          .flat()
          .map(({ headers: { location } }) => location)
          .filter((location) => location?.startsWith(web.redirectUri));
        assert.equal(new Set(toClient).size, 1, toClient.join("\n"));
        const code = new URL(toClient[0]).searchParams.get("code");
        if (!mixed) assert.ok(code);
        const again = await p.ask(p.authorizationUrl(web, { prompt: "none", state: "later" }), {
          headers: { cookie: headers.cookie },
        });
        assert.equal(again.status, 303, "the browser is as signed in as before");
      }
      const [{ codes }] = await sql(
        p.deployment,
        "SELECT count(*) AS codes FROM (SELECT grant_id FROM " +
          "authorization_codes GROUP BY grant_id HAVING count(*) > 1) AS repeated",
      );
      assert.equal(codes, 0, "no grant has two codes");
    },
  );

  it(
    `${ROUNDS} rotations of the signing key under load: a set that ` +
      "was fetched before it signs is enough, and nothing fails to verify [J18]",
    async () => {
      const fetchKeys = async () =>
        new Map(
          (await p.ask("/jwks")).json.keys.map((jwk) => [
            jwk.kid,
            { alg: jwk.alg, key: createPublicKey({ key: jwk, format: "jwk" }) },
          ]),
        );
      const isSigned = (keys, token) => {
        const { kid, alg } = decode(token).header;
        const known = keys.get(kid);
        assert.ok(known, `${kid} was used before it was published`);
        assert.equal(alg, known.alg);
        const [head, payload, mark] = token.split(".");
        return verify(
          "sha256",
          Buffer.from(`${head}.${payload}`),
          { key: known.key, dsaEncoding: "ieee-p1363" },
          Buffer.from(mark, "base64url"),
        );
      };
      // as a relying party keeps it: fetched after each publication, never because of a token
      let keys = await fetchKeys();
      let ended = false;
      let answered = 0;
      let wake = () => {};
      const used = new Set();
      const load = Array.from({ length: 4 }, async () => {
        let tokens = await p.tokens(web);
        while (!ended) {
          const next = await p.refresh(web, tokens.refresh_token);
          const believed = [await p.userinfo(next.json.access_token), await p.userinfo(tokens.access_token)];
          assert.deepEqual(tally([next, ...believed]), { 200: 3 });
          for (const token of [next.json.access_token, tokens.access_token])
            assert.equal((await p.introspect(token)).active, true);
          for (const kind of ["access_token", "id_token", "refresh_token"])
            assert.ok(isSigned(keys, next.json[kind]), kind);
          used.add(decode(next.json.access_token).header.kid);
          tokens = next.json;
          ++answered;
          wake();
        }
      });
      const untilAnswered = async (more) => {
        for (const goal = answered + more; answered < goal && !ended; )
          await new Promise((done) => {
            wake = done;
          });
      };
      const failed = Promise.all(load).finally(() => {
        ended = true;
        wake();
      });
      failed.catch(() => {}); // seen below
      try {
        for (let round = 0; round < ROUNDS && !ended; ++round) {
          await p.deployment.postern(["key", "rotate", "--alg", round % 25 === 24 ? "RS256" : "ES256", "--lead", "30"]);
          keys = await fetchKeys();
          await untilAnswered(4);
          await p.deployment.advance(31);
          await untilAnswered(4);
        }
      } finally {
        ended = true;
      }
      await failed;
      assert.ok(used.size > ROUNDS * 0.9, `tokens were signed with ${used.size} keys`);
    },
  );

  it("none of all these requests was answered with a server error [T01, F04, V10, L09, L17, J18]", () => {
    const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    assert.ok(all > ROUNDS * PARALLEL * 6, `${all} answers`);
    assert.deepEqual(
      Object.keys(statuses).filter((status) => status >= 500),
      [],
    );
    if (LONG)
      console.log(
        `races: ${ROUNDS} rounds each, ${PROCESSES} processes ` +
          `of each program, answers by status: ${JSON.stringify(statuses)}`,
      );
  });
});

describe("races without a grace", () => {
  const workers = new Workers(PROCESSES);
  let p;
  before(async () => {
    p = await openProvider({ front: workers.front, tls: false, config: { refreshReuseGrace: 0 } });
  });
  after(async () => {
    await p?.stop();
  });

  it(`running processes: ${ROUNDS} refresh tokens, each used by ${PARALLEL}: all is revoked [F04]`, async () => {
    const { web } = p.clients;
    for (let round = 0; round < ROUNDS; ++round) {
      const first = await p.tokens(web);
      const answers = await inParallel(() => p.refresh(web, first.refresh_token));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter((answer) => verdict(answer) === REFUSED).length, PARALLEL - 1);
      const { json } = answers.find(({ status }) => status === 200);
      for (const token of [first.access_token, first.refresh_token, json.access_token, json.refresh_token])
        assert.deepEqual(await p.introspect(token), INACTIVE);
    }
  });
});
