// Web nodes of one issuer, and the HAProxy in front of them that runs the shipped configuration.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProvider } from "../security/provider.mjs";
import { childrenOf } from "../security/workers.mjs";
import { Deployment, ROOT } from "../support/deployment.mjs";
import { fastcgi } from "../support/fronts/lighttpd.mjs";
import { WebServer, freePort, makeCertificate } from "../support/web_server.mjs";
import { filledIn, nodeConfiguration, until } from "./cluster.mjs";

class HAProxy {
  #directory = mkdtempSync(join(tmpdir(), "postern-lb-"));
  #server;

  static async make() {
    const balancer = new HAProxy();
    balancer.certificate = await makeCertificate(balancer.#directory);
    [balancer.port, balancer.plainPort] = [await freePort(), await freePort()];
    return balancer;
  }

  /// Of the issuer.
  get origin() {
    return `https://localhost:${this.port}`;
  }

  get log() {
    return this.#server.log;
  }

  /// `ports` of the nodes' web servers, and the authorities of their certificates.
  async start(ports, authorities) {
    const file = (name) => join(this.#directory, name);
    writeFileSync(file("nodes-ca.pem"), authorities.join(""));
    const { certificate, key } = this.certificate;
    writeFileSync(file("both.pem"), readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
    const text = filledIn(join(ROOT, "examples/nodes/haproxy.cfg"), [
      ["/etc/haproxy/id.example.org.pem", file("both.pem")],
      ["/etc/ssl/certs/ca-certificates.crt", file("nodes-ca.pem")],
      ["bind :80\n", `bind 127.0.0.1:${this.plainPort}\n`],
      ["bind :443 ", `bind 127.0.0.1:${this.port} `],
      ["192.0.2.11:443", `127.0.0.1:${ports[0]}`],
      ["192.0.2.12:443", `127.0.0.1:${ports[1]}`],
      ["id.example.org", "localhost"],
    ]);
    writeFileSync(file("haproxy.cfg"), text);
    this.#server = new WebServer("haproxy", ["-db", "-f", file("haproxy.cfg")]);
    await this.#server.untilItAnswers(`${this.origin}/.well-known/openid-configuration`, {
      ca: this.certificate.ca,
      status: 200,
    });
  }

  /// Waits until it has taken the node out, or in again: "DOWN" or "UP".
  async until(node, state) {
    const last = () => this.log.match(/Server nodes\/\w+ is (UP|DOWN)/g)?.filter((line) => line.includes(`/${node} `));
    await until(`HAProxy says that ${node} is ${state}`, () => last()?.at(-1)?.endsWith(state));
  }

  async stop() {
    await this.#server?.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/// Two nodes, a and b, whose `provider` goes by way of the balancer.
export class Nodes {
  #servers = {};

  static async start(database) {
    const nodes = new Nodes();
    try {
      await nodes.#begin(database);
      return nodes;
    } catch (error) {
      await nodes.stop().catch(() => {});
      throw error;
    }
  }

  #optionsOf(node, database) {
    const config = { ...nodeConfiguration(), issuer: this.balancer.origin, database, node };
    delete config.state; // it and the rest are directories of the test
    return {
      front: async (site) => (this.#servers[node] = await fastcgi(site)),
      // On a busy machine a failover may take longer than a code is valid.
      config: { ...config, trustedProxies: ["127.0.0.1"], sandbox: "require", authorizationCodeTTL: 600 },
    };
  }

  async #begin(database) {
    this.balancer = await HAProxy.make();
    this.provider = await openProvider(this.#optionsOf("a", database));
    this.a = this.provider.deployment;
    const transport = "keys/transport.key";
    this.b = await Deployment.start({
      ...this.#optionsOf("b", database),
      join: true,
      prepare: async (directory) => {
        mkdirSync(join(directory, "keys"), { mode: 0o750 });
        copyFileSync(join(this.a.directory, transport), join(directory, transport));
      },
    });
    await this.b.postern(["key", "sync"]);
    const both = [this.a, this.b];
    await this.balancer.start(
      both.map(({ port }) => port),
      both.map(({ ca }) => ca),
    );
    Object.assign(this.a, { issuer: this.balancer.origin, ca: this.balancer.certificate.ca + this.a.ca });
  }

  /// Ends its web server and programs at once, as a machine that loses its power.
  async crash(node) {
    const { pid } = this.#servers[node];
    process.kill(pid, "SIGSTOP"); // it would start others in their place
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, "SIGKILL");
    await this[node].halt();
  }

  async stop() {
    await this.balancer?.stop();
    await this.b?.stop();
    await this.provider?.stop();
  }
}
