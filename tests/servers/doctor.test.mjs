// `postern doctor --url` finds nothing wrong with the web servers as they are shipped, and in front of each kind of
// breakage names it, with a fix.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Deployment } from "../support/deployment.mjs";
import * as apache from "../support/fronts/apache.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { sharedHosting } from "../support/fronts/shared_hosting.mjs";
import { listening } from "../support/listening.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { makeCertificate } from "../support/web_server.mjs";

/// What it finds: { code, findings }.
async function diagnose(deployment, ...options) {
  const words = ["doctor", "--url", "--ca", deployment.caFile, ...options];
  try {
    return { code: 0, findings: await deployment.postern(words) };
  } catch (error) {
    if (error.code !== 1 || !error.stdout) throw error;
    return { code: 1, findings: JSON.parse(error.stdout) };
  }
}

const isFound = (findings, [check, state, detail, fix]) =>
  findings.some((one) => one.check === check && one.state === state && detail.test(one.detail) && fix.test(one.fix));

function assertFound(findings, wanted) {
  const bad = findings.filter(({ state }) => state !== "ok");
  assert.ok(isFound(findings, wanted), `not found: ${wanted.join(" ")}\n${JSON.stringify(bad, null, 1)}`);
}

/// The certificates of tests last for two days, and sanitizers need what a sandbox forbids; everything else must be
/// well.
function assertWell({ code, findings }) {
  const bad = findings.filter(
    ({ state, check, detail }) =>
      state !== "ok" && check !== "certificate" && !/this is a build with sanitizers/.test(detail),
  );
  assert.deepEqual(bad, []);
  assert.equal(code, 0);
  const checks =
    "connection, tls, server clock, key set, well-known, issuer, host header, sendfile headers, arguments, " +
    "compression, subpaths, Authorization, client address, chunked bodies, request ids, headers, remote user, " +
    "cookies, redirects, methods, account, recover, CORS, endpoints, content length";
  for (const check of checks.split(", ")) {
    assert.ok(
      findings.some((one) => one.check === check && one.state === "ok"),
      `nothing is said about ${check}`,
    );
  }
}

/// All that the database holds, without sizes.
async function stored(deployment) {
  const { bytes, ...counts } = await deployment.postern(["stats"]);
  return counts;
}

const register = (deployment) => deployment.addClient("app", "https://app.example/cb", "--public");

describe("doctor --url: the web servers as they are shipped", () => {
  const rows = {
    "lighttpd with FastCGI": { front: lighttpd("fastcgi") },
    "lighttpd with CGI, below a base path": { front: lighttpd("cgi"), base: "/auth" },
    "nginx, below a base path": { front: nginx(), base: "/auth" },
    "Apache with mod_cgid": { front: apache.cgid },
    "Apache with mod_fcgid, below a base path": { front: apache.fcgid, base: "/auth" },
    "Apache with mod_proxy_fcgi": { front: apache.proxyFcgi },
    "a shared host with .htaccess and wrapper scripts": { front: sharedHosting({ allowsAuthConfig: true }) },
    "lighttpd without OpenID Connect": { front: lighttpd("fastcgi"), config: { oidc: undefined } },
  };
  for (const [server, options] of Object.entries(rows)) {
    it(`is well: ${server}`, async () => {
      const deployment = await Deployment.start(options);
      try {
        await register(deployment);
        const before = await stored(deployment);
        const { code, findings } = await diagnose(deployment);
        assertWell({ code, findings });
        assert.deepEqual(await stored(deployment), before, "nothing is stored for the questions");
        assert.doesNotMatch(deployment.log, /"event":"(failed|store_failed)"/);
      } finally {
        await deployment.stop();
      }
    });
  }

  it("says what could not be looked at without a client", async () => {
    const deployment = await Deployment.start();
    try {
      assertFound((await diagnose(deployment)).findings, ["cookies", "warning", /no client/, /client add/]);
    } finally {
      await deployment.stop();
    }
  });
});

/// Passes everything on to the deployment, and changes what `request` and `answer` change.
class Proxy {
  static async start(deployment, { request = () => {}, answer = () => {}, tls = {} }) {
    const proxy = new Proxy();
    const file = (name) => readFileSync(join(deployment.directory, name));
    const server = https.createServer(
      { cert: file("tls.pem"), key: file("tls.key"), ...tls },
      async (incoming, outgoing) => {
        const parts = [];
        for await (const part of incoming) parts.push(part);
        const asked = {
          path: incoming.url,
          method: incoming.method,
          headers: { ...incoming.headers, "x-forwarded-for": "192.0.2.7:51234" },
          body: Buffer.concat(parts),
        };
        asked.chunked = asked.headers["transfer-encoding"] === "chunked";
        delete asked.headers["transfer-encoding"];
        if (asked.body.length > 0) asked.headers["content-length"] = String(asked.body.length);
        const given = request(asked) ?? (await proxy.#pass(deployment, asked));
        answer(given, asked);
        outgoing.sendDate = false;
        outgoing.writeHead(given.status, given.headers.flat());
        outgoing.end(given.body);
      },
    );
    Object.assign(proxy, await listening(server));
    return proxy;
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  #pass(deployment, { path, method, headers, body }) {
    return new Promise((done, failed) => {
      const options = {
        host: "127.0.0.1",
        port: deployment.port,
        ca: deployment.ca,
        path,
        method,
        headers,
        agent: false,
        servername: "localhost",
      };
      https
        .request(options, async (answer) => {
          const parts = [];
          for await (const part of answer) parts.push(part);
          const raw = answer.rawHeaders;
          const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1]]] : []));
          done({ status: answer.statusCode, headers: pairs, body: Buffer.concat(parts) });
        })
        .on("error", failed)
        .end(body);
    });
  }
}

const named =
  (name) =>
  ([one]) =>
    one.toLowerCase() === name.toLowerCase();
const drop = (answer, name) => {
  answer.headers = answer.headers.filter((pair) => !named(name)(pair));
};
const change = (answer, name, how) => {
  answer.headers = answer.headers.map(([one, value]) => [one, named(name)([one]) ? how(value) : value]);
};
const own = (status, headers = [], body = "") => ({ status, headers: [["Server", "Apache/2.4.1"], ...headers], body });
const says = (name) => (answer) => {
  drop(answer, "Server");
  answer.headers.push(["Server", name]);
};
const replace = (answer, how) => {
  answer.body = Buffer.from(how(String(answer.body)));
  drop(answer, "Content-Length");
};
const at = (path, how) => (given, asked) => ((asked ?? given).path.split("?")[0] === path ? how(given) : undefined);
const shifted = (seconds) => (answer) =>
  change(answer, "Date", (date) => new Date(Date.parse(date) + seconds * 1000).toUTCString());

/// What is broken, and what must be found: [check, state, detail, fix].
const ROWS = {
  "the header is removed by an Apache": [
    {
      request: ({ headers }) => void delete headers.authorization,
      answer: says("Apache/2.4.71 (Debian)"),
    },
    ["Authorization", "error", /not arrive at \/token$/, /`CGIPassAuth On`/],
    ["Authorization", "error", /at \/userinfo/, /FcgidPassHeader/],
    ["Authorization", "error", /at \/token\/introspect/, /CGIPassAuth/],
    ["Authorization", "error", /at \/token\/revoke/, /authorizationVariables/],
  ],
  "the header is removed by an nginx": [
    {
      request: ({ headers }) => void delete headers.authorization,
      answer: says("nginx/1.22.1"),
    },
    ["Authorization", "error", /\/token$/, /fastcgi_param HTTP_AUTHORIZATION \$http_authorization;/],
  ],
  "a login of the web server's own": [
    { request: at("/token", () => own(401, [["WWW-Authenticate", "Basic realm=x"]])) },
    ["Authorization", "error", /web server itself asks for a login at \/token/, /AuthType None/],
  ],
  "the challenge is removed": [
    { answer: at("/userinfo", (answer) => drop(answer, "WWW-Authenticate")) },
    ["Authorization", "error", /\/userinfo has no WWW-Authenticate/, /WWW-Authenticate on unchanged/],
  ],
  "cookies are removed": [
    { answer: (answer) => drop(answer, "Set-Cookie") },
    ["cookies", "error", /not at all/, /Set-Cookie/],
  ],
  "cookies lose an attribute": [
    { answer: (answer) => change(answer, "Set-Cookie", (value) => value.replace("; HttpOnly", "")) },
    [
      "cookies",
      "error",
      /HttpOnly.* arrives as __Host-postern-browser-[0-9a-f]{8}=\.\.\.; Path=\/; SameSite=Lax; Secure$/,
      /Set-Cookie/,
    ],
  ],
  "cookies get another path": [
    { answer: (answer) => change(answer, "Set-Cookie", (value) => value.replace("Path=/", "Path=/auth")) },
    ["cookies", "error", /Path=\/auth/, /Set-Cookie/],
  ],
  "redirects are rewritten": [
    { answer: (answer) => change(answer, "Location", (url) => url.replace("https://127.0.0.1", "http://backend")) },
    ["redirects", "error", /leads to "http:\/\/backend/, /Location|Reverse/],
  ],
  "a clock is a little off": [{ answer: shifted(-30) }, ["server clock", "warning", /behind/, /timedatectl/]],
  "a clock is wrong": [{ answer: shifted(3600) }, ["server clock", "error", /ahead/, /timedatectl/]],
  "no Date": [
    { answer: (answer) => drop(answer, "Date") },
    ["server clock", "warning", /no readable Date/, /Date|send/],
  ],
  "another issuer": [
    {
      answer: (answer, { path }) =>
        path.includes("well-known") && replace(answer, (text) => text.replace(/"issuer":"[^"]*/, "$&/")),
    },
    ["issuer", "error", /\/"?,|says that the issuer is https:.*\/, the configuration/, /byte for byte/],
  ],
  "another configuration": [
    {
      answer: (answer, { path }) => path.includes("openid") && replace(answer, (text) => text.replace("S256", "plain")),
    },
    ["well-known", "warning", /differs from the configuration here/, /restart/],
  ],
  "no RFC 8414 document": [
    { request: ({ path }) => (path.includes("oauth-authorization-server") ? own(404) : undefined) },
    ["well-known", "error", /oauth-authorization-server answers 404/, /program `discovery`/],
  ],
  "a web application takes all unknown paths": [
    {
      request: ({ path }) =>
        path.includes("openid-configuration") || path.includes("/postern-doctor") ? own(200, [], "<html>") : undefined,
    },
    ["well-known", "error", /not a discovery document/, /discovery/],
    ["subpaths", "error", /200 instead of 404/, /AcceptPathInfo|rewrite/],
  ],
  "another key set": [
    { answer: at("/jwks", (answer) => replace(answer, (text) => text.replace("kid", "Kid"))) },
    ["key set", "error", /differs from .*jwks\.json/, /POSTERN_CONFIG/],
  ],
  "header twice": [
    { answer: (answer) => answer.headers.push(["X-Content-Type-Options", "nosniff"]) },
    ["headers", "warning", /X-Content-Type-Options arrives 2 times/, /setenv\.add-response-header/],
  ],
  "the policy is replaced": [
    { answer: (answer) => change(answer, "Content-Security-Policy", () => "default-src 'self'") },
    ["headers", "warning", /Content-Security-Policy arrives as "default-src 'self'"/, /Content-Security-Policy/],
  ],
  "the policy is removed": [
    { answer: (answer) => drop(answer, "Content-Security-Policy") },
    ["headers", "warning", /Content-Security-Policy is removed/, /unset/],
  ],
  "HSTS is removed": [
    { answer: (answer) => drop(answer, "Strict-Transport-Security") },
    ["headers", "warning", /Strict-Transport-Security is removed/, /unset/],
  ],
  "caching is allowed": [
    { answer: (answer) => change(answer, "Cache-Control", () => "max-age=60") },
    ["headers", "warning", /\/token: .*Cache-Control/, /Cache-Control/],
  ],
  "pages for everybody": [
    {
      answer: (answer) => {
        drop(answer, "Access-Control-Allow-Origin");
        answer.headers.push(["Access-Control-Allow-Origin", "*"]);
      },
    },
    ["CORS", "error", /can read \/authorize/, /Access-Control/],
    ["CORS", "error", /OPTIONS \/token from a page of an unknown site/, /Postern answers/],
    ["CORS", "error", /OPTIONS \/userinfo from a page of https:\/\/app\.example/, /Postern answers/],
  ],
  "CORS twice": [
    { answer: (answer) => answer.headers.push(["Access-Control-Allow-Origin", "*"]) },
    ["CORS", "error", /\/jwks: Access-Control-Allow-Origin arrives 2 times/, /Postern sends it/],
  ],
  "OPTIONS is answered before": [
    { request: ({ method }) => (method === "OPTIONS" ? own(200) : undefined) },
    ["CORS", "error", /answered 200/, /OPTIONS/],
  ],
  "a compression that does not fit": [
    {
      answer: (answer, { headers }) => headers["accept-encoding"] && answer.headers.push(["Content-Encoding", "gzip"]),
    },
    ["compression", "error", /not answered|does not arrive/, /./],
  ],
  "an address that cannot be read": [
    { request: ({ headers }) => void (headers["x-forwarded-for"] = "unknown") },
    ["client address", "warning", /127\.0\.0\.1 of trustedProxies writes "unknown"/, /append the address/],
  ],
  "no address": [
    { request: ({ headers }) => void delete headers["x-forwarded-for"] },
    ["client address", "warning", /127\.0\.0\.1 of trustedProxies sends no X-Forwarded-For/, /append the address/],
  ],
  "the Host of the request": [
    {
      answer: (answer, { headers }) =>
        replace(answer, (text) => text.replaceAll("127.0.0.1", headers["x-forwarded-host"] ?? "127.0.0.1")),
    },
    ["host header", "error", /trusts the Host/, /default_server/],
  ],
  "X-Sendfile of a request is obeyed": [
    { request: ({ headers }) => (headers["x-sendfile"] ? own(200, [], "host\n") : undefined) },
    ["sendfile headers", "error", /X-Sendfile/, /only in responses/],
  ],
  "queries are arguments": [
    { request: ({ path }) => (path.endsWith("?--version") ? own(500) : undefined) },
    ["arguments", "error", /one word \(500\)/, /without arguments/],
  ],
  "chunked bodies are lost": [
    {
      request: (asked) => {
        if (asked.chunked) {
          asked.body = Buffer.alloc(0);
          asked.headers["content-length"] = "0";
        }
      },
    },
    ["chunked bodies", "error", /does not arrive at/, /fastcgi_request_buffering|stream-request-body/],
  ],
  "an endpoint without a program": [
    { request: at("/token/revoke", () => own(404)) },
    ["endpoints", "error", /\/token\/revoke is answered by the web server itself \(404\)/, /var\.postern_base/],
  ],
  "an account that the web server does not route": [
    { request: at("/account", () => own(404)) },
    ["account", "warning", /\/account is not answered by the account program \(404\)/, /"account": null/],
  ],
  "an account whose pages the web server does not route": [
    { request: at("/account/devices", () => own(404)) },
    ["account", "warning", /\/account\/devices is not answered/, /examples\/lighttpd/],
  ],
  "an account whose page of an app the web server does not route": [
    { request: at("/account/codes", () => own(404)) },
    ["account", "warning", /\/account\/codes is not answered/, /examples\/lighttpd/],
  ],
  "an account whose page for a first second factor the web server does not route": [
    { request: at("/account/enrol", () => own(400)) },
    ["account", "warning", /\/account\/enrol is not answered by the account program \(400\)/, /"account": null/],
  ],
  "links that the web server does not route": [
    { request: at("/recover/link", () => own(404)) },
    ["recover", "warning", /\/recover\/link is not answered by the recover program \(404\)/, /"recover": null/],
  ],
  "an endpoint whose program does not run": [
    { request: at("/scopes", () => own(503)) },
    ["endpoints", "error", /\/scopes .*\(503\): the program does not run/, /error log/],
  ],
  "an endpoint with another's program": [
    {
      request: at("/token/introspect", (asked) => void (asked.path = "/token/")),
    },
    ["endpoints", "error", /\/token\/introspect/, /./],
  ],
  "methods that are not passed on": [
    { answer: (answer) => drop(answer, "Allow") },
    ["methods", "error", /GET \/token is answered 405 with "Allow: "/, /status and headers/],
  ],
  "errors are pages of the web server's": [
    {
      answer: at("/authorize", (answer) => void (answer.status = answer.status === 400 ? 200 : answer.status)),
    },
    ["endpoints", "error", /\/authorize answers 200 to an unknown application/, /error/],
  ],
  "the login page behind another login": [
    { request: at("/login", () => own(401)) },
    ["remote user", "error", /asks for a login at \/login/, /remote_user/],
  ],
  "request ids of somebody else": [
    { answer: (answer) => change(answer, "X-Request-Id", () => "somebodyelse") },
    ["request ids", "warning", /postern why/, /serving processes/],
  ],
  "no length": [
    { answer: at("/jwks", (answer) => drop(answer, "Content-Length")) },
    ["content length", "warning", /\/jwks/, /stream-response-body/],
  ],
};

describe("doctor --url: what is broken in front of a Postern is named with its fix [F2-45]", () => {
  let deployment;
  prepared(async (owned) => {
    deployment = owned(await Deployment.start({ config: { trustedProxies: ["127.0.0.1"] } }));
    await register(deployment);
  });

  async function behind(options) {
    const proxy = await Proxy.start(deployment, options);
    try {
      return await diagnose(deployment, "--connect", proxy.address);
    } finally {
      await proxy.close();
    }
  }

  it("nothing is broken: nothing is found", async () => assertWell(await behind({})));

  it("a compression that works is none of its business", async () => {
    const compress = (answer, { headers }) => {
      if (!headers["accept-encoding"]?.includes("gzip")) return;
      answer.body = gzipSync(answer.body);
      drop(answer, "Content-Length");
      answer.headers.push(["Content-Encoding", "gzip"]);
    };
    assertWell(await behind({ answer: compress }));
  });

  for (const [when, [breakage, ...wanted]] of Object.entries(ROWS)) {
    it(when, async () => {
      const { code, findings } = await behind(breakage);
      for (const one of wanted) assertFound(findings, one);
      assert.equal(code, wanted.some(([, state]) => state === "error") ? 1 : 0);
    });
  }

  describe("certificate and TLS", () => {
    let directory;
    prepared(async (owned) => {
      directory = temporaryDirectory();
    });
    const pair = ({ certificate, key }) => ({ cert: readFileSync(certificate), key: readFileSync(key) });

    it("an unknown certificate authority", async () => {
      const tls = pair(await makeCertificate(directory));
      const { code, findings } = await behind({ tls });
      assert.equal(code, 1);
      assertFound(findings, ["certificate", "error", /SSL certificate problem/, /fullchain|--ca/]);
    });

    it("one that has expired", async () => {
      const made = await makeCertificate(directory, { days: -1 });
      const proxy = await Proxy.start(deployment, { tls: pair(made) });
      try {
        const { code, findings } = await diagnose(
          { ...deployment, caFile: made.caFile, postern: deployment.postern.bind(deployment) },
          "--connect",
          proxy.address,
        );
        assert.equal(code, 1);
        assertFound(findings, ["certificate", "error", /expired/, /certbot renew/]);
      } finally {
        await proxy.close();
      }
    });

    it("one that expires soon", async () => {
      assertFound((await behind({})).findings, ["certificate", "warning", /expires at 20/, /certbot renew/]);
    });

    it("TLS 1.1", async () => {
      const tls = { minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" };
      const { code, findings } = await behind({ tls });
      assert.equal(code, 1);
      assertFound(findings, ["tls", "error", /TLS 1\.1/, /TLSv1\.2/]);
    });

    it("no process listens", async () => {
      const { code, findings } = await diagnose(deployment, "--connect", "127.0.0.1:1");
      assert.equal(code, 1);
      assertFound(findings, ["connection", "error", /connect/i, /start the web server/]);
      assert.ok(!findings.some(({ check }) => check === "Authorization"), "nothing else is asked");
    });
  });
});

describe("doctor --url: where the web server authenticates users", () => {
  const start = (lines) =>
    Deployment.start({
      front: lighttpd("fastcgi", lines),
      config: { login: { method: "remote_user", autoCreate: true } },
    });
  const rows = [
    [
      "nobody protects the login path",
      [],
      ["remote user", "error", /does not require authentication at/, /auth\.require/],
    ],
    [
      "made-up names are believed",
      [
        'server.modules += ( "mod_setenv" )',
        'setenv.add-environment = ( "REMOTE_USER" => "mallory", "AUTH_TYPE" => "Basic" )',
      ],
      [
        "remote user",
        "error",
        /a made-up name with a made-up password is accepted at \/login/,
        /stop the web server now/,
      ],
    ],
    [
      "the login path is protected",
      ['server.modules += ( "mod_access" )', '$HTTP["url"] == "/login" { url.access-deny = ( "" ) }'],
      ["remote user", "ok", /made-up names cannot sign in/, /^$/],
    ],
  ];
  for (const [when, lines, wanted] of rows) {
    it(when, async () => {
      const deployment = await start(lines);
      try {
        assertFound((await diagnose(deployment)).findings, wanted);
        const { sessions, users } = await deployment.postern(["stats"]);
        assert.deepEqual([sessions, users], [0, { enabled: 0, disabled: 0 }]);
      } finally {
        await deployment.stop();
      }
    });
  }
});
