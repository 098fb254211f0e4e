// How a client proves who it is, at each of the three endpoints that ask: what is refused is refused alike at all of
// them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { kept } from "./answers.mjs";
import { basicOf, formText, openProvider, statusOf } from "./provider.mjs";

// a secret of an operator's own, with everything that encodings change
const SPECIAL = "p%w+d:/\u00e9 &=".padEnd(40, "0");
const FORM = "application/x-www-form-urlencoded";

describe("client authentication", () => {
  let p;
  let web;
  before(async () => {
    p = await openProvider();
    web = p.clients.web;
    const withSecret = (id, secret, ...more) =>
      p.deployment.postern(
        ["client", "add", id, "--redirect-uri", `https://${id}.example/cb`, "--secret-stdin", ...more],
        `${secret}\n`,
      );
    await withSecret("colons", "a:b:c:".padEnd(36, ":x"));
    await withSecret("codes", "only the code grant, nothing else: 0123", "--grant", "authorization_code");
  });
  after(() => p?.stop());

  /// The endpoints that ask who is calling, with a request that is good but for the credentials, and what shows that
  /// somebody got in.
  const ENDPOINTS = [
    // no code: read once the client is known
    { path: "/token", parameters: { grant_type: "authorization_code" }, in: [400, "invalid_request"] },
    { path: "/token/introspect", parameters: { token: "x" }, in: [200, undefined] },
    { path: "/token/revoke", parameters: { token: "x" }, in: [200, undefined] },
  ];

  /// Sends `authorization` (nothing when null) and `form` beside the endpoint's own parameters.
  function present({ path, parameters }, authorization, form = "") {
    const body = [formText(parameters), formText(form)].filter(Boolean).join("&");
    return p.ask(path, {
      method: "POST",
      body,
      headers: {
        "content-type": FORM,
        "content-length": Buffer.byteLength(body),
        ...(authorization ? { authorization } : {}),
      },
    });
  }

  function isOut(answer, message, challenged) {
    assert.deepEqual([answer.status, answer.json?.error], [401, "invalid_client"], message);
    assert.equal(answer.headers["cache-control"], "no-store", message);
    if (challenged) assert.match(answer.headers["www-authenticate"] ?? "", /^Basic realm="[^"]+"/, message);
    else assert.equal(answer.headers["www-authenticate"], undefined, message);
  }

  /// Rows: [what, authorization, form, "in" | "out" | an error]. `only`: paths to leave it at.
  async function check(rows, only = ENDPOINTS.map(({ path }) => path)) {
    for (const endpoint of ENDPOINTS.filter(({ path }) => only.includes(path))) {
      for (const [what, authorization, form, expected] of rows) {
        const message = `${endpoint.path}: ${what}`;
        const answer = await present(endpoint, authorization, form);
        if (expected === "out") isOut(answer, message, Boolean(authorization));
        else
          assert.deepEqual(
            [answer.status, answer.json?.error],
            expected === "in" ? endpoint.in : [400, expected],
            message,
          );
      }
    }
  }

  it("one method a request: two secrets, or two ids that differ, are refused, and take no code [C01]", async () => {
    const header = basicOf(web.id, web.secret);
    await check(
      [
        ["Basic alone", header, "", "in"],
        ["the same id in the body", header, { client_id: web.id }, "in"],
        ["an equal secret in the body", header, { client_id: web.id, client_secret: web.secret }, "invalid_request"],
        ["an equal secret without id", header, { client_secret: web.secret }, "invalid_request"],
        ["another secret in the body", header, { client_id: web.id, client_secret: "x".repeat(43) }, "invalid_request"],
        ["another id in the body", header, { client_id: "other" }, "invalid_request"],
        ["a public client's id in the body", header, { client_id: "spa" }, "invalid_request"],
        [
          "wrong Basic, right body",
          basicOf(web.id, "wrong"),
          { client_id: web.id, client_secret: web.secret },
          "invalid_request",
        ],
        [
          "client_id twice",
          null,
          `client_id=${web.id}&client_id=${web.id}&client_secret=${web.secret}`,
          "invalid_request",
        ],
        [
          "client_secret twice",
          null,
          `client_id=${web.id}&client_secret=${web.secret}&client_secret=x`,
          "invalid_request",
        ],
      ],
      ["/token/introspect", "/token/revoke"],
    );
    const code = await p.code(web);
    for (const [extra, status] of [
      [{ client_secret: web.secret }, 400],
      [{ client_id: "other" }, 400],
      [{ client_id: web.id }, 200],
    ]) {
      assert.equal((await p.exchange(web, code, extra)).status, status, JSON.stringify(extra));
    }
  });

  it("Basic is strict base64 behind one blank; only the scheme's case is free [C02]", async () => {
    const good = basicOf(web.id, web.secret).slice("Basic ".length);
    // Found by its spelling: a pair whose base64 has padding, and one whose base64 has a sign that base64url writes
    // otherwise.
    const padded = Buffer.from(`${web.id}:${web.secret}`).toString("base64").endsWith("=")
      ? good
      : Buffer.from("codes:only the code grant, nothing else: 0123").toString("base64");
    await check([
      ["as it should be", `Basic ${good}`, "", "in"],
      ["lower case", `basic ${good}`, "", "in"],
      ["upper case", `BASIC ${good}`, "", "in"],
      ["a mark behind it", `Basic ${good}!`, "", "out"],
      ["a mark inside", `Basic ${good.slice(0, 8)}!${good.slice(8)}`, "", "out"],
      ["a blank inside", `Basic ${good.slice(0, 8)} ${good.slice(8)}`, "", "out"],
      ["a tab inside", `Basic ${good.slice(0, 8)}\t${good.slice(8)}`, "", "invalid_request"],
      ["too much padding", `Basic ${good}===`, "", "out"],
      ["one = more", `Basic ${good}=`, "", "out"],
      ["no padding", `Basic ${padded.replace(/=+$/, "")}`, "", padded.endsWith("=") ? "out" : "in"],
      ["base64url", `Basic ${Buffer.from("web:\xfb\xff\xfe\xfb", "latin1").toString("base64url")}`, "", "out"],
      ["two blanks", `Basic  ${good}`, "", "out"],
      ["a tab for the blank", `Basic\t${good}`, "", "invalid_request"],
      ["nothing behind it", "Basic", "", "out"],
      ["no colon", `Basic ${Buffer.from(web.id).toString("base64")}`, "", "out"],
      ["a colon alone", `Basic ${Buffer.from(":").toString("base64")}`, "", "out"],
      ["no scheme", good, "", "out"],
      ["Bearer", `Bearer ${good}`, "", "out"],
      ["Digest", 'Digest username="web"', "", "out"],
      ["8 KB", `Basic ${"A".repeat(8192)}`, "", "out"],
    ]);
  });

  it("a header that is folded over two lines, or sent twice, authenticates no client [C02]", async () => {
    const [scheme, good] = basicOf(web.id, web.secret).split(" ");
    const send = (lines) => {
      const body = "token=x";
      return p.raw(
        [
          `POST /token/introspect HTTP/1.1`,
          `Host: 127.0.0.1:${p.deployment.port}`,
          "Connection: close",
          `Content-Type: ${FORM}`,
          `Content-Length: ${body.length}`,
          ...lines,
          "",
          body,
        ].join("\r\n"),
      );
    };
    assert.equal(statusOf(await send([`Authorization: ${scheme} ${good}`])), 200);
    const wrong = [
      [`Authorization: ${scheme} ${good.slice(0, 8)}`, ` ${good.slice(8)}`],
      [`Authorization: ${scheme}`, `\t${good}!`],
      [`Authorization: ${scheme} ${good}`, "Authorization: Basic eDp4"],
      ["Authorization: Basic eDp4", `Authorization: ${scheme} ${good}`],
    ];
    for (const lines of wrong) assert.ok([400, 401].includes(statusOf(await send(lines))), lines.join(" | "));
  });

  it(
    "a secret with special signs works raw and form-encoded " +
      "in Basic and in the body, and encoded twice nowhere [C03]",
    async () => {
      const encoded = new URLSearchParams({ x: SPECIAL }).toString().slice(2);
      const percent = encodeURIComponent(SPECIAL);
      // Secrets are printable ASCII: one that is not cannot be registered, and in ASCII each of the signs counts.
      await assert.rejects(p.deployment.postern(["client", "secret", "codes", "--secret-stdin"], `${SPECIAL}\n`), {
        code: 1,
      });
      const secret = SPECIAL.replace("\u00e9", "e");
      await p.deployment.postern(
        ["client", "add", "special", "--redirect-uri", "https://special.example/cb", "--secret-stdin"],
        `${secret}\n`,
      );
      const ascii = (text) => text.replaceAll("%C3%A9", "e");
      await check([
        ["raw", basicOf("special", secret), "", "in"],
        ["form-encoded", basicOf("special", ascii(encoded)), "", "in"],
        ["percent-encoded", basicOf("special", ascii(percent)), "", "in"],
        ["in the body", null, { client_id: "special", client_secret: secret }, "in"],
        ["encoded twice", basicOf("special", encodeURIComponent(ascii(percent))), "", "out"],
        ["encoded twice, p%25w", basicOf("special", encodeURIComponent(ascii(encoded))), "", "out"],
        ["encoded twice in the body", null, { client_id: "special", client_secret: ascii(encoded) }, "out"],
      ]);
    },
  );

  it("the first colon separates, the others are the secret's [C04]", async () => {
    const secret = "a:b:c:".padEnd(36, ":x");
    await check([
      ["raw", basicOf("colons", secret), "", "in"],
      ["encoded", basicOf("colons", encodeURIComponent(secret)), "", "in"],
      ["the part before the next colon", basicOf("colons", "a"), "", "out"],
      ["the part behind it", basicOf("colons", secret.slice(2)), "", "out"],
    ]);
  });

  it("a secret that is nearly right is wrong: NUL, blank, twice, half, empty, another's [C05]", async () => {
    const s = web.secret;
    const near = [
      `${s} `,
      ` ${s}`,
      s + s,
      s.slice(0, s.length / 2),
      s.slice(1),
      s.slice(0, -1),
      `${s}x`,
      `${s}=`,
      s.toLowerCase(),
      "",
      p.clients.other.secret,
      "x",
    ];
    await check(
      near.flatMap((secret) => [
        [`Basic ${near.indexOf(secret)}`, basicOf(web.id, secret), "", "out"],
        [`body ${near.indexOf(secret)}`, null, { client_id: web.id, client_secret: secret }, "out"],
      ]),
    );
    await check([
      ["Basic with NUL", basicOf(web.id, `${s}\0`), "", "out"],
      ["Basic with an encoded NUL", basicOf(web.id, `${s}%00`), "", "out"],
      ["NUL and more", basicOf(web.id, `${s}\0more`), "", "out"],
    ]);
    for (const endpoint of ENDPOINTS) {
      // a parameter with a NUL is none that could be read
      const { status, json } = await present(endpoint, null, `client_id=${web.id}&client_secret=${s}%00`);
      assert.ok(
        [400, 401].includes(status) && ["invalid_request", "invalid_client"].includes(json.error),
        `${endpoint.path} ${status}`,
      );
    }
  });

  it(
    "a failed authentication does not disclose why: unknown, disabled, public and wrong look the same to " +
      "the byte [C06]",
    async () => {
      await p.deployment.postern(
        ["client", "add", "asleep", "--redirect-uri", "https://asleep.example/cb", "--secret-stdin"],
        `${"z".repeat(43)}\n`,
      );
      await p.deployment.postern(["client", "disable", "asleep"]);
      const wrong = "w".repeat(43);
      const essence = ({ status, headers, body }) => {
        const { date, "x-request-id": id, ...rest } = headers;
        return { status, headers: rest, body };
      };
      for (const endpoint of ENDPOINTS) {
        const unknown = essence(await present(endpoint, basicOf("nobody", wrong)));
        const inBody = essence(await present(endpoint, null, { client_id: "nobody", client_secret: wrong }));
        for (const [id, secret] of [
          [web.id, wrong],
          ["asleep", "z".repeat(43)],
          ["spa", wrong],
          ["machine", wrong],
          ["", wrong],
          ["' OR 1=1 --", wrong],
        ]) {
          assert.deepEqual(essence(await present(endpoint, basicOf(id, secret))), unknown, `${endpoint.path} ${id}`);
          if (id)
            assert.deepEqual(
              essence(await present(endpoint, null, { client_id: id, client_secret: secret })),
              inBody,
              `${endpoint.path} ${id}`,
            );
        }
      }
    },
  );

  it(
    "the time of a refusal, for the record: unknown id and wrong secret [C06]",
    { skip: !process.env.POSTERN_LONG },
    async (t) => {
      const taken = { unknown: [], wrong: [] };
      for (let i = 0; i < 500; ++i) {
        for (const [what, id] of i % 2
          ? [
              ["unknown", "nob"],
              ["wrong", web.id],
            ]
          : [
              ["wrong", web.id],
              ["unknown", "nob"],
            ]) {
          const start = process.hrtime.bigint();
          isOut(await present(ENDPOINTS[1], basicOf(id, "w".repeat(43))), what, true);
          taken[what].push(Number(process.hrtime.bigint() - start) / 1e6);
        }
      }
      for (const [what, times] of Object.entries(taken))
        t.diagnostic(`${what}: median ${times.sort((a, b) => a - b)[250].toFixed(3)} ms of 500`);
    },
  );

  it(
    "a client that tried Basic is asked for Basic, " + "and no other is shown a browser's password window [C07]",
    async () => {
      for (const endpoint of ENDPOINTS) {
        isOut(await present(endpoint, basicOf(web.id, "wrong")), endpoint.path, true);
        isOut(await present(endpoint, null, { client_id: web.id, client_secret: "wrong" }), endpoint.path, false);
      }
    },
  );

  it(
    "a confidential client without its secret is not authenticated, with an id, a code or nothing at all " + "[C08]",
    async () => {
      await check([
        ["id alone", null, { client_id: web.id }, "out"],
        ["id and empty secret", null, { client_id: web.id, client_secret: "" }, "out"],
        ["Basic with an empty secret", basicOf(web.id, ""), "", "out"],
        ["nothing", null, "", "out"],
        ["a secret alone", null, { client_secret: web.secret }, "out"],
        ["a machine's id", null, { client_id: "machine" }, "out"],
        ["empty id", null, { client_id: "" }, "out"],
      ]);
      const code = await p.code(web);
      const bare = (extra) =>
        p.post("/token", {
          grant_type: "authorization_code",
          code: code.code,
          code_verifier: code.verifier,
          redirect_uri: code.redirect_uri,
          ...extra,
        });
      isOut(await bare({ client_id: web.id }), "its own code", false);
      assert.equal((await p.exchange(web, code)).status, 200, "and the code is as good as before");
      isOut(
        await p.post("/token", { grant_type: "client_credentials", client_id: "machine" }),
        "client_credentials",
        false,
      );
    },
  );

  it("a public client that sends a secret is refused; an empty one in Basic is none [C09]", async () => {
    const rows = (id) => [
      [`${id} alone`, null, { client_id: id }, "in"],
      ["with a secret", null, { client_id: id, client_secret: "x" }, "out"],
      ["with another client's secret", null, { client_id: id, client_secret: web.secret }, "out"],
      ["Basic with an empty secret", basicOf(id, ""), "", "in"],
      ["Basic with a secret", basicOf(id, "x"), "", "out"],
    ];
    for (const id of ["spa", "native"]) await check(rows(id), ["/token", "/token/revoke"]);
    const { status, json } = await present(ENDPOINTS[1], null, { client_id: "spa" });
    assert.ok(status >= 400 && json.active === undefined, "introspection is for confidential clients");
  });

  it("no secret is in the database, its side files or a log; a replaced one is refused [C10]", async () => {
    await p.tokens(web);
    const secrets = [
      ...Object.values(p.clients)
        .map(({ secret }) => secret)
        .filter(Boolean),
      "a:b:c:".padEnd(36, ":x"),
      p.user.password,
    ];
    for (const [name, bytes] of await kept(p)) {
      for (const secret of secrets) assert.ok(!bytes.includes(secret), `${name} holds a secret`);
    }
    for (const secret of secrets) assert.ok(!p.deployment.log.includes(secret), "the log holds a secret");
    const [old] = [p.clients.other.secret];
    const { client_secret: renewed } = await p.deployment.postern(["client", "secret", "other"]);
    assert.ok(Buffer.from(renewed, "base64url").length >= 32, "256 bits");
    await check([
      ["the old one", basicOf("other", old), "", "out"],
      ["the new one", basicOf("other", renewed), "", "in"],
    ]);
    p.clients.other.secret = renewed;
  });

  it(
    "a thousand wrong secrets change nothing that is stored and lock no client out, not even at the same " +
      "address [C11]",
    async () => {
      const before = await p.deployment.postern(["stats"]);
      const [introspect] = [ENDPOINTS[1]];
      for (let round = 0; round < 20; ++round) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, i) => present(introspect, basicOf(web.id, `${round}-${i}`.padEnd(43, "x")))),
        );
        for (const answer of answers) isOut(answer, "a guess", true);
      }
      assert.deepEqual(
        [
          (await present(introspect, basicOf(web.id, web.secret))).status,
          (await present(introspect, basicOf("other", p.clients.other.secret))).status,
        ],
        [200, 200],
      );
      const after = await p.deployment.postern(["stats"]);
      assert.deepEqual([after.bytes.database, after.logins], [before.bytes.database, before.logins]);
    },
  );

  it("client authentication comes before every check that could be probed [C12]", async () => {
    const probes = {
      "/token": [
        "",
        { grant_type: "carrier_pigeon" },
        { grant_type: "authorization_code", code: "x" },
        { grant_type: "refresh_token" },
        { grant_type: "authorization_code", code: "x", aud: p.issuer },
        { grant_type: "client_credentials", scope: "no such scope" },
      ],
      "/token/introspect": [
        "",
        { token: "x", token_type_hint: "unknown" },
        { token: "x".repeat(9000) },
        { token_type_hint: "access_token" },
      ],
      "/token/revoke": [
        "",
        { token: "x", token_type_hint: "unknown" },
        { token: "x".repeat(9000) },
        { token_type_hint: "access_token" },
      ],
    };
    for (const [path, bodies] of Object.entries(probes)) {
      for (const form of bodies) {
        isOut(
          await present({ path, parameters: "" }, basicOf(web.id, "wrong"), form),
          `${path} ${JSON.stringify(form)}`.slice(0, 200),
          true,
        );
        isOut(
          await present({ path, parameters: "" }, basicOf("nobody", "wrong"), form),
          `${path} ${JSON.stringify(form)}`.slice(0, 200),
          true,
        );
      }
    }
  });

  it("introspection and revocation ask for no grant: a client of the code grant alone may use both [C13]", async () => {
    const codes = {
      id: "codes",
      secret: "only the code grant, nothing else: 0123",
      redirectUri: "https://codes.example/cb",
    };
    const tokens = await p.tokens(codes, { scope: "openid" });
    assert.equal(tokens.refresh_token, undefined);
    const about = async () =>
      (await p.post("/token/introspect", { token: tokens.access_token }, { client: codes })).json;
    assert.equal((await about()).active, true);
    assert.equal((await p.revoke(codes, tokens.access_token)).status, 200);
    assert.deepEqual(await about(), { active: false });
    assert.equal(
      (await p.post("/token", { grant_type: "client_credentials" }, { client: codes })).json.error,
      "unauthorized_client",
    );
  });

  it("an id of any length and with any signs is only an unknown one [C14]", async () => {
    const ids = [
      "w".repeat(10240),
      "web' --",
      "' OR '1'='1",
      'web"; DROP TABLE clients; --',
      "../web",
      "/etc/passwd",
      "web%",
      "*",
      "WEB",
      "web ",
      " web",
      "w\u00eb",
      "w\u200beb",
      "web\\",
    ];
    await check(
      ids.flatMap((id) => [
        [`body ${id.slice(0, 30)}`, null, { client_id: id, client_secret: web.secret }, "out"],
        ...(id.length < 8000 ? [[`Basic ${id}`, basicOf(id, web.secret), "", "out"]] : []),
      ]),
    );
    for (const control of ["web\0", "web\n", "we\x7fb", "\u0001web", "web\r\nX: y"]) {
      for (const endpoint of ENDPOINTS) {
        isOut(await present(endpoint, basicOf(control, web.secret)), JSON.stringify(control), true);
        const { status, json } = await present(endpoint, null, { client_id: control, client_secret: web.secret });
        assert.ok(
          [400, 401].includes(status) && ["invalid_request", "invalid_client"].includes(json.error),
          `${endpoint.path} ${JSON.stringify(control)}`,
        );
      }
    }
    assert.equal(
      (await present(ENDPOINTS[1], basicOf(web.id, web.secret))).status,
      200,
      "and the table is still there",
    );
  });
});
