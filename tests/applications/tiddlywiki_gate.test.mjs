// TiddlyWiki behind the gate (tests/applications/tiddlywiki): it takes the user from the header that the web server
// sets. A person writes in a browser.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PERSON, openBrowser, signIn } from "../browser/browser.mjs";
import { behindNginx } from "../servers/gate_fronts.mjs";
import { Person } from "../servers/gate_person.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const TIDDLYWIKI = join(BUILD, "applications/tiddlywiki/node_modules/tiddlywiki/tiddlywiki.js");

/// The words behind --listen in docs/clients/gate.md.
const recipe = () =>
  readFileSync(join(ROOT, "docs/clients/gate.md"), "utf8")
    .match(/^tiddlywiki \S+ --listen (.*)$/m)[1]
    .replaceAll('"', "")
    .split(" ");

describe("TiddlyWiki behind the gate", () => {
  let front;
  let browser;
  let wiki;
  const at = (path) => front.url + path;
  const ask = (path, headers, options = {}) =>
    request(at(path), {
      ca: front.deployment.ca,
      ...options,
      headers: { "x-requested-with": "TiddlyWiki", ...headers },
    });
  prepared(async (owned) => {
    wiki = join(temporaryDirectory(), "wiki");
    await run(process.execPath, [TIDDLYWIKI, wiki, "--init", "server"]);
    const port = await freePort();
    const words = recipe().map((word) => word.replace("port=8000", `port=${port}`));
    const server = owned(new WebServer(process.execPath, [TIDDLYWIKI, wiki, "--listen", ...words]));
    await server.untilItAnswers(`http://127.0.0.1:${port}/status`, { status: 401 });
    front = owned(await behindNginx({ upstream: port }));
    const { deployment } = front;
    await deployment.postern(["group", "add", "staff"]);
    await deployment.postern(["site", "add", "notes", "--url", at("/"), "--allow-group", "staff"]);
    await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    for (const name of ["alice", "bob"]) await deployment.addUser(name, Person.PASSWORD);
    for (const name of [PERSON.username, "alice", "bob"])
      await deployment.postern(["group", "member", "add", "staff", name]);
    browser = owned(await openBrowser());
  });

  it("a person writes under the name that the gate tells, and is asked again after the sign-out", async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en" });
    try {
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      page.on("dialog", (dialog) => dialog.accept()); // leaves the page with changes
      await page.goto(at("/"));
      await signIn(page);
      await page.waitForURL(at("/"));
      await page.getByRole("button", { name: "new tiddler", exact: true }).first().click();
      await page.locator("input.tc-titlebar.tc-edit-texteditor").fill("Minutes");
      const saved = page.waitForResponse(
        (answer) => answer.request().method() === "PUT" && /Minutes/.test(answer.url()),
      );
      await page.getByRole("button", { name: "Confirm changes" }).first().click();
      assert.equal((await saved).status(), 204);
      assert.match(readFileSync(join(wiki, "tiddlers/Minutes.tid"), "utf8"), /^creator: dana$/m);
      await page.goto(at("/.postern/logout"));
      await page.click("#logout");
      await page.waitForURL(at("/.postern/logout?done"));
      await page.goto(at("/"));
      await page.waitForSelector("#password");
    } finally {
      await context.close();
    }
  });

  it("and nobody under another, whatever a browser sends", async () => {
    const agent = await new Person(front.deployment.ca, "alice").signIn(at("/status"));
    assert.equal(JSON.parse(agent.page.body).username, "alice");
    const cookie = agent.cookieHeader;
    const headers = { cookie, "remote-user": "dana", Remote_User: "dana", authorization: `Basic ${btoa("dana:x")}` };
    assert.equal(JSON.parse((await ask("/status", headers)).body).username, "alice");
    const body = JSON.stringify({ title: "Stolen", text: "x" });
    const put = { method: "PUT", body };
    assert.equal((await ask("/recipes/default/tiddlers/Stolen", headers, put)).status, 401, "alice may only read");
    assert.ok(!existsSync(join(wiki, "tiddlers/Stolen.tid")));
    assert.equal((await ask("/status", { ...headers, cookie: "" })).status, 401);
  });

  it("a user for whom the site is not is refused", async () => {
    const agent = await new Person(front.deployment.ca, "bob").signIn(at("/status"));
    assert.equal(agent.page.status, 200);
    await front.deployment.postern(["group", "member", "remove", "staff", "bob"]);
    for (const path of ["/", "/status", "/recipes/default/tiddlers.json"])
      assert.equal((await ask(path, { cookie: agent.cookieHeader })).status, 403, path);
  });
});
