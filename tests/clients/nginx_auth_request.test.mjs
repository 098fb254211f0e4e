// nginx, as Debian ships it, in front of an API, with the configurations of examples/clients: auth_request by UserInfo
// and by introspection.
import assert from "node:assert/strict";
import http from "node:http";
import { describe, it } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import { ROOT } from "../support/deployment.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { startNginx } from "../support/web_server.mjs";
import { PERSON } from "./provider.mjs";
import { nginxExample } from "./shipped.mjs";
import { Site } from "./site.mjs";
import { API_CLIENT, openTokenSource } from "./tokens.mjs";

/// The API behind nginx: answers with the headers that it was asked with.
const startEcho = () => listening(http.createServer((asked, answer) => answer.end(JSON.stringify(asked.rawHeaders))));

/// A server block that keeps copies of everything; the API's own answers it does not.
const CACHING = {
  httpLines: (directory) => [`proxy_cache_path ${directory}/cache keys_zone=copies:1m;`],
  lines: [
    "proxy_cache copies;",
    "proxy_cache_valid any 1m;",
    "proxy_cache_methods GET HEAD POST;",
    "proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires;",
  ],
};

/// `api` is the client that the API asks as.
function startApi({ deployment, api }, echo, { httpLines, lines } = { httpLines: () => [], lines: [] }) {
  return Site.start(startNginx, deployment, async (site) => {
    const credentials = join(site.directory, "credentials.conf");
    await writeFile(
      credentials,
      `proxy_set_header Authorization "Basic ` +
        `${Buffer.from(`${api.client_id}:${api.client_secret}`).toString("base64")}";\n`,
      { mode: 0o640 },
    );
    // The certificate of the tests is for this name; addresses are no names to nginx. The upstream below says where it
    // is.
    const values = {
      "https://id.example.org": "https://localhost",
      "proxy_pass http://127.0.0.1:9000": `proxy_cache off; proxy_pass http://127.0.0.1:${echo.port}`,
      "/etc/ssl/certs/ca-certificates.crt": site.caFile,
    };
    return {
      modules: ["http_js"],
      httpLines: [
        `upstream localhost { server 127.0.0.1:${deployment.port}; }`,
        `js_import postern from ${join(ROOT, "examples/clients/nginx-introspect.js")};`,
        ...httpLines(site.directory),
      ],
      lines: [
        ...lines,
        `root ${site.documents};`,
        nginxExample("nginx-introspect.conf", { ...values, "/etc/nginx/postern-api-credentials.conf": credentials }),
        nginxExample("nginx-userinfo.conf", { ...values, "/reports/": "/signed-in/" }),
      ],
    };
  });
}

describe("nginx auth_request in front of an API", () => {
  let echo;
  let source;
  let site;
  prepared(async (owned) => {
    echo = owned(await startEcho());
    source = owned(await openTokenSource());
    site = owned(await startApi(source, echo));
  });

  const ask = (path, authorization, headers = {}, at = site) =>
    request(`${at.origin}${path}`, {
      ca: at.ca,
      headers: authorization === undefined ? headers : { ...headers, authorization },
    });

  /// The headers that the API was asked with: names in lower case, to lists of values.
  async function admitted(path, authorization, headers) {
    const { status, body } = await ask(path, authorization, headers);
    assert.equal(status, 200, site.log);
    const raw = JSON.parse(body);
    const told = {};
    for (let i = 0; i < raw.length; i += 2) (told[raw[i].toLowerCase()] ??= []).push(raw[i + 1]);
    return told;
  }
  async function refused(path, authorization, status = 401, headers = {}) {
    const answer = await ask(path, authorization, headers);
    assert.equal(answer.status, status, `${path} ${authorization}\n${site.log}`);
    assert.doesNotMatch(answer.body, /^\[/, "the API was not asked");
    return answer;
  }

  for (const [how, path] of [
    ["introspection", "/reports/"],
    ["UserInfo", "/signed-in/"],
  ]) {
    describe(how, () => {
      it("a user's token is accepted with any kind of request", async () => {
        const { access_token } = await source.ofPerson();
        await admitted(path, `Bearer ${access_token}`);
        await admitted(`${path}a?access_token=x&token=y`, `bearer ${access_token}`);
        const posted = await request(`${site.origin}${path}`, {
          ca: site.ca,
          method: "POST",
          body: "token=x",
          headers: {
            authorization: `Bearer ${access_token}`,
            "content-type": "application/x-www-form-urlencoded",
            "content-length": 7,
          },
        });
        assert.equal(posted.status, 200, site.log);
      });

      it("no token and garbage are refused, and the answer says what is wanted [RFC 6750 §3]", async () => {
        assert.match((await refused(path)).headers["www-authenticate"], /^Bearer/);
        for (const given of ["", "Bearer", "Bearer ", "Bearer x", "Basic eDp5", `Bearer ${"A".repeat(3000)}`, "x"]) {
          assert.match((await refused(path, given)).headers["www-authenticate"], /^Bearer/, given);
        }
      });

      it("an ID token, a refresh token and a changed token are refused", async () => {
        const { id_token, refresh_token, access_token } = await source.ofPerson();
        for (const token of [id_token, refresh_token, access_token.slice(0, -2), `${access_token}A`])
          await refused(path, `Bearer ${token}`);
      });

      it("a valid token does not make other credentials of the request count", async () => {
        const { access_token: good } = await source.ofPerson();
        const bad = [
          `Bearer x&token=${good}`,
          `Bearer ${good}&token=x`,
          `Bearer x&token_type_hint=access_token&token=${good}`,
          `Bearer x%26token=${good}`,
          `Bearer "${good}"`,
          `Bearer '${good}'`,
          `Bearer ${good}, Bearer x`,
          `Bearer x, Bearer ${good}`,
          `Bearer x ${good}`,
          `Bearer x;${good}`,
          `Bearer ${good}%00`,
          `Bearer ${good}%0d%0aX-Forged: 1`,
          `Bearer x\\${good}`,
          `Bearer $http_x`,
        ];
        for (const given of bad) await refused(path, given, 401, { x: good });
        await refused(`${path}?access_token=${good}`);
        await refused(path, undefined, 401, { cookie: `access_token=${good}`, "x-authorization": `Bearer ${good}` });
      });

      it("line ends and second headers in the request do not get past authentication", async () => {
        const { access_token: good } = await source.ofPerson();
        const raw = (lines) =>
          new Promise((done, failed) => {
            const socket = connect({ port: site.port, host: "127.0.0.1", ca: site.ca });
            let text = "";
            socket
              .setEncoding("utf8")
              .on("data", (part) => {
                text += part;
              })
              .on("error", failed)
              .on("end", () => done(text));
            socket.write(
              [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close", ...lines, "", ""].join("\r\n"),
            );
          });
        for (const lines of [
          ["Authorization: Bearer x", ` ${good}`],
          [`Authorization: Bearer x\r${good}`],
          [`Authorization: Bearer x\n\t${good}`],
          ["Authorization: Bearer x", `Authorization: Bearer ${good}`],
          [`Authorization: Bearer x\0${good}`],
        ])
          assert.match(await raw(lines), /^HTTP\/1\.1 40[01] /, JSON.stringify(lines));
        // The first one was looked at, so the API may see no other.
        const both = await raw([`Authorization: Bearer ${good}`, "Authorization: Bearer of-somebody-else"]);
        assert.doesNotMatch(both, /of-somebody-else/);
      });

      it("a revoked token is refused at once", async () => {
        const { access_token } = await source.ofPerson();
        await admitted(path, `Bearer ${access_token}`);
        await source.revoke(access_token);
        await refused(path, `Bearer ${access_token}`);
      });

      it("the inner addresses cannot be reached from outside", async () => {
        const { access_token } = await source.ofPerson();
        for (const inner of ["/postern-token", "/postern-introspect", "/postern-userinfo"])
          await refused(inner, `Bearer ${access_token}`, 404);
      });
    });
  }

  it("introspection names the token's user to the API, and nothing that the caller made up", async () => {
    const forged = {
      "token-sub": "forged",
      "token-username": "forged",
      "token-client-id": "forged",
      "token-scope": "forged",
    };
    const { access_token } = await source.ofPerson();
    const told = await admitted("/reports/", `Bearer ${access_token}`, forged);
    const ours = Object.fromEntries(Object.entries(told).filter(([name]) => name.startsWith("token")));
    assert.deepEqual(ours, {
      "token-sub": [source.sub],
      "token-username": [PERSON.username],
      "token-client-id": ["application"],
      "token-scope": ["openid profile reports"],
    });
    assert.equal(told.authorization, undefined, "the token stays here");
    const program = await admitted("/reports/", `Bearer ${(await source.ofProgram()).access_token}`, forged);
    assert.deepEqual(
      [program["token-sub"], program["token-username"], program["token-client-id"]],
      [["program"], undefined, ["program"]],
    );
  });

  it("introspection distinguishes users with names of other scripts, in percent encoding", async () => {
    const { access_token } = await source.ofPerson("openid reports", await source.addPerson("жук 100%"));
    assert.deepEqual((await admitted("/reports/", `Bearer ${access_token}`))["token-username"], [
      `${encodeURIComponent("жук")} 100%25`,
    ]);
  });

  it("introspection accepts tokens with the scope, UserInfo those of a user", async () => {
    for (const scope of ["openid profile", "reports-of-others openid"]) {
      const { access_token } = await source.ofPerson(scope);
      assert.match(
        (await refused("/reports/", `Bearer ${access_token}`, 403)).headers["www-authenticate"],
        /insufficient_scope/,
      );
      await admitted("/signed-in/", `Bearer ${access_token}`);
    }
    const { access_token } = await source.ofProgram();
    await admitted("/reports/", `Bearer ${access_token}`);
    await refused("/signed-in/", `Bearer ${access_token}`, 403);
  });

  it("in a server block that caches answers, no caller is accepted by another's token", async () => {
    const caching = await startApi(source, echo, CACHING);
    try {
      const { access_token } = await source.ofPerson();
      for (const path of ["/reports/", "/signed-in/"]) {
        assert.equal((await ask(path, `Bearer ${access_token}`, {}, caching)).status, 200, caching.log);
        for (const given of ["Bearer x", undefined])
          assert.equal((await ask(path, given, {}, caching)).status, 401, path);
      }
    } finally {
      await caching.stop();
    }
  });

  it("without valid credentials of its own, or an issuer that answers, the API refuses every caller", async () => {
    const { access_token } = await source.ofPerson();
    const wrongSecret = { ...source, api: { client_id: API_CLIENT, client_secret: "x".repeat(43) } };
    const noIssuer = { ...source, deployment: { port: 1, caFile: source.deployment.caFile } };
    const otherAuthority = {
      ...source,
      deployment: { port: source.deployment.port, caFile: join(site.directory, "ca.pem") },
    };
    for (const [parts, paths] of [
      [wrongSecret, ["/reports/"]],
      [noIssuer, ["/reports/", "/signed-in/"]],
      [otherAuthority, ["/reports/", "/signed-in/"]],
    ]) {
      const other = await startApi(parts, echo);
      try {
        for (const path of paths)
          assert.equal((await ask(path, `Bearer ${access_token}`, {}, other)).status, 500, other.log);
      } finally {
        await other.stop();
      }
    }
  });
});

it("nginx auth_request refuses what has expired, whichever way it asks", async () => {
  const echo = await startEcho();
  const source = await openTokenSource({ config: { accessTokenTTL: 2 } });
  let site;
  try {
    site = await startApi(source, echo);
    const token = await source.expired();
    for (const path of ["/reports/", "/signed-in/"]) {
      assert.equal(
        (await request(`${site.origin}${path}`, { ca: site.ca, headers: { authorization: `Bearer ${token}` } })).status,
        401,
      );
    }
  } finally {
    await site?.stop();
    await source.deployment.stop();
    await echo.close();
  }
});
