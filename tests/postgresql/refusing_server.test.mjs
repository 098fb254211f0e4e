// A server that refuses: no connection, no right. Clients get 503 with Retry-After, the log has a line that says why,
// nothing is granted, and all goes on when the server does. faults.test.mjs has a full disk, deployment.test.mjs one
// that is read-only.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { PostgreSQL } from "./server.mjs";

/// [what the server says of it, how it comes to be, how it ends]
const REFUSALS = {
  "too many connections": [
    /cannot connect to the database: .*too many connections for role "op"/,
    "ALTER ROLE op CONNECTION LIMIT 0",
    "ALTER ROLE op CONNECTION LIMIT -1",
  ],
  "a role that may not write": [
    /permission denied for table grants \(42501\)/,
    "REVOKE INSERT ON grants FROM op",
    "GRANT INSERT ON grants TO op",
  ],
  "a role that may not log in": [
    /cannot connect to the database: .*role "op" is not permitted to log in/,
    "ALTER ROLE op NOLOGIN",
    "ALTER ROLE op LOGIN",
  ],
};

describe("a PostgreSQL server that refuses", () => {
  let server;
  let p;

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start());
    server.sql("CREATE ROLE op LOGIN; GRANT CREATE ON SCHEMA public TO op");
    p = owned(await openProvider({ config: { database: server.uri.replace("user=postgres", "user=op") } }));
    // The owner of a table may do what is taken from others.
    server.sql("REASSIGN OWNED BY op TO postgres; GRANT ALL ON ALL TABLES IN SCHEMA public TO op");
  });

  const askForToken = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
  const count = () => server.sql("SELECT count(*) FROM access_tokens");
  /// Each process connects again, and meets the rights of a new connection.
  const drop = () => server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'op'");

  async function untilServed() {
    for (;;) {
      const { status } = await askForToken();
      if (status === 200) return;
      assert.equal(status, 503);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  const reasons = () =>
    p.deployment.log
      .split("\n")
      .filter((line) => /"event":"store_failed".*\}$/.test(line))
      .map((line) => JSON.parse(line).reason);
  /// The web server hands a line on when it gets to it.
  async function untilLogged(known, says) {
    while (reasons().length <= known) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.match(reasons()[known], says);
  }

  for (const [name, [says, begin, end]] of Object.entries(REFUSALS)) {
    it(`because of ${name}: 503, a line in the log, and nothing is granted`, async () => {
      await untilServed();
      const before = count();
      const known = reasons().length;
      server.sql(begin);
      drop();
      try {
        const { status, headers, json } = await askForToken();
        assert.equal(status, 503);
        assert.equal(headers["retry-after"], "5");
        assert.equal(json.error, "temporarily_unavailable");
        assert.equal(count(), before);
        await untilLogged(known, says);
      } finally {
        server.sql(end);
        drop();
      }
      await untilServed();
    });
  }
});
