// Kafka: a broker that takes access tokens (SASL/OAUTHBEARER), and its command line tools, which get them with
// client_credentials (tests/applications/kafka).
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SECRET, openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const LIBRARIES = join(BUILD, "applications/kafka/libraries/*");
const API = "https://kafka.example";
const OTHER = "https://other.example";
const OAUTHBEARER = "org.apache.kafka.common.security.oauthbearer";
const TIMEOUT_MS = 60_000;

/// As docs/clients/kafka.md has it, but without TLS between the clients and the broker.
const broker = (issuer, directory, [client, internal, controller]) => `
process.roles=broker,controller
node.id=1
log.dirs=${directory}/log
controller.quorum.voters=1@127.0.0.1:${controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
listeners=CLIENT://127.0.0.1:${client},INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:kafka-app

listener.name.client.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.client.oauthbearer.sasl.jaas.config=${OAUTHBEARER}.OAuthBearerLoginModule required ;
listener.name.client.oauthbearer.sasl.server.callback.handler.class=${OAUTHBEARER}.OAuthBearerValidatorCallbackHandler
sasl.oauthbearer.jwt.validator.class=${OAUTHBEARER}.BrokerJwtValidator
sasl.oauthbearer.jwks.endpoint.url=${issuer}/jwks
sasl.oauthbearer.expected.issuer=${issuer}
sasl.oauthbearer.expected.audience=${API}
`;

const client = (issuer, clientId, secret) => `
security.protocol=SASL_PLAINTEXT
sasl.mechanism=OAUTHBEARER
sasl.login.callback.handler.class=${OAUTHBEARER}.OAuthBearerLoginCallbackHandler
sasl.oauthbearer.token.endpoint.url=${issuer}/token
sasl.jaas.config=${OAUTHBEARER}.OAuthBearerLoginModule required \\
  clientId="${clientId}" clientSecret="${secret}" scope="kafka" ;
default.api.timeout.ms=15000
request.timeout.ms=10000
`;

describe("Kafka", () => {
  let deployment;
  let directory;
  let server;
  let port;
  let java;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider({ scopeDescriptions: { kafka: "Kafka" } })));
    directory = temporaryDirectory();
    for (const uri of [API, OTHER]) await deployment.postern(["resource", "add", uri, "--scope", "kafka"]);
    for (const [id, resource] of [
      ["kafka-app", API],
      ["kafka-guest", API],
      ["elsewhere", OTHER],
    ])
      await deployment.postern(
        [
          ...["client", "add", id, "--grant", "client_credentials", "--scope", "kafka", "--secret-stdin"],
          ...["--access-token-profile", "rfc9068", "--default-resource", resource],
        ],
        `${SECRET}\n`,
      );
    const trust = join(directory, "trust.p12");
    const store = ["-keystore", trust, "-storetype", "PKCS12", "-storepass", "changeit"];
    await run("keytool", ["-importcert", "-noprompt", "-file", deployment.caFile, ...store]);
    java = [
      ...["-cp", LIBRARIES, "-XX:TieredStopAtLevel=1", "-Xmx512m"],
      ...[`-Djavax.net.ssl.trustStore=${trust}`, "-Djavax.net.ssl.trustStorePassword=changeit"],
      `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${deployment.issuer}/jwks`,
    ];
    const ports = [await freePort(), await freePort(), await freePort()];
    [port] = ports;
    const file = join(directory, "server.properties");
    await writeFile(file, broker(deployment.issuer, directory, ports));
    const { stdout: id } = await run("java", [...java, "kafka.tools.StorageTool", "random-uuid"]);
    await run("java", [...java, "kafka.tools.StorageTool", "format", "-t", id.trim(), "-c", file]);
    server = owned(new WebServer("java", [...java, "kafka.Kafka", file]));
    await untilItListens();
  });

  async function untilItListens() {
    for (const end = Date.now() + TIMEOUT_MS; ; ) {
      const open = await new Promise((done) => {
        const socket = connect(port, "127.0.0.1", () => done(socket.destroy() && true));
        socket.on("error", () => done(false));
      });
      if (open) return;
      if (Date.now() > end) throw new Error(server.log);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /// Runs a tool with the tokens of a client; answers all that it printed.
  async function tool(name, args, { id = "kafka-app", secret = SECRET, input = "", issuer } = {}) {
    const file = join(directory, `${id}.properties`);
    await writeFile(file, client(issuer ?? deployment.issuer, id, secret));
    const where = ["--bootstrap-server", `127.0.0.1:${port}`, "--command-config", file];
    const whole = `org.apache.kafka.tools.${name === "ConsoleConsumer" ? "consumer." : ""}${name}`;
    const urls = `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${issuer ?? deployment.issuer}/token`;
    const running = run("java", [...java, urls, whole, ...where, ...args], { timeout: TIMEOUT_MS });
    running.child.stdin.end(input);
    const { stdout, stderr } = await running.catch((error) => error);
    return `${stdout}${stderr}`;
  }

  it("a client makes a topic, and writes and reads messages", async () => {
    assert.match(await tool("TopicCommand", ["--create", "--topic", "news"]), /Created topic news/);
    await tool("ConsoleProducer", ["--topic", "news"], { input: "hello\n" });
    const reading = ["--topic", "news", "--from-beginning", "--max-messages", "1", "--timeout-ms", "30000"];
    assert.match(await tool("ConsoleConsumer", reading), /^hello$/m);
  });

  const SHOW_TOPIC = ["--describe", "--topic", "news"];

  it("knows each client by its ID, which ACLs name: another one does not see the topic", async () => {
    assert.match(await tool("TopicCommand", SHOW_TOPIC, { id: "kafka-guest" }), /Topic 'news' does not exist/);
    const acl = [
      "--add",
      "--allow-principal",
      "User:kafka-guest",
      "--operation",
      "Describe",
      "--operation",
      "DescribeConfigs",
      "--topic",
      "news",
    ];
    await tool("AclCommand", acl);
    assert.match(await tool("TopicCommand", SHOW_TOPIC, { id: "kafka-guest" }), /Topic: news/);
  });

  it("refuses a token for another API; Postern refuses a wrong secret [RFC 9068 §4]", async () => {
    assert.match(await tool("TopicCommand", SHOW_TOPIC, { id: "elsewhere" }), /"status":"invalid_token"/);
    const said = await tool("TopicCommand", SHOW_TOPIC, { secret: "wrong" });
    assert.match(said, /response code 401 and error response \{"invalid_client"/);
  });

  it("refuses a token of another issuer, which has keys of its own", async () => {
    const another = await openProvider({}, { own: true });
    try {
      const identity = ["--grant", "client_credentials", "--scope", "kafka", "--secret-stdin"];
      const { deployment: other } = another;
      await other.postern(["resource", "add", API, "--scope", "kafka"]);
      const profile = ["--access-token-profile", "rfc9068", "--default-resource", API];
      await other.postern(["client", "add", "kafka-app", ...identity, ...profile], `${SECRET}\n`);
      const trust = ["-keystore", join(directory, "trust.p12"), "-storepass", "changeit", "-alias", "another"];
      await run("keytool", ["-importcert", "-noprompt", "-file", other.caFile, ...trust]);
      const said = await tool("TopicCommand", SHOW_TOPIC, { issuer: other.issuer });
      assert.match(said, /"status":"invalid_token"/);
    } finally {
      await another.deployment.stop();
    }
  });
});
