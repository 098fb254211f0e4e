// A deployment whose programs reach their PostgreSQL server through a proxy that can fail.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProvider } from "../security/provider.mjs";
import { Proxy } from "./proxy.mjs";
import { PostgreSQL } from "./server.mjs";

export const SCOPE = "openid profile offline_access";

export class ProxiedProvider {
  directory = mkdtempSync(join(tmpdir(), "postern-px-"));

  /// `host`: the issuer's, of another name for this machine; `config` goes beside the database.
  static async open({ host, config: more = {} } = {}) {
    const proxied = new ProxiedProvider();
    try {
      chmodSync(proxied.directory, 0o755);
      proxied.server = await PostgreSQL.start();
      proxied.proxy = await Proxy.start(proxied.directory, proxied.server.directory);
      const config = { ...more, database: proxied.server.uriBy(proxied.directory) };
      proxied.p = await openProvider({ config, ...(host ? { host } : {}) });
      return proxied;
    } catch (error) {
      await proxied.stop();
      throw error;
    }
  }

  /// How many rows there are of `what`: a table, with conditions.
  count(what) {
    return Number(this.server.sql(`SELECT count(*) FROM ${what}`));
  }

  async stop() {
    await this.p?.stop();
    await this.proxy?.stop();
    await this.server?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
