// Requests written by hand, byte for byte.
import { connect as connectTcp } from "node:net";
import { connect } from "node:tls";
import { PATIENCE } from "./user_agent.mjs";

/// Bytes to the web server of a deployment as they are, and what comes back until it hangs up; "" when it says nothing.
/// With `end` our side is closed after them.
export function sendRaw({ port, ca }, bytes, { end = false } = {}) {
  return new Promise((done, failed) => {
    const socket = ca ? connect({ port, host: "127.0.0.1", ca }) : connectTcp({ port, host: "127.0.0.1" });
    let text = "";
    socket
      .setEncoding("latin1")
      .setTimeout(60_000 * PATIENCE, () => socket.destroy(new Error(`no end of the answer: ${text}`)));
    socket.on("data", (part) => {
      text += part;
    });
    socket.on("error", (error) => (error.code === "ECONNRESET" || error.code === "EPIPE" ? done(text) : failed(error)));
    socket.on("close", () => done(text));
    socket.on("end", () => socket.end());
    socket[end ? "end" : "write"](bytes, "latin1");
  });
}

/// The status in such an answer; 0 when there is none.
export const statusOf = (text) => Number(text.match(/^HTTP\/1\.[01] (\d{3})/)?.[1] ?? 0);
