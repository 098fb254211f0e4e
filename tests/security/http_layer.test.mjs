// What an HTTP request may be before anybody asks what it wants: its variables, body, parameters, method and path.
// What depends on the web server is asked of each of them by tests/servers/wire.mjs and flow.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../support/deployment.mjs";
import { sql } from "./database.mjs";
import { basicOf, formText, openProvider } from "./provider.mjs";

const FORM = "application/x-www-form-urlencoded";
const SCRIPT = "</script><script>alert(1)</script>";
const ODD = `"quoted" \\back\\ \u2028\u2029 ${SCRIPT} é \u{1f600}`;
/// Everything an answer of ours or of lighttpd may have in its head.
const KNOWN = new Set([
  "status",
  "cache-control",
  "pragma",
  "content-type",
  "content-length",
  "content-security-policy",
  "x-frame-options",
  "x-content-type-options",
  "referrer-policy",
  "strict-transport-security",
  "x-request-id",
  "location",
  "set-cookie",
  "vary",
  "www-authenticate",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "retry-after",
  "allow",
  "etag",
  "connection",
  "date",
  "server",
  "keep-alive",
  "accept-ranges",
]);

describe("the layer of HTTP and CGI", () => {
  let p;
  before(async () => {
    p = await openProvider({ config: { scopeDescriptions: { api: ODD } } });
    await p.deployment.addUser("odd", "correct horse battery staple", {
      name: ODD,
      profile: "https://op.example/?a=%22%5c",
    });
  });
  after(async () => {
    await p?.stop();
  });

  const web = () => p.clients.web;
  const post = (path, body, headers = {}) => p.post(path, body, { headers });
  const asWeb = (path, body, headers = {}) => p.post(path, body, { client: web(), headers });
  const authorize = (query) => p.ask(`/authorize?${query}`);
  /// The usual authorization request with some of its text replaced by raw bytes of a query.
  const request = (parameters = {}) => new URL(p.authorizationUrl(web(), parameters)).search.slice(1);
  const works = async () => assert.equal((await asWeb("/token", { grant_type: "client_credentials" })).status, 200);
  const isPage = (answer, status = 400) => {
    assert.equal(answer.status, status, answer.body);
    assert.equal(answer.headers.location, undefined, "nobody is sent anywhere");
    assert.match(answer.headers["content-type"], /^text\/html/);
  };
  const errorOf = (answer) =>
    answer.json?.error ?? new URL(answer.headers.location ?? "none:").searchParams.get("error");

  it("words of a query become no options of the programs [X01]", async () => {
    const expected = await authorize("a=b");
    isPage(expected);
    const plain = ({ status, headers, body }) => [
      status,
      headers["content-type"],
      body.replaceAll(headers["x-request-id"], ""),
    ];
    for (const query of ["--help", "--version", "-c+/tmp/evil.conf", "-h", "--config=/tmp/evil.conf"])
      assert.deepEqual(plain(await authorize(query)), plain(expected), query);
  });

  it("no header names a proxy, a configuration or a place for files [X02]", async () => {
    let connections = 0;
    const trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise((done) => trap.listen(0, "127.0.0.1", done));
    try {
      const evil = `http://127.0.0.1:${trap.address().port}`;
      const headers = {
        proxy: evil,
        "oauth-config": "/tmp/x",
        "postern-config": "/tmp/x",
        "sqlite-tmpdir": "/x",
        "openssl-conf": "/x",
        "http-proxy": evil,
        "https-proxy": evil,
        "all-proxy": evil,
      };
      const document = (await p.ask("/.well-known/openid-configuration")).body;
      assert.equal((await p.ask("/.well-known/openid-configuration", { headers })).body, document);
      assert.equal((await asWeb("/token", { grant_type: "client_credentials" }, headers)).status, 200);
      const { access_token } = await p.tokens(web());
      assert.equal(
        (await p.ask("/userinfo", { headers: { ...headers, authorization: `Bearer ${access_token}` } })).status,
        200,
      );
      assert.equal(connections, 0, "somebody was called");
    } finally {
      trap.close();
    }
  });

  const LINES = [
    "a%0d%0aSet-Cookie:%20x=1",
    "a%0aSet-Cookie:%20x=1",
    "a%0dSet-Cookie:%20x=1",
    "a%00b",
    "%E5%98%8A%E5%98%8DSet-Cookie:%20x=1",
    "a%0d%0aX-Sendfile:%20/etc/passwd",
    "a%0d%0aX-LIGHTTPD-send-file:%20/etc/passwd",
    "a%0d%0aX-Accel-Redirect:%20/jwks",
    "a%0d%0a%0d%0a<b>",
    "a%7f",
    "a%1b[2J",
    "a%c2%85b",
  ];
  const PLACES = {
    "/authorize": {
      method: "GET",
      names: [
        "state",
        "redirect_uri",
        "scope",
        "client_id",
        "nonce",
        "prompt",
        "response_type",
        "response_mode",
        "login_hint",
        "id_token_hint",
        "code_challenge",
        "max_age",
        "claims",
        "aud",
        "resume",
        "ui_locales",
      ],
    },
    "/login": { method: "GET", names: ["resume"] },
    "/logout": { method: "GET", names: ["id_token_hint", "post_logout_redirect_uri", "state", "client_id"] },
    "/token": {
      method: "POST",
      names: ["grant_type", "code", "redirect_uri", "scope", "code_verifier", "refresh_token", "client_id", "audience"],
    },
    "/token/introspect": { method: "POST", names: ["token", "token_type_hint"] },
    "/token/revoke": { method: "POST", names: ["token", "token_type_hint"] },
    "/userinfo": { method: "POST", names: ["access_token"] },
  };
  for (const [path, { method, names }] of Object.entries(PLACES)) {
    it(`${path}: no byte of a parameter becomes a header, a line of one or a file [X04, X05]`, async () => {
      const usual = path === "/authorize" ? request() : path === "/token" ? "grant_type=client_credentials" : "token=x";
      for (const name of names) {
        const rest = usual
          .split("&")
          .filter((pair) => !pair.startsWith(`${name}=`))
          .join("&");
        for (const value of LINES) {
          const text = `${rest}&${name}=${value}`;
          const answer =
            method === "GET"
              ? await p.ask(`${path}?${text}`)
              : name === "client_id"
                ? await post(path, text)
                : await asWeb(path, text);
          const what = `${name}=${value} ${answer.status}`;
          assert.ok([200, 303, 400, 401].includes(answer.status), what);
          for (const [header, content] of Object.entries(answer.headers)) {
            assert.ok(KNOWN.has(header), `${what}: ${header}`);
            for (const line of [content].flat()) assert.match(line, /^[\x20-\x7e]*$/, `${what}: ${header}`);
          }
          for (const cookie of answer.headers["set-cookie"] ?? []) assert.match(cookie, /^__Host-postern/, what);
          assert.doesNotMatch(answer.body, /root:/, what);
          // Another control byte than those is text for HTTP, and is refused all the same or encoded again.
          const location = answer.headers.location ?? "";
          assert.doesNotMatch(location, /[\r\n]|%0[ad]|%00/i, what);
        }
      }
    });
  }

  it("the web servers' orders to send a file are switched off in what is shipped [X05]", () => {
    const shipped = (name) => readFileSync(join(ROOT, name), "utf8");
    const lighttpd = shipped("examples/lighttpd/postern-fastcgi.conf");
    const pools = [...lighttpd.matchAll(/^var\.postern_\w*pool = \([^]*?^\)$/gm)].map(([text]) => text);
    assert.equal(pools.length, 2);
    for (const pool of pools) assert.match(pool, /"x-sendfile" => "disable"/);
    assert.doesNotMatch(shipped("examples/lighttpd/postern-cgi.conf"), /x-sendfile.*enable/);
    assert.match(shipped("examples/nginx/postern-fastcgi_params"), /^fastcgi_ignore_headers X-Accel-Redirect /m);
    // Apache has it in a module that nobody loads here
    assert.doesNotMatch(shipped("apache-example.conf"), /^\s*XSendFile on/im);
  });

  it("only form bodies are read, under any other type [X09]", async () => {
    const { token } = { token: (await p.tokens(web())).access_token };
    const body = formText({ token, client_id: web().id, client_secret: web().secret });
    const ask = (type, path = "/token/introspect") =>
      p.ask(path, {
        method: "POST",
        body,
        headers: { "content-length": body.length, ...(type ? { "content-type": type } : {}) },
      });
    for (const type of [
      "application/json",
      "text/plain",
      "multipart/form-data; boundary=x",
      null,
      `${FORM}x`,
      `x${FORM}`,
      `${FORM}, text/plain`,
      "application/x-www-form-urlencoded/x",
    ]) {
      for (const path of ["/token/introspect", "/token/revoke", "/token"]) {
        const answer = await ask(type, path);
        assert.ok([400, 415].includes(answer.status), `${type} ${path} ${answer.status}`);
        assert.equal(errorOf(answer), "invalid_request");
      }
    }
    for (const charset of ["utf-16", "iso-8859-1", "utf-7", '"utf-16"'])
      assert.equal((await ask(`${FORM}; charset=${charset}`)).status, 400, charset);
    for (const type of [FORM, `${FORM}; charset=UTF-8`, FORM.toUpperCase(), `${FORM};charset="utf-8"`]) {
      const answer = await ask(type);
      assert.deepEqual([answer.status, answer.json?.active], [200, true], type);
    }
  });

  it("a parameter that comes twice is refused, also with equal values [X10]", async () => {
    for (const name of ["grant_type", "code", "redirect_uri", "scope", "code_verifier", "refresh_token", "client_id"]) {
      for (const [one, other] of [
        ["x", "x"],
        ["x", "y"],
        ["", "x"],
      ]) {
        const usual = name === "grant_type" ? [] : [["grant_type", "authorization_code"]];
        const answer = await asWeb("/token", [...usual, [name, one], [name, other]]);
        assert.deepEqual([answer.status, errorOf(answer)], [400, "invalid_request"], `${name} ${one} ${other}`);
      }
    }
    for (const path of ["/token/introspect", "/token/revoke"]) {
      for (const name of ["token", "token_type_hint", "client_id", "client_secret"]) {
        const answer = await asWeb(path, [...(name === "token" ? [] : [["token", "x"]]), [name, "x"], [name, "x"]]);
        assert.deepEqual([answer.status, errorOf(answer)], [400, "invalid_request"], `${path} ${name}`);
      }
    }
    const { access_token } = await p.tokens(web());
    assert.equal(
      (
        await post("/userinfo", [
          ["access_token", access_token],
          ["access_token", access_token],
        ])
      ).status,
      401,
    );
    const usual = new URLSearchParams(request());
    const twice = (name, value = usual.get(name)) => {
      const rest = formText([...usual].filter(([other]) => other !== name));
      return authorize(
        `${rest}&${formText([
          [name, value],
          [name, value],
        ])}`,
      );
    };
    for (const name of ["client_id", "redirect_uri"]) isPage(await twice(name));
    for (const name of ["scope", "state", "response_type", "code_challenge"])
      assert.equal(errorOf(await twice(name)), "invalid_request", name);
    for (const [name, value] of [
      ["nonce", "n"],
      ["prompt", "login"],
      ["max_age", "10"],
      ["response_mode", "query"],
      ["id_token_hint", "x"],
    ]) {
      assert.equal(errorOf(await twice(name, value)), "invalid_request", name);
    }
  });

  it("the query of a POST is not read for a credential, a token or a second value [X11]", async () => {
    const { access_token } = await p.tokens(web());
    const secret = `client_id=${web().id}&client_secret=${web().secret}`;
    assert.equal((await post(`/token?${secret}`, { grant_type: "client_credentials" })).status, 401);
    assert.equal((await post(`/token/introspect?${secret}`, { token: access_token })).status, 401);
    assert.equal((await post(`/token/revoke?${secret}`, { token: access_token })).status, 401);
    for (const path of ["/token/introspect", "/token/revoke"]) {
      const answer = await asWeb(`${path}?token=${access_token}`, "");
      assert.deepEqual([answer.status, errorOf(answer)], [400, "invalid_request"], path);
    }
    for (const query of [`client_id=${p.clients.other.id}`, "grant_type=password", "scope=email"]) {
      const answer = await asWeb(`/token?${query}`, { grant_type: "client_credentials" });
      if (answer.status !== 200) assert.equal(errorOf(answer), "invalid_request", query);
      else assert.equal((await p.introspect(answer.json.access_token)).client_id, web().id);
    }
    assert.equal((await p.ask(`/userinfo?access_token=${access_token}`)).status, 401);
    assert.equal((await p.introspect(access_token)).active, true);
  });

  it("an empty value is none, unknown parameters and lone separators are nothing [X12]", async () => {
    const usual = request({ state: undefined, scope: undefined });
    for (const text of [
      `${usual}&scope=&state=&foo=bar&=x&&&`,
      `&&&${usual}&`,
      `${usual}&nonce=&prompt=&max_age=&claims=&id_token_hint=&foo&bar=`,
    ]) {
      const answer = await authorize(text);
      assert.equal(answer.status, 303, answer.body);
      assert.match(answer.headers.location, new RegExp(`^${p.issuer}/login\\?`));
    }
    for (const text of ["&", "&&&&", "=", "=&=", "=x", ""]) isPage(await authorize(text));
    for (const text of ["&", "=", "=x&&", "&".repeat(1000)])
      assert.equal(errorOf(await asWeb("/token", text)), "invalid_request", text);
    assert.equal(
      (await asWeb("/token", "&&grant_type=client_credentials&scope=&redirect_uri=&=y&unknown=1")).status,
      200,
    );
    assert.equal(errorOf(await asWeb("/token", "grant_type=")), "invalid_request");
  });

  it("percent-encoding is read once, and what is malformed is refused [X13]", async () => {
    await p.deployment.postern(["client", "add", "a+b%2f", "--redirect-uri", "https://odd.example/cb"]);
    const client = (value) =>
      authorize(request({ client_id: undefined, redirect_uri: "https://odd.example/cb" }) + `&client_id=${value}`);
    for (const value of ["a%2Bb%252f", "a%2bb%252F".replace("F", "f"), "%61%2b%62%25%32%66"])
      assert.equal((await client(value)).status, 303, value);
    for (const value of [
      "a+b%252f",
      "a%2Bb%2f",
      "a%252Bb%252f",
      "a%2Bb%25252f",
      "%",
      "%4",
      "%zz",
      "%2500",
      "%252f",
      "+",
      "%2B",
      "%u0041",
      "a%2Bb%252f%",
      "a%2Bb%252f%4",
    ])
      isPage(await client(value));
    const { json } = await asWeb("/token", "grant_type=client_credentials&scope=api+%61pi%20api");
    assert.equal(json.scope, "api", "+ is a blank, and so is %20");
    for (const value of ["%", "%4", "%zz", "api%", "%u0041", "%-1"]) {
      assert.equal(errorOf(await asWeb("/token", `grant_type=${value}`)), "invalid_request", value);
      assert.equal(
        errorOf(await asWeb("/token", `grant_type=client_credentials&scope=${value}`)),
        "invalid_request",
        value,
      );
    }
  });

  it("a NUL byte ends nothing [X14]", async () => {
    const { access_token } = await p.tokens(web());
    const { redirectUri } = web();
    isPage(await authorize(request({ client_id: undefined }) + "&client_id=web%00x"));
    isPage(
      await authorize(
        request({ redirect_uri: undefined }) + `&redirect_uri=${encodeURIComponent(redirectUri)}%00.evil`,
      ),
    );
    isPage(
      await authorize(request({ redirect_uri: undefined }) + `&redirect_uri=${encodeURIComponent(redirectUri)}%00`),
    );
    assert.deepEqual((await asWeb("/token/introspect", `token=${access_token}%00`)).json, { active: false });
    assert.deepEqual((await asWeb("/token/introspect", `token=${access_token}%00.x`)).json, { active: false });
    assert.equal((await asWeb("/token/revoke", `token=${access_token}%00`)).status, 200); // and it is active below
    assert.equal((await post("/userinfo", `access_token=${access_token}%00`)).status, 401);
    assert.equal((await post("/token", "grant_type=client_credentials&client_id=web%00x&client_secret=x")).status, 400);
    for (const [id, secret] of [
      [`${web().id}\0`, web().secret],
      [web().id, `${web().secret}\0`],
    ]) {
      const { status } = await p.post("/token", { grant_type: "client_credentials" }, { basic: [id, secret] });
      assert.ok([400, 401].includes(status), `${status}`);
    }
    const browser = p.person();
    const form = await browser.visit(p.authorizationUrl(web()));
    const again = await browser.submit(form, "login", { username: `${p.user.username}\0x`, password: p.user.password });
    assert.ok(again.form?.buttons.login ?? again.status >= 400, "a name that ends early signed somebody in");
    assert.equal((await p.introspect(access_token)).active, true);
  });

  it("bytes that are not UTF-8 are refused, and every answer is UTF-8 [X15]", async () => {
    for (const bad of ["%ff", "%c0%af", "%ed%a0%80", "%f5%80%80%80", "a%80", "%e2%82"]) {
      // lighttpd refuses some of them itself
      const asked = await authorize(request({ scope: undefined }) + `&scope=${bad}`);
      assert.ok(asked.status === 400 || errorOf(asked) === "invalid_request", bad);
      assert.equal(
        errorOf(await asWeb("/token", `grant_type=client_credentials&scope=${bad}`)),
        "invalid_request",
        bad,
      );
      assert.deepEqual((await asWeb("/token/introspect", `token=${bad}`)).json, { active: false });
    }
    const [head, , signature] = (await p.tokens(web())).access_token.split(".");
    for (const payload of ['{"sub":"\\ud800"}', '{"sub":"\xff"}', '{"sub":"\\udc00\\ud800"}']) {
      const { status, json } = await asWeb("/token/introspect", {
        token: `${head}.${Buffer.from(payload, "latin1").toString("base64url")}.${signature}`,
      });
      assert.deepEqual([status, json], [200, { active: false }]);
    }
  });

  it("numbers and sizes are bounded, and the next request is answered [X16]", async () => {
    const rows = [
      ["100 000 parameters", () => asWeb("/token", "a=1&".repeat(100_000))],
      ["as many as fit in a body", () => asWeb("/token", "a=1&".repeat(16_000))],
      ["as many in a query", () => authorize("a=1&".repeat(3_900))],
      ["a name of 60 KB", () => asWeb("/token", `${"n".repeat(60_000)}=1`)],
      ["a value of 60 KB", () => asWeb("/token", `grant_type=${"v".repeat(60_000)}`)],
      ["a query of 64 KB", () => authorize(`client_id=${"x".repeat(64_000)}`)],
      [
        "a header of 32 KB",
        () => asWeb("/token", { grant_type: "client_credentials" }, { "x-long": "h".repeat(32_768) }),
      ],
      [
        "credentials of 20 KB",
        () => post("/token", { grant_type: "client_credentials" }, { authorization: `Basic ${"A".repeat(20_000)}` }),
      ],
      ["a cookie of 17 KB", () => p.ask(`/authorize?${request()}`, { headers: { cookie: `a=${"c".repeat(17_000)}` } })],
      ["scopes without end", () => asWeb("/token", `grant_type=client_credentials&scope=${"a+".repeat(30_000)}`)],
    ];
    for (const [what, ask] of rows) {
      // A web server that refuses early may hang up while the rest is still being sent.
      const { status } = await ask().catch((error) => ({ status: error.code }));
      assert.ok([400, 413, 414, 431, "EPIPE", "ECONNRESET"].includes(status), `${what}: ${status}`);
      await works();
    }
  });

  it("other methods are 405 with Allow, do nothing, and no header makes one of another [X17]", async () => {
    const { access_token, refresh_token } = await p.tokens(web());
    const rows = {
      "/token": ["GET", "PUT", "DELETE", "TRACE", "HEAD", "PATCH"],
      "/token/introspect": ["GET", "PUT", "DELETE", "TRACE", "OPTIONS"],
      "/token/revoke": ["GET", "PUT", "DELETE", "TRACE"],
      "/authorize": ["POST", "PUT", "DELETE", "TRACE", "OPTIONS"],
      "/jwks": ["POST", "PUT", "DELETE"],
      "/.well-known/openid-configuration": ["POST", "DELETE"],
      "/login": ["PUT"],
      "/scopes": ["DELETE"],
    };
    const body = formText({ token: refresh_token, grant_type: "refresh_token", refresh_token });
    for (const [path, methods] of Object.entries(rows)) {
      for (const method of methods) {
        const headers = {
          authorization: basicOf(web().id, web().secret),
          "content-type": FORM,
          "x-http-method-override": "POST",
          "x-method-override": "POST",
          "x-http-method": "POST",
        };
        const hasBody = !["TRACE", "HEAD", "GET"].includes(method);
        const answer = await p.ask(path + (hasBody ? "" : `?${body}`), {
          method,
          headers: { ...headers, ...(hasBody ? { "content-length": body.length } : {}) },
          ...(hasBody ? { body } : {}),
        });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.match(answer.headers.allow, path.startsWith("/token") ? /POST/ : /GET/);
      }
    }
    assert.equal((await post("/authorize?_method=GET", request(), { "x-http-method-override": "GET" })).status, 405);
    assert.equal((await p.introspect(access_token)).active, true);
    assert.equal((await p.introspect(refresh_token)).active, true);
  });

  it("HEAD does nothing that GET would do, not even with a session and remembered consent [X18]", async () => {
    const { person } = await p.code(web());
    const cookie = [];
    person.send = ((send) => async (url, options) => {
      cookie[0] = options.headers.cookie;
      return send(url, options);
    })(person.send);
    await person.visit(p.authorizationUrl(web(), { prompt: "none" }));
    const rows = () =>
      sql(
        p.deployment,
        "SELECT (SELECT count(*) FROM authorization_codes) AS codes, (SELECT " +
          "count(*) FROM grants) AS grants, (SELECT count(*) FROM consents) AS consents, " +
          "(SELECT count(*) FROM authorization_requests) AS requests, (SELECT count(*) FROM sessions) AS sessions",
      );
    const before = await rows();
    for (const path of ["/authorize", "/login", "/scopes", "/logout"]) {
      const answer = await p.ask(`${path}?${request({ prompt: "none" })}`, {
        method: "HEAD",
        headers: { cookie: cookie[0] },
      });
      assert.equal(answer.body, "");
      assert.doesNotMatch(answer.headers.location ?? "", /code=/);
      assert.ok(answer.status === 405 || path === "/authorize" || path === "/logout", `${path} ${answer.status}`);
    }
    assert.deepEqual(await rows(), before);
    const page = await person.visit(p.authorizationUrl(web(), { prompt: "none" }));
    assert.ok(page.location.searchParams.get("code"), "the same by GET");
  });
});
