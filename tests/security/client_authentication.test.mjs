// Client authentication where a real web server, running processes or many requests at once matter; its rules are in
// tests/rfc/client_authentication_test.cpp.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { basicOf, openProvider, statusOf } from "./provider.mjs";

const FORM = "application/x-www-form-urlencoded";

describe("client authentication", () => {
  let p;
  let web;
  before(async () => {
    p = await openProvider();
    web = p.clients.web;
  });
  after(() => p?.stop());

  /// Asks introspection about an unknown token.
  const present = (authorization) =>
    p.ask("/token/introspect", {
      method: "POST",
      body: "token=x",
      headers: { "content-type": FORM, "content-length": 7, authorization },
    });

  function isOut(answer, message) {
    assert.deepEqual([answer.status, answer.json?.error], [401, "invalid_client"], message);
    assert.match(answer.headers["www-authenticate"] ?? "", /^Basic realm="[^"]+"/, message);
  }

  it("behind lighttpd, a folded header and two headers authenticate no client [C02]", async () => {
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
    "a thousand wrong secrets change nothing that is stored and lock no client out, not even at the same " +
      "address [C11]",
    async () => {
      const before = await p.deployment.postern(["stats"]);
      for (let round = 0; round < 20; ++round) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, i) => present(basicOf(web.id, `${round}-${i}`.padEnd(43, "x")))),
        );
        for (const answer of answers) isOut(answer, "a guess");
      }
      assert.deepEqual(
        [
          (await present(basicOf(web.id, web.secret))).status,
          (await present(basicOf("other", p.clients.other.secret))).status,
        ],
        [200, 200],
      );
      const after = await p.deployment.postern(["stats"]);
      assert.deepEqual([after.bytes.database, after.logins], [before.bytes.database, before.logins]);
    },
  );
});
