// RabbitMQ 3.10, as Debian 12 ships it, with rabbitmq_auth_backend_oauth2: programs show an access token as their
// password.
import assert from "node:assert/strict";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { openProvider } from "../clients/provider.mjs";
import { altered, untilExpired } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { describeWithPackage } from "../support/installed.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const TIMEOUT_MS = 60_000;
const API = "urn:rabbitmq";
const SCOPES = ["configure:*/news", "read:*/news", "write:*/news", "write:*/amq.default"]
  .map((right) => `${API}.${right}`)
  .join(" ");

/// As docs/clients/rabbitmq.md has it, and where it listens.
const configuration = ({ issuer, caFile }, port) => `
listeners.tcp.1 = 127.0.0.1:${port}
auth_backends.1 = rabbit_auth_backend_oauth2
auth_oauth2.resource_server_id = ${API}
auth_oauth2.jwks_url = ${issuer}/jwks
auth_oauth2.https.cacertfile = ${caFile}
auth_oauth2.https.peer_verification = verify_peer
`;

describeWithPackage("rabbitmq-server", SERVER, "RabbitMQ", () => {
  let deployment;
  let server;
  let port;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider({ accessTokenTTL: 10 }, { host: "localhost" })));
    for (const uri of [API, "urn:other"]) await deployment.postern(["resource", "add", uri, "--scope", SCOPES]);
    port = await freePort();
    server = await start(owned);
  });

  async function start(owned) {
    const directory = temporaryDirectory();
    const file = (name) => join(directory, name);
    await writeFile(file("rabbitmq.conf"), configuration(deployment, port));
    await writeFile(file("enabled_plugins"), "[rabbitmq_auth_backend_oauth2].\n");
    const names = String(await freePort());
    owned(new WebServer("epmd", ["-address", "127.0.0.1", "-port", names])); // else it starts one that stays
    const broker = new WebServer(SERVER, [], {
      env: {
        HOME: directory,
        ERL_EPMD_ADDRESS: "127.0.0.1",
        ERL_EPMD_PORT: names,
        RABBITMQ_CONF_ENV_FILE: file("none"),
        RABBITMQ_NODENAME: `rabbit${port}@localhost`,
        RABBITMQ_CONFIG_FILE: file("rabbitmq.conf"),
        RABBITMQ_ENABLED_PLUGINS_FILE: file("enabled_plugins"),
        RABBITMQ_MNESIA_BASE: file("mnesia"),
        RABBITMQ_LOG_BASE: file("log"),
        RABBITMQ_PID_FILE: file("pid"),
        RABBITMQ_DIST_PORT: String(await freePort()),
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
      },
      logFiles: [file(`log/rabbit${port}@localhost.log`)],
    });
    owned(broker);
    for (const end = Date.now() + TIMEOUT_MS; !(await listens()); ) {
      if (Date.now() > end) throw new Error(broker.log);
      await new Promise((done) => setTimeout(done, 100));
    }
    return broker;
  }

  const listens = () =>
    new Promise((done) => {
      const socket = connect(port, "127.0.0.1", () => done(socket.destroy() && true)).on("error", () => done(false));
    });

  /// An access token of a program.
  async function token(options = [], parameters = {}) {
    const id = `program-${++count}`;
    const { client_secret } = await deployment.postern([
      ...["client", "add", id, "--grant", "client_credentials", "--scope", SCOPES],
      ...["--access-token-profile", "rfc9068", "--default-resource", API, ...options],
    ]);
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret, ...parameters });
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": String(`${body}`.length) };
    const answer = await request(`${deployment.issuer}/token`, {
      method: "POST",
      ca: deployment.ca,
      headers,
      body: `${body}`,
    });
    return JSON.parse(answer.body).access_token;
  }
  let count = 0;

  const amqp = createRequire(join(BUILD, "applications/rabbitmq/package.json"))("amqplib");
  /// A channel of the program that has the token.
  async function open(token) {
    const credentials = amqp.credentials.plain("", token);
    const connection = await amqp.connect(`amqp://127.0.0.1:${port}/`, { credentials });
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    return { connection, channel };
  }
  const refused = (token) => assert.rejects(open(token), /ACCESS_REFUSED - Login was refused/);

  it("a program writes and reads with an access token, and only where its scopes let it", async () => {
    const { connection, channel } = await open(await token());
    await channel.assertQueue("news", { durable: false });
    channel.sendToQueue("news", Buffer.from("hello"));
    const message = await new Promise((done) => channel.consume("news", done, { noAck: true }));
    assert.equal(message.content.toString(), "hello");
    await assert.rejects(
      channel.assertQueue("other"),
      /access to queue 'other' in vhost '\/' refused for user 'program-/,
    );
    await connection.close();
  });

  it("refuses an altered token, and one for another API [RFC 9068 §4]", async () => {
    await refused(altered(await token()));
    await refused(await token([], { resource: "urn:other" }));
  });

  it("refuses a token that has expired", async () => {
    const short = await token();
    const { connection } = await open(short);
    await connection.close();
    await untilExpired(short);
    await refused(short);
  });
});
