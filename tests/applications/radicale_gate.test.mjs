// Radicale in a browser, behind the gate: it takes the user from the header that the web server sets.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { behindNginx } from "../servers/gate_fronts.mjs";
import { Person } from "../servers/gate_person.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const CALENDAR =
  '<?xml version="1.0"?><create xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><resourcetype>' +
  "<collection/><C:calendar/></resourcetype><displayname>Work</displayname></prop></set></create>";

describe("Radicale behind the gate", () => {
  let front;
  const cookies = {};
  const ask = (name, method, path, options = {}) =>
    request(front.url + path, {
      ...options,
      method,
      ca: front.deployment.ca,
      headers: { cookie: cookies[name] ?? "", ...options.headers },
    });
  prepared(async (owned) => {
    const port = await freePort();
    const directory = temporaryDirectory();
    const file = join(directory, "config");
    const sections = [
      `[server]\nhosts = 127.0.0.1:${port}`,
      "[auth]\ntype = http_remote_user",
      `[storage]\nfilesystem_folder = ${join(directory, "collections")}`,
    ];
    writeFileSync(file, `${sections.join("\n")}\n`);
    const radicale = owned(new WebServer(join(BUILD, "applications/radicale/bin/radicale"), ["--config", file]));
    await radicale.untilItAnswers(`http://127.0.0.1:${port}/.web/`);
    front = owned(await behindNginx({ upstream: port }));
    await front.deployment.postern(["site", "add", "calendar", "--url", `${front.url}/`]);
    for (const name of ["alice", "bob"]) {
      await front.deployment.addUser(name, Person.PASSWORD);
      cookies[name] = (await new Person(front.deployment.ca, name).signIn(`${front.url}/.web/`)).cookieHeader;
    }
  });

  it("a user has the collections of the name that the gate tells", async () => {
    assert.equal((await ask("alice", "GET", "/.web/")).status, 200);
    assert.equal((await ask("alice", "PROPFIND", "/alice/", { headers: { depth: "0" } })).status, 207);
    assert.equal((await ask("alice", "MKCOL", "/alice/work/", { body: CALENDAR })).status, 201);
    const listed = await ask("alice", "PROPFIND", "/alice/", { headers: { depth: "1" } });
    assert.match(listed.body, /\/alice\/work\//);
  });

  it("and nobody else has them, whatever is sent", async () => {
    for (const headers of [{}, { "remote-user": "alice" }, { authorization: `Basic ${btoa("alice:x")}` }]) {
      assert.equal((await ask("bob", "PROPFIND", "/alice/work/", { headers: { depth: "0", ...headers } })).status, 403);
      assert.equal(
        (await ask("nobody", "PROPFIND", "/alice/work/", { headers: { depth: "0", ...headers } })).status,
        401,
      );
    }
  });
});
