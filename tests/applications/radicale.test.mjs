// Radicale, with access tokens as passwords (examples/clients/postern_radicale.py), and with the password grant, which
// Postern does not have.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PERSON } from "../clients/provider.mjs";
import { openTokenSource } from "../clients/tokens.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

describe("Radicale", () => {
  let source;
  let directory;
  prepared(async (owned) => {
    source = owned(await openTokenSource());
    directory = temporaryDirectory();
  });

  /// Runs with these settings of the section [auth]; `use` gets a function that answers the status of a user's request.
  async function withRadicale(settings, use) {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const file = join(directory, "config");
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const folder = `filesystem_folder = ${join(directory, "collections")}`;
    const sections = [
      `[server]\nhosts = ${new URL(origin).host}`,
      `[storage]\n${folder}`,
      `[auth]\n${lines.join("\n")}`,
    ];
    writeFileSync(file, `${sections.join("\n")}\n`, { mode: 0o600 });
    const radicale = new WebServer(join(BUILD, "applications/radicale/bin/radicale"), ["--config", file], {
      env: {
        PYTHONPATH: join(ROOT, "examples/clients"),
        REQUESTS_CA_BUNDLE: source.deployment.caFile,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    try {
      await radicale.untilItAnswers(`${origin}/.web/`);
      await use(async (password, name = PERSON.username) => {
        const basic = Buffer.from(`${name}:${password}`).toString("base64");
        const headers = { authorization: `Basic ${basic}`, depth: "0" };
        return (await request(`${origin}/${name}/`, { method: "PROPFIND", headers })).status;
      });
    } finally {
      await radicale.stop();
    }
  }

  const introspection = () => ({
    type: "postern_radicale",
    introspection_endpoint: `${source.deployment.issuer}/token/introspect`,
    client_id: source.api.client_id,
    client_secret: source.api.client_secret,
    scope: "reports",
  });

  it("takes an access token of the user with the scope, until it is revoked", () =>
    withRadicale(introspection(), async (status) => {
      const { access_token } = await source.ofPerson("openid reports");
      assert.equal(await status(access_token), 207);
      await source.revoke(access_token);
      assert.equal(await status(access_token), 401);
    }));

  it("refuses other tokens and passwords", () =>
    withRadicale(introspection(), async (status) => {
      const { access_token, refresh_token, id_token } = await source.ofPerson("openid reports");
      const { access_token: other } = await source.ofPerson("openid reports-of-others");
      const { access_token: program } = await source.ofProgram();
      for (const password of [refresh_token, id_token, other, program, PERSON.password, "x"])
        assert.equal(await status(password), 401);
      const { username } = await source.addPerson("otto");
      assert.equal(await status(access_token, username), 401);
    }));

  it("refuses a user who was disabled", () =>
    withRadicale(introspection(), async (status) => {
      const { access_token } = await source.ofPerson("openid reports");
      await source.deployment.postern(["user", "disable", PERSON.username]);
      assert.equal(await status(access_token), 401);
      await source.deployment.postern(["user", "enable", PERSON.username]);
    }));

  it("with its own type oauth2 every user is refused, because that is the password grant", () =>
    withRadicale(
      {
        type: "oauth2",
        oauth2_token_endpoint: `${source.deployment.issuer}/token`,
        oauth2_client_id: "application",
        oauth2_client_secret: source.application.client_secret,
      },
      async (status) => {
        assert.equal(await status(PERSON.password), 401);
        assert.match(source.deployment.log, /unsupported_grant_type/);
      },
    ));
});
