// In front of several nodes: each request goes to the next one, and one that does not answer is left out.
import http from "node:http";
import { listening } from "../support/listening.mjs";

export class Balancer {
  #listening;
  #next = 0;
  nodes = []; // origins
  served = []; // the node of each request so far, by its place in `nodes`

  static async start() {
    const balancer = new Balancer();
    const server = http.createServer((incoming, outgoing) => balancer.#forward(incoming, outgoing));
    balancer.#listening = await listening(server);
    return balancer;
  }

  get origin() {
    return this.#listening.origin;
  }

  async #forward(incoming, outgoing) {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    this.#try(incoming, Buffer.concat(parts), outgoing, this.nodes.length);
  }

  /// Only a connection that was refused is tried elsewhere: what a node has begun may not be done twice.
  #try({ method, url, headers }, body, outgoing, left) {
    const node = this.#next++ % this.nodes.length;
    const asked = http.request(this.nodes[node] + url, { method, headers, agent: false }, (answer) => {
      this.served.push(node);
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on("error", (error) => {
      if (error.code === "ECONNREFUSED" && left > 1)
        return this.#try({ method, url, headers }, body, outgoing, left - 1);
      outgoing.writeHead(502).end(error.message);
    });
    asked.end(body);
  }

  async stop() {
    await this.#listening.close();
  }
}
