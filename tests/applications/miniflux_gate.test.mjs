// Miniflux behind the gate: it takes the user from the header that the web server sets. As Debian 13 ships it; nothing
// here installs one.
import assert from "node:assert/strict";
import { it } from "node:test";
import { PostgreSQL } from "../postgresql/server.mjs";
import { behindNginx } from "../servers/gate_fronts.mjs";
import { Person } from "../servers/gate_person.mjs";
import { describeWith } from "../support/installed.mjs";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

describeWith("miniflux", "Miniflux behind the gate", () => {
  let front;
  let accounts; // the names of all
  prepared(async (owned) => {
    const database = owned(await PostgreSQL.start());
    database.sql("CREATE DATABASE feeds");
    accounts = () =>
      database
        .sql("SELECT username FROM users ORDER BY 1", database.uri.replace("///postgres?", "///feeds?"))
        .trim()
        .split("\n");
    const port = await freePort();
    front = owned(await behindNginx({ upstream: port }));
    const miniflux = owned(
      new WebServer("miniflux", [], {
        env: {
          DATABASE_URL: `host=${database.directory} user=postgres dbname=feeds sslmode=disable`,
          RUN_MIGRATIONS: "1",
          DISABLE_SCHEDULER_SERVICE: "1",
          LISTEN_ADDR: `127.0.0.1:${port}`,
          BASE_URL: front.url,
          AUTH_PROXY_HEADER: "Remote-User",
          AUTH_PROXY_USER_CREATION: "1",
          TRUSTED_REVERSE_PROXY_NETWORKS: "127.0.0.1/32",
        },
      }),
    );
    await miniflux.untilItAnswers(`http://127.0.0.1:${port}/healthcheck`, { status: 200 });
    await front.deployment.postern(["site", "add", "feeds", "--url", `${front.url}/`]);
    for (const name of ["alice", "bob"]) await front.deployment.addUser(name, Person.PASSWORD);
  });

  it("a user has the account of the name that the gate tells, and gets one at the first visit", async () => {
    for (const name of ["alice", "bob"]) {
      const agent = await new Person(front.deployment.ca, name).signIn(`${front.url}/`);
      assert.deepEqual([agent.page.status, agent.page.url], [200, `${front.url}/unread`]);
    }
    assert.deepEqual(accounts(), ["alice", "bob"]);
  });

  it("and no other, whatever a browser sends", async () => {
    const agent = await new Person(front.deployment.ca, "bob").signIn(`${front.url}/settings`);
    for (const cookie of [agent.cookieHeader, ""]) {
      const headers = { cookie, "remote-user": "eve", Remote_User: "eve", "x-forwarded-for": "127.0.0.1" };
      const { status } = await request(`${front.url}/settings`, { ca: front.deployment.ca, headers });
      assert.equal(status, cookie ? 200 : 401);
    }
    assert.deepEqual(accounts(), ["alice", "bob"]);
  });
});
