// Prometheus, as Debian 12 ships it: it scrapes metrics of a server that wants an access token, which it gets with
// client_credentials.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { claimsOf, openTokenSource } from "../clients/tokens.mjs";
import { describeWithPackage } from "../support/installed.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const PROGRAM = "/usr/bin/prometheus";
const TIMEOUT_MS = 30_000;

/// Metrics for whoever has a token with the scope "metrics"; `asked` has the tokens so far.
class Exporter {
  static async start(source) {
    const exporter = new Exporter();
    exporter.asked = [];
    exporter.server = createServer(async (incoming, answer) => {
      const token = incoming.headers.authorization?.replace(/^Bearer /, "");
      if (token) exporter.asked.push(token);
      const { active, scope = "" } = token ? await source.introspect(token) : {};
      const good = active && scope.split(" ").includes("metrics");
      answer.writeHead(good ? 200 : 401, { "content-type": "text/plain; version=0.0.4" });
      answer.end(good ? "lamps_lit 3\n" : "");
    });
    await new Promise((done) => exporter.server.listen(0, "127.0.0.1", done));
    exporter.host = `127.0.0.1:${exporter.server.address().port}`;
    return exporter;
  }
  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

describeWithPackage("prometheus", PROGRAM, "Prometheus", () => {
  let source;
  let exporter;
  prepared(async (owned) => {
    source = owned(
      await openTokenSource({
        config: { accessTokenTTL: 13, scopeDescriptions: { reports: "Reports", metrics: "Metrics" } },
      }),
    );
    exporter = owned(await Exporter.start(source));
  });

  const add = (id) =>
    source.deployment.postern(["client", "add", id, "--grant", "client_credentials", "--scope", "metrics"]);

  /// Runs while `use` has it; the settings are those of docs/clients/prometheus.md.
  async function withPrometheus({ client_id, client_secret }, use, { scopes = "[metrics]", more = "" } = {}) {
    const directory = temporaryDirectory();
    const { issuer, caFile } = source.deployment;
    await writeFile(join(directory, "secret"), client_secret, { mode: 0o600 });
    await writeFile(
      join(directory, "prometheus.yml"),
      `
scrape_configs:
  - job_name: lamps
    scrape_interval: 500ms
    scrape_timeout: 500ms
    static_configs:
      - targets: ["${exporter.host}"]
    oauth2:
      client_id: ${client_id}
      client_secret_file: ${join(directory, "secret")}
      token_url: ${issuer}/token
      scopes: ${scopes}
      ${more}
      tls_config:
        ca_file: ${caFile}
`,
    );
    const host = `127.0.0.1:${await freePort()}`;
    const server = new WebServer(PROGRAM, [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=${host}`,
    ]);
    try {
      await server.untilItAnswers(`http://${host}/-/ready`, { status: 200 });
      await use(`http://${host}`, server);
    } finally {
      await server.stop();
    }
  }

  /// The one target, when `good` of it.
  async function target(origin, good) {
    for (const end = Date.now() + TIMEOUT_MS; ; ) {
      const { body } = await request(`${origin}/api/v1/targets`);
      const [found] = JSON.parse(body).data.activeTargets;
      if (found && good(found)) return found;
      if (Date.now() > end) throw new Error(body);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  const settled = ({ health }) => health !== "unknown";

  it("scrapes with a token that it uses until shortly before it expires, and then with another", async () => {
    await withPrometheus(await add("prometheus"), async (origin) => {
      assert.equal((await target(origin, settled)).lastError, "");
      const different = () => new Set(exporter.asked).size;
      for (const end = Date.now() + TIMEOUT_MS; different() < 3 && Date.now() < end; )
        await new Promise((done) => setTimeout(done, 100));
      assert.ok(different() >= 3 && exporter.asked.length >= 2 * different(), exporter.asked.join("\n"));
      assert.equal((await target(origin, settled)).health, "up");
      const { body } = await request(`${origin}/api/v1/query?query=lamps_lit`);
      assert.equal(JSON.parse(body).data.result[0].value[1], "3");
    });
  });

  it("endpoint_params names the API that the token is for [RFC 8707 §2.2]", async () => {
    await source.deployment.postern(["resource", "add", "https://lamps.example", "--scope", "metrics"]);
    const more = "endpoint_params: { resource: https://lamps.example }";
    await withPrometheus(
      await add("named"),
      async (origin) => {
        assert.equal((await target(origin, settled)).lastError, "");
        assert.equal(claimsOf(exporter.asked.at(-1)).aud, "https://lamps.example");
      },
      { more },
    );
  });

  for (const [what, change, options, error] of [
    ["a wrong secret", { client_secret: "wrong" }, {}, /401 Unauthorized.*"invalid_client"/s],
    ["a scope that the client may not have", {}, { scopes: "[reports]" }, /400 Bad Request.*"invalid_scope"/s],
  ])
    it(`${what}: the target is down, and its error is that of Postern`, async () => {
      const client = await add(`with ${what}`.replaceAll(" ", "-"));
      await withPrometheus(
        { ...client, ...change },
        async (origin) => {
          const { health, lastError } = await target(origin, settled);
          assert.equal(health, "down");
          assert.match(lastError, error);
        },
        options,
      );
    });

  it("a token without the scope: the target is down with a 401 of its own", async () => {
    await withPrometheus(
      source.program,
      async (origin) => assert.match((await target(origin, settled)).lastError, /401 Unauthorized/),
      { scopes: "[reports]" },
    );
  });
});
