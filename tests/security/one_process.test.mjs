// What one request leaves behind in the process that answered it: nothing that the next one could see, and nothing that
// adds up.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { TYPE, begin, conversation, pairs, parseCgi, parseRecords, record, stream, variablesOf } from "./records.mjs";
import { basicOf, openProvider } from "./provider.mjs";
import { LONG } from "./seeded.mjs";
import { SingleProcess } from "./single_process.mjs";

const ABORTS = LONG ? 10_000 : 500;

const LARGE = 64_000;
const fill = (unit, bytes) => unit.repeat(Math.floor(bytes / unit.length));
const numbered = (unit, bytes) => Array.from({ length: Math.floor(bytes / 8) }, (_, i) => unit(i)).join("");
/// Bodies of about so many bytes.
const BODIES = {
  "distinct parameters": (bytes) => numbered((i) => `k${i}=1&`, bytes),
  "one parameter again and again": (bytes) => fill("a=1&", bytes),
  "separators alone": (bytes) => fill("&", bytes),
  "equals signs alone": (bytes) => fill("=", bytes),
  "one long name": (bytes) => `${fill("n", bytes)}=1`,
  "percent-encoded letters": (bytes) => `grant_type=${fill("%41", bytes)}`,
  "percent signs": (bytes) => `x=${fill("%", bytes)}`,
  "bytes that are no UTF-8": (bytes) => `scope=${fill("%ff", bytes)}`,
  "plus signs": (bytes) => `scope=${fill("+", bytes)}`,
  "a list of scopes": (bytes) => `grant_type=client_credentials&scope=${fill("a+", bytes)}`,
  "distinct scopes": (bytes) => `grant_type=client_credentials&scope=${numbered((i) => `s${i}+`, bytes)}`,
  "a token of dots": (bytes) => `grant_type=refresh_token&refresh_token=${fill(".", bytes)}`,
  "a token of letters": (bytes) => `grant_type=refresh_token&refresh_token=${fill("A", bytes)}`,
};

/// All of an answer but what is new in each: its id, and the marks of the browser and the request in seals and forms.
function essence({ status, headers, body }) {
  const { "x-request-id": id, ...rest } = headers;
  const plain = (text) => text.replaceAll(id, "ID").replace(/[A-Za-z0-9_-]{40,}/g, "RANDOM");
  return {
    status,
    headers: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plain(value)])),
    body: plain(body),
  };
}

describe("one process, many requests", () => {
  let provider;
  let tokens;
  let requests;
  prepared(async (owned) => {
    provider = owned(await openProvider());
    tokens = await provider.tokens(provider.clients.web, { scope: "openid profile email" });
    const basic = { authorization: basicOf(provider.clients.web.id, provider.clients.web.secret) };
    const bearer = (token) => ({ authorization: `Bearer ${token}` });
    const post = (body, headers = {}) => ({ method: "POST", body, headers });
    const search = (parameters) => new URL(provider.authorizationUrl(provider.clients.web, parameters)).search.slice(1);
    const garbage = [
      tokens.access_token.replace(/.{5}$/, "AAAAA"),
      "e30.e30.e30",
      "x".repeat(9000),
      `${tokens.access_token.split(".")[0]}..`,
    ];
    /// Of each endpoint: what is asked with rights, and what without any, or of things that make the libraries fail.
    requests = {
      introspect: {
        path: "/token/introspect",
        privileged: [post(`token=${tokens.access_token}`, basic), post(`token=${tokens.refresh_token}`, basic)],
        others: [
          post(`token=${tokens.access_token}`),
          post("", {}),
          post("token=", basic),
          { method: "GET" },
          post(`token=${tokens.access_token}`, { authorization: "Basic eDp5" }),
          ...garbage.map((token) => post(`token=${token}`, basic)),
          post("token=%zz", basic),
          post("token=a&token=b", basic),
        ],
      },
      userinfo: {
        path: "/userinfo",
        privileged: [{ headers: bearer(tokens.access_token) }, post(`access_token=${tokens.access_token}`)],
        others: [
          {},
          post(""),
          { headers: { authorization: "Bearer " } },
          { headers: basic },
          ...garbage.map((token) => ({ headers: bearer(token) })),
          { method: "PUT" },
          { headers: { origin: "https://evil.example" } },
        ],
      },
      token: {
        path: "/token",
        privileged: [
          post("grant_type=client_credentials&scope=api", basic),
          post("grant_type=client_credentials", { ...basic, origin: "https://app.example" }),
        ],
        others: [
          post("grant_type=client_credentials"),
          post("grant_type=authorization_code&code=x", basic),
          post("", {}),
          post("grant_type=x", basic),
          { method: "GET" },
          ...garbage.map((token) => post(`grant_type=refresh_token&refresh_token=${token}`, basic)),
        ],
      },
      revoke: {
        path: "/token/revoke",
        privileged: [post("token=x", basic), post("token=x&token_type_hint=auth_code", basic)],
        others: [
          post("token=x"),
          post("", basic),
          ...garbage.map((token) => post(`token=${token}`, basic)),
          post("token=x&token_type_hint=y", basic),
        ],
      },
      authorize: {
        path: "/authorize",
        privileged: [{ query: search() }, { query: search({ prompt: "none", state: "secret-state" }) }],
        others: [
          {},
          { query: "client_id=web" },
          { query: search({ redirect_uri: "https://evil.example/" }) },
          { query: search({ id_token_hint: garbage[0], state: undefined }) },
          { query: "resume=x" },
        ],
      },
      jwks: {
        path: "/jwks",
        privileged: [{}],
        others: [{ method: "POST" }, { method: "HEAD" }, { headers: { if_none_match: "*" } }],
      },
    };
  });

  const ENDPOINTS = ["introspect", "userinfo", "token", "revoke", "authorize", "jwks"];
  for (const name of ENDPOINTS) {
    it(`${name}: after good and bad requests the next is answered as by a fresh process [X26]`, async () => {
      const { path, privileged, others } = requests[name];
      const ask = async (worker, request) => essence(await worker.ask({ path, ...request }));
      const all = [...privileged, ...others];
      const expected = [];
      for (const request of all) {
        // each by a process that has answered nothing before
        const fresh = await SingleProcess.start(provider.deployment, name);
        try {
          expected.push(await ask(fresh, request));
        } finally {
          await fresh.stop();
        }
      }
      assert.ok(
        new Set(expected.map((answer) => JSON.stringify(answer))).size > 1,
        "the requests are not all answered alike",
      );
      const worker = await SingleProcess.start(provider.deployment, name);
      try {
        for (const [i, request] of all.entries()) {
          for (const earlier of privileged) {
            assert.deepEqual(await ask(worker, earlier), expected[all.indexOf(earlier)], `${i}: the one with rights`);
            assert.deepEqual(await ask(worker, request), expected[i], `${i}: ${JSON.stringify(request).slice(0, 200)}`);
          }
        }
      } finally {
        assert.equal(await worker.stop(), 0);
      }
    });
  }

  it(`${ABORTS} requests that stop or hang up: descriptors and memory stay as they are [X27]`, async () => {
    for (const name of ["token", "login"]) {
      const worker = await SingleProcess.start(provider.deployment, name);
      try {
        const path = `/${name}`;
        const request = {
          method: "POST",
          path,
          body: "grant_type=authorization_code&code=x&username=a",
          headers: { authorization: basicOf("web", provider.clients.web.secret) },
        };
        const whole = conversation(provider.issuer, request);
        const head = [
          begin(),
          ...stream(TYPE.PARAMS, pairs({ ...variablesOf(provider.issuer, request), CONTENT_LENGTH: 40_000 })),
        ];
        const aborted = [
          [...head, record(TYPE.STDIN, "x".repeat(20_000))], // half a body, and gone
          [...head, record(TYPE.STDIN, "x".repeat(20_000)), record(TYPE.ABORT)], // and said so
          [...head.slice(0, -1)], // not even all of the variables
          whole, // all of it, and nobody stays for the answer; it writes
          // nothing, for pages of a database may be kept in memory
        ];
        async function abort(count) {
          for (let i = 0; i < count; ++i) {
            const peer = worker.open();
            await peer.connected;
            peer.socket.write(Buffer.concat(aborted[i % aborted.length]), () => peer.socket.destroy());
            await peer.closed;
            if (i % 50 === 0) await worker.ask({ path });
          }
        }
        await abort(100);
        await worker.ask({ path });
        const before = worker.usage();
        await abort(ABORTS);
        await worker.ask({ path });
        const { memory, descriptors } = worker.usage();
        assert.equal(descriptors, before.descriptors, name);
        assert.ok(memory <= before.memory * 1.05 + 512, `${name}: ${before.memory} kB before, ${memory} kB after`);
        assert.equal(parseCgi(parseRecords(await worker.send(whole)).stdout).status, 400, name);
      } finally {
        assert.equal(await worker.stop(), 0);
      }
    }
  });

  it("the largest and the oddest requests cost less than 50 ms of work each, and no memory [X16, Q06]", async (t) => {
    const worker = await SingleProcess.start(provider.deployment, "token");
    const authorization = basicOf("web", provider.clients.web.secret);
    const ask = async (body, times) => {
      for (let left = times; left > 0; --left)
        assert.equal((await worker.post("/token", body, authorization)).status, 400);
    };
    const spent = () => Number(readFileSync(`/proc/${worker.pid}/schedstat`, "latin1").split(" ")[0]);
    /// The work of so many requests, in nanoseconds: the least of some batches, because other load disturbs.
    async function cost(body) {
      let least = Infinity;
      for (let batch = 0; batch < 5; ++batch) {
        const began = spent();
        await ask(body, 400);
        least = Math.min(least, spent() - began);
      }
      return least;
    }
    try {
      for (const body of Object.values(BODIES)) await ask(body(LARGE), 1);
      const before = worker.usage();
      for (const [what, body] of Object.entries(BODIES)) {
        const { work } = worker.usage();
        await ask(body(LARGE), 10);
        const each = (worker.usage().work - work) / 10;
        assert.ok(each < 0.05, `${what}: ${each} s`);
      }
      const { memory } = worker.usage();
      assert.ok(memory <= before.memory * 1.05 + 512, `${before.memory} kB before, ${memory} kB after`);
      for (const [what, body] of LONG ? Object.entries(BODIES) : []) {
        const [small, large] = [await cost(body(LARGE / 4)), await cost(body(LARGE))];
        t.diagnostic(`${what}: four times as much costs ${(large / small).toFixed(1)} times the work`);
        assert.ok(large < 8 * small, `${what}: ${small} ns, then ${large}`);
      }
    } finally {
      assert.equal(await worker.stop(), 0);
    }
  });
});
