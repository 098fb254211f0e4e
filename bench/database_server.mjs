// A PostgreSQL server to be measured: as a production server writes, on a Unix socket and on TCP with TLS.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgreSQL, tlsIn } from "../tests/postgresql/server.mjs";
import { freePort } from "../tests/support/web_server.mjs";

/// What PostgreSQL has by itself, and the test server has not.
const DURABLE = { fsync: "on", full_page_writes: "on" };

export class DatabaseServer {
  static async start(settings = {}) {
    const server = new DatabaseServer();
    server.directory = mkdtempSync(join(tmpdir(), "pb-"));
    chmodSync(server.directory, 0o755);
    const tls = await tlsIn(server.directory);
    server.port = await freePort();
    server.postgres = await PostgreSQL.start({
      ...DURABLE,
      listen_addresses: "127.0.0.1",
      port: server.port,
      ...tls.settings,
      ...settings,
    });
    return server;
  }

  /// Makes a database: its URIs.
  create(name) {
    this.sql("postgres", `CREATE DATABASE ${name}`);
    return {
      socket: this.uri(name),
      tls: `postgresql://postgres@127.0.0.1:${this.port}/${name}?sslmode=require`,
    };
  }

  uri(name) {
    return `postgresql:///${name}?host=${this.postgres.directory}&port=${this.port}&user=postgres`;
  }

  /// Lines of columns, with a "|" between.
  sql(name, text) {
    const words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", this.uri(name), "-c", text];
    return execFileSync("psql", words, { encoding: "utf8" }).trim();
  }

  get pid() {
    return this.postgres.pid;
  }

  async stop() {
    await this.postgres.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
