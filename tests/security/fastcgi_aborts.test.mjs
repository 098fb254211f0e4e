// Records that libfcgi cannot survive: the process ends, nothing is stored or answered, and its manager starts another.
// Only the web server can send them, to a socket that is its own.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fcgid } from "../support/fronts/apache.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import { prepared } from "../support/prepared.mjs";
import { lighttpdWithPools } from "./pools.mjs";
import { basicOf, openProvider } from "./provider.mjs";
import { TYPE, begin, lengthBytes, pairs, record, stream, variablesOf } from "./records.mjs";

const AGAIN_MS = 60_000;
const lying = (...lengths) => Buffer.concat([...lengths.map(lengthBytes), Buffer.from("AB")]);
const question = (content) => record(TYPE.GET_VALUES, content, { id: 0 });

/// What stands in the middle of a request that would otherwise be obeyed: `variables`, and what comes among the records
/// of its body.
const ABORTS = {
  "a name of 2^31-2 bytes and a value of 1": { variables: lying(0x7ffffffe, 1) },
  "a name of 1 byte and a value of 2^31-2": { variables: lying(1, 0x7ffffffe) },
  "a name and a value of 2^30 bytes": { variables: lying(0x40000000, 0x40000000) },
  "a question of 2^31-2 bytes in the middle of a body": { among: question(lying(0x7ffffffe, 1)) },
  "a question that is repeated, in the middle of a body": {
    among: question(Buffer.concat(Array.from({ length: 200 }, () => pairs({ FCGI_MAX_CONNS: "" })))),
  },
};

/// Bytes to a socket; gives back what came until the other side hung up. null: nobody listens there.
function send(socket, bytes) {
  return new Promise((done) => {
    let received = "";
    const peer = connect(socket, () => peer.write(bytes))
      .setEncoding("latin1")
      .on("data", (text) => {
        received += text;
      });
    peer
      .on("error", (error) => {
        if (error.code === "ECONNREFUSED") done(null);
      })
      .on("close", () => done(received));
  });
}

/// Processes of a program below one process, by what /proc tells everybody.
function below(parent, name) {
  const all = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const [, command, rest] = readFileSync(`/proc/${pid}/stat`, "latin1").match(/^\d+ \((.*)\) \S (\d+)/s);
        return [{ pid: Number(pid), command, parent: Number(rest) }];
      } catch {
        return [];
      } // it has ended
    });
  const family = new Set([parent]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return all.filter((one) => family.has(one.pid) && one.command === name).map(({ pid }) => pid);
}

/// Each manager: how its front is made, and sockets of its `revoke` processes: of lighttpd's two processes the first,
/// since it starts those that have ended once a second; mod_fcgid does not say which socket is which. `pools`: those of
/// the stand-in for systemd, which holds the listening socket on descriptor 0 and starts a process that has ended
/// again.
const pools = {};
const MANAGERS = {
  lighttpd: { front: lighttpd.fastcgi, sockets: (directory) => within(join(directory, "s"), /^revoke-0$/) },
  mod_fcgid: { front: fcgid, sockets: (directory) => within(join(directory, "s"), /^\d+\.\d+$/) },
  "a systemd socket": {
    front: lighttpdWithPools(pools, { revoke: 2 }),
    tls: false,
    sockets: (directory) => within(join(directory, "s"), /^revoke/),
    processes: () => pools.revoke.pids,
  },
};
const within = (directory, names) =>
  readdirSync(directory)
    .filter((name) => names.test(name))
    .map((name) => join(directory, name));

// Set by `make asan`. An allocator of a sanitizer ends a process in a way of its own.
const skip = process.env.ASAN_OPTIONS !== undefined;

for (const [manager, { front, tls = true, sockets, processes }] of Object.entries(MANAGERS))
  describe(`processes of ${manager} that abort`, () => {
    let p;
    let server;
    prepared(async (owned) => {
      if (skip) return;
      p = owned(await openProvider({ tls, front: async (site) => (server = await front(site)) }));
    });
    const running = () => processes?.() ?? below(server.pid, "revoke");
    const authorization = () => basicOf(p.clients.web.id, p.clients.web.secret);
    const revoke = (token) => p.post("/token/revoke", { token }, { client: p.clients.web });

    function request(token, { variables = Buffer.alloc(0), among = Buffer.alloc(0) }) {
      const body = `token=${token}`;
      const good = pairs(
        variablesOf(p.issuer, {
          method: "POST",
          path: "/token/revoke",
          body,
          headers: { authorization: authorization() },
        }),
      );
      return Buffer.concat([
        begin(),
        ...stream(TYPE.PARAMS, Buffer.concat([good, variables]).toString("latin1")),
        record(TYPE.STDIN, body.slice(0, 5)),
        among,
        ...stream(TYPE.STDIN, body.slice(5)),
      ]);
    }

    for (const [what, abort] of Object.entries(ABORTS)) {
      it(`${what}: the process ends, nothing is stored, and the next request is served [X24]`, { skip }, async () => {
        assert.equal((await revoke("x")).status, 200); // there is a process
        const grant = await p.tokens(p.clients.web);
        const former = running();
        assert.ok(former.length > 0);
        for (const socket of sockets(p.deployment.directory)) {
          const answer = await send(socket, request(grant.refresh_token, abort));
          if (answer !== null) assert.doesNotMatch(answer, /Status:/, socket);
        }
        assert.equal((await revoke("x")).status, 200, "the next request");
        const isAnother = () =>
          former.some((pid) => !running().includes(pid)) && running().some((pid) => !former.includes(pid));
        for (const end = Date.now() + AGAIN_MS; !isAnother() && Date.now() < end; )
          await new Promise((done) => setTimeout(done, 20));
        assert.ok(isAnother(), "a process has ended, and another is there");
        const introspected = await p.post(
          "/token/introspect",
          { token: grant.refresh_token },
          { client: p.clients.web },
        );
        assert.equal(introspected.json.active, true, "half a request revoked");
        assert.equal((await revoke(grant.refresh_token)).status, 200);
      });
    }
  });
