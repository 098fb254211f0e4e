// A FastCGI program that answers the variables that it is sent, as a PHP page with phpinfo() would.
import { chmod, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { TYPE, record } from "../security/records.mjs";

const HEADER = 8;

/// The names and values of FastCGI 1.0 §3.4.
function* pairsOf(bytes) {
  let at = 0;
  const length = () => {
    if (bytes[at] < 128) return bytes[at++];
    at += 4;
    return bytes.readUInt32BE(at - 4) & 0x7fffffff;
  };
  while (at < bytes.length) {
    const [name, value] = [length(), length()];
    yield [bytes.toString("latin1", at, at + name), bytes.toString("latin1", at + name, at + name + value)];
    at += name + value;
  }
}

/// Reads one request, and answers it when its body has ended.
function serve(socket, mark) {
  let rest = Buffer.alloc(0);
  const variables = [];
  let bytes = 0;
  const finish = (id) => {
    const lines = [...pairsOf(Buffer.concat(variables))].map((pair) => pair.join("="));
    const text = `Content-Type: text/plain\r\n\r\n${[mark, `BYTES=${bytes}`, ...lines].join("\n")}\n`;
    const end = record(TYPE.END, Buffer.alloc(8), { id });
    socket.end(Buffer.concat([record(TYPE.STDOUT, text, { id }), record(TYPE.STDOUT, "", { id }), end]));
  };
  socket.on("error", () => {});
  socket.on("data", (part) => {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= HEADER) {
      const length = rest.readUInt16BE(4);
      const size = HEADER + length + rest[6];
      if (rest.length < size) return;
      const content = rest.subarray(HEADER, HEADER + length);
      if (rest[1] === TYPE.PARAMS) variables.push(content);
      if (rest[1] === TYPE.STDIN) {
        bytes += length;
        if (length === 0) finish(rest.readUInt16BE(2));
      }
      rest = rest.subarray(size);
    }
  });
}

/// Listens at this socket; `mark` is the first line of each answer.
export async function startFastcgiApplication(path, mark) {
  await rm(path, { force: true });
  const server = createServer((socket) => serve(socket, mark));
  await new Promise((done, failed) => server.on("error", failed).listen(path, done));
  await chmod(path, 0o666); // the directory is closed to others
  return {
    stop: () => new Promise((done) => server.close(done)),
  };
}
