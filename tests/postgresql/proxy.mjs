// Between the programs and a PostgreSQL server, on a Unix socket: notes what a program sends, and cuts the connection
// at the flight that a test names.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

/// The first two strings of a message, which end with a NUL.
const stringsOf = (message) => message.subarray(5).toString("latin1").split("\0", 2);

/// What a frontend sends (PostgreSQL, Message Formats), in flights: messages that the server answers together, of which
/// the last is a Query or a Sync.
class Frontend {
  program; // as it names itself
  #bytes = Buffer.alloc(0);
  #begun = false;
  #prepared = new Map(); // name: SQL
  #flight = [];
  #statements = [];
  #isSweeping = false;

  /// Each flight, { bytes, messages, statements }: the SQL that it runs. `statements` is null for what is no flight of
  /// a request.
  *read(chunk) {
    for (const { type, bytes } of this.#messages(chunk)) {
      if (type === "") this.program ??= /application_name\0postern-(\w+)\0/.exec(bytes.toString("latin1"))?.[1];
      if (type === "" || !"PBDECQSH".includes(type)) {
        yield { bytes, statements: null };
        continue;
      }
      this.#flight.push(bytes);
      this.#note(type, bytes);
      if (type !== "Q" && type !== "S") continue;
      const statements = this.#isOfSweep(this.#statements) ? null : this.#statements;
      yield { bytes: Buffer.concat(this.#flight), messages: this.#flight, statements };
      this.#flight = [];
      this.#statements = [];
    }
  }

  // The first message has no type.
  *#messages(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const type = this.#begun ? 1 : 0;
      if (this.#bytes.length < type + 4) return;
      const length = type + this.#bytes.readUInt32BE(type);
      if (this.#bytes.length < length) return;
      const bytes = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      yield { type: this.#begun ? String.fromCharCode(bytes[0]) : "", bytes };
      this.#begun = true;
    }
  }

  /// After one answer in sixteen a program deletes expired rows, which no test can foresee.
  #isOfSweep(statements) {
    const has = (pattern) => statements.some((sql) => pattern.test(sql));
    const isOf = this.#isSweeping || has(/^DELETE FROM sessions WHERE cookie_hash IN/);
    this.#isSweeping = isOf && !has(/^(COMMIT|ROLLBACK)/);
    return isOf || has(/^SELECT has_table_privilege\('grants'/);
  }

  #note(type, bytes) {
    const [first, second] = stringsOf(bytes);
    if (type === "P") this.#prepared.set(first, second);
    if (type === "B") this.#statements.push(this.#prepared.get(second));
    if (type === "Q") this.#statements.push(first);
  }
}

export class Proxy {
  #listener;
  #connections = new Set();
  #at = Infinity; // the flight at which the next cut is, or "COMMIT"
  #kind;
  #met; // called at the cut
  #release;

  constructor(directory, target) {
    this.directory = directory;
    this.target = target;
    this.flights = []; // since the last plan(): { program, statements }, without those of a sweep
    this.cuts = 0;
    this.commits = 0; // flights with a COMMIT that were met by a cut
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
    let mute = false; // and the client hears nothing of that
    let kept = null; // what the server is to have later
    let whenGone = () => end(); // what follows when the client has gone
    const end = () => both.forEach((socket) => socket.destroy());
    const deliver = () => {
      const bytes = Buffer.concat(kept);
      if (client.destroyed) return server.end(bytes);
      kept = null;
      whenGone = end;
      server.write(bytes);
    };
    this.#connections.add(end);
    server.on("error", end).on("close", end);
    client.on("error", () => {}).on("close", () => whenGone());
    server.on("data", (chunk) => {
      if (deaf) end();
      else if (!mute) client.write(chunk);
    });
    client.on("data", (chunk) => {
      for (const flight of frontend.read(chunk)) {
        const { bytes, statements } = flight;
        if (kept || !statements || !this.#isDue(frontend.program, statements)) {
          kept ? kept.push(bytes) : server.write(bytes);
          continue;
        }
        ++this.cuts;
        this.#met?.();
        if (statements.includes("COMMIT")) ++this.commits;
        if (this.#kind === "unsent") return end();
        deaf = this.#kind === "unanswered";
        mute = this.#kind === "unheard";
        if (this.#kind === "late" || this.#kind === "held") kept = [bytes];
        if (this.#kind === "late") whenGone = deliver;
        else if (this.#kind === "held") {
          whenGone = () => {};
          this.#release = deliver;
        } else if (typeof this.#kind === "function") this.#replace(this.#kind(flight), client, server);
        else server.write(bytes);
      }
    });
    client.on("close", () => this.#connections.delete(end));
  }

  #replace({ toClient, toServer }, client, server) {
    if (toClient) client.write(toClient);
    server.write(toServer);
  }

  #isDue(program, statements) {
    const place = this.flights.push({ program, statements });
    if (typeof this.#at === "function") return this.cuts === 0 && this.#at({ program, statements });
    if (this.#at === "COMMIT") return this.cuts === 0 && statements.includes("COMMIT");
    return place === this.#at;
  }

  /// Ends the connections that there are, so that each begins with the same flights, and interferes once with the
  /// `flight`-th from now on, with the next that has a "COMMIT", or with the first for which `flight` is true. `kind`:
  /// "unsent": cuts the connection before the server has it
  /// "unanswered": cuts it when the server answers
  /// "sent": only counts it
  /// "unheard": keeps the answer, until the client gives up
  /// "late": the server has it when the client has given up
  /// "held": the server has it after release(), and goes on with the client if that one has waited
  /// a function: what it answers for the flight is sent instead, { toServer, toClient } (see faults.test.mjs).
  /// `met` is called there first.
  plan(flight, kind, met = undefined) {
    this.drop();
    this.flights = [];
    this.cuts = 0;
    this.commits = 0;
    this.#at = flight;
    this.#kind = kind;
    this.#met = met;
  }

  release() {
    this.#release();
  }

  drop() {
    for (const end of this.#connections) end();
  }

  async stop() {
    this.drop();
    await new Promise((done) => this.#listener.close(done));
  }
}
