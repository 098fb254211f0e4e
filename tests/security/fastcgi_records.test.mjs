// What bytes on its socket do to a running executable: nothing, or a refusal. After each the same process answers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import {
  ROLE,
  TYPE,
  begin,
  conversation,
  lengthBytes,
  pairs,
  parseCgi,
  parseRecords,
  record,
  stream,
  variablesOf,
} from "./records.mjs";
import { mutate } from "./mutations.mjs";
import { basicOf, openProvider } from "./provider.mjs";
import { LONG, seeded } from "./seeded.mjs";
import { SingleProcess } from "./single_process.mjs";

const MUTATIONS = LONG ? 10_000 : 1000; // of each kind of conversation
const CONNECTIONS = 1100; // more than the bits of an fd_set
const MORE_DESCRIPTORS = 1100;

const ENDPOINTS = {
  authorize: "/authorize",
  login: "/login",
  scopes: "/scopes",
  logout: "/logout",
  token: "/token",
  introspect: "/token/introspect",
  revoke: "/token/revoke",
  userinfo: "/userinfo",
  jwks: "/jwks",
  discovery: "/.well-known/openid-configuration",
};

describe("records on the socket of an executable", () => {
  let provider;
  let accessToken;
  const workers = {};
  prepared(async (owned) => {
    // long runs take more than a token's usual life
    provider = owned(await openProvider({ config: { accessTokenTTL: 86_400 } }));
    accessToken = (await provider.tokens(provider.clients.web)).access_token;
    for (const name of Object.keys(ENDPOINTS))
      workers[name] = owned(await SingleProcess.start(provider.deployment, name));
  });

  const basic = () => basicOf(provider.clients.web.id, provider.clients.web.secret);
  /// A request that each endpoint answers as always, and the status it has.
  const usual = (name) =>
    ({
      token: [
        { method: "POST", body: "grant_type=authorization_code&code=x", headers: { authorization: basic() } },
        400,
      ],
      introspect: [{ method: "POST", body: `token=${accessToken}`, headers: { authorization: basic() } }, 200],
      revoke: [{ method: "POST", body: "token=x", headers: { authorization: basic() } }, 200],
      userinfo: [{ headers: { authorization: `Bearer ${accessToken}` } }, 200],
      authorize: [{ query: new URL(provider.authorizationUrl(provider.clients.web)).search.slice(1) }, 303],
      scopes: [{}, 400],
      login: [{}, 400],
      jwks: [{}, 200],
      logout: [{}, 200],
      discovery: [{}, 200],
    })[name];
  const requestOf = (name) => ({ path: ENDPOINTS[name], ...usual(name)[0] });
  /// Asks it as ever: the process that was started answers, and as ever.
  async function works(name, worker = workers[name]) {
    const answer = await worker.ask(requestOf(name));
    assert.equal(answer.status, usual(name)[1], `${name}: ${answer.body}`);
    assert.equal(answer.ended, 1);
    if (name === "introspect") assert.equal(answer.json.active, true);
  }

  it("a whole request is answered by each of them", async () => {
    for (const name of Object.keys(ENDPOINTS)) await works(name);
  });

  // Lengths of a name and a value whose sum is too large for an int end the process: fastcgi_aborts.test.mjs has those.
  const huge = [0x7fffffff, 0x40000000, 0x00ffffff, 0x0000ffff];
  const params = (content, options) => record(TYPE.PARAMS, content, options);
  const some = () => pairs({ REQUEST_METHOD: "GET", REQUEST_URI: "/x" });
  const end = [record(TYPE.PARAMS), record(TYPE.STDIN)];
  const rest = [params(some()), ...end]; // of a request whose beginning is another matter
  const whole = (name) => conversation(provider.issuer, requestOf(name));
  const given = (content, options) => [begin(), params(content, options), ...end];
  const streamed = (content, ...size) => [
    begin(),
    ...stream(TYPE.PARAMS, content.toString("latin1"), ...size),
    record(TYPE.STDIN),
  ];
  const lengths = (...numbers) => Buffer.concat(numbers.map(lengthBytes));
  const manyPairs = (count, nameOf, value) =>
    Buffer.concat(Array.from({ length: count }, (_, i) => pairs({ [nameOf(i)]: value })));
  const responder = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0]);
  /// Rows: what is sent instead of a request.
  const hostile = {
    ...Object.fromEntries(
      huge.flatMap((length) => [
        [`a name of ${length} bytes that do not come`, given(Buffer.concat([lengths(length, 1), Buffer.from("AB")]))],
        [`a value of ${length} bytes that do not come`, given(Buffer.concat([lengths(1, length), Buffer.from("AB")]))],
        [
          `a name of ${length} bytes and a value of ${length >> 1}, 100 000 of them sent`,
          streamed(Buffer.concat([lengths(length, length >> 1), Buffer.alloc(100_000, "A")])),
        ],
      ]),
    ),
    "lengths with all bits set": given(Buffer.alloc(8, 0xff)),
    "a length in four bytes that needs one": given(Buffer.from([0x80, 0, 0, 1, 0x80, 0, 0, 1, 65, 66])),
    "parameters cut inside a length": given(Buffer.from([0x80, 0])),
    "parameters cut inside a name": given(some().subarray(0, 5)),
    "parameters cut inside a value": given(some().subarray(0, 17)),
    "parameters that do not end": [begin(), params(some())],
    "no parameters": [begin(), ...end],
    "nothing after the beginning": [begin()],
    "a header cut": [begin(), params(some()).subarray(0, 5)],
    "a record that announces more than comes": [begin(), params(some(), { length: 65535 })],
    "a record that announces less than comes": given(some(), { length: 3 }),
    "padding that does not come": [begin(), params(some(), { padding: 255 }).subarray(0, 30)],
    "a byte a record": streamed(some(), 1),
    "20 000 parameters": streamed(manyPairs(20_000, (i) => `P${i}`, "x")),
    "a parameter of 3 MB": streamed(pairs({ HTTP_COOKIE: "c".repeat(3_000_000) })),
    "names that are empty, hold = or NUL": given(
      pairs([
        ["", "x"],
        ["A=B", "x"],
        ["REQUEST_URI\0X", "/jwks"],
        ["\0", ""],
      ]),
    ),
    "the authorizer's role": [begin({ role: ROLE.AUTHORIZER }), ...rest],
    "the filter's role": [begin({ role: ROLE.FILTER }), ...rest, record(TYPE.DATA, "x"), record(TYPE.DATA)],
    "no role": [begin({ role: 0 }), ...rest],
    "a role of all bits": [begin({ role: 65535 }), ...rest],
    "a beginning without content": [record(TYPE.BEGIN), ...rest],
    "a beginning cut": [record(TYPE.BEGIN, Buffer.alloc(7)), ...rest],
    "a long beginning": [record(TYPE.BEGIN, Buffer.alloc(60_000, 1)), ...rest],
    "two beginnings": [begin(), begin(), ...rest],
    "a second request at once": [begin(), record(TYPE.BEGIN, responder, { id: 2 }), ...rest],
    "the request number 0": [record(TYPE.BEGIN, responder, { id: 0 }), ...rest],
    "version 0": [record(TYPE.BEGIN, responder, { version: 0 }), ...rest],
    "version 255": [record(TYPE.BEGIN, responder, { version: 255 }), ...rest],
    "no beginning": rest,
    "a body before the parameters": [begin(), record(TYPE.STDIN, "token=x"), ...rest],
    "an end from the wrong side": [begin(), record(TYPE.END, Buffer.alloc(8)), ...rest],
    "output from the wrong side": [begin(), record(TYPE.STDOUT, "Status: 200\r\n\r\n"), ...rest],
    "an abort before the parameters": [begin(), record(TYPE.ABORT)],
    "an abort among the parameters": [begin(), params(some().subarray(0, 9)), record(TYPE.ABORT)],
    "an abort of nothing": [record(TYPE.ABORT), record(TYPE.ABORT)],
    "questions about the program": [
      record(TYPE.GET_VALUES, pairs({ FCGI_MAX_CONNS: "", FCGI_MPXS_CONNS: "", X: "" }), { id: 0 }),
    ],
    "questions without a name": [record(TYPE.GET_VALUES, Buffer.from([0x80, 0xff, 0xff, 0xff, 0]), { id: 0 })],
    "64 KB of questions": [
      record(
        TYPE.GET_VALUES,
        manyPairs(1500, (i) => `FCGI_MAX_CONNS${i}`, ""),
        { id: 0 },
      ),
    ],
    "a type that nobody knows": [record(200, "x", { id: 0 }), record(0, "", { id: 0 })],
    "another protocol": [Buffer.from("GET /jwks HTTP/1.1\r\nHost: x\r\n\r\n")],
    zeros: [Buffer.alloc(100_000)],
    ones: [Buffer.alloc(100_000, 0xff)],
    nothing: [],
  };

  for (const [what, bytes] of Object.entries(hostile)) {
    it(`${what}: no answer but a refusal, and the process goes on [X24]`, async () => {
      for (const name of ["token", "introspect", "authorize", "jwks"]) {
        const before = workers[name].usage();
        const { stdout } = parseRecords(await workers[name].send(bytes));
        const { status } = parseCgi(stdout);
        assert.ok([0, 400, 404, 405, 414, 431].includes(status), `${name} ${status}`);
        await works(name);
        assert.ok(
          workers[name].usage().memory - before.memory < 20_000,
          "memory is taken for what came, not for what was announced",
        );
      }
    });
  }

  it("an abort in the middle of a body does nothing that the body asked for [X24]", async () => {
    const grant = await provider.tokens(provider.clients.web);
    const body = `token=${grant.refresh_token}`;
    const variables = variablesOf(provider.issuer, {
      method: "POST",
      path: ENDPOINTS.revoke,
      body,
      headers: { authorization: basic() },
    });
    const start = [begin(), ...stream(TYPE.PARAMS, pairs(variables)), record(TYPE.STDIN, body.slice(0, 20))];
    for (const rest of [
      [record(TYPE.ABORT)],
      [record(TYPE.STDIN, body.slice(20, -1)), record(TYPE.ABORT)],
      [record(TYPE.STDIN)],
      [],
    ]) {
      const { status } = parseCgi(parseRecords(await workers.revoke.send([...start, ...rest])).stdout);
      assert.ok([0, 400].includes(status), `${status}`);
      await works("revoke");
    }
    const { body: answer } = await workers.introspect.post(
      ENDPOINTS.introspect,
      { token: grant.refresh_token },
      basic(),
    );
    assert.equal(JSON.parse(answer).active, true, "half a request for revocation revoked");
  });

  it("management records among a body's are not part of it; false lengths in them refuse it [X24]", async () => {
    const question = (...lengths) =>
      record(TYPE.GET_VALUES, Buffer.concat([...lengths.map(lengthBytes), Buffer.from("FCGI_MAX_CONNS")]), { id: 0 });
    for (const name of ["token", "introspect", "jwks"]) {
      for (const at of [-2, -1]) {
        const statusWith = async (made) =>
          parseCgi(
            parseRecords(await workers[name].send([...whole(name).slice(0, at), made, ...whole(name).slice(at)]))
              .stdout,
          ).status;
        assert.equal(await statusWith(question(14, 0)), usual(name)[1], name);
        for (const lengths of [
          [0x7ffffffe, 0x7fffffff],
          [14, 0x7fffffff],
          [14, 1],
          [0x00ffffff, 0],
        ]) {
          const status = await statusWith(question(...lengths));
          assert.ok([0, 400].includes(status), `${name} ${lengths} ${status}`);
          await works(name);
        }
      }
    }
  });

  it("an abort after the body comes too late, and another request's is handled like this one's [X24]", async () => {
    const records = whole("introspect");
    const statusOf = async (bytes) => parseCgi(parseRecords(await workers.introspect.send(bytes)).stdout).status;
    assert.equal(await statusOf([...records, record(TYPE.ABORT)]), 200);
    assert.ok(
      [200, 400].includes(
        await statusOf([...records.slice(0, -2), record(TYPE.ABORT, "", { id: 77 }), ...records.slice(-2)]),
      ),
    );
    await works("introspect");
  });

  it("variables that come twice, with names or values of control characters, decide nothing [X24]", async () => {
    const twice = (name, value) =>
      Object.entries(variablesOf(provider.issuer, requestOf("introspect"))).concat([[name, value]]);
    const ask = async (list) =>
      parseCgi(
        parseRecords(
          await workers.introspect.send([
            begin(),
            ...stream(TYPE.PARAMS, pairs(list)),
            ...stream(TYPE.STDIN, requestOf("introspect").body),
          ]),
        ).stdout,
      );
    for (const [name, value] of [
      ["REQUEST_METHOD", "GET"],
      ["REQUEST_URI", "/jwks"],
      ["CONTENT_LENGTH", "0"],
      ["HTTP_AUTHORIZATION", "Basic eDp5"],
    ]) {
      assert.equal((await ask(twice(name, value))).status, 400, name);
    }
    for (const [name, value] of [
      ["X\nREQUEST_METHOD", "PUT"],
      ["X=REQUEST_METHOD", "PUT"],
      ["", "PUT"],
      ["X", "a\0REQUEST_METHOD=PUT"],
      ["X\0", "PUT"],
      ["REQUEST_METHOD\0", "PUT"],
    ]) {
      assert.equal((await ask(twice(name, value))).status, 200, JSON.stringify(name));
    }
    await works("introspect");
  });

  it(`${CONNECTIONS} connections at once, silent or halfway, and then gone: the next one is served [X24]`, async () => {
    for (const name of ["token", "jwks"]) {
      const peers = Array.from({ length: CONNECTIONS }, () => workers[name].open());
      const connected = await Promise.all(peers.map((peer) => peer.connected));
      assert.ok(connected.filter(Boolean).length > 1024, "the connections of this test were open");
      peers.forEach((peer, i) => {
        if (i % 3 > 0) peer.socket.write(i % 3 === 1 ? begin() : Buffer.concat(whole(name)).subarray(0, 60));
      });
      for (const peer of peers) peer.socket.destroy();
      await works(name);
    }
  });

  it("a connection whose descriptor is beyond an fd_set is served like any other [X24]", async () => {
    for (const name of ["token", "userinfo"]) {
      const worker = await SingleProcess.start(provider.deployment, name, { descriptors: MORE_DESCRIPTORS });
      try {
        for (let count = 0; count < 20; ++count) {
          await works(name, worker);
          await worker.send([begin(), params(some().subarray(0, 9))]);
        }
        assert.ok(worker.usage().descriptors > MORE_DESCRIPTORS);
      } finally {
        await worker.stop();
      }
    }
  });

  for (const name of ["token", "introspect", "authorize", "jwks"]) {
    it(`${MUTATIONS} faulty conversations with ${name}: the process answers after each [X24]`, async () => {
      const startOne = async () => {
        const worker = await SingleProcess.start(provider.deployment, name);
        await works(name, worker); // it connects before it has begun
        return { worker, before: worker.usage() };
      };
      let { worker, before } = await startOne();
      let aborted = 0;
      const random = seeded();
      try {
        for (let count = 0; count < MUTATIONS; ++count) {
          const bytes = mutate(whole(name), random);
          const { stdout, types } = parseRecords(await worker.send(bytes));
          try {
            assert.ok(
              types.every((type) => [TYPE.END, TYPE.STDOUT, TYPE.GET_VALUES_RESULT, TYPE.UNKNOWN].includes(type)),
              `records ${types}`,
            );
            if (stdout !== "") assert.match(stdout, /^Status: [2345]\d\d /);
            assert.doesNotMatch(stdout, /^Status: 500/);
            if (await worker.hasAborted()) {
              // random lengths whose sum is too large, see fastcgi_aborts.test.mjs
              assert.match(worker.log, /Malloc: Assertion/);
              assert.equal(stdout, "", "it answers nothing");
              ({ worker, before } = await startOne());
              ++aborted;
            }
            await works(name, worker);
          } catch (error) {
            throw new Error(
              `${error.message}\nPOSTERN_SEED=${random.seed}, conversation ` +
                `${count}: ${bytes.toString("hex").slice(0, 4000)}`,
              { cause: error },
            );
          }
        }
        assert.ok(aborted <= MUTATIONS / 100, `${aborted} of ${MUTATIONS} ended the process`);
        const { memory, descriptors } = worker.usage();
        assert.equal(descriptors, before.descriptors);
        assert.ok(memory - before.memory < 20_000, `${before.memory} kB before, ${memory} kB after`);
      } finally {
        await worker.stop();
      }
    });
  }

  it("all of them are the processes that were started, and end at SIGTERM [X24]", async () => {
    for (const [name, worker] of Object.entries(workers)) {
      worker.verify();
      assert.equal(await worker.stop(), 0, `${name}: ${worker.log.slice(-4000)}`);
      assert.doesNotMatch(worker.log, /AddressSanitizer|LeakSanitizer|runtime error/, name);
    }
  });
});
