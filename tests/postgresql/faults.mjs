// What a server may answer to any flight. The server itself raises the error, so that its session is as it is after a
// real one.

function message(type, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const zeros = (bytes) => Buffer.alloc(bytes);

const query = (sql) => message("Q", sql);
/// Without parameters and results.
const extended = (sql) => [message("P", "", sql, zeros(2)), message("B", "", "", zeros(6)), message("E", "", zeros(4))];
const typeOf = (bytes) => String.fromCharCode(bytes[0]);

/// The last statement of the flight fails with this SQLSTATE. What comes before it has happened, and is taken back as
/// the error takes it back.
export const raising = (state) => {
  const raise = `DO $$BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${state}'; END$$`;
  return ({ messages, statements }) => {
    const last = messages.findLastIndex((bytes) => typeOf(bytes) === "E");
    // A COMMIT that fails leaves no transaction behind.
    if (last < 0) return { toServer: query(statements.includes("COMMIT") ? `ROLLBACK; ${raise}` : raise) };
    return { toServer: Buffer.concat([...messages.slice(0, last), ...extended(raise), messages.at(-1)]) };
  };
};

/// As when the server is shut down: 57P01, and the connection ends.
export const terminating = () => ({ toServer: query("SELECT pg_terminate_backend(pg_backend_pid())") });

/// As when a wait for the standbys is given up.
export const warning = ({ bytes }) => ({
  toClient: message("N", "SWARNING", "VWARNING", "C01000", "Minjected", zeros(1)),
  toServer: bytes,
});
