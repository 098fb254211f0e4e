// Speaks FastCGI 1.0 to a program's socket in a web server's place: fast, and nothing between the test and the program.
import { connect } from "node:net";
import { TYPE, begin, pairs, stream } from "./records.mjs";

/// The bytes of a whole request: { method, path (with its query), headers, body, address }.
export function encode({ method = "GET", path, headers = {}, body = "", address = "192.0.2.1" }, { keep = true } = {}) {
  const [uri, query = ""] = path.split("?", 2);
  const variables = {
    REQUEST_METHOD: method,
    REQUEST_URI: path,
    SCRIPT_NAME: uri,
    QUERY_STRING: query,
    SERVER_PROTOCOL: "HTTP/1.1",
    GATEWAY_INTERFACE: "CGI/1.1",
    REMOTE_ADDR: address,
  };
  if (method === "POST")
    Object.assign(variables, {
      CONTENT_LENGTH: Buffer.byteLength(body),
      CONTENT_TYPE: "application/x-www-form-urlencoded",
    });
  for (const [name, value] of Object.entries(headers))
    variables[`HTTP_${name.toUpperCase().replaceAll("-", "_")}`] = value;
  return Buffer.concat([
    begin({ keep }),
    ...stream(TYPE.PARAMS, pairs(variables)),
    ...stream(TYPE.STDIN, Buffer.from(body)),
  ]);
}

/// One connection, requests one after the other; or, without `keep` (see encode), a new one for each, as a process is
/// told to hang up after its answer.
export class Connection {
  #path;
  #keep;
  #socket = null;
  #left = Buffer.alloc(0);
  #stdout = [];
  #waiting = null;

  constructor(path, { keep = true } = {}) {
    this.#path = path;
    this.#keep = keep;
  }

  /// `bytes` are of encode(): { status, text } of the answer, headers included; status 0 when there was none.
  ask(bytes) {
    return new Promise((done, failed) => {
      this.#waiting = { done, failed };
      if (!this.#socket) this.#open();
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket?.destroy();
  }

  /// Sends these bytes and hangs up.
  abandon(bytes) {
    if (!this.#socket) this.#open();
    const socket = this.#socket;
    this.#socket = null; // the next request has a connection of its own
    socket.end(bytes, () => socket.destroy());
  }

  #open() {
    const socket = connect(this.#path);
    this.#socket = socket;
    this.#left = Buffer.alloc(0);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => {
      if (this.#socket === socket) this.#lost(error);
    });
    socket.on("close", () => {
      if (this.#socket === socket) this.#lost(null);
    });
  }

  #lost(error) {
    this.#socket = null;
    if (!this.#waiting) return;
    if (error && error.code !== "ECONNRESET" && error.code !== "EPIPE") this.#finish("failed", error);
    else this.#answer();
  }

  #finish(how, value) {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting[how](value);
  }

  #answer() {
    if (!this.#keep) {
      this.#socket?.destroy();
      this.#socket = null;
    }
    const text = this.#stdout.length === 1 ? this.#stdout[0] : this.#stdout.join("");
    this.#stdout = [];
    this.#finish("done", {
      status: text.startsWith("Status: ") ? Number(text.slice(8, 11)) : text === "" ? 0 : 200,
      text,
    });
  }

  #take(bytes) {
    const all = this.#left.length === 0 ? bytes : Buffer.concat([this.#left, bytes]);
    let at = 0;
    while (all.length - at >= 8) {
      const length = all.readUInt16BE(at + 4);
      const end = at + 8 + length + all[at + 6];
      if (end > all.length) break;
      if (all[at + 1] === TYPE.STDOUT && length > 0) this.#stdout.push(all.latin1Slice(at + 8, at + 8 + length));
      if (all[at + 1] === TYPE.END && this.#waiting) this.#answer();
      at = end;
    }
    this.#left = all.subarray(at);
  }
}

/// Asks `count` times over `connections` connections; `next(i)` gives { bytes, then }, where `then` may look at the
/// answer, or { abandoned: bytes }, which are sent and not waited for. How often each status came.
export async function drive(path, { count, connections = 1, keep = true, next }) {
  const statuses = {};
  let asked = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new Connection(path, { keep });
      while (asked < count) {
        const { bytes, then, abandoned } = next(asked++);
        if (abandoned) {
          connection.abandon(abandoned);
          continue;
        }
        const answer = await connection.ask(bytes);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        then?.(answer);
      }
      connection.close();
    }),
  );
  return statuses;
}
