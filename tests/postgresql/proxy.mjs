// Between the programs and a PostgreSQL server, on a Unix socket: counts what a program sends, and cuts the connection
// at the message that a test names.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

/// The whole messages of a frontend (PostgreSQL, Message Formats), of which the first has no type.
class Frontend {
  #bytes = Buffer.alloc(0);
  #begun = false;

  *read(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const type = this.#begun ? 1 : 0;
      if (this.#bytes.length < type + 4) return;
      const length = type + this.#bytes.readUInt32BE(type);
      if (this.#bytes.length < length) return;
      const message = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      yield { type: this.#begun ? String.fromCharCode(message[0]) : "", bytes: message };
      this.#begun = true;
    }
  }
}

export class Proxy {
  #listener;
  #connections = new Set();
  #at = Infinity; // the message at which the next cut is
  #kind;

  constructor(directory, target) {
    this.directory = directory;
    this.target = target;
    this.messages = 0; // since the last plan(), without those that begin a connection
    this.cuts = 0;
    this.commits = 0; // messages with a COMMIT that were met by a cut
    this.refusals = 0; // of the next connections, how many are cut when they begin
  }

  static async start(directory, target) {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    const proxy = new Proxy(directory, join(target, SOCKET));
    await proxy.#listen();
    return proxy;
  }

  #listen() {
    const path = join(this.directory, SOCKET);
    if (existsSync(path)) rmSync(path);
    this.#listener = net.createServer((client) => this.#join(client));
    return new Promise((done, failed) => this.#listener.on("error", failed).listen({ path, writableAll: true }, done));
  }

  #join(client) {
    if (this.refusals > 0) {
      --this.refusals;
      client.destroy();
      return;
    }
    const server = net.connect(this.target);
    const both = [client, server];
    const frontend = new Frontend();
    let deaf = false; // what the server says is lost
    const end = () => both.forEach((socket) => socket.destroy());
    this.#connections.add(end);
    for (const socket of both) socket.on("error", end).on("close", end);
    server.on("data", (chunk) => (deaf ? end() : client.write(chunk)));
    client.on("data", (chunk) => {
      for (const { type, bytes } of frontend.read(chunk)) {
        // Only what runs something counts: a query, or the end of a group of messages.
        if ((type === "Q" || type === "S") && ++this.messages === this.#at) {
          ++this.cuts;
          if (bytes.includes("COMMIT")) ++this.commits;
          if (this.#kind === "unsent") return end();
          deaf = true;
        }
        server.write(bytes);
      }
    });
    client.on("close", () => this.#connections.delete(end));
  }

  /// Ends the connections that there are, so that each begins with the same messages, and cuts once at the `message`-th
  /// from now on: "unsent", before the server has it, or "unanswered", when it answers.
  plan(message, kind) {
    this.drop();
    this.messages = 0;
    this.cuts = 0;
    this.commits = 0;
    this.#at = message;
    this.#kind = kind;
  }

  drop() {
    for (const end of this.#connections) end();
  }

  async stop() {
    this.drop();
    await new Promise((done) => this.#listener.close(done));
  }
}
