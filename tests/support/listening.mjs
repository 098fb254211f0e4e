/// Has the server of Node listen on a port of this machine, or `where`: { server, port, origin, close }. `origin` has
/// the name `host`; close() ends the connections, too.
export async function listening(server, { where = [0, "127.0.0.1"], scheme = "http", host = "127.0.0.1" } = {}) {
  await new Promise((done, failed) => server.once("error", failed).listen(...where, done));
  const { port } = server.address();
  const close = async () => {
    server.closeAllConnections?.();
    await new Promise((done) => server.close(done));
  };
  return { server, port, origin: `${scheme}://${host}:${port}`, close };
}
