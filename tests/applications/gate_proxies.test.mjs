// The recipes for other proxies in docs/OPERATIONS.md, each with an application behind it.
import assert from "node:assert/strict";
import http from "node:http";
import { join } from "node:path";
import { it } from "node:test";
import { Person, asPage } from "../servers/gate_person.mjs";
import { Deployment } from "../support/deployment.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { describeWith } from "../support/installed.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { sendRaw, statusOf } from "../support/raw.mjs";
import { request } from "../support/user_agent.mjs";
import { freePort } from "../support/web_server.mjs";
import { PROXIES } from "./gate_proxies.mjs";

const FORGED = {
  "remote-user": "root",
  Remote_User: "root",
  "Remote_Email-Verified": "true",
  "Remote-Email_Verified": "true",
  "remote-groups": "admins",
  "x-forwarded-host": "evil.test",
  "x-forwarded-uri": "/open",
};

for (const proxy of PROXIES) {
  describeWith(proxy.program, `a site behind ${proxy.name}`, () => {
    let deployment;
    let url;
    let port;
    const cookies = {};
    const ask = (path, options) => asPage(url + path, { ca: deployment.ca, ...options });
    prepared(async (owned) => {
      const application = http.createServer((asked, answer) => {
        let bytes = 0;
        asked.on("data", (part) => {
          bytes += part.length;
        });
        asked.on("end", () => answer.end(JSON.stringify({ headers: asked.headers, bytes })));
      });
      application.on("upgrade", ({ headers }, socket) =>
        socket.end(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`),
      );
      const { port: behind } = owned(await listening(application));
      const config = { paths: { gate: "/gate" }, gate: { proxies: ["127.0.0.1"] } };
      deployment = owned(await Deployment.start({ config, front: nginx() }));
      port = await freePort();
      url = `https://localhost:${port}`;
      const file = (name) => join(deployment.directory, name);
      const server = owned(proxy.start({ deployment, port, url, behind, file }));
      await deployment.postern(["site", "add", "wiki", "--url", `${url}/`]);
      await server.untilItAnswers(`${url}/`, { ca: deployment.ca, status: 401 });
      await deployment.addUser("alice", Person.PASSWORD, { name: "Alice", email: "a@example.org" });
      await deployment.addUser("bob", Person.PASSWORD);
      for (const name of ["alice", "bob"]) {
        const agent = await new Person(deployment.ca, name).signIn(`${url}/a?b=c`);
        assert.deepEqual([agent.led.status, agent.page.status, agent.page.url], [302, 200, `${url}/a?b=c`]);
        cookies[name] = agent.cookieHeader;
      }
    });

    it("an application is told its user, whatever a browser sends", async () => {
      for (const [name, email] of [
        ["alice", "a@example.org"],
        ["bob", ""],
      ]) {
        const told = await ask("/x", { headers: { ...FORGED, cookie: `a=1; ${cookies[name]}; b=2` } });
        const { headers } = JSON.parse(told.body);
        assert.deepEqual(
          [headers["remote-user"], headers["remote-email"] ?? "", headers["remote-groups"] ?? ""],
          [name, email, ""],
        );
        for (const other of Object.keys(headers)) assert.doesNotMatch(other, /^remote.*_/);
        assert.match(headers.cookie, /^a=1;.* b=2$/);
        assert.equal(/postern-/.test(headers.cookie), !proxy.hidesCookies, "the cookies of Postern");
      }
      assert.equal((await ask("/x", { headers: FORGED })).status, 302);
      assert.equal((await request(`${url}/x`, { ca: deployment.ca, headers: FORGED })).status, 401);
    });

    it("headers of the connection remove none of them, and no protocol but WebSocket is opened", async () => {
      const open = (...lines) =>
        sendRaw(
          { port, ca: deployment.ca },
          [`GET /x HTTP/1.1`, `Host: localhost:${port}`, ...lines, "", ""].join("\r\n"),
        );
      const cookie = `Cookie: ${cookies.alice}`;
      const socket = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="];
      for (const lines of [
        ["Connection: close, Remote-User"],
        ["Connection: close", "Connection: Remote-User"],
        ["Connection: Upgrade, close", "Upgrade: h2c"],
      ]) {
        const answer = await open(cookie, ...lines);
        assert.equal(statusOf(answer), proxy.refusesThem ? 400 : 200, `${lines}`);
        if (!proxy.refusesThem) assert.match(answer, /"remote-user":"alice"/, `${lines}`);
      }
      const opened = await open(cookie, `Connection: Upgrade${proxy.opensWebSockets ? "" : ", close"}`, ...socket);
      assert.equal(statusOf(opened), proxy.opensWebSockets ? 101 : 200);
      assert.equal(statusOf(await open("Connection: Upgrade, close", ...socket)), 401);
    });

    it("bodies arrive, and the gate's own addresses are its own", async () => {
      const body = "x".repeat(200_000);
      const headers = { cookie: cookies.alice, "content-length": body.length };
      assert.equal(JSON.parse((await ask("/x", { method: "POST", headers, body })).body).bytes, body.length);
      const who = await ask("/.postern/whoami", { headers: { cookie: cookies.alice } });
      assert.equal(JSON.parse(who.body).user, "alice");
      for (const path of ["/.postern/x", "/.POSTERN/x", "//.postern/x", "/%2epostern/x"]) {
        const { status } = await ask(path, { headers: { cookie: cookies.alice } });
        assert.ok([403, 404].includes(status), `${path} ${status}`);
      }
    });

    it("signing out ends here and at the provider, and a user for whom the site is not is refused", async () => {
      const person = new Person(deployment.ca, "alice");
      const agent = await person.signIn(`${url}/a`);
      const led = await agent.submit(await agent.visit(`${url}/.postern/logout`), "logout");
      const back = await person.provider.visit(led.location.href);
      assert.equal(back.location.href, `${url}/.postern/logout?done`);
      assert.equal((await agent.visit(back.location.href)).status, 200);
      const { location } = await agent.visit(`${url}/a`);
      assert.ok((await person.provider.visit(location.href)).form.buttons.login);
      await deployment.postern(["site", "set", "wiki", "--allow-user", "alice"]);
      try {
        assert.equal((await ask("/x", { headers: { cookie: cookies.bob } })).status, 403);
        assert.equal((await ask("/x", { headers: { cookie: cookies.alice } })).status, 200);
      } finally {
        await deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
      }
    });
  });
}
