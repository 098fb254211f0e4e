// One process of each program answers a great many requests, good and bad ones, and people who hang up: afterwards it
// needs as much memory and as many descriptors as before. 10^6 requests for each with POSTERN_LONG=1.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Authenticator } from "../support/authenticator.mjs";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { prepared } from "../support/prepared.mjs";
import { formOf } from "../support/user_agent.mjs";
import { drive, encode } from "./fastcgi.mjs";
import { lighttpdWithPools, memoryOf } from "./pools.mjs";
import { USER, basicOf, formText, openProvider } from "./provider.mjs";
import { LONG } from "./seeded.mjs";
import { ASAN_OPTIONS } from "./single_process.mjs";
import { faultsOf } from "./soundness.mjs";

const COUNT = Number(process.env.POSTERN_REQUESTS ?? (LONG ? 1_000_000 : 2000));
const PAGE_CACHE = 2000 * 1024;
const PATHS = {
  introspect: "/token/introspect",
  revoke: "/token/revoke",
  discovery: "/.well-known/openid-configuration",
};
process.env.ASAN_OPTIONS = ASAN_OPTIONS; // a sanitizer's, that keeps what was freed, is no growth of ours
const pathOf = (program) => PATHS[program] ?? `/${program}`;

describe(`${COUNT} requests for one process of each program`, () => {
  const pools = {};
  const passkeys = new Set(); // what came of them
  let p;
  prepared(async (owned) => {
    p = owned(
      await openProvider({
        front: lighttpdWithPools(pools, {}),
        tls: false,
        host: "localhost", // a passkey is for a host with a name
        config: {
          accessTokenTTL: 86400,
          log: { target: "/dev/null" },
          login: { maxFailures: 3, window: 86400 },
          paths: { par: "/par", deviceAuthorization: "/device_authorization", device: "/device", gate: "/gate" },
          gate: { proxies: ["127.0.0.0/8"] },
          registration: { mode: "open" },
        },
      }),
    );
  });

  /// What each program is asked, by and by: lists of { bytes, then }, and how often each of them comes.
  async function mixes() {
    const { web, other, trusted, spa, machine } = p.clients;
    const person = p.person();
    const tokens = await p.tokens(web, {}, person);
    const ended = await p.tokens(web, {}, person);
    await p.revoke(web, ended.refresh_token);
    const spent = await p.code(web, {}, person);
    await p.exchange(web, spent);
    const tool = ["client", "add", "tool", "--public", "--grant", "device_code", "--scope", "api"];
    await p.deployment.postern(tool);
    await p.deployment.postern(["site", "add", "wiki", "--url", "https://wiki.example/"]);
    const asked = (uri, more) => ({
      headers: {
        "x-forwarded-method": "GET",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "wiki.example",
        "x-forwarded-uri": uri,
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        ...more,
      },
    });
    const cookie = person.cookieHeader;
    const visitor = p.person();
    const page = await visitor.visit(p.authorizationUrl(web));
    const { fields } = formOf(page.body);
    const [holder, key] = [p.person(), new Authenticator()];
    const user = { username: "holder", password: "another quiet gate" };
    await p.deployment.addUser(user.username, user.password);
    await p.walk(holder, `${p.issuer}/account`, { user });
    const adding = await holder.visit(`${p.issuer}/account/passkeys?add=yes`);
    await holder.submit(adding, "add-passkey", key.register(adding));
    const form = (fieldsSent, headers) => ({ method: "POST", body: formText(fieldsSent), headers });
    const json = (sent, headers) => ({
      method: "POST",
      body: typeof sent === "string" ? sent : JSON.stringify(sent),
      headers: { "content-type": "application/json", ...headers },
    });
    const as = ({ id, secret }) => ({ authorization: basicOf(id, secret) });
    const bearer = (token) => ({ authorization: `Bearer ${token}` });
    const forged = `${tokens.access_token.slice(0, -8)}AAAAAAAA`;
    const query = (client, more) => new URL(p.authorizationUrl(client, more)).search;
    const resume = formText({ resume: fields.resume });
    const ofVisitor = { cookie: visitor.cookieHeader };
    let chain = tokens.refresh_token;
    const rotation = {
      get bytes() {
        return encode({ path: "/token", ...form({ grant_type: "refresh_token", refresh_token: chain }, as(web)) });
      },
      then: ({ status, text }) => {
        assert.equal(status, 200, text);
        chain = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)).refresh_token;
      },
    };
    // The first of them spends the challenge.
    const passkey = {
      bytes: encode({ path: "/login", ...form({ ...fields, ...key.use(page) }, ofVisitor) }),
      then: ({ status, text }) => {
        if (status === 303) passkeys.add("accepted");
        if (text.includes("That passkey was not accepted")) passkeys.add("refused");
      },
    };
    const about = (token, client, more) => form({ token, ...more }, client ? as(client) : {});
    const seldom = {
      token: [form({ grant_type: "client_credentials", scope: "api" }, as(machine)), rotation],
      authorize: [{ query: query(trusted, { prompt: "none" }), headers: { cookie } }],
      login: [form({ ...fields, username: USER.username, password: "wrong" }, ofVisitor), passkey],
    };
    const often = {
      token: [
        form({ grant_type: "client_credentials" }, { authorization: basicOf(machine.id, "x".repeat(43)) }),
        form({ grant_type: "carrier_pigeon" }, as(web)),
        form(
          {
            grant_type: "authorization_code",
            code: spent.code,
            redirect_uri: web.redirectUri,
            code_verifier: "w".repeat(43),
          },
          as(other),
        ),
        form({ grant_type: "refresh_token", refresh_token: ended.refresh_token }, as(web)),
        form({ grant_type: "refresh_token", refresh_token: forged }, as(web)),
        form({ grant_type: "authorization_code", code: "x", client_id: spa.id }, {}),
        form({}, {}),
      ],
      introspect: [
        about(tokens.access_token, other),
        about(ended.access_token, other),
        about(forged, other),
        about("x".repeat(9000), other),
        about("", other),
        about(tokens.access_token, null),
        about(tokens.access_token, spa),
        about(tokens.access_token, other, { token_type_hint: "pigeon" }),
      ],
      revoke: [
        about(ended.access_token, web),
        about(ended.refresh_token, web),
        about(tokens.access_token, other),
        about(forged, web),
        about("x", web),
        about("x", null),
      ],
      userinfo: [
        { headers: bearer(tokens.access_token) },
        { headers: bearer(ended.access_token) },
        { headers: bearer(forged) },
        { headers: bearer("x") },
        {},
        { query: `?access_token=${tokens.access_token}` },
        form({ access_token: tokens.access_token }, {}),
        { headers: bearer(tokens.refresh_token) },
      ],
      authorize: [
        { query: query(web) },
        { query: query(web, { redirect_uri: "https://evil.example/" }) },
        { query: query(web, { scope: "pigeon" }) },
        { query: `?${resume}`, headers: ofVisitor },
        { query: `?${resume}` },
        { query: query(web, { prompt: "none", id_token_hint: tokens.id_token }) },
        { query: query(web, { prompt: "none", id_token_hint: forged }) },
        { query: query(web, { state: "x".repeat(3000) }) },
      ],
      login: [
        { query: `?${resume}`, headers: ofVisitor },
        { query: `?${resume}x` },
        {},
        form({ ...fields, csrf: "x", username: "a", password: "b" }, ofVisitor),
        form({ ...fields, ...key.use(page), challenge: "x" }, { cookie: "x" }),
      ],
      scopes: [
        { query: `?${resume}`, headers: ofVisitor },
        { query: `?${resume}`, headers: { cookie } },
        form({ ...fields, decision: "approve" }, { cookie }),
        {},
      ],
      logout: [
        {},
        { query: `?${formText({ id_token_hint: forged })}`, headers: { cookie } },
        { query: `?${formText({ id_token_hint: tokens.id_token, state: "x" })}` },
        { headers: { cookie } },
        form({ csrf: "x" }, { cookie }),
      ],
      account: [
        {},
        { headers: { cookie } },
        { path: "/account/app", headers: { cookie } },
        { path: "/account/codes", headers: { cookie } },
        { path: "/account/devices", headers: { cookie } },
        { path: "/account/applications", headers: { cookie } },
        { path: "/account/password", headers: { cookie } },
        { path: "/account/passkeys", headers: { cookie: holder.cookieHeader } },
        { path: "/account/passkeys", query: "?add=yes", headers: { cookie: holder.cookieHeader } },
        form({ csrf: "x", everywhere: "yes" }, { cookie }),
      ],
      recover: [
        { path: "/recover/link" },
        { path: "/recover/link", query: `?t=${"A".repeat(43)}` },
        { ...form({ csrf: "x", new: "x", again: "x" }, { cookie }), path: "/recover/link" },
      ],
      par: [
        form(Object.fromEntries(new URLSearchParams(query(web))), as(web)),
        form({ client_id: spa.id, response_type: "code" }, {}),
        form({ response_type: "pigeon" }, as(web)),
        form({ request_uri: "x" }, as(web)),
        form({}, { authorization: basicOf(web.id, "x".repeat(43)) }),
        {},
      ],
      device_authorization: [
        form({ client_id: "tool" }, {}), // until its address has asked too often
        form({ client_id: "tool", scope: "pigeon" }, {}),
        form({}, as(web)),
        form({}, { authorization: basicOf(machine.id, "x".repeat(43)) }),
        {},
      ],
      device: [
        {},
        { query: "?user_code=WDJB-MJHT" },
        { query: "?user_code=WDJB-MJHT", headers: { cookie } },
        form({ csrf: "x", user_code: "WDJB-MJHT" }, { cookie }),
        form({ ...fields, decision: "approve" }, { cookie }),
      ],
      registration: [
        json({ redirect_uris: ["http://127.0.0.1/cb"] }), // until its address has registered ten
        json({ redirect_uris: ["https://evil.example/cb"] }),
        json({ redirect_uris: ["http://127.0.0.1/cb"] }, bearer("x")),
        json("{"),
        { query: "?client_id=web", headers: bearer("x") },
        { method: "DELETE", query: "?client_id=web", headers: bearer("x") },
        form({}, {}),
        {},
      ],
      gate: [
        asked("/a?b=c"),
        asked("/a", { cookie: "__Host-postern-gate-00000000=x" }),
        asked("/a/..%2f..%252fb"),
        asked("/.postern/callback?state=x"),
        asked("/a", { "sec-fetch-mode": "cors" }),
        {},
      ],
      jwks: [{}, { query: "?callback=x" }, { headers: { "if-none-match": '"x"' } }],
      discovery: [{}, { headers: { origin: "https://page.example" } }, { headers: { host: "evil.example" } }],
    };
    const faulty = [
      { method: "PUT" },
      { method: "HEAD" },
      { method: "OPTIONS" },
      { query: "?a=%zz" },
      { query: "?a=1&a=1" },
      { query: `?${"a=1&".repeat(2000)}` },
      { method: "POST", body: "x".repeat(70_000) },
      { method: "POST", body: "a=1&a=2" },
      { headers: { cookie: "a=b; ".repeat(500) } },
      { path: "/elsewhere" },
    ];
    const prepared = (program, { query: text = "", path = pathOf(program), ...rest }) => ({
      bytes: encode({ path: path + text, ...rest }),
    });
    return Object.fromEntries(
      ENDPOINTS.map((program) => {
        const list = [...often[program], ...often[program], ...faulty].map((one) => prepared(program, one));
        for (const one of seldom[program] ?? []) list.push(one.then ? one : prepared(program, one));
        const cut = list[0].bytes;
        list.push({ abandoned: cut.subarray(0, cut.length - 12) }, { abandoned: cut });
        return [program, list];
      }),
    );
  }

  /// Their number, where the system lets us see them: a process that holds keys shows them to root alone.
  function descriptorsOf(pid) {
    try {
      return readdirSync(`/proc/${pid}/fd`).length;
    } catch (error) {
      if (error.code !== "EACCES") throw error;
      return 0;
    }
  }

  /// While nobody asks anything; with `descriptors`, as soon as there are no more than these: the last connection goes
  /// after its answer.
  async function needs(program, descriptors = 0) {
    const [pid] = pools[program].pids;
    await drive(pools[program].socket, {
      count: 1,
      next: () => ({ bytes: encode({ path: pathOf(program) }, { keep: false }) }),
    });
    const counts = [];
    for (let i = 0; i < 10 || (i < 1000 && Math.min(...counts) > descriptors && descriptors > 0); ++i) {
      counts.push(descriptorsOf(pid));
      await pause(20);
    }
    return { pid, ...memoryOf(pid), descriptors: Math.min(...counts) };
  }

  it("memory and descriptors stay as they are [Q01, Q02]", { timeout: 7_200_000 }, async (t) => {
    const asked = await mixes();
    const statuses = {};
    await Promise.all(
      ENDPOINTS.map(async (program) => {
        const list = asked[program];
        const run = async (from, to) => {
          const found = await drive(pools[program].socket, {
            count: to - from,
            next: (i) => list[(from + i) % list.length],
          });
          for (const [status, count] of Object.entries(found))
            (statuses[program] ??= {})[status] = (statuses[program][status] ?? 0) + count;
        };
        const fresh = await needs(program);
        const warm = COUNT / 4;
        await run(0, warm);
        const first = await needs(program);
        await run(warm, COUNT);
        const last = await needs(program, first.descriptors);
        t.diagnostic(
          `${program}: ${JSON.stringify(statuses[program])}, ${first.resident / 1024} KiB ` +
            `after ${warm}, ${last.resident / 1024} KiB after ${COUNT}, ${last.descriptors} descriptors`,
        );
        assert.equal(last.pid, first.pid);
        // SQLite keeps pages until it has so many of them.
        const expected = Math.max(first.resident, fresh.resident + PAGE_CACHE);
        assert.ok(
          last.resident < expected * 1.05,
          `${program}: ${fresh.resident} bytes, ${first.resident}, then ${last.resident}`,
        );
        assert.equal(last.descriptors, first.descriptors, program);
        assert.equal(last.descriptorTable, first.descriptorTable, program);
      }),
    );
    for (const [program, found] of Object.entries(statuses)) {
      // 0: no answer. A process hangs up on who has connected and says nothing for ten seconds, which this one may do
      // when the machine has other things to do.
      const { 0: unanswered = 0, ...answered } = found;
      assert.ok(unanswered <= COUNT / 1000, `${program}: ${JSON.stringify(found)}`);
      for (const status of Object.keys(answered))
        assert.ok(status >= 200 && status < 500, `${program}: ${JSON.stringify(found)}`);
    }
    assert.deepEqual([...passkeys].sort(), ["accepted", "refused"]);
    assert.deepEqual(await faultsOf(p.deployment), []);
  });
});
