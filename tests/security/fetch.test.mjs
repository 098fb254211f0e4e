// What the program that fetches over HTTPS refuses and what it brings, asked by a process in its sandbox as an endpoint
// that may fetch: a host of this machine answers in every way that a stranger's might.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { createServer as createPlainServer } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { makeCertificate, privateDirectory } from "../support/web_server.mjs";
import { conversation, parseCgi, parseRecords } from "./records.mjs";
import { missingHere, sandboxHere } from "./sandbox.mjs";
import { SingleProcess } from "./single_process.mjs";

const PROGRAM = join(BUILD, "libexec/fetch/fetch");
const missing = await missingHere();
const withoutProgram = existsSync(PROGRAM) ? false : "built without libcurl";
const JSON_TYPE = { "Content-Type": "application/json" };

/// How the host answers, by the path.
const ANSWERS = {
  "/good": (_, response) => response.writeHead(200, JSON_TYPE).end('{"a":1}'),
  "/redirect": (_, response) => response.writeHead(302, { Location: "/good", ...JSON_TYPE }).end(),
  "/missing": (_, response) => response.writeHead(404, JSON_TYPE).end("{}"),
  "/largest": (_, response) => response.writeHead(200, JSON_TYPE).end(`"${"x".repeat(16382)}"`),
  "/larger": (_, response) => response.writeHead(200, JSON_TYPE).end(`"${"x".repeat(16383)}"`),
  "/endless": (_, response) => {
    response.writeHead(200, JSON_TYPE); // in pieces, without a length
    const timer = setInterval(() => response.write("x".repeat(4096)), 10);
    response.on("close", () => clearInterval(timer));
  },
  "/slow": () => {},
  "/drip": (_, response) => {
    response.writeHead(200, JSON_TYPE);
    const timer = setInterval(() => response.write("x"), 500);
    response.on("close", () => clearInterval(timer));
  },
  "/truncated": (_, response) => {
    response.writeHead(200, { "Content-Length": "100", ...JSON_TYPE }).write('{"a":');
    setTimeout(() => response.destroy(), 50);
  },
  "/type": (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>"),
  "/binary": (_, response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x22, 0xff, 0x22])),
  "/headers": (request, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(request.headers)),
  "/cookie": (_, response) => response.writeHead(200, { "Set-Cookie": "a=b", ...JSON_TYPE }).end("{}"),
};

describe("the program that fetches", { skip: withoutProgram }, () => {
  let directory;
  let servers = [];
  let asked = []; // of the host that answers
  let ports;
  let count = 0;

  const listening = async (server, host) => {
    await new Promise((done, failed) => server.once("error", failed).listen(0, host, done));
    servers.push(server);
    return server.address().port;
  };
  const secure = async ({ certificate, key }, host = "127.0.0.1", more = {}) => {
    const options = { cert: readFileSync(certificate), key: readFileSync(key), ...more };
    const server = createServer(options, (request, response) => {
      asked.push(request.url);
      (ANSWERS[request.url.replace(/\?.*/, "")] ?? ANSWERS["/missing"])(request, response);
    });
    server.on("tlsClientError", () => {});
    return listening(server, host);
  };

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "pt-fetch-"));
    await chmod(directory, 0o755);
    const certificate = async (name, options) =>
      makeCertificate(await privateDirectory(join(directory, name)), options);
    const [good, expired, unknown] = [
      await certificate("g"),
      await certificate("e", { days: -1 }),
      await certificate("u"),
    ];
    await writeFile(join(directory, "ca.pem"), good.ca + expired.ca);
    const silent = createPlainServer(() => {}); // takes a connection and does not begin TLS
    ports = {
      good: await secure(good),
      other: await secure(good, "127.0.0.2"),
      six: await secure(good, "::1").catch(() => 0),
      expired: await secure(expired),
      unknown: await secure(unknown),
      old: await secure(good, "127.0.0.1", { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" }),
      silent: await listening(silent, "127.0.0.1"),
    };
  });
  after(async () => {
    for (const server of servers) {
      server.closeAllConnections?.();
      server.close();
    }
    await rm(directory, { recursive: true, force: true });
  });

  /// An installation of its own, so that no limit and nothing cached of another test counts.
  async function installation(outbound = {}, more = {}) {
    const place = await privateDirectory(join(directory, `i${++count}`));
    const config = {
      issuer: "https://id.example",
      database: join(place, "postern.db"),
      keys: join(place, "keys"),
      templates: join(ROOT, "templates"),
      sandbox: await sandboxHere(),
      outbound: {
        enabled: true,
        ports: [443, ...Object.values(ports).filter(Boolean)],
        allow: ["127.0.0.1/32"],
        ca: join(directory, "ca.pem"),
        program: PROGRAM,
        slots: 16, // tests ask at the same time
        ...outbound,
      },
      ...more,
    };
    const file = join(place, "postern.json");
    await writeFile(file, JSON.stringify(config));
    await run(join(BUILD, "bin/postern"), ["init", "--config", file]);
    return { file, place, database: config.database };
  }

  /// What a process of its own, plain CGI, says of the URL.
  async function fetched(url, where, env = {}) {
    const { stdout } = await run(join(BUILD, "tests/fetch_probe"), [], {
      env: {
        POSTERN_CONFIG: where.file,
        REQUEST_METHOD: "GET",
        REQUEST_URI: `/probe?url=${encodeURIComponent(url)}`,
        QUERY_STRING: `url=${encodeURIComponent(url)}`,
        SERVER_PROTOCOL: "HTTP/1.1",
        GATEWAY_INTERFACE: "CGI/1.1",
        REMOTE_ADDR: "192.0.2.1",
        ...env,
      },
    });
    return JSON.parse(stdout.slice(stdout.indexOf("\r\n\r\n")));
  }
  const at = (path, port = ports.good) => `https://127.0.0.1:${port}${path}`;
  const fails = async (url, where, reason) => {
    const answer = await fetched(url, where);
    assert.match(answer.reason, reason);
    assert.equal(answer.body, "");
    assert.equal(answer.tooMany, false);
  };

  it("brings a document once while it is fresh, and who asked cannot connect [FETCH-2, FETCH-9, N04]", async () => {
    const where = await installation();
    asked = [];
    for (let time = 0; time < 2; ++time) {
      const answer = await fetched(at("/good"), where);
      assert.deepEqual([answer.reason, answer.body, answer.type], ["", '{"a":1}', "application/json"]);
      if (!missing) assert.match(answer.connect, /^(EPERM|EACCES)$/);
    }
    assert.deepEqual(asked, ["/good"]);
  });

  it("sends no cookie, credential, referrer or address of anything else [FETCH-6]", async () => {
    const where = await installation();
    await fetched(at("/cookie"), where);
    const { body } = await fetched(at("/headers"), where);
    assert.deepEqual(Object.keys(JSON.parse(body)).sort(), ["accept", "host", "user-agent"]);
    assert.equal(JSON.parse(body)["user-agent"], "Postern");
  });

  it("follows no redirect [FETCH-6, N01, CVE-2026-4366]", async () => {
    asked = [];
    await fails(at("/redirect"), await installation(), /^the answer has status 302$/);
    assert.deepEqual(asked, ["/redirect"]);
  });

  it("takes no other status than 200 [FETCH-8]", async () =>
    fails(at("/missing"), await installation(), /^the answer has status 404$/));

  it("takes 16384 bytes and not one more, whether the length is said or not [FETCH-8]", async () => {
    const where = await installation();
    assert.equal((await fetched(at("/largest"), where)).body.length, 16384);
    await fails(at("/larger"), where, /^the body is longer than 16384 bytes$/);
    await fails(at("/endless"), where, /^the body is longer than 16384 bytes$/);
  });

  it("gives up a host that does not answer, that drips, or does not begin TLS [FETCH-8]", async () => {
    const where = await installation();
    await Promise.all([
      fails(at("/slow"), where, /timed out/i),
      fails(at("/drip"), where, /timed out/i),
      fails(at("/good", ports.silent), where, /timed out|timeout/i),
    ]);
  });

  it("refuses a body that ends early, and one that is no text", async () => {
    const where = await installation();
    await fails(at("/truncated"), where, /closed|remaining|transfer|eof/i);
    await fails(at("/binary"), where, /^the answer is not text$/);
  });

  it("leaves the content type to the caller, whose refusal is not cached [FETCH-9]", async () => {
    const where = await installation();
    asked = [];
    await fails(at("/type"), where, /^the content type is text\/html$/);
    await fails(at("/type"), where, /^it failed in the last 30 s/);
    assert.deepEqual(asked, ["/type"]);
  });

  it("verifies name, date and authority of certificates, takes no TLS before 1.2 [FETCH-7, N01, F2-55]", async () => {
    const where = await installation({ allow: ["127.0.0.0/8"] });
    await fails(`https://127.0.0.2:${ports.other}/good`, where, /subject|name/i);
    await fails(at("/good", ports.expired), where, /expired/i);
    await fails(at("/good", ports.unknown), where, /unable to get local issuer|self.signed/i);
    await fails(at("/good", ports.old), where, /version|alert|protocol/i);
    await fails(at("/good"), await installation({ ca: null }), /unable to get local issuer|self.signed/i);
  });

  it("connects to no address of this network that is not allowed, however it is written [FETCH-5, N01]", async () => {
    asked = [];
    const spellings = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "0", "[::1]", "[::ffff:127.0.0.1]"];
    const where = await installation({ allow: [] });
    const refusal = /not one of the public Internet|neither a name nor an address/;
    await Promise.all(spellings.map((host) => fails(`https://${host}:${ports.good}/good`, where, refusal)));
    // Allowing an address allows no other.
    await fails(`https://127.0.0.2:${ports.other}/good`, await installation(), /not one of the public Internet/);
    assert.deepEqual(asked, []);
  });

  it("sends no address of this network to a proxy, which would connect to it [FETCH-5, N01]", async () => {
    const seen = [];
    const proxy = createPlainServer((socket) =>
      socket.on("data", (bytes) => {
        seen.push(bytes.toString().split("\r\n")[0]);
        socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      }),
    );
    const port = await listening(proxy, "127.0.0.1");
    const where = await installation({ allow: [], proxy: `http://127.0.0.1:${port}` });
    await fails("https://169.254.169.254/latest", where, /not one of the public Internet/);
    await fails("https://[::ffff:10.0.0.1]/", where, /not one of the public Internet/);
    // Each way in which the proxy, or its resolver, may read the same.
    const spellings = [
      "127.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "127.0.0.1.",
      "localhost",
      "LOCALHOST.",
    ].concat(["a.localhost", "[::1]", "[::ffff:0:127.0.0.1]", "%31%32%37.0.0.1", "\uff11\uff12\uff17.0.0.1"]);
    const refusal = /not one of the public Internet|neither a name nor an address|not an absolute URL/;
    await Promise.all(spellings.map((host) => fails(`https://${host}/`, where, refusal)));
    assert.deepEqual(seen, []);
    await fails("https://name.example/", where, /proxy|403/i); // a name is for the proxy to resolve
    assert.deepEqual(seen, ["CONNECT name.example:443 HTTP/1.1"]);
  });

  it("takes ports of the list alone, and no other scheme [FETCH-4, F2-53]", async () => {
    const where = await installation({ ports: [443] });
    asked = [];
    await fails(at("/good"), where, /^the port of the URL is not among/);
    await fails(`http://127.0.0.1:${ports.good}/good`, where, /^the URL is not https$/);
    await fails("file:///etc/passwd", where, /^it is not an absolute URL$|^the URL is not https$/);
    assert.deepEqual(asked, []);
  });

  /// An installation whose names that end with ".test" have the address that `set` says, each time.
  async function named() {
    const place = await privateDirectory(join(directory, `n${++count}`));
    const program = join(place, "fetch");
    const address = join(place, "address");
    // The sanitizer's library comes behind the preloaded one; that is well here.
    const sanitizer = "ASAN_OPTIONS=verify_asan_link_order=0";
    const preload = `LD_PRELOAD=${join(BUILD, "tests/address_preload.so")} POSTERN_TEST_ADDRESS=$(cat ${address})`;
    await writeFile(program, `#!/bin/sh\n${sanitizer} ${preload} exec ${PROGRAM}\n`);
    await chmod(program, 0o755);
    return { where: await installation({ program }), set: (text) => writeFile(address, text) };
  }

  it("looks at the address of each connection: a name that gets another one is refused [FETCH-5, N01]", async () => {
    const { where, set } = await named();
    asked = [];
    await set("10.1.2.3");
    await fails(`https://name.test:${ports.good}/a`, where, /10\.1\.2\.3\/32 of the host is not one of the public/);
    await set("127.0.0.1"); // allowed: the connection comes, and the certificate has another name
    await fails(`https://name.test:${ports.good}/b`, where, /subject|name/i);
    await set("169.254.169.254");
    await fails(`https://name.test:${ports.good}/c`, where, /169\.254\.169\.254\/32 of the host is not one of/);
    assert.deepEqual(asked, []);
  });

  it(
    "confines the program: no other file, port, kind of socket or process [FETCH-2, N04, G05]",
    { skip: missing || false },
    async () => {
      const { where, set } = await named();
      await set("spy");
      const { stdout } = await run(join(BUILD, "bin/postern"), ["doctor", "--config", where.file, "--json"]).catch(
        (failure) => failure,
      );
      const [, landlock] = stdout.match(/Landlock version (\d+)/);
      const { EACCES, ECONNREFUSED, EPERM } = constants.errno;
      const rows = {
        passwd: EACCES,
        port: landlock >= 4 ? EACCES : ECONNREFUSED,
        fork: EPERM,
        mptcp: EPERM,
        "fast-open": EPERM,
        icmp: EPERM,
        unix: EPERM,
        datagram: EPERM,
        pair: EPERM,
        netlink: EPERM,
        vsock: EPERM,
        bind: EPERM,
      };
      await Promise.all(
        Object.entries(rows).map(async ([attempt, expected]) => {
          const { reason } = await fetched(`https://${attempt}.test:${ports.good}/`, where);
          assert.equal(reason.split(" ")[2], `10.0.0.${expected}/32`, attempt);
        }),
      );
    },
  );

  it("asks one host six times in a minute, and then says that it was too often [FETCH-11]", async () => {
    const where = await installation();
    asked = [];
    for (let time = 1; time <= 6; ++time) assert.equal((await fetched(at(`/good?${time}`), where)).reason, "");
    const { reason, tooMany } = await fetched(at("/good?7"), where);
    assert.deepEqual([reason, tooMany], ["more than 6 fetches from this host in a minute", true]);
    assert.equal(asked.length, 6);
  });

  it("waits for one silent host at a time and refuses the others at once [FETCH-11, N05]", async () => {
    const where = await installation({ slots: 1 });
    asked = [];
    const held = fetched(at("/slow"), where); // its host takes the question and says nothing
    while (!asked.includes("/slow")) await new Promise((done) => setTimeout(done, 10));
    for (const path of ["/good", "/slow?another"]) {
      const { reason, tooMany } = await fetched(at(path), where);
      assert.deepEqual([reason, tooMany], ['as many fetches are under way as "outbound.slots" allows', true]);
    }
    assert.deepEqual(asked, ["/slow"]);
    assert.match((await held).reason, /timed out/i);
    const silent = await fetched(at("/slow?again"), where);
    assert.equal(silent.reason, "its host has not answered, and is not asked again so soon");
    assert.deepEqual(asked, ["/slow"]);
  });

  it("survives a program that dies, that is not there and that says nothing of use [FETCH-2]", async () => {
    const script = async (name, text) => {
      await writeFile(join(directory, name), `#!/bin/sh\n${text}\n`);
      await chmod(join(directory, name), 0o755);
      return join(directory, name);
    };
    const rows = [
      [await script("dies", "kill -9 $$"), /^the fetching program ended without an answer$/],
      [await script("fails", "echo no; exit 1"), /^the fetching program ended without an answer$/],
      [await script("lies", "echo hello"), /did not answer as it should$/],
      [await script("talks", "exec cat /dev/zero"), /took too long$/],
      [join(directory, "nothing"), /nothing cannot be run$/],
    ];
    await Promise.all(
      rows.map(async ([program, reason]) => fails(at("/good"), await installation({ program }), reason)),
    );
  });

  /// One FastCGI process that may fetch, and its child.
  async function served() {
    const where = await installation();
    await privateDirectory(join(where.place, "s"));
    await copyFile(join(BUILD, "tests/fetch_probe"), join(where.place, "fetch_probe"));
    if (process.getuid() === 0) await run("chown", ["-R", `--reference=${where.place}`, where.place]);
    const deployment = { issuer: "https://id.example", directory: where.place, cgiBin: where.place };
    const worker = await SingleProcess.start(deployment, "fetch_probe");
    await asks(worker, "/good"); // it has begun to serve
    const children = readdirSync("/proc").filter((pid) => parentOf(pid) === worker.pid);
    assert.equal(children.length, 1);
    return { worker, child: Number(children[0]) };
  }
  const parentOf = (pid) => {
    try {
      return Number(
        readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")[1],
      );
    } catch {
      return 0; // no process, or it has ended meanwhile
    }
  };
  const isThere = (pid) => existsSync(`/proc/${pid}`);
  const asks = async (worker, path) => {
    const request = { path: "/probe", query: `url=${encodeURIComponent(at(path))}` };
    return parseCgi(parseRecords(await worker.send(conversation(worker.issuer, request))).stdout).json;
  };

  it("waits in a child that has its socket alone, and that ends with its process [FETCH-2, N04]", async () => {
    const { worker, child } = await served();
    assert.equal((await asks(worker, "/good?a")).reason, "");
    assert.equal((await asks(worker, "/good?b")).reason, "");
    assert.equal(readFileSync(`/proc/${child}/comm`, "utf8"), "postern-waiter\n");
    if (process.getuid() === 0) assert.deepEqual(readdirSync(`/proc/${child}/fd`).sort(), ["0", "1", "2", "3"]);
    process.kill(child, "SIGTERM"); // as systemd stops a unit: a request under way may still ask
    assert.equal((await asks(worker, "/good?c")).reason, "");
    assert.equal(await worker.stop(), 0);
    for (const end = Date.now() + 10_000; isThere(child) && Date.now() < end; )
      await new Promise((done) => setTimeout(done, 20));
    assert.ok(!isThere(child));
  });

  it("fails without its child, and makes room for a process that has one [FETCH-2]", async () => {
    const { worker, child } = await served();
    process.kill(child, "SIGKILL");
    assert.match((await asks(worker, "/good?a")).reason, /^the child that starts the fetching program is gone$/);
    assert.equal(await worker.ended, 0);
    assert.match(worker.log, /"event":"end","reason":"the child that fetches is gone/);
  });

  it("costs nothing when it is off: no child, no table, no library [FETCH-1]", async () => {
    const where = await installation({ enabled: false });
    const traced = join(where.place, "trace");
    const calls = async ({ file }) => {
      const env = { POSTERN_CONFIG: file, REQUEST_METHOD: "GET", REQUEST_URI: "/authorize", REMOTE_ADDR: "192.0.2.1" };
      env.ASAN_OPTIONS = "detect_leaks=0"; // a sanitizer cannot look for leaks in a traced process
      const options = ["-f", "-e", "trace=process,socketpair", "-o", traced, join(BUILD, "cgi-bin/authorize")];
      await run("strace", options, { env });
      return readFileSync(traced, "utf8");
    };
    const begun = /fork|clone|socketpair/;
    assert.doesNotMatch(await calls(where), begun);
    assert.match(await calls(await installation()), begun); // the measure is one
    assert.equal((await fetched(at("/good"), where)).reason, '"outbound" is not enabled');
    for (const name of readdirSync(join(BUILD, "cgi-bin")).filter((file) => !file.includes("."))) {
      const { stdout } = await run("ldd", [join(BUILD, "cgi-bin", name)]);
      assert.doesNotMatch(stdout, /curl/, name);
    }
    assert.match((await run("ldd", [PROGRAM])).stdout, /curl/); // the measure is one
  });
});
